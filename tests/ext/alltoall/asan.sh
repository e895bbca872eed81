#!/usr/bin/env bash
# asan.sh: the programs of this folder, and libgapless_mpi under them, with AddressSanitizer and the undefined-behaviour
# sanitizer, on MPICH. Not part of the tests: the sanitized library takes minutes to build.
set -euo pipefail
cd "$(dirname "$0")/../../.."
export PATH=$PWD/.venv/bin:$PATH
tools/build.sh asan gapless_mpi_library_mpich
here=tests/ext/alltoall
library=$PWD/build/asan/src/ext
for name in ext_alltoall ext_alltoall_errors; do
  more=()
  [ "$name" = ext_alltoall_errors ] ||
    more=("$here/known_blocks.cpp" tests/conformance/coll_types.cpp tests/preload/random_mpi_type.cpp)
  g++ -std=c++20 -O1 -g1 -fsanitize=address,undefined -Iinclude -I.venv/include "$here/$name.cpp" "${more[@]}" \
    -o "build/asan/$name" -L"$library" -lgapless_mpi_mpich -L.venv/lib -lmpi -Wl,-rpath,"$library" -Wl,-rpath,"$PWD/.venv/lib"
done
timeout 300 mpiexec -n 4 build/asan/ext_alltoall few 1 1 2 3 4
timeout 300 mpiexec -n 3 build/asan/ext_alltoall_errors
