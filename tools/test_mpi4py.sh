#!/usr/bin/env bash
# test_mpi4py.sh [ARGUMENTS...]: mpi4py's own test suite on MPICH, Open MPI and Intel MPI, each test's outcome under the
# layer compared with the one without it. Default: 2 ranks, the layer forced; -l LIBRARY for one of them. ARGUMENTS:
# tests/mpi4py/run.py --help.
set -euo pipefail
cd "$(dirname "$0")/.."
libraries=(-l mpich -l openmpi -l impi)
[ "${1:-}" != -l ] || libraries=()
tools/rivals.sh
tools/mpi4py.sh
PYTHONPATH=$PWD/python exec .venv/bin/python tests/mpi4py/run.py "${libraries[@]}" "$@"
