#!/usr/bin/env bash
# tools/run_notebook.sh PYTHON [NOTEBOOK...]: runs the notebooks of docs/ in that Python's environment, in which `pip install .`
# was done before, and holds their outputs against what they promise. Installs Jupyter's kernel and client there, pinned by
# version and hash.
set -euo pipefail
python=$(realpath -s "${1:?usage: tools/run_notebook.sh PYTHON [NOTEBOOK...]}")
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- docs/notebooks/*.ipynb
"$python" -m pip --disable-pip-version-check install --quiet --no-deps --require-hashes \
  -r <(tools/locked.sh notebook)
for notebook in "$@"; do
  # No PYTHONPATH: what pip installed is what counts.
  env -u PYTHONPATH timeout 300 "$python" tests/python/run_notebook.py "$notebook"
done
