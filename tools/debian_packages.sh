#!/usr/bin/env bash
# debian_packages.sh [PACKAGE...]: unpacks the Debian packages of those C++ dependencies (all, or these: GTest,
# nlohmann_json, CLI11) that CMake does not find on this system into .venv/deps:
# no root, nothing installed system-wide. What cannot be had this way, CMake fetches itself as a source archive
# pinned by hash (cmake/GaplessDependencies.cmake). Exits 1 if a download failed: worth trying again.
set -uo pipefail
cd "$(dirname "$0")/.."
wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=(GTest nlohmann_json CLI11)
venv=$PWD/.venv
deps=$venv/deps
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() { printf 'gapless: %s\n' "$*"; }

# Asks CMake itself, so that "found" means what it will mean in the build. Prints the packages it does not find.
not_found() {
  local probe=$scratch/probe
  rm -rf "$probe" && mkdir -p "$probe"
  cat >"$probe/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES C CXX)
list(APPEND CMAKE_PREFIX_PATH "$1")
foreach(package target IN ZIP_LISTS packages targets)
  find_package(\${package} QUIET)
  if(NOT TARGET \${target})
    message("missing \${package}")
  endif()
endforeach()
EOF
  local packages='' targets=''
  for package in "${wanted[@]}"; do
    packages+="$package;"
    targets+="$(target_of "$package");"
  done
  cmake -S "$probe" -B "$probe/build" "-Dpackages=$packages" "-Dtargets=$targets" 2>&1 | sed -n 's/^missing //p'
}

target_of() {
  case $1 in
    GTest) echo GTest::gtest_main ;;
    *) echo "$1::$1" ;;
  esac
}

debian_names() {
  case $1 in
    GTest) echo libgtest-dev ;;
    nlohmann_json) echo nlohmann-json3-dev ;;
    CLI11) echo libcli11-dev ;;
  esac
}

failed=0
missing=$(not_found "$deps/usr")
[ -z "$missing" ] && exit 0
if command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null; then
  for package in $missing; do
    # shellcheck disable=SC2046  # several names on purpose
    tools/apt_download.sh "$scratch/deb" $(debian_names "$package") || { failed=1; continue; }
    for archive in "$scratch"/deb/*.deb; do
      dpkg-deb -x "$archive" "$deps"
      dpkg-deb -W --showformat='${Package}=${Version}\n' "$archive" >>"$deps/PACKAGES"
      say "unpacked $(dpkg-deb -W --showformat='${Package} ${Version}' "$archive") into .venv/deps"
      rm "$archive"
    done
  done
fi
for package in $(not_found "$deps/usr"); do
  say "$package is neither on this system nor a package that could be unpacked: CMake will fetch its source archive"
done
exit $failed
