#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures and builds one preset. With MPI=PREFIX in the environment the layer, the lab
# and the examples are built for that MPI, in a build folder of their own (tools/build_folder.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.venv/bin:$PATH
preset=$1
shift
folder=$(tools/build_folder.sh "$preset")

arguments=()
if [ -n "${MPI:-}" ]; then
  prefix=$(cd "$MPI" && pwd)
  [ -e "$prefix/include/mpi.h" ] ||
    { echo "gapless: no include/mpi.h below MPI=$MPI: name the prefix that the MPI was installed into" >&2; exit 1; }
  arguments=(-B "$folder" "-DGAPLESS_MPI_ROOT=$prefix")
fi

# A compiler cache, where there is one; with its own settings where the user gave some. Precompiled headers need the first.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache} CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS-pch_defines,time_macros} CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD}
fi

# Configuring is quiet when it succeeds, but for the lines that name a part that is missing or fetched.
mkdir -p build
log=$folder.configure.log
cmake --preset "$preset" "${arguments[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
grep -A3 -E 'gapless: (no |.*not installed)' "$log" || true
targets=()
[ $# -eq 0 ] || targets=(--target "$@")
# With the product, the measuring programs that were compiled before: an old one would measure an old engine.
if [ "${1:-}" = gapless_product ]; then
  for program in $(cd "$folder" && find lab bench examples -type f -perm -u+x ! -path '*/CMakeFiles/*' 2>/dev/null); do
    ! grep -q "^build $program:" "$folder/build.ninja" || targets+=("$program")
  done
fi
# One at a time in a folder: a command may be compiling a program of its own there (python/gapless/compiled.py).
alone=()
! command -v flock >/dev/null || alone=(flock "$folder/.building")
"${alone[@]}" cmake --build "$folder" ${JOBS:+-j "$JOBS"} "${targets[@]}" | tools/build_progress.sh
