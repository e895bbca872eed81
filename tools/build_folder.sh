#!/bin/sh
# Prints the build folder of a preset: build/PRESET, or one named after the MPI prefix if MPI=PREFIX is set.
cd "$(dirname "$0")/.." || exit 1
if [ -z "${MPI:-}" ]; then
  echo "build/$1"
  exit
fi
prefix=$(cd "$MPI" 2>/dev/null && pwd) || { echo "gapless: MPI=$MPI is not a directory" >&2; exit 1; }
echo "build/$1-$(basename "$prefix")-$(printf %s "$prefix" | cksum | cut -d' ' -f1)"
