#!/usr/bin/env bash
# docs.sh [FOLDER]: the documentation as a site that works offline, into FOLDER (default: build/docs): the pages of docs/,
# those at the root, and the API reference from the comments of include/gapless, which is also written as man pages
# (section 3) into FOLDER/man. Whatever is public and undocumented is an error, and so is a link that leads nowhere. Exits
# 77 if no Doxygen can be had. Needs MkDocs: tools/bootstrap.sh --docs.
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")/../build/docs}")
# MkDocs empties it.
if [ $# -gt 0 ] && [ -n "$(ls -A "$folder" 2>/dev/null)" ] && [ ! -e "$folder/sitemap.xml" ]; then
  echo "gapless: $folder is not empty, and no site of ours: name another folder" >&2
  exit 1
fi
cd "$(dirname "$0")/.."
doxygen=$(tools/doxygen.sh) || exit 77
[ -x .venv/bin/mkdocs ] || { echo 'gapless: no .venv/bin/mkdocs: run tools/bootstrap.sh --docs, or make docs' >&2; exit 77; }
GAPLESS_VERSION=$(sed -n 's/^project(gapless VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
GAPLESS_REFERENCE=$(mktemp -d)
export GAPLESS_VERSION GAPLESS_REFERENCE
trap 'rm -rf "$GAPLESS_REFERENCE"' EXIT
"$doxygen" docs/reference/Doxyfile
# A page for each member of a C++ class, by its bare name, would stand in the way of other people's.
find "$GAPLESS_REFERENCE/man/man3" -type f ! -iname 'gapless*' -delete
# The warning is about a successor of MkDocs.
NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs --quiet build --site-dir "$folder"
mv "$GAPLESS_REFERENCE/man" "$folder/"
printf 'gapless: the documentation is %s/index.html; man -M %s/man gapless_pack\n' "$folder" "$folder"
