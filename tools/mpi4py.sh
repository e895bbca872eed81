#!/usr/bin/env bash
# mpi4py.sh: installs mpi4py into .venv/rivals/mpi4py: the wheel into lib, the tests of the sdist into test. Both are
# checked against the hashes of requirements.lock. Installs nothing that is there already in the same version.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=.venv/rivals/mpi4py
stamp=$folder/.stamp-$({ tools/locked.sh mpi4py; cat tools/mpi4py.sh; } | cksum | cut -d' ' -f1)
[ ! -e "$stamp" ] || exit 0

pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }
printf 'gapless: installing mpi4py and its tests into %s\n' "$folder"
rm -rf "$folder"
mkdir -p "$folder"
pip install --quiet --no-deps --require-hashes --no-compile --only-binary :all: --target "$folder/lib" \
  -r <(tools/locked.sh mpi4py)
# pip asks the sdist for its metadata; setuptools of .venv answers, so nothing else is fetched and nothing compiled.
pip download --quiet --no-deps --require-hashes --no-build-isolation --no-binary :all: --dest "$folder" \
  -r <(tools/locked.sh mpi4py)
tar -xzf "$folder"/mpi4py-*.tar.gz -C "$folder" --strip-components=1 --wildcards '*/test'
rm "$folder"/mpi4py-*.tar.gz
touch "$stamp"
