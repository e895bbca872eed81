#!/usr/bin/env bash
# simgrid.sh: fetches SimGrid, as this Debian has it, and builds build/simgrid/alltoall.so, the program that
# `gapless measure alltoall --simulate` runs: lab/alltoall, src/alltoall and what src/ext needs for integers, against
# SimGrid's MPI. Needs no root and installs nothing in the system: packages are unpacked below build/simgrid/debian.
# Needs the engine (tools/build.sh release gapless_engine). Does nothing that is done already.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/build/simgrid
tree=$folder/debian
# What the system may have, too: it must be found here.
packages=(libsimgrid-dev libsimgrid3.32 libboost-context1.74.0 libboost-stacktrace1.74.0 libns3.37 libgsl27 libgslcblas0
  libgfortran5)

die() { printf 'gapless: error: %s\n' "$*" >&2; exit 1; }
mkdir -p "$folder"
scratch=$(mktemp -d "$folder/.building-XXXXXX")
trap 'rm -rf "$scratch"' EXIT

fetch() {
  local stamp=$tree/.stamp-$(printf '%s ' "${packages[@]}" | cksum | cut -d' ' -f1) names
  [ ! -e "$stamp" ] || return 0
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || die "SimGrid is fetched from Debian, and this is no Debian"
  names=$(apt-get install --simulate --no-install-recommends --reinstall -qq "${packages[@]}" 2>"$scratch/said" |
    sed -n 's/^Inst \([^ ]*\).*/\1/p') && [ -n "$names" ] ||
    die "apt has not all packages of Debian 12 that are needed ($(tail -n 1 "$scratch/said")): 'apt-get update' (as root) would help"
  # shellcheck disable=SC2086  # several names on purpose
  tools/apt_download.sh "$scratch/deb" $names || die "Debian's packages cannot be downloaded: a network would help"
  for archive in "$scratch"/deb/*.deb; do
    dpkg-deb -x "$archive" "$scratch/tree"
    dpkg-deb -W --showformat='${Package} ${Version}\n' "$archive" >>"$scratch/tree/PACKAGES"
  done
  rm -rf "$tree"
  mv "$scratch/tree" "$tree"
  touch "$stamp"
}

# The sources of src/ext that know nothing of types but their size, in front of the headers that stand in for the rest.
sources() {
  sed 's/#.*//' lab/alltoall/SOURCES
  ls src/alltoall/*.cpp src/ext/alltoall/*.cpp src/ext/alltoallv/*.cpp
  printf 'src/ext/%s.cpp\n' algorithms counted error gaps machine private_comm request
  echo lab/alltoall/simulated/charged.cpp
}

build() {
  local engine=${GAPLESS_BUILD_DIR:-build/release}/src/libgapless_engine.a library source
  [ -e "$engine" ] || die "$engine is not there: run 'tools/build.sh release gapless_engine' first"
  library=$(cd "$tree"/usr/lib/*/ && pwd)
  sources | sort -u >"$scratch/sources"
  local newest
  newest=$({ tr '\n' '\0' <"$scratch/sources" | xargs -0 ls -t; ls -t "$0" "$engine" lab/alltoall/simulated/*.* lab/alltoall/*.hpp \
    src/ext/*/*.hpp src/alltoall/*.hpp; } | xargs ls -t | head -n 1)
  [ ! "$folder/alltoall.so" -nt "$newest" ] || return 0
  local compiler=${CXX:-g++}
  ! command -v ccache >/dev/null || compiler="ccache $compiler"
  local flags=(-std=c++20 -O2 -g0 -fPIC -DNDEBUG -DSMPI_NO_OVERRIDE_MALLOC -w
    -include "$tree/usr/include/smpi/smpi_helpers.h" -I"$tree/usr/include/smpi" -I"$tree/usr/include"
    -Ilab/alltoall/simulated -Isrc -Iinclude -I.venv/deps/usr/include)
  while read -r source; do
    charged=()
    case $source in src/ext/* | lab/alltoall/group.cpp) charged=(-include lab/alltoall/simulated/charged.hpp) ;; esac
    printf '%s\0' "$compiler ${flags[*]} ${charged[*]} -c $source -o $scratch/$(printf %s "$source" | tr / _).o"
  done <"$scratch/sources" | xargs -0 -P "${JOBS:-$(nproc)}" -n 1 bash -c || die "the simulated program does not compile"
  "${CXX:-g++}" -shared -o "$scratch/alltoall.so" "$scratch"/*.o "$engine" -L"$library" -lsimgrid -ldl -Wl,--gc-sections -s \
    -static-libstdc++ -Wl,-rpath-link,"$library"
  mv "$scratch/alltoall.so" "$folder/alltoall.so"
}

fetch
build
