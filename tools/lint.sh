#!/usr/bin/env bash
# Directions of includes and imports, what the docs name, Python style, C and C++ style, clang-tidy. Changes nothing;
# `tools/lint.sh --fix` formats.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=.venv/bin
fix=${1:-}
failed=0
python=(python tests tools)
mapfile -t cxx < <(find include src python lab examples bench tests \
  \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cpp' \) -print)

check() { "$@" || failed=1; }
check "$bin/python" tests/structure/check_includes.py .
check "$bin/python" tests/structure/check_rooms.py .
check "$bin/python" tests/docs/check_docs.py .
check "$bin/ruff" check ${fix:+--fix} "${python[@]}"
check "$bin/ruff" format $([ -n "$fix" ] || echo --check) "${python[@]}"
check "$bin/python" -m mypy
if [ ${#cxx[@]} -gt 0 ]; then
  if [ -n "$fix" ]; then check "$bin/clang-format" -i "${cxx[@]}"; else check "$bin/clang-format" --dry-run -Werror "${cxx[@]}"; fi
fi
check tools/tidy.sh
exit $failed
