"""Compiles the conformance set's programs for an MPI library that CMake does not know."""

from __future__ import annotations

import subprocess
from pathlib import Path

from libraries import ROOT, Library

SOURCES = Path(__file__).resolve().parent
COMMON = (
    *(SOURCES / f"{name}.cpp" for name in ("twin", "mixture")),
    *(SOURCES / f"coll_{name}.cpp" for name in ("types", "places", "operation", "twin", "known")),
    *(SOURCES / f"p2p_{name}.cpp" for name in ("data", "complete")),
    SOURCES.parent / "preload" / "random_mpi_type.cpp",
)
FLAGS = ("-std=c++20", "-O1", "-g", "-w", "-pthread", f"-I{ROOT / 'include'}")


class CompilationFailed(Exception):
    """The compiler's own words."""


def run_compiler(command: list[str], environment: dict[str, str]) -> None:
    """Run a compiler.

    Raises
    ------
    CompilationFailed
        With what it printed.
    """
    answer = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if answer.returncode != 0:
        raise CompilationFailed(f"{' '.join(command)}\n{answer.stderr}")


def newest_s() -> float:
    """Return when the newest source was changed [s]."""
    files = [
        *SOURCES.glob("*.[ch]pp"),
        *SOURCES.glob("*.f90"),
        *SOURCES.glob("*.inc"),
        *SOURCES.parent.glob("preload/*.[ch]pp"),
    ]
    return max(file.stat().st_mtime for file in files)


def is_current(made: Path) -> bool:
    """Say whether a file is younger than every source."""
    return made.exists() and made.stat().st_mtime > newest_s()


def cpp_program(library: Library, program: str, folder: Path, environment: dict[str, str]) -> Path:
    """Return the program, compiled if it is older than the sources; its common part is compiled once."""
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / program
    if is_current(made):
        return made
    objects = []
    for source in COMMON:
        compiled = folder / f"{source.stem}.o"
        if not is_current(compiled):
            run_compiler([library.compiler, *FLAGS, "-c", str(source), "-o", str(compiled)], environment)
        objects.append(str(compiled))
    if program == "plugin_host":
        run_compiler(
            [
                library.compiler,
                *FLAGS,
                "-fPIC",
                "-shared",
                str(SOURCES / "plugin.cpp"),
                "-o",
                str(folder / "plugin.so"),
            ],
            environment,
        )
    if program == "tools":
        # Against the C header, without the C++ bindings.
        tool = [library.compiler, "-w", "-x", "c", "-fPIC", "-shared", str(SOURCES / "tool.c"), "-o"]
        run_compiler([*tool, str(folder / "tool.so")], environment)
    large = program.endswith("_c")
    source = SOURCES / f"{program.removesuffix('_c')}.cpp"
    definitions = ["-DCONFORMANCE_LARGE"] if large else []
    run_compiler([library.compiler, *FLAGS, *definitions, str(source), *objects, "-o", str(made), "-ldl"], environment)
    return made


def fortran_program(library: Library, flavour: str, folder: Path, environment: dict[str, str]) -> Path:
    """Return the Fortran program of a flavour, compiled if it is older than the sources."""
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"fortran_{flavour}"
    if not is_current(made):
        source = SOURCES / f"fortran_{flavour}.f90"
        # gfortran 10 and later take different types for one choice buffer as an error.
        command = [*library.fortran, "-O1", "-g", "-ffree-line-length-none", "-fallow-argument-mismatch", "-w"]
        run_compiler([*command, str(source), "-o", str(made), *library.fortran_link], environment)
    return made
