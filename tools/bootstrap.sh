#!/usr/bin/env bash
# bootstrap.sh [--test] [--lint]: makes .venv: Python packages pinned by version and hash, MPICH, build tools and C++
# dependencies that the system lacks, and the `gapless` command; with an option, the group of that name in pyproject.toml
# as well. Asks nothing of root. A second run finds its stamps and installs nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=$PWD/.venv

say() { printf 'gapless: %s\n' "$*"; }
die() { printf 'gapless: %s\n' "$*" >&2; exit 1; }

# Two builds started at once would otherwise install over each other.
if command -v flock >/dev/null && [ -z "${GAPLESS_BOOTSTRAP_LOCKED:-}" ]; then
  GAPLESS_BOOTSTRAP_LOCKED=1 exec flock "$PWD/Makefile" "$0" "$@"
fi

new_enough='import sys; sys.exit(sys.version_info < (3, 10))'
find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
    if command -v "$candidate" >/dev/null && "$candidate" -c "$new_enough" 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  die "no Python 3.10 or newer found: install one, or name it with 'make PYTHON=/path/to/python3'"
}

make_venv() {
  local python
  python=$(find_python)
  say "creating .venv with $("$python" --version)"
  if "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv --clear "$venv"
  elif "$python" -m virtualenv --version >/dev/null 2>&1; then
    "$python" -m virtualenv --quiet --clear "$venv"
  else
    die "$python cannot create a virtual environment with pip (its 'ensurepip' is missing):" \
        "install your system's python3-venv or python3-virtualenv package, or name another one with 'make PYTHON=...'"
  fi
}

# install_once NAME FILE COMMAND...: runs COMMAND unless it ran before with the same contents of FILE. A COMMAND that sets
# `unfinished` is tried again next time.
install_once() {
  local name=$1 stamp
  stamp=$venv/.stamp-$name-$(sha256sum <"$2" | cut -c1-16)
  shift 2
  [ -e "$stamp" ] && return
  unfinished=
  "$@"
  [ -z "$unfinished" ] || return 0
  rm -f "$venv/.stamp-$name-"*
  touch "$stamp"
}

pip() { "$venv/bin/python" -m pip --disable-pip-version-check "$@"; }

# Python compiles what is imported, a fraction of what is installed; but not where it is told to keep nothing.
compile=(--no-compile)
[ -z "${PYTHONDONTWRITEBYTECODE:-}" ] || compile=()

# install_group GROUP[,GROUP...]: the stamp is written only after `pip check` has proved the group complete.
install_group() {
  say "installing the Python packages of requirements.lock for ${1//,/, } into .venv"
  pip install --quiet "${compile[@]}" --no-deps --require-hashes -r <(tools/locked.sh "$1")
  pip check >/dev/null || { pip check >&2 || true; die "requirements.lock lacks something for $("$venv/bin/python" --version)"; }
}

install_command() {
  local site
  say "installing the gapless command into .venv/bin"
  pip uninstall --quiet --yes gapless 2>/dev/null || true  # what earlier versions put there
  # The package as it stands in the checkout. `pip install -e` would build the extension at once, and its finder would
  # go before PYTHONPATH, which must win where several checkouts share a .venv.
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf '%s\n' "$PWD/python" >"$site/gapless.pth"
  # sh first: the path of an interpreter may be too long for a script's first line, or have blanks.
  cat >"$venv/bin/gapless" <<EOF
#!/bin/sh
'''exec' "$venv/bin/python" "\$0" "\$@"
' '''
import sys

from gapless.cli.main import main

sys.exit(main())
EOF
  chmod +x "$venv/bin/gapless"
}

install_build_tools() {
  local missing=()
  tools/has_cmake.sh || missing+=(cmake)
  command -v ninja >/dev/null || missing+=(ninja)
  [ ${#missing[@]} -eq 0 ] && return
  say "installing ${missing[*]} into .venv (the system has none that is new enough)"
  pip install --quiet --no-deps --require-hashes -r <(tools/locked.sh tools "${missing[@]}")
}

install_cxx_dependencies() { PATH=$venv/bin:$PATH tools/debian_packages.sh || unfinished=1; }

command -v "${CXX:-g++}" >/dev/null || command -v c++ >/dev/null || command -v clang++ >/dev/null ||
  die "no C++ compiler found: install g++ 11 or clang 14 (C++20), or name one with CXX=..."
# Its scripts carry absolute paths, so a .venv whose folder was moved or whose Python is gone is of no use.
usable_venv() {
  "$venv/bin/python" -c 'import pip' 2>/dev/null &&
    { [ ! -e "$venv/bin/gapless" ] || grep -q -F "$venv/bin/python" "$venv/bin/gapless"; }
}
if [ -e "$venv" ] && ! usable_venv; then
  say ".venv was moved, or its Python is gone: creating it anew"
  rm -rf "$venv"
fi
[ -x "$venv/bin/python" ] || make_venv

install_once packages <(tools/locked.sh gapless,build) install_group gapless,build
install_once command tools/bootstrap.sh install_command
install_once build-tools <(tools/locked.sh tools) install_build_tools
install_once cxx tools/debian_packages.sh install_cxx_dependencies
for group in "${@#--}"; do install_once "$group" <(tools/locked.sh "$group") install_group "$group"; done
