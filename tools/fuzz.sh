#!/usr/bin/env bash
# fuzz.sh [TARGET] [SECONDS]: fuzzes one target of tests/fuzz, or each in turn, with libFuzzer under the address and
# undefined sanitizers. Corpus: build/fuzz/corpus/TARGET, started from tests/fuzz/seeds/TARGET and kept between runs.
# What crashes: build/fuzz/findings. Where there is no clang++ with libFuzzer, Debian's is unpacked (no root, nothing
# installed system-wide) into .venv/fuzz, or into the folder that GAPLESS_FUZZ_TOOLS names. JOBS: compilers at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.venv/bin:$PATH
tools=${GAPLESS_FUZZ_TOOLS:-$PWD/.venv/fuzz}
target=${1:-}
seconds=${2:-600}
build=build/fuzz/build
flags=fuzzer-no-link,address,undefined

say() { printf 'gapless: %s\n' "$*"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Whether this compiler links and runs a libFuzzer program.
can_fuzz() {
  command -v "$1" >/dev/null || return 1
  cat >"$scratch/probe.cpp" <<'EOP'
#include <cstddef>
#include <cstdint>
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) { return 0; }
EOP
  local arguments=(-std=c++20 -fsanitize=fuzzer,address,undefined "$scratch/probe.cpp" -o "$scratch/probe")
  "$1" "${arguments[@]}" >"$scratch/probe.log" 2>&1 &&
    "$scratch/probe" -runs=1 >>"$scratch/probe.log" 2>&1
}

# Downloads the newest of Debian's clangs that has everything; a machine without package lists gets some of its own.
unpack_clang() {
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
  local options=(-o "Dir::Cache=$tools/apt" -o "Dir::Cache::archives=$tools/apt/archives" -o APT::Sandbox::User=root)
  mkdir -p "$tools/apt/archives/partial"
  if [ -z "$(apt-cache "${options[@]}" search --names-only '^libclang-rt-[0-9]+-dev$')" ]; then
    mkdir -p "$tools/apt/lists/partial"
    options+=(-o "Dir::State::lists=$tools/apt/lists")
    apt-get "${options[@]}" -qq update >/dev/null 2>&1 || true
  fi
  local version
  for version in $(apt-cache "${options[@]}" search --names-only '^libclang-rt-[0-9]+-dev$' |
                   sed -n 's/^libclang-rt-\([0-9]*\)-dev.*/\1/p' | sort -rn); do
    say "unpacking Debian's clang $version (50 MB of packages) into $tools"
    mkdir -p "$scratch/deb"
    # shellcheck disable=SC2086  # several names on purpose
    (cd "$scratch/deb" && apt-get "${options[@]}" -qq download clang-$version libllvm$version libclang-cpp$version \
       libclang-common-$version-dev libclang-rt-$version-dev) >"$scratch/apt.log" 2>&1 ||
      { rm -rf "$scratch/deb"; continue; }
    for archive in "$scratch"/deb/*.deb; do
      dpkg-deb -x "$archive" "$tools"
      dpkg-deb -W --showformat='${Package}=${Version}\n' "$archive" >>"$tools/PACKAGES"
    done
    mkdir -p "$tools/bin"
    for name in clang clang++; do
      cat >"$tools/bin/$name" <<EOP
#!/bin/sh
export LD_LIBRARY_PATH=$tools/usr/lib/$(uname -m)-linux-gnu:$tools/usr/lib/llvm-$version/lib
exec $tools/usr/lib/llvm-$version/bin/$name "\$@"
EOP
      chmod +x "$tools/bin/$name"
    done
    rm -rf "$tools/apt"
    can_fuzz "$tools/bin/clang++" && return 0
    say "clang $version was unpacked and does not work:"; cat "$scratch/probe.log"
    rm -rf "$tools/usr" "$tools/bin" "$scratch/deb"
  done
  rm -rf "$tools/apt"
  return 1
}

if can_fuzz "${CLANGXX:-clang++}"; then
  cxx=$(command -v "${CLANGXX:-clang++}") cc=$(command -v "${CLANGXX:-clang++}" | sed 's/++//')
else
  can_fuzz "$tools/bin/clang++" || unpack_clang ||
    { say "no clang with libFuzzer here and none could be unpacked; ctest -R fuzz runs the targets without it"; exit 1; }
  cxx=$tools/bin/clang++ cc=$tools/bin/clang
fi
say "$("$cxx" --version | head -n 1)"

mkdir -p build/fuzz/findings
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_COMPILER=$cc" \
  "-DCMAKE_CXX_COMPILER=$cxx" "-DGAPLESS_SANITIZE=$flags" -DGAPLESS_MPI_ROOT=/nonexistent -DGAPLESS_OPENMPI_ROOT=/nonexistent \
  >build/fuzz/configure.log 2>&1 ||
  { cat build/fuzz/configure.log >&2; exit 1; }
cmake --build "$build" ${JOBS:+-j "$JOBS"} --target fuzz_targets

targets=()
for program in "$build"/tests/fuzz/*_fuzz; do targets+=("$(basename "$program" _fuzz)"); done
[ -z "$target" ] || targets=("$target")
# len_control=0: long inputs from the start, since a program of one constructor finds nothing.
# Without llvm-symbolizer, binutils' addr2line finds the lines.
export UBSAN_OPTIONS=print_stacktrace=1
failed=()
for name in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  dictionary=()
  [ ! -e "tests/fuzz/$name.dict" ] || dictionary=(-dict="tests/fuzz/$name.dict")
  say "$name for $seconds s, corpus of $(find "$corpus" -type f | wc -l) inputs"
  log=build/fuzz/$name.log
  "$build/tests/fuzz/${name}_fuzz" "$corpus" "tests/fuzz/seeds/$name" -max_total_time="$seconds" -max_len=1024 -len_control=0 \
    -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="build/fuzz/findings/$name-" \
    "${dictionary[@]}" >"$log" 2>&1 || failed+=("$name")
  grep -E 'FINDING|ERROR|SUMMARY|Test unit written|number_of_executed_units' "$log" || tail -n 20 "$log"
done
[ ${#failed[@]} -eq 0 ] || { say "FINDINGS in: ${failed[*]}; see build/fuzz/*.log and build/fuzz/findings"; exit 1; }
say "no findings"
