#!/usr/bin/env bash
# wheel.sh: builds dist/gapless-VERSION-...-manylinux_2_28_ARCH.whl: what `pip install .` builds, but with clang and libc++
# from the package ziglang, linked against glibc 2.28, so that it runs on any Linux since 2018 and asks for no C++ runtime.
# It builds from the sdist, dist/gapless-VERSION.tar.gz, so that this one is known to be complete.
# PYTHON=... is the Python whose wheel it is (default: that of .venv, or python3), or several, of which only the first one
# takes minutes; from 3.12 on one wheel serves all later ones.
# What it needs comes from PyPI, as requirements.lock pins it, and lands in build/wheel; no compiler is asked for. The
# headers of CLI11 and nlohmann_json, for the measuring programs, are this system's or Debian's (tools/third_party.sh).
#
#   tools/wheel.sh [x86_64|aarch64]    for which machines; default: those like this one
set -euo pipefail
cd "$(dirname "$0")/.."
arch=${1:-$(uname -m)}
case $arch in
  x86_64 | aarch64) ;;
  *) printf 'gapless: error: no wheel for %s: usage: tools/wheel.sh [x86_64|aarch64]\n' "$arch" >&2; exit 2 ;;
esac
read -ra pythons <<<"${PYTHON:-}"
if [ ${#pythons[@]} -gt 1 ]; then
  for python in "${pythons[@]}"; do PYTHON=$python tools/wheel.sh "$arch"; done
  exit
fi
glibc=2.28
python=${PYTHON:-.venv/bin/python}
command -v "$python" >/dev/null || python=python3
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
home=$PWD/build/wheel
venv=$home/venv-$version

stamp=$venv/.stamp-$(tools/locked.sh wheel,tools | cksum | cut -d' ' -f1)
if [ ! -e "$stamp" ]; then
  printf 'gapless: installing the tools that build a wheel into %s\n' "$venv"
  "$python" -m venv --clear "$venv"
  "$venv/bin/python" -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes -r <(tools/locked.sh wheel,tools)
  touch "$stamp"
fi
export PATH=$venv/bin:$PATH
zig=$("$venv/bin/python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__) + "/zig")')
# Wrappers, because CMake wants a compiler to be one word. Nothing is linked to try it, nor to tell what it is: Zig compiles
# its C++ runtime for each way to link, 40 s of a processor.
bin=$home/bin-$arch
mkdir -p "$bin" dist
wrap() {
  printf '#!/bin/sh\ncase $1 in CMake*CompilerId.*) set -- -c "$1" ;; esac\nexec "%s" %s "$@"\n' "$zig" "$2" >"$bin/$1.new"
  chmod +x "$bin/$1.new"
  cmp -s "$bin/$1.new" "$bin/$1" || mv "$bin/$1.new" "$bin/$1"
}
# At -O0 Zig would check for undefined behaviour, and link what prints it only itself.
wrap clang "cc -target $arch-linux-gnu.$glibc -fno-sanitize=undefined"
wrap clang++ "c++ -target $arch-linux-gnu.$glibc -fno-sanitize=undefined"
wrap ar ar
wrap ranlib ranlib
export CC=$bin/clang CXX=$bin/clang++ ZIG_GLOBAL_CACHE_DIR=$home/cache
# The linker strips.
export CMAKE_ARGS="-DCMAKE_AR=$bin/ar -DCMAKE_RANLIB=$bin/ranlib -DCMAKE_STRIP=/bin/true
  -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_SHARED_LINKER_FLAGS=-s -DCMAKE_MODULE_LINKER_FLAGS=-s
  -DCMAKE_EXE_LINKER_FLAGS=-s"
# For other machines, this Python still runs the build; it must only call its headers, files and tag by their names.
if [ "$arch" != "$(uname -m)" ]; then
  CMAKE_ARGS+=" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$arch"
  export _PYTHON_HOST_PLATFORM=linux-$arch
  SETUPTOOLS_EXT_SUFFIX=$("$venv/bin/python" -c "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))")
  export SETUPTOOLS_EXT_SUFFIX=${SETUPTOOLS_EXT_SUFFIX/$(uname -m)/$arch}
fi
export CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)}

tools/third_party.sh
sdist=dist/$("$venv/bin/python" -c 'from scikit_build_core.build import build_sdist; print(build_sdist("dist"))' | tail -n 1)
"$venv/bin/python" tools/unpack_sdist.py "$sdist" "$home/source"

plain=$home/plain-$arch
rm -rf "$plain"
log=$home/log-$version-$arch
printf 'gapless: building the wheel for Python %s on %s\n' "$version" "$arch"
"$venv/bin/python" -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir "$plain" \
  -C build-dir="$home/build-$arch" "$home/source" >"$log" 2>&1 || { tail -n 60 "$log" >&2; exit 1; }
# It knows the platforms of this machine by name; of another one it finds the oldest that fits.
wanted=manylinux_${glibc/./_}_$arch platform=auto
[ "$arch" != "$(uname -m)" ] || platform=$wanted
# The MPI library of a measuring program is the user's.
auditwheel repair --exclude 'libmpi.so.*' --exclude 'libgapless_mpi_*.so' --only-plat --plat "$platform" \
  --wheel-dir "$plain/repaired" "$plain"/*.whl >"$log" 2>&1 ||
  { cat "$log" >&2; exit 1; }
wheel=$(basename "$plain"/repaired/*.whl)
[[ $wheel == *-$wanted.whl ]] || { printf 'gapless: error: %s is not for %s\n' "$wheel" "$wanted" >&2; exit 1; }
mv "$plain/repaired/$wheel" "dist/$wheel"
printf 'gapless: dist/%s\n' "$wheel"
