#!/usr/bin/env python3
"""Installs Gapless into a temporary prefix, moves the prefix, and builds and runs MPI programs on it.

They are found in both ways, by pkg-config and by CMake: one with the layer linked before a shared MPI library, one with
the functions of gapless_mpi.h, one with the layer's archive before a static MPI library (where there is one). outside_test.py does the same for programs on the
engine alone. Exits 77, with the reason, where nothing can be tested. Needs nothing but the Python standard library.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from prefix import ROOT, SKIPPED, installed, run

HERE = Path(__file__).resolve().parent
PROGRAM = ROOT / "tests" / "preload" / "linked_test.c"
FUNCTIONS = ROOT / "tests" / "ext" / "linked_test.c"


def flags(folder: Path, *packages: str) -> list[str]:
    """Return what pkg-config says of packages in `folder` or in the system's own folders."""
    return run("pkg-config", "--cflags", "--libs", *packages, PKG_CONFIG_PATH=str(folder)).split()


def check_libraries(lib: Path, version: str) -> None:
    """Fail if an installed object names a folder of the build, or the engine is not versioned as it should be."""
    for file in sorted(lib.glob("*.so")):
        dynamic = run("readelf", "-d", file)
        if "RPATH" in dynamic or "RUNPATH" in dynamic:
            sys.exit(f"install_test: {file.name} has a path inside:\n{dynamic}")
    names = [f"libgapless.so{end}" for end in ("", f".{version.split('.')[0]}", f".{version}")]
    links = [(lib / name).readlink() for name in names[:2]]
    if [str(link) for link in links] != names[1:] or f"soname: [{names[1]}]" not in run(
        "readelf", "-d", lib / names[0]
    ):
        sys.exit(f"install_test: {names} are linked as {links}:\n{run('readelf', '-d', lib / names[0])}")


def check_texts(prefix: Path, *strangers: Path) -> None:
    """Fail if what CMake or pkg-config reads names a folder that is elsewhere, or may be."""
    for file in [*prefix.rglob("*.cmake"), *prefix.rglob("*.pc")]:
        text = file.read_text(encoding="utf-8")
        for stranger in strangers:
            if str(stranger) in text:
                sys.exit(f"install_test: {file.name} names {stranger}:\n{text}")


def check_staged(given: argparse.Namespace, work: Path, prefix: Path) -> None:
    """Install for a package, below DESTDIR: the same files must come, and no trace of DESTDIR."""
    run(given.cmake, "--install", given.build, "--prefix", "/usr", DESTDIR=str(work / "staged"))
    staged = work / "staged" / "usr"
    check_texts(staged, work)
    files, wanted = ({file.relative_to(of) for file in of.rglob("*")} for of in (staged, prefix))
    if files != wanted:
        sys.exit(f"install_test: with DESTDIR other files are installed: {sorted(map(str, files ^ wanted))}")


def check_manual(folder: Path) -> None:
    """Fail if the command's man pages are not there; tests/python/test_manual.py judges what is in them."""
    pages = {file.name for file in (folder / "man1").glob("*")}
    if not {"gapless.1", "gapless-run.1", "gapless-bench-engine.1"} <= pages:
        sys.exit(f"install_test: of the man pages only {sorted(pages)} are in {folder}")


def arguments() -> argparse.Namespace:
    """Read the command line, which tests/install/CMakeLists.txt writes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--version", required=True)
    parser.add_argument("--libdir", default="lib")
    parser.add_argument("--mandir", default="share/man")
    parser.add_argument("--manual", action="store_true", help="the command's man pages must be there")
    parser.add_argument("--mpiexec", help="of the shared MPI; without, only the engine is tested")
    parser.add_argument("--mpi-include")
    parser.add_argument("--mpi-library")
    parser.add_argument("--modules", help="what reads environment-module files")
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
        prefix = installed(given.cmake, given.build, work)
        lib = prefix / given.libdir
        check_libraries(lib, given.version)
        check_texts(prefix, work, ROOT, given.build)
        check_staged(given, work, prefix)
        if given.modules:
            check_module(given, prefix)
        if given.manual:
            check_manual(prefix / given.mandir)
        if given.mpiexec:
            found_by_pkg_config(given, work, lib)
            found_by_cmake(given, work, prefix)
    print("install_test: passed" + ("" if given.static_mpiexec else " (no static MPI here: its archive is not tested)"))
    return 0


def check_module(given: argparse.Namespace, prefix: Path) -> None:
    """Load the environment-module file as a user does: what it sets leads to the package, wherever the prefix is."""
    modules = prefix / "share" / "modulefiles"
    script = f"""
eval "$({given.modules} bash load gapless/{given.version})"
pkg-config --variable=libdir gapless
echo "$GAPLESS_LIBDIR:$GAPLESS_PRELOAD"
eval "$({given.modules} bash unload gapless)"
echo "${{GAPLESS_LIBDIR-unset}}"
"""
    lib = prefix / given.libdir
    clean = {"MODULEPATH": str(modules), "PKG_CONFIG_PATH": "", "LOADEDMODULES": "", "_LMFILES_": ""}
    printed = run("bash", "-euc", script, **clean).split()
    found = Path(printed[0]).resolve() if printed else None
    if found != lib or printed[1:] != [f"{lib}:{lib / 'libgapless_preload.so'}", "unset"]:
        sys.exit(f"install_test: the environment module leads to {printed}, not to {lib}")


def mpi_run(mpiexec: str, program: Path, **variables: str) -> None:
    """Run the MPI program on two ranks; it fails unless the layer took part."""
    run(mpiexec, "-n", "2", program, "layer", GAPLESS_STATS="1", **variables)


def found_by_pkg_config(given: argparse.Namespace, work: Path, lib: Path) -> None:
    """Build and run the programs with the flags of pkg-config."""
    folder = lib / "pkgconfig"
    mpi_lib = str(Path(given.mpi_library).parent)
    layer = [*flags(folder, "gapless-mpi"), f"-I{given.mpi_include}", given.mpi_library]
    run(given.compiler, PROGRAM, "-o", work / "linked", *layer)
    mpi_run(given.mpiexec, work / "linked", LD_LIBRARY_PATH=f"{lib}:{mpi_lib}")
    functions = [*flags(folder, "gapless-mpi-mpich"), f"-I{given.mpi_include}", given.mpi_library]
    run(given.compiler, "-std=c99", "-pedantic-errors", FUNCTIONS, "-o", work / "functions", *functions)
    run(given.mpiexec, "-n", "1", work / "functions", LD_LIBRARY_PATH=f"{lib}:{mpi_lib}")
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
        "FUNCTIONS_PROGRAM": FUNCTIONS,
        "SHARED_MPI_INCLUDE": given.mpi_include or "",
        "SHARED_MPI_LIBRARIES": given.mpi_library or "",
        "STATIC_MPI_INCLUDE": given.static_include,
        "STATIC_MPI_LIBRARIES": given.static_libraries.replace(",", ";") if given.static_mpiexec else "",
    }
    defined = [f"-D{name}={value}" for name, value in definitions.items()]
    run(given.cmake, "-S", HERE / "consumer", "-B", build, *defined)
    run(given.cmake, "--build", build)
    for kind in ("mpi", "mpi_lc"):
        mpi_run(given.mpiexec, build / kind)
    run(given.mpiexec, "-n", "1", build / "functions")
    if given.static_mpiexec:
        mpi_run(given.static_mpiexec, build / "mpi_static")


if __name__ == "__main__":
    sys.exit(main())
