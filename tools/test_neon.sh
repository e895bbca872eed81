#!/usr/bin/env bash
# test_neon.sh [--all]: cross-builds the engine and tests for AArch64 with Debian's compiler and runs them under qemu:
# the unit tests, random types, and the tests of the kernels with each set forced in turn; with --all every test of the
# engine. On an AArch64 machine `make test` does so natively.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.venv/bin:$PATH
target=kernel_tests
# Left out: what takes minutes to emulate and runs no kernel, and what runs again with each set forced.
chosen=(-R '^(isa|unit)\.|^property\.random_types' -E 'NewTypes.*IsItsDefinition|Signature\.RandomTypes')
if [ "${1:-}" = --all ]; then
  target=engine_tests chosen=(-L engine)
fi
tools/aarch64_tools.sh
MPI='' tools/build.sh aarch64 "$target"
ctest --test-dir build/aarch64 --output-on-failure --no-tests=error -j "${JOBS:-$(nproc)}" "${chosen[@]}"
