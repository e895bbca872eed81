#!/usr/bin/env bash
# test_neon.sh [--all]: cross-builds engine, layer and tests for AArch64 with Debian's compiler and runs them under qemu:
# the unit tests, random types, and the tests of the kernels with each set forced in turn; then programs under the layer,
# each process emulated, on MPICH and Open MPI as their wheels have them for AArch64. With --all every test of the engine
# and none of the layer. On an AArch64 machine `make test` does so natively.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.venv/bin:$PATH
# Left out: what takes minutes to emulate and runs no kernel, and what runs again with each set forced; of the layer what
# counts each call of a malloc for a minute, what needs the memory of the process alone (the emulator's is in it), and
# what MPICH delivers of a truncated message, or says of one that ends inside an element, only where it reads the other
# process's memory, which qemu cannot.
targets=(kernel_tests preload_tests emulated_conformance)
chosen=(-R '^(isa|unit|layer)\.|^property\.random_types|^conformance\.emulated$'
        -E 'NewTypes.*IsItsDefinition|Signature\.RandomTypes|^layer\.(calls|truncation|equivalence_watched)')
if [ "${1:-}" = --all ]; then
  targets=(engine_tests) chosen=(-L engine)
fi
# One process does not read another's memory under qemu, and Open MPI's process manager wants its shared memory at an
# address that the emulated process has not free.
export MPIR_CVAR_CH4_CMA_ENABLE=0 OMPI_MCA_smsc=^cma PMIX_MCA_gds=hash OMPI_MCA_btl=${OMPI_MCA_btl:-^ofi}
tools/aarch64_tools.sh
[ "${1:-}" = --all ] || tools/rivals.sh openmpi
MPI='' tools/build.sh aarch64 "${targets[@]}"
ctest --test-dir build/aarch64 --output-on-failure --no-tests=error -j "${JOBS:-$(nproc)}" "${chosen[@]}"
