#!/usr/bin/env bash
# soak.sh SECONDS TYPES PROGRAMS [NAMES]: campaigns that no change waits for, with a seed of the day, so that each draws
# what no other has drawn: random types, pairs of them and serialised forms; random programs under the layer, by each way
# of a message and on each MPI library; processes that are killed; memory over ten million messages; each fuzzer for
# SECONDS. With NAMES, a regular expression, only campaigns of such a name. Keeps the last line that each prints in
# docs/results/soak.tsv, with the command that repeats it.
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=$1 types=$2 programs=$3 names=${4:-.} seed=$(date +%y%m%d)
# Programs have consecutive seeds: those of a day begin where those of the day before end.
first=$(($(date +%s) / 86400 * programs))
export PATH=$PWD/.venv/bin:$PATH OMPI_MCA_btl=${OMPI_MCA_btl:-^ofi}
tools/rivals.sh || exit 1
tools/build.sh release || exit 1
release=$(tools/build_folder.sh release)
export GAPLESS_BUILD_DIR=$PWD/$release
kept=docs/results/soak.tsv log=$(mktemp) failed=0
trap 'rm -f "$log"' EXIT
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
[ -z "$(git status --porcelain -uno -- . ':!docs/results' 2>/dev/null)" ] || commit+=+changes

# campaign NAME COMMAND...
campaign() {
  local name=$1 began=$SECONDS result=passed row rows
  shift
  [[ $name =~ $names ]] || return 0
  printf '\n== %s: %s\n' "$name" "$*"
  "$@" 2>&1 | tee "$log"
  [ "${PIPESTATUS[0]}" -eq 0 ] || { result=FAILED failed=1; }
  row=$(printf '%s\t%s\t%s\t%s\t%d s\t%s\t%s' "$name" "$(date +%F)" "$commit" "$result" $((SECONDS - began)) \
    "$(tail -n 1 "$log" | tr '\t' ' ')" "$*")
  rows=$(grep -v "^\(campaign\|$name\)"$'\t' "$kept" 2>/dev/null)
  { printf 'campaign\tday\tcommit\tresult\ttime\tsaid\tcommand\n'; printf '%s\n' "$rows" "$row" | grep . | sort; } >"$kept.new"
  mv "$kept.new" "$kept"
}
programs() { campaign "programs.$1" python tests/conformance/run.py --library "${1%%.*}" --seeds "$first:$3" --case "$2"; }

property=$release/tests/property
campaign types "$property/random_types_test" --types "$types" --seed "$seed" --no-thresholds
campaign pairs "$property/copy_pairs_test" --pairs "$types" --seed "$seed"
campaign serialised "$property/serialised_test" --types "$((types / 10))" --corrupted 300 --hostile 2000 --seed "$seed"
for way in kernel entries; do programs "mpich.$way" "GAPLESS_WAY=$way" "$programs"; done
for memory in alloc window; do programs "mpich.direct_$memory" "CONFORMANCE_MEMORY=$memory" "$programs"; done
for library in mpich openmpi intel; do programs "$library.forced" GAPLESS_FORCE=1 "$programs"; done
# 500 jobs with messages, and some of each way, on each library.
campaign kills env KILLS=500 python -m pytest -q -m long -k kill tests/python/test_paired_faults.py \
  tests/python/test_offered.py tests/python/test_allocated.py
[ ! -x "$release/tests/channel/channel_kills" ] || campaign channel_kills "$release/tests/channel/channel_kills" --kills 500
campaign memory gapless bench flat --mpi all
campaign fuzzers tools/fuzz.sh '' "$seconds"
printf '\ngapless: the last result of each campaign is in %s\n' "$kept"
exit $failed
