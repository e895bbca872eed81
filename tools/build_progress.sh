#!/usr/bin/env bash
# build_progress.sh: what Ninja writes to a pipe, its line for each step made into one: on a terminal it is rewritten in
# place, elsewhere there is one for each quarter. All else (warnings, errors) is passed on.
set -euo pipefail

shown=0
open=
close_line() { [ -z "$open" ] || printf '\r\033[K'; open=; }
while IFS= read -r line; do
  if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
    share=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    if [ -t 1 ]; then
      printf '\r\033[Kgapless: building, %d %%' "$share"
      open=1
    elif ((share / 25 > shown)); then
      shown=$((share / 25))
      printf 'gapless: building, %d %%\n' $((25 * shown))
    fi
  elif [ "$line" != 'ninja: no work to do.' ]; then
    close_line
    printf '%s\n' "$line"
  fi
done
close_line
