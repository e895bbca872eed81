#!/usr/bin/env bash
# test_full.sh: what takes too long for every change: the wheel for AArch64, emulated, and what pip builds of the sdist with
# this machine's compiler; all planted faults, of which CI tries a sixth; the conformance set with its long cases, on
# Debian's MPI libraries as well where they are installed (with Fortran: mpich libmpich-dev openmpi-bin libopenmpi-dev
# gfortran), and mpi4py's own suite with 1 and 4 ranks and with the tests that spawn, the layer as it comes and forced.
# Runs everything even if something fails.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.venv/bin:$PATH
failed=()

part() {
  printf '\n== %s\n' "$*"
  "$@" || failed+=("$*")
}
part .venv/bin/python -m pytest -m full
part tools/build.sh release long_tests
part ctest --test-dir "$(tools/build_folder.sh release)" --output-on-failure --no-tests=error -L mutants
part .venv/bin/python tests/conformance/run.py --all --long --build "$(tools/build_folder.sh release)"
# Four polling ranks on few cores are slow, not hung.
part tools/test_mpi4py.sh -n 1 --layer default --layer force
part tools/test_mpi4py.sh -n 2 --layer default
part tools/test_mpi4py.sh -n 4 --layer default --layer force --stall 300
part tools/test_mpi4py.sh -n 2 --spawn -m spawn -m dynproc -m util_pool --layer default --layer force --stall 120

if [ ${#failed[@]} -gt 0 ]; then
  printf 'gapless: FAILED: %s\n' "${failed[@]}"
  exit 1
fi
printf 'gapless: all of it passed\n'
