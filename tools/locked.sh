#!/usr/bin/env bash
# locked.sh GROUP[,GROUP...] [NAME...]: prints the entries of requirements.lock that these groups of pyproject.toml need
# (`gapless`: the package's own dependencies), or of them those of NAME alone. pip takes them with -r <(tools/locked.sh ...).
set -euo pipefail
groups=${1:?usage: tools/locked.sh GROUP[,GROUP...] [NAME...]}
shift
# Nobody sees the exit status of <(...), and pip takes an empty list: so what is printed must be no requirement.
lacks() {
  echo "requirements.lock lacks $1" | tee /dev/stderr
  exit 1
}
names=$(IFS='|'; echo "${*:-.*}")
entries=$(awk -v groups=" (${groups//,/|})(,|\$)" -v names="^($names)==" '
  /^[^ #]/ { entry = "" }
  { entry = entry $0 "\n" }
  /^ +# for / && $0 ~ groups && entry ~ names { printf "%s", entry }' "$(dirname "$0")/../requirements.lock")
[ -n "$entries" ] || lacks "$groups"
for name; do grep -q "^$name==" <<<"$entries" || lacks "$name for $groups"; done
printf '%s\n' "$entries"
