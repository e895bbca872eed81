#!/usr/bin/env bash
# docs.sh [FOLDER]: the API reference from the comments of include/gapless, as HTML and as man pages (section 3), into
# FOLDER (default: build/docs). Whatever is public and undocumented is an error. Exits 77 if no Doxygen can be had.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/docs}
doxygen=$(tools/doxygen.sh) || exit 77
rm -rf "$folder"
mkdir -p "$folder"
GAPLESS_VERSION=$(sed -n 's/^project(gapless VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
export GAPLESS_VERSION GAPLESS_REFERENCE=$folder
"$doxygen" docs/reference/Doxyfile
# A page for each member of a C++ class, by its bare name, would stand in the way of other people's.
find "$folder/man/man3" -type f ! -iname 'gapless*' -delete
printf 'gapless: the API reference is %s/html/index.html; man -M %s/man gapless_pack\n' "$folder" "$folder"
