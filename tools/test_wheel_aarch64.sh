#!/usr/bin/env bash
# test_wheel_aarch64.sh WHEEL: uses a wheel of tools/wheel.sh aarch64 on this machine, emulated: Debian's Python for AArch64
# imports its gapless and packs, and a C program of two processes on MPICH runs under its layer. Tools and libraries are
# those of tools/aarch64_tools.sh; the Python is unpacked beside them. Needs the Python version that Debian's is, 3.11
# on Debian 12, to be the wheel's. Prints "wheel works" and exits 0, or says what failed and exits 1.
set -euo pipefail
wheel=$(realpath "${1:?usage: tools/test_wheel_aarch64.sh WHEEL}")
cd "$(dirname "$0")/.."
export GAPLESS_AARCH64_TOOLS=${GAPLESS_AARCH64_TOOLS:-$PWD/.venv/aarch64}
tools=$GAPLESS_AARCH64_TOOLS
tools/aarch64_tools.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
die() { printf 'gapless: error: %s\n' "$*" >&2; exit 1; }

version=$(basename "$wheel" | sed -n 's/^gapless-[^-]*-cp3\([0-9]*\)-.*aarch64\.whl$/3.\1/p')
[ -n "$version" ] || die "$wheel is no wheel for AArch64"
python=$tools/python$version
if [ ! -e "$python/.stamp" ]; then
  printf 'gapless: unpacking Debian'\''s Python %s for AArch64 into %s\n' "$version" "$python"
  packages=("python$version-minimal" "libpython$version-minimal" "libpython$version-stdlib" libexpat1 zlib1g)
  tools/apt_download.sh "$scratch/deb" "${packages[@]/%/:arm64}" || die "Debian's Python $version for AArch64 cannot be downloaded"
  rm -rf "$python"
  for archive in "$scratch"/deb/*.deb; do dpkg-deb -x "$archive" "$python"; done
  touch "$python/.stamp"
fi
bin=
command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null || bin=$tools/bin/
root=$tools/usr/aarch64-linux-gnu
[ -d "$root" ] || root=/usr/aarch64-linux-gnu
emulated() { "${bin}qemu-aarch64" -L "$root" "$@"; }
"$PWD/.venv/bin/python" -m zipfile -e "$wheel" "$scratch/site"

(cd "$scratch" && PYTHONHOME=$python/usr PYTHONPATH=$scratch/site emulated \
  -E "LD_LIBRARY_PATH=$python/usr/lib/aarch64-linux-gnu:$python/lib/aarch64-linux-gnu" "$python/usr/bin/python$version" -c '
import platform, gapless
packed = gapless.vector(3, 1, 2, "int16").pack(b"aAbBcCdDeE")
isa = gapless.Datatype("vector(3, 2, 4, int32)").explain()["isa"]
assert (platform.machine(), packed, isa) == ("aarch64", b"aAcCeE", "neon"), (platform.machine(), packed, isa)') ||
  die "Python for AArch64 does not use what is in $wheel"

"${bin}aarch64-linux-gnu-gcc" -O1 -I "$tools/mpich/include" tests/python/wheel_column.c -o "$scratch/column" -L "$tools/mpich/lib" -lmpi
mkdir "$scratch/run"
# One process does not read another's memory under qemu.
MPIR_CVAR_CH4_CMA_ENABLE=0 GAPLESS_FORCE=1 GAPLESS_STATS=1 GAPLESS_RUN_DIR=$scratch/run .venv/bin/mpiexec -n 2 \
  "${bin}qemu-aarch64" -L "$root" -E "LD_LIBRARY_PATH=$tools/mpich/lib" \
  -E "LD_PRELOAD=$scratch/site/gapless/lib/libgapless_preload_lc41.so" "$scratch/column" >/dev/null ||
  die "a program under the layer of $wheel received wrong data"
counts=$(find "$scratch/run" -name '*.json' -exec cat {} +)
accelerated=$(grep -o '"MPI_\(Send\|Recv\)":{[^}]*"accelerated":1' <<<"$counts" | wc -l) || true
[ "$accelerated" = 2 ] || die "the layer of $wheel did not pack the message: ${counts:-no process has counts}"
printf 'gapless: wheel works\n'
