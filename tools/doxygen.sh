#!/usr/bin/env bash
# doxygen.sh: prints the path of a Doxygen, 1.9.4 or newer: the system's, or Debian's, unpacked with the libraries that it
# needs and this machine has not (no root, nothing installed system-wide; 45 MB of packages at most) into .venv/doxygen.
# Exits 1, and says why, if there is none.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/.venv/doxygen
libraries=$folder/usr/lib/$(uname -m)-linux-gnu
wrapper=$folder/doxygen

say() { printf 'gapless: %s\n' "$*" >&2; }
new_enough() {
  local version
  version=$("$1" --version 2>/dev/null) || return 1
  [ "$(printf '%s\n' 1.9.4 "${version%% *}" | sort -V | head -n 1)" = 1.9.4 ]
}

for candidate in "$(command -v doxygen || true)" "$wrapper"; do
  if [ -n "$candidate" ] && new_enough "$candidate"; then echo "$candidate"; exit; fi
done
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
  { say 'no Doxygen 1.9.4 or newer here, and no apt-get and dpkg-deb to unpack one with: install doxygen'; exit 1; }
say "unpacking Debian's doxygen into .venv/doxygen"
rm -rf "$folder"
mkdir -p "$folder"
trap 'rm -rf "$folder/deb"' EXIT
cat >"$wrapper" <<EOF
#!/bin/sh
LD_LIBRARY_PATH=$libraries\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} exec $folder/usr/bin/doxygen "\$@"
EOF
chmod +x "$wrapper"

# Its libraries are those that it depends on, and those that these depend on, as far as they are not installed.
wanted=(doxygen)
while [ ${#wanted[@]} -gt 0 ]; do
  tools/apt_download.sh "$folder/deb" "${wanted[@]}" ||
    { rm -rf "$folder"; say "cannot download Debian's ${wanted[*]}: 'apt-get install doxygen' (as root) would help"; exit 1; }
  needed=
  for archive in "$folder"/deb/*.deb; do
    dpkg-deb -x "$archive" "$folder"
    dpkg-deb -W --showformat='${Package}=${Version}\n' "$archive" >>"$folder/PACKAGES"
    needed+="$(dpkg-deb -f "$archive" Depends),"
    rm "$archive"
  done
  wanted=()
  for package in $(tr ',' '\n' <<<"$needed" | sed -n 's/^ *\(lib[^ |(:]*\).*/\1/p' | sort -u); do
    dpkg -s "$package" >/dev/null 2>&1 || grep -q "^$package=" "$folder/PACKAGES" || wanted+=("$package")
  done
done
new_enough "$wrapper" || { say "what was unpacked into .venv/doxygen does not work: $("$wrapper" --version 2>&1)"; exit 1; }
echo "$wrapper"
