#!/usr/bin/env bash
# test_tsan.sh: under the thread sanitizer, with the kernels of each set forced in turn: plans that several threads
# share, parts of one message in several threads beside a writer to its gaps, random types, and messages from thread to
# thread through shared memory.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.venv/bin:$PATH
MPI='' tools/build.sh tsan thread_tests
# Older runtimes of the sanitizer cannot place their memory where the kernel randomises much of the address space.
fixed=()
if build/tsan/tests/property/shared_plans_test --types 1 2>&1 | grep -q 'unexpected memory mapping'; then
  fixed=(setarch "$(uname -m)" -R)
fi
"${fixed[@]}" ctest --test-dir build/tsan --output-on-failure --no-tests=error -j "${JOBS:-$(nproc)}" \
  -R '^isa\..*\.(shared_plans|random_types)$|^wire\.threads$'
