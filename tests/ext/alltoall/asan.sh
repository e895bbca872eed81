#!/usr/bin/env bash
# asan.sh: the programs of this folder and those of the irregular all-to-all, and libgapless_mpi under them, with
# AddressSanitizer and the undefined-behaviour sanitizer, on MPICH. Not part of the tests: the sanitized library takes
# minutes to build.
set -euo pipefail
cd "$(dirname "$0")/../../.."
export PATH=$PWD/.venv/bin:$PATH
tools/build.sh asan gapless_mpi_library_mpich
library=$PWD/build/asan/src/preload
types=(tests/conformance/coll_types.cpp tests/preload/random_mpi_type.cpp)
# program NAME SOURCES...
program() {
  g++ -std=c++20 -O1 -g1 -fsanitize=address,undefined -Iinclude -Isrc -I.venv/include "${@:2}" -o "build/asan/$1" \
    -L"$library" -lgapless_mpi_mpich -L.venv/lib -lmpi -Wl,-rpath,"$library" -Wl,-rpath,"$PWD/.venv/lib"
}
program ext_alltoall tests/ext/alltoall/{ext_alltoall,known_blocks}.cpp "${types[@]}"
program ext_alltoall_errors tests/ext/alltoall/ext_alltoall_errors.cpp
program alltoallv tests/ext/{alltoallv,alltoallv_case}.cpp "${types[@]}"
program alltoallv_errors tests/ext/alltoallv_errors.cpp
export MPIR_CVAR_CH4_PROGRESS_THROTTLE=1 MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT=1
timeout 300 mpiexec -n 8 build/asan/ext_alltoall few 1 1 2 3 4 5 6 7 8
timeout 300 mpiexec -n 3 build/asan/ext_alltoall_errors
timeout 300 mpiexec -n 8 build/asan/alltoallv 1 1 2 3 4 5 6 7 8
timeout 300 mpiexec -n 4 build/asan/alltoallv_errors
