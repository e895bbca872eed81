#!/usr/bin/env bash
# hash_requirements.sh [FILE...]: gives each pinned package the hashes of all its files on PyPI, for every platform
# (default: all lists but those that take certain files only, which say so). To pin another version: write NAME==VERSION
# in place of the entry and run this. The comment at the top of a list stays; needs `tools/bootstrap.sh --lint`.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- requirements.txt requirements-{build,lint,notebook,rivals}.txt
uv=.venv/bin/uv
[ -x "$uv" ] || { echo "gapless: no $uv: run 'tools/bootstrap.sh --lint' first" >&2; exit 1; }
for list; do
  {
    sed '/^#/!q' "$list" | grep '^#'
    # --no-deps: the lists are complete, as `pip check` proves. Old hashes are left out, or they would limit the new.
    sed -E 's/ *\\$//; /^ +--hash=/d' "$list" |
      "$uv" pip compile --quiet --universal --python-version 3.10 --no-deps --generate-hashes --no-annotate --no-header -
  } >"$list.new"
  mv "$list.new" "$list"
done
