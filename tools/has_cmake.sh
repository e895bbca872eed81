#!/bin/sh
# Succeeds if the CMake on PATH is 3.25 or newer.
version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
[ -n "$version" ] || exit 1
# shellcheck disable=SC2086  # two words on purpose
set -- $version
[ "$1" -gt 3 ] || { [ "$1" -eq 3 ] && [ "$2" -ge 25 ]; }
