#!/usr/bin/env bash
# programs.sh debian|shenfun: fetches programs that nobody here wrote, for `gapless bench programs`; needs no root and
# installs nothing in the system. debian: ScaLAPACK's testers, PETSc for Python, CP2K, MPICH and Open MPI, as this Debian has them,
# with what they need and the system lacks, unpacked below build/programs/debian. shenfun: built into
# build/programs/shenfun/lib in the version of requirements.lock, on mpi4py-fft (tools/fft.sh). Does nothing that is done already.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/build/programs
# Of Debian 12: what is run, and what it must find here even if the system has it, for Open MPI is told where its parts are.
packages=(scalapack-mpi-test scalapack-test-common libscalapack-mpich2.2 libscalapack-openmpi2.2 mpich libmpich12
  openmpi-bin openmpi-common libopenmpi3 libpmix2 libhwloc15 libucx0 libfabric1
  python3-petsc4py-real python3-petsc4py-real3.18 libpetsc-real3.18 python3-numpy libblas3 liblapack3 cp2k cp2k-data)

die() { printf 'gapless: error: %s\n' "$*" >&2; exit 1; }
mkdir -p "$folder"
scratch=$(mktemp -d "$folder/.fetching-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

debian() {
  local target=$folder/debian stamp names
  stamp=$target/.stamp-$({ printf '%s ' "${packages[@]}"; cat tools/programs.sh; } | cksum | cut -d' ' -f1)
  [ ! -e "$stamp" ] || return 0
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || die "these programs are Debian's packages, and this is no Debian"
  # apt says which packages an installation would fetch, and installs none; those named come in any case.
  names=$(apt-get install --simulate --no-install-recommends --reinstall -qq "${packages[@]}" 2>"$scratch/said" |
    sed -n 's/^Inst \([^ ]*\).*/\1/p') && [ -n "$names" ] ||
    die "apt has not all packages of Debian 12 that are needed ($(tail -n 1 "$scratch/said")):" \
        "'apt-get update' (as root) would help"
  # shellcheck disable=SC2086  # several names on purpose
  tools/apt_download.sh "$scratch/deb" $names || die "Debian's packages cannot be downloaded: a network would help"
  for archive in "$scratch"/deb/*.deb; do
    dpkg-deb -x "$archive" "$scratch/tree"
    dpkg-deb -W --showformat='${Package} ${Version}\n' "$archive" >>"$scratch/tree/PACKAGES"
  done
  rm -rf "$target"
  mv "$scratch/tree" "$target"
  touch "$stamp"
}

shenfun() {
  local target=$folder/shenfun stamp fftw=$PWD/.venv/rivals/mpi4py-fft/fftw/usr
  stamp=$target/.stamp-$({ tools/locked.sh programs; cat tools/programs.sh; } | cksum | cut -d' ' -f1)
  tools/fft.sh
  [ ! -e "$stamp" ] || return 0
  pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }
  pip install --quiet --no-deps --require-hashes --no-compile --only-binary :all: --target "$scratch/cython" \
    -r <(tools/locked.sh fft cython)
  pip install --quiet --no-deps --require-hashes --no-compile --only-binary :all: --target "$scratch/lib" \
    -r <(tools/locked.sh programs llvmlite mpmath numba pyyaml sympy)
  # The build sees what is installed here, so nothing else is fetched.
  [ ! -d "$fftw" ] || export FFTW_ROOT=$fftw
  PYTHONPATH=$scratch/cython:$PWD/.venv/rivals/mpi4py/lib:$PWD/.venv/rivals/mpi4py-fft/lib pip install --quiet --no-deps --require-hashes \
    --no-build-isolation --no-cache-dir --no-compile --no-binary :all: --target "$scratch/lib" -r <(tools/locked.sh programs shenfun)
  rm -rf "$target"
  mkdir "$target"
  mv "$scratch/lib" "$target/lib"
  touch "$stamp"
}

case ${1:-} in
  debian | shenfun) "$1" ;;
  *) die "usage: tools/programs.sh debian|shenfun" ;;
esac
