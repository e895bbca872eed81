#!/usr/bin/env bash
# soak.sh SECONDS TYPES: campaigns that no change waits for. Random types, pairs of them and serialised forms with a seed
# of the day, so that each campaign draws others; then each fuzzer for SECONDS. Prints one line a campaign, with the
# command that repeats it, and keeps it in build/soak.tsv.
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=$1 types=$2 seed=$(date +%Y%m%d)
tools/build.sh release random_types_test copy_pairs_test serialised_test || exit 1
tests=$(tools/build_folder.sh release)/tests/property
failed=0
campaign() {
  local name=$1 began=$SECONDS result=passed
  shift
  "$@" || { result=FAILED failed=1; }
  printf 'soak\t%s\t%s\t%s\t%d s\n' "$name" "$*" "$result" $((SECONDS - began)) | tee -a build/soak.tsv
}
campaign types "$tests/random_types_test" --types "$types" --seed "$seed" --no-thresholds
campaign pairs "$tests/copy_pairs_test" --pairs "$types" --seed "$seed"
campaign serialised "$tests/serialised_test" --types "$((types / 10))" --corrupted 300 --hostile 2000 --seed "$seed"
campaign fuzzers tools/fuzz.sh '' "$seconds"
exit $failed
