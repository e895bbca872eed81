#!/usr/bin/env bash
# run_tests.sh change|rest: what every change must pass (`make test`), or the rest (`make test-all` runs both).
#   change  ctest without the label `long` and the mutants; pytest without the markers `long` and `full`
#   rest    the long tests of both, and the mutants; the engine's tests under sanitizers; its kernels under qemu for AArch64;
#           mpi4py's own suite
# GAPLESS_PART=K/N (.ci/run): of the planted faults and of each long test's variants the K-th of N parts; of the MPI
# libraries one in the long tests, Debian's packages with the second of the three, and what is built for a wheel with the
# third; with K mod 6 = 1 and 5 the address and undefined-behaviour sanitizers, with 3 the thread sanitizer, with even K
# AArch64.
# Runs all suites even if one fails, and counts: a suite in which nothing ran is a failure. Each suite says how long it
# took and which tests took longest; the last line says so if it all took longer than it may. Kernels that this machine
# cannot run are in ctest's list of skipped tests.
set -uo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/.venv/bin:$PATH
# Open MPI sleeps for a second in each launch where its fabric transport finds no fabric; within a node nothing uses it.
export OMPI_MCA_btl=${OMPI_MCA_btl:-^ofi}
# Three ranks on two cores: MPICH's sleep for a moment when they have looked 200 times, where by itself each would spin
# until its time slice ends (tests/conformance/run.py --library mpich --few --case 'collectives 4 on 3' with and without).
export MPIR_CVAR_CH4_PROGRESS_THROTTLE=${MPIR_CVAR_CH4_PROGRESS_THROTTLE:-1}
export MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT=${MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT:-200}
# pytest keeps what it makes of the test files, unless it is told (as in many containers) that Python shall not.
unset PYTHONDONTWRITEBYTECODE
release=$(tools/build_folder.sh release) || exit 1
# One more than processors: there is always one that waits for something.
jobs=${JOBS:-$(($(nproc) + 1))}
logs=$(mktemp -d)
: >"$logs/failed"
trap 'rm -rf "$logs"' EXIT
failed=()
summary=()
case ${1:-} in
  change) budget_s=360 ;;
  rest) budget_s=1800 ;;
  *) echo "usage: tools/run_tests.sh change|rest" >&2; exit 2 ;;
esac

# suite NAME COUNT_PATTERN COMMAND...: COUNT_PATTERN is a sed expression that prints the number of tests that ran.
suite() {
  local name=$1 pattern=$2 ran began=$SECONDS
  shift 2
  printf '\n== %s\n' "$name"
  "$@" 2>&1 | tee "$logs/out"
  if [ "${PIPESTATUS[0]}" -ne 0 ]; then
    failed+=("$name")
    # Which tests, again at the end, and what they said was wrong (each mutant, each case): all above may be long gone.
    sed -n "$failed_tests" "$logs/out" >>"$logs/failed"
    grep -E '^FAILED: |: FAILED with |: accelerated = 0$' "$logs/out" | head -n 20 | sed 's/^/    /' >>"$logs/failed"
  fi
  ran=$(sed -n "$pattern" "$logs/out" | tail -n 1)
  [ "${ran:-0}" -gt 0 ] || failed+=("$name (no test ran)")
  # ctest's lines of single tests; pytest prints its own list.
  sed -n 's|^ *[0-9]*/[0-9]* Test *#[0-9]*: \([^ ]*\) .* \([0-9.]*\) sec.*|\2 s  \1|p' "$logs/out" | sort -rn | head -n 10
  echo "$name: $((SECONDS - began)) s"
  summary+=("$name: ${ran:-0} tests")
}
ctest_count='s/.*tests passed, .* out of \([0-9]*\)$/\1/p'
pytest_count='s/.*\(^\|[ =]\)\([0-9][0-9]*\) passed.*/\2/p'
failed_tests='/tests FAILED:$/,/^Errors while/{/([A-Z].*)/p}; s/^\(FAILED\|ERROR\) /  &/p'
mpi4py_count='s/^mpi4py: \([0-9][0-9]*\) tests compared$/\1/p'

# ctest keeps the output of a test that passed to itself; what the random types hit is worth reading every time.
run_ctest() {
  ctest --test-dir "$1" --output-on-failure --no-tests=error -j "$jobs" "${@:2}" || return
  printf '\n'
  sed -n '/^random_types_test .*--types 100000/,/^passed:/p' "$1/Testing/Temporary/LastTest.log"
}
# The long tests of one library in turn, whose programs are of that library's ABI or of the standard's.
part=${GAPLESS_PART:-} part=${part%/*}
library=() others='' wheel=()
if [ -n "$part" ]; then
  case $((part % 3)) in
    0) library=(-l mpich) others='openmpi|intel|standard' ;;
    1) library=(-l openmpi) others='mpich|intel' ;;
    2) library=(-l impi) others='mpich|openmpi|standard' ;;
  esac
  printf 'gapless: part %s: of the MPI libraries the long tests leave out %s\n' "$GAPLESS_PART" "$others"
  others="^(conformance|ext)\\..*($others)"
  [ "${library[1]}" = openmpi ] || others+='|^install\.debian$'
  [ "${library[1]}" = impi ] || wheel=(--deselect tests/python/test_wheel.py)
fi
sanitized() { MPI='' tools/build.sh asan engine_tests && run_ctest build/asan -L engine; }

# python_tests MARKERS OPTION...
python_tests() {
  env GAPLESS_BUILD_DIR="$PWD/$release" .venv/bin/python -m pytest --durations=10 -m "$@"
}
# The tests of a file one after the other, files side by side: what one waits for leaves a processor to the other.
side_by_side() { python_tests "$1 and not alone" -n "$jobs" --dist loadfile "${@:2}"; }
if [ "$1" = change ]; then
  suite 'ctest' "$ctest_count" run_ctest "$release" -LE 'long|mutants'
  suite 'pytest' "$pytest_count" side_by_side 'not long and not full'
  suite 'pytest, alone' "$pytest_count" python_tests 'alone and not long and not full'
else
  tools/build.sh release long_tests || failed+=("the build of the long tests")
  suite 'ctest, long tests and mutants' "$ctest_count" run_ctest "$release" -L 'long|mutants' ${others:+-E "$others"}
  case ${part:+$((part % 6))} in
    '' | 1 | 5) suite 'engine under address and undefined sanitizers' "$ctest_count" sanitized ;;&
    '' | 3) suite 'threads under the thread sanitizer' "$ctest_count" tools/test_tsan.sh ;;
  esac
  if [ $((${part:-0} % 2)) -eq 0 ] && [ "$(uname -m)" != aarch64 ]; then
    suite 'aarch64' "$ctest_count" tools/test_neon.sh
  fi
  suite 'pytest, long tests' "$pytest_count" side_by_side long "${wheel[@]}"
  suite 'pytest, long tests, alone' "$pytest_count" python_tests 'alone and long' "${wheel[@]}"
  suite 'mpi4py under the layer' "$mpi4py_count" env GAPLESS_BUILD_DIR="$PWD/$release" tools/test_mpi4py.sh "${library[@]}"
fi

printf '\n'
for line in "${summary[@]}"; do printf 'gapless: %s\n' "$line"; done
if [ ${#failed[@]} -gt 0 ]; then
  cat "$logs/failed"
  printf 'gapless: FAILED: %s\n' "${failed[@]}"
  exit 1
fi
printf 'gapless: all suites passed\n'
[ "$SECONDS" -le "$budget_s" ] || printf 'gapless: over budget: %d s of tests, %d s are meant\n' "$SECONDS" "$budget_s"
