"""PETSc through petsc4py, from Debian: a sparse matrix (AIJ) times a dense one of many columns."""

from __future__ import annotations

import shutil
from pathlib import Path

from gapless.bench.programs.debian import OPEN_MPI, install_debian, petsc_python_path
from gapless.bench.programs.program import Program, Started, rank_words, read_reports
from gapless.errors import GaplessError
from gapless.targets.libraries import Library
from gapless.targets.on_demand import Say

# petsc4py is a module of Debian's own Python.
PYTHON = "/usr/bin/python3"
COLUMNS, REPETITIONS = 64, 20


def _install(say: Say) -> None:
    if shutil.which(PYTHON) is None:
        raise GaplessError(f"petsc4py is a module of Debian's own Python, and there is no {PYTHON}",
                           "try 'apt-get install python3' (as root), or name other programs: --program")  # fmt: skip
    install_debian(say)


def _program(kind: str, rows: int, what: str) -> Program:
    def start(library: Library, folder: Path) -> Started:
        words = rank_words(folder, "petsc_product", kind, rows, COLUMNS, REPETITIONS, python=PYTHON)
        return Started(words, {"PYTHONPATH": petsc_python_path(), "OPENBLAS_NUM_THREADS": "1"})

    return Program(
        f"petsc-{kind}", "python3-petsc4py-real (Debian)",
        f"A.matMult(B): {what}, {rows} rows, times {COLUMNS} dense columns; the rows that a neighbour needs are "
        "indexed blocks of 8 bytes for each column, in one MPI_Isend",
        "every bit of the product, which is exact; time of a product", (OPEN_MPI,), _install, start, read_reports,
    )  # fmt: skip


PROGRAMS = (
    _program("grid", 65536, "the five-point stencil of a grid"),
    _program("graph", 16384, "seven entries a row, scattered in each fourth row"),
)
