#!/usr/bin/env bash
# Copies the headers of the C++ libraries that the measuring programs are built with into third_party/, which an sdist
# brings: PyPI has not both of them, and who installs an sdist has nothing but PyPI. Each comes from this system, or from
# Debian's package, with its licence.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/debian_packages.sh nlohmann_json CLI11 || true

# All of them or none: what is there is taken for whole.
new=third_party.new
trap 'rm -rf "$new"' EXIT
rm -rf "$new"

# PACKAGE FOLDER DEBIAN_PACKAGE: the folder is that of its headers.
copy() {
  local root
  for root in .venv/deps/usr /usr/local /usr; do
    [ -d "$root/include/$2" ] || continue
    mkdir -p "$new/$1"
    cp -rp "$root/include/$2" "$new/$1/"
    # Where the package has its licence; the headers say it themselves, too.
    cp "$root/share/doc/$3/copyright" "$new/$1/LICENSE" 2>/dev/null || true
    return
  done
  printf 'gapless: error: the headers of %s are not here: install them (Debian: %s)\n' "$1" "$3" >&2
  exit 1
}
copy nlohmann_json nlohmann nlohmann-json3-dev
copy CLI11 CLI libcli11-dev
rm -rf third_party
mv "$new" third_party
