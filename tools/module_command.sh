#!/usr/bin/env bash
# module_command.sh: prints the command that reads environment-module files (`COMMAND bash load NAME`): the system's
# environment-modules or Lmod, or Debian's, unpacked into .venv/modules (600 KB; no root, nothing installed system-wide).
# Exits 1, and says why, if there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/.venv/modules
script=usr/lib/$(uname -m)-linux-gnu/modulecmd.tcl

say() { printf 'gapless: %s\n' "$*" >&2; }
for candidate in "${MODULES_CMD:-}" "${LMOD_CMD:-}" /usr/lib/"$(uname -m)"-linux-gnu/modulecmd.tcl /usr/share/lmod/lmod/libexec/lmod; do
  if [ -n "$candidate" ] && [ -x "$candidate" ]; then echo "$candidate"; exit; fi
done
command -v tclsh >/dev/null || { say 'no environment-modules, no Lmod and no tclsh here'; exit 1; }
if [ ! -x "$folder/$script" ]; then
  command -v dpkg-deb >/dev/null || { say 'no environment-modules here, and no dpkg-deb to unpack it with'; exit 1; }
  trap 'rm -rf "$folder/deb"' EXIT
  tools/apt_download.sh "$folder/deb" environment-modules || { say "cannot download Debian's environment-modules"; exit 1; }
  dpkg-deb -x "$folder"/deb/*.deb "$folder"
fi
echo "$folder/$script"
