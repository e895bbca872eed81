#!/usr/bin/env bash
# wheel.sh: builds dist/gapless-VERSION-...-manylinux_2_28_ARCH.whl: what `pip install .` builds, but with clang and libc++
# from the package ziglang, linked against glibc 2.28, so that it runs on any Linux since 2018 and asks for no C++ runtime.
# PYTHON=... is the Python whose wheel it is (default: that of .venv, or python3); from 3.12 on one serves all later ones.
# All that it needs comes from PyPI, as requirements.lock pins it, and lands in build/wheel; no compiler is asked for.
set -euo pipefail
cd "$(dirname "$0")/.."
arch=$(uname -m)
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
bin=$home/bin
mkdir -p "$bin" dist
wrap() {
  printf '#!/bin/sh\ncase $1 in CMake*CompilerId.*) set -- -c "$1" ;; esac\nexec "%s" %s "$@"\n' "$zig" "$2" >"$bin/$1.new"
  chmod +x "$bin/$1.new"
  cmp -s "$bin/$1.new" "$bin/$1" || mv "$bin/$1.new" "$bin/$1"
}
wrap clang "cc -target $arch-linux-gnu.$glibc"
wrap clang++ "c++ -target $arch-linux-gnu.$glibc"
wrap ar ar
wrap ranlib ranlib
export CC=$bin/clang CXX=$bin/clang++ ZIG_GLOBAL_CACHE_DIR=$home/cache
# The linker strips.
export CMAKE_ARGS="-DCMAKE_AR=$bin/ar -DCMAKE_RANLIB=$bin/ranlib -DCMAKE_STRIP=/bin/true
  -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_SHARED_LINKER_FLAGS=-s -DCMAKE_MODULE_LINKER_FLAGS=-s"
export CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)}

rm -rf "$home/plain"
log=$home/log-$version
printf 'gapless: building the wheel for Python %s\n' "$version"
"$venv/bin/python" -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir "$home/plain" \
  -C build-dir="$home/build-$version" -C "cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -DNDEBUG" . >"$log" 2>&1 || { tail -n 60 "$log" >&2; exit 1; }
auditwheel repair --only-plat --plat "manylinux_${glibc/./_}_$arch" --wheel-dir "$home/plain/repaired" "$home"/plain/*.whl >"$log" 2>&1 ||
  { cat "$log" >&2; exit 1; }
wheel=$(basename "$home"/plain/repaired/*.whl)
mv "$home/plain/repaired/$wheel" "dist/$wheel"
printf 'gapless: dist/%s\n' "$wheel"
