#!/usr/bin/env bash
# locked.sh GROUP[,GROUP...] [NAME...]: prints the entries of requirements.lock that these groups of pyproject.toml need
# (`gapless`: the package's own dependencies), or of them those of NAME alone. pip takes them with -r <(tools/locked.sh ...).
set -euo pipefail
groups=${1:?usage: tools/locked.sh GROUP[,GROUP...] [NAME...]}
shift
names=$(IFS='|'; echo "${*:-.*}")
entries=$(awk -v groups=" (${groups//,/|})(,|\$)" -v names="^($names)==" '
  /^[^ #]/ { entry = "" }
  { entry = entry $0 "\n" }
  /^ +# for / && $0 ~ groups && entry ~ names { found = 1; printf "%s", entry }
  END { if (!found) { print "gapless: requirements.lock has nothing for" groups > "/dev/stderr"; exit 1 } }' "$(dirname "$0")/../requirements.lock")
for name; do
  grep -q "^$name==" <<<"$entries" || { echo "gapless: requirements.lock has no $name for $groups" >&2; exit 1; }
done
printf '%s\n' "$entries"
