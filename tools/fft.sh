#!/usr/bin/env bash
# fft.sh: builds mpi4py-fft (pyproject.toml, `fft`) into .venv/rivals/mpi4py-fft/lib, against FFTW: the system's, if
# libfftw3-dev is installed; else that of Debian's packages, unpacked below .venv/rivals/mpi4py-fft/fftw. Needs no root.
# What is built links no MPI: mpi4py (tools/mpi4py.sh) loads one at run time. Does nothing that is done already.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=.venv/rivals/mpi4py-fft
stamp=$folder/.stamp-$({ tools/locked.sh fft,mpi4py,build; cat tools/fft.sh; } | cksum | cut -d' ' -f1)
tools/mpi4py.sh
[ ! -e "$stamp" ] || exit 0

die() { printf 'gapless: %s\n' "$*" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
triplet=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_config_var("MULTIARCH") or "")')
printf 'gapless: building mpi4py-fft into %s\n' "$folder"
rm -rf "$folder"
mkdir -p "$folder/fftw"

# The compiler says whether FFTW is there. Of Debian's packages only double precision: with the libraries of the others
# half there, as libfftw3-dev has them, mpi4py-fft would link what cannot be loaded.
if ! printf '#include <fftw3.h>\nint main(void) { fftw_cleanup(); }\n' |
  ${CC:-cc} -x c - -lfftw3_threads -lfftw3 -lm -o "$scratch/probe" 2>/dev/null; then
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    die "mpi4py-fft needs FFTW, and this is no Debian: install FFTW with its header (fftw-devel, fftw3), and try again"
  tools/apt_download.sh "$scratch/deb" libfftw3-dev libfftw3-double3 ||
    die "mpi4py-fft needs FFTW, and Debian's packages cannot be downloaded: 'apt-get install libfftw3-dev' (as root)" \
        "or a network would help"
  for archive in "$scratch"/deb/*.deb; do dpkg-deb -x "$archive" "$folder/fftw"; done
  find "$folder/fftw" -name 'libfftw3[flq]*' -delete
  export FFTW_ROOT=$PWD/$folder/fftw/usr
  # Relative to mpi4py_fft/fftw/*.so, so that .venv may be moved.
  export LDFLAGS="${LDFLAGS:-} -Wl,-rpath,\$ORIGIN/../../../fftw/usr/lib/$triplet -Wl,-rpath,\$ORIGIN/../../../fftw/usr/lib"
fi

# pip takes options and hashes only from a file; the build sees what is installed here, so nothing else is fetched.
# Without pip's cache, whose wheel may be of another FFTW.
pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }
pip install --quiet --no-deps --require-hashes --no-compile --only-binary :all: --target "$scratch/cython" \
  -r <(tools/locked.sh fft cython)
PYTHONPATH=$scratch/cython:.venv/rivals/mpi4py/lib pip install --quiet --no-deps --require-hashes --no-build-isolation \
  --no-cache-dir --no-binary :all: --target "$folder/lib" -r <(tools/locked.sh fft mpi4py-fft)
.venv/bin/python -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$folder"/lib/mpi4py_fft/fftw/fftw_xfftn.*.so ||
  die "mpi4py-fft was built, but its FFTW cannot be loaded"
touch "$stamp"
