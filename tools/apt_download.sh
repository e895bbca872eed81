#!/usr/bin/env bash
# apt_download.sh FOLDER PACKAGE...: downloads Debian packages into a folder (PACKAGE:arm64: those for AArch64); needs no
# root and installs nothing. A machine
# whose package lists were removed (most container images) gets lists of its own under .venv, for as long as this runs.
# Fails if a package could not be had.
set -uo pipefail
cd "$(dirname "$0")/.."
venv=$PWD/.venv
folder=$(mkdir -p "$1" && cd "$1" && pwd) || exit 1
shift
trap 'rm -rf "$venv/apt"' EXIT

options=(-o Dir::Cache="$venv/apt/cache" -o Dir::Cache::archives="$venv/apt/cache/archives"
         -o APT::Sandbox::User=root)
case "$*" in
  *:arm64*) options+=(-o "APT::Architectures::=$(dpkg --print-architecture)" -o APT::Architectures::=arm64) ;;
esac
mkdir -p "$venv/apt/cache/archives/partial" "$venv/apt/lists/partial"
cd "$folder" || exit 1
apt-get "${options[@]}" -qq download "$@" 2>/dev/null && exit 0
options+=(-o Dir::State::lists="$venv/apt/lists")
apt-get "${options[@]}" -qq update >/dev/null 2>&1
apt-get "${options[@]}" -qq download "$@" 2>/dev/null
