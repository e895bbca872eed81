#!/usr/bin/env python3
"""Installs Gapless into a temporary prefix, moves the prefix, and builds and runs programs on it.

They are found in both ways, by pkg-config and by CMake: one on the engine, one with the layer linked before a shared
MPI library, one with the layer's archive before a static MPI library (where there is one). Exits 77, with the reason,
where nothing can be tested. Needs nothing but the Python standard library.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE.parent / "preload" / "linked_test.c"
SKIPPED = 77


def run(*command: str | Path, **variables: str) -> str:
    """Run a command with additional environment variables, show it if it fails, and return its output."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300
    )
    if done.returncode != 0:
        sys.exit(f"install_test: status {done.returncode}: {' '.join(words)}\n{done.stdout}")
    return done.stdout


def flags(folder: Path, *packages: str) -> list[str]:
    """Return what pkg-config says of packages in `folder` or in the system's own folders."""
    return run("pkg-config", "--cflags", "--libs", *packages, PKG_CONFIG_PATH=str(folder)).split()


def check_paths(lib: Path) -> None:
    """Fail if an installed object names a folder of the build."""
    for file in sorted(lib.glob("*.so")):
        dynamic = run("readelf", "-d", file)
        if "RPATH" in dynamic or "RUNPATH" in dynamic:
            sys.exit(f"install_test: {file.name} has a path inside:\n{dynamic}")


def arguments() -> argparse.Namespace:
    """Read the command line, which tests/install/CMakeLists.txt writes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--libdir", default="lib")
    parser.add_argument("--mpiexec", help="of the shared MPI; without, only the engine is tested")
    parser.add_argument("--mpi-include")
    parser.add_argument("--mpi-library")
    parser.add_argument("--static-mpiexec", help="of the static MPI")
    parser.add_argument("--static-include", default="")
    parser.add_argument("--static-libraries", default="", help="separated by commas, in the linker's order")
    return parser.parse_args()


def main() -> int:
    """Run the test; return its exit status."""
    given = arguments()
    for tool in ("pkg-config", "readelf"):
        if shutil.which(tool) is None:
            print(f"install_test: skipped: no {tool} here")
            return SKIPPED
    with tempfile.TemporaryDirectory(prefix="gapless_install_") as temporary:
        work = Path(temporary)
        run(given.cmake, "--install", given.build, "--prefix", work / "first")
        prefix = (work / "first").rename(work / "moved")
        lib = prefix / given.libdir
        check_paths(lib)
        found_by_pkg_config(given, work, lib)
        found_by_cmake(given, work, prefix)
    print("install_test: passed" + ("" if given.static_mpiexec else " (no static MPI here: its archive is not tested)"))
    return 0


def mpi_run(mpiexec: str, program: Path, **variables: str) -> None:
    """Run the MPI program on two ranks; it fails unless the layer took part."""
    run(mpiexec, "-n", "2", program, "layer", GAPLESS_STATS="1", **variables)


def found_by_pkg_config(given: argparse.Namespace, work: Path, lib: Path) -> None:
    """Build and run the programs with the flags of pkg-config."""
    folder = lib / "pkgconfig"
    run(given.compiler, HERE / "consumer" / "engine.c", "-o", work / "engine", *flags(folder, "gapless"))
    run(work / "engine", LD_LIBRARY_PATH=str(lib))
    if given.mpiexec:
        mpi_lib = str(Path(given.mpi_library).parent)
        layer = [*flags(folder, "gapless-mpi"), f"-I{given.mpi_include}", given.mpi_library]
        run(given.compiler, PROGRAM, "-o", work / "linked", *layer)
        mpi_run(given.mpiexec, work / "linked", LD_LIBRARY_PATH=f"{lib}:{mpi_lib}")
    if given.static_mpiexec:
        layer = flags(folder, "gapless-mpi-static")
        mpi = [f"-I{given.static_include}", *given.static_libraries.split(",")]
        run(given.compiler, PROGRAM, "-o", work / "static", *layer, *mpi)
        mpi_run(given.static_mpiexec, work / "static")


def found_by_cmake(given: argparse.Namespace, work: Path, prefix: Path) -> None:
    """Build and run the programs with find_package(gapless)."""
    build = work / "consumer"
    definitions = {
        "CMAKE_PREFIX_PATH": prefix,
        "CMAKE_C_COMPILER": given.compiler,
        "MPI_PROGRAM": PROGRAM,
        "SHARED_MPI_INCLUDE": given.mpi_include or "",
        "SHARED_MPI_LIBRARIES": given.mpi_library or "",
        "STATIC_MPI_INCLUDE": given.static_include,
        "STATIC_MPI_LIBRARIES": given.static_libraries.replace(",", ";") if given.static_mpiexec else "",
    }
    defined = [f"-D{name}={value}" for name, value in definitions.items()]
    run(given.cmake, "-S", HERE / "consumer", "-B", build, *defined)
    run(given.cmake, "--build", build)
    run(build / "engine")
    if given.mpiexec:
        for kind in ("mpi", "mpi_lc"):
            mpi_run(given.mpiexec, build / kind)
    if given.static_mpiexec:
        mpi_run(given.static_mpiexec, build / "mpi_static")


if __name__ == "__main__":
    sys.exit(main())
