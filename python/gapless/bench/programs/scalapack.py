"""ScaLAPACK's own testers, from Debian: the BLACS, which send matrices as vectors, and LU factorisation by them."""

from __future__ import annotations

import re
from pathlib import Path

from gapless.bench.programs.debian import LIBRARIES, install_debian, tests_folder
from gapless.bench.programs.program import Answer, Program, Started
from gapless.errors import GaplessError
from gapless.launch.process import Ended
from gapless.targets.libraries import Library

ROWS, RIGHT_SIDES = 700, 16  # as many as the memory that xdlu is built with allows
BLOCKS = (8, 32, 64)
# With no threshold a residual is printed, with 7 digits: that they are small enough is then ours to say, as xdlu would.
LARGEST_RESIDUAL = 1.0
LU_INPUT = f"""\
'ScaLAPACK, LU factorization input file'
'of gapless bench programs'
'LU.out'  output file name (if any)
6  device out
1  number of problems sizes
{ROWS}  values of M
{ROWS}  values of N
{len(BLOCKS)}  number of NB's
{" ".join(map(str, BLOCKS))}  values of NB
1  number of NRHS's
{RIGHT_SIDES}  values of NRHS
1  number of NBRHS's
{RIGHT_SIDES}  values of NBRHS
2  number of process grids (ordered pairs of P & Q)
1 2  values of P
2 1  values of Q
0.0  threshold
F  (T or F) Test Cond. Est. and Iter. Ref. Routines
"""
RESIDUAL = re.compile(r"^\|\|A.*eps.*?\s(\S+)$", re.MULTILINE)
WALL = re.compile(r"^WALL\s+(?:\d+\s+){7}\S+\s+\S+\s+([\d.]+)\s+\w+$", re.MULTILINE)
OPERATIONS = 2 / 3 * ROWS**3 + 2 * ROWS**2 * RIGHT_SIDES
VERDICT = re.compile(r"^.*TESTS?;.*PASSED.*$", re.MULTILINE)
NO_FAILURE = "THERE WERE NO FAILURES IN THIS TEST RUN"


def _start_lu(library: Library, folder: Path) -> Started:
    (folder / "LU.dat").write_text(LU_INPUT, encoding="ascii")
    return Started([str(tests_folder(library) / "xdlu")])


def read_lu(ended: Ended, folder: Path) -> Answer | None:
    """Return what xdlu printed: seconds from its rates, which have more digits than its times, and its residuals."""
    rates, residuals = WALL.findall(ended.output), RESIDUAL.findall(ended.output)
    cases = 2 * len(BLOCKS)
    if len(rates) != cases or len(residuals) != 2 * cases or not all(float(rate) > 0 for rate in rates):
        return None
    samples = [sum(OPERATIONS / (float(rate) * 1e6) for rate in rates)]
    return Answer(samples, residuals, all(float(of) <= LARGEST_RESIDUAL for of in residuals))


def two_ranks(text: str) -> str:
    """Return a tester's input with the grids of two processes in place of its own.

    Raises
    ------
    GaplessError
        If the input says nothing of grids.
    """
    rows = text.splitlines()
    at = next((i for i, row in enumerate(rows) if "number of grids" in row.lower()), None)
    if at is None:
        raise GaplessError("ScaLAPACK's tester has another input than expected", "remove build/programs/debian")
    rows[at : at + 3] = ["2  Number of grids", "1 2  NPROW", "2 1  NPCOL"]
    return "\n".join(rows) + "\n"


def _start_blacs(library: Library, folder: Path) -> Started:
    tester = tests_folder(library) / "BLACS"
    # The auxiliary tests end in MPI_Abort on purpose: no run that ends so could be told from one that fails.
    (folder / "bt.dat").write_text(
        re.sub(r"'T'(\s+Run AUX)", r"'F'\1", (tester / "bt.dat").read_text(encoding="ascii")), encoding="ascii"
    )
    for name in ("sdrv.dat", "bsbr.dat", "comb.dat"):
        (folder / name).write_text(two_ranks((tester / name).read_text(encoding="ascii")), encoding="ascii")
    return Started([str(tester / "xCbtest")])


def read_blacs(ended: Ended, folder: Path) -> Answer | None:
    """Return what xCbtest printed: how many tests of each kind passed; it has no clock, so the launch is timed."""
    verdicts = VERDICT.findall(ended.output)
    return Answer([ended.wall_s], verdicts, NO_FAILURE in ended.output) if verdicts else None


PROGRAMS = (
    Program(
        "scalapack-lu", "scalapack-mpi-test (Debian)",
        f"xdlu: LU of {ROWS} x {ROWS} doubles in blocks of {', '.join(map(str, BLOCKS))}; the BLACS make a vector type "
        "for each message, MPI_Pack it and send bytes, or send, broadcast and receive it typed",
        "residuals, 7 digits; time of factorising and solving", LIBRARIES, install_debian, _start_lu, read_lu,
    ),
    Program(
        "scalapack-blacs", "scalapack-mpi-test (Debian)",
        "xCbtest: the BLACS' own tests of sending, broadcasting and combining general and trapezoidal matrices",
        "how many tests passed; time of the whole launch", LIBRARIES, install_debian, _start_blacs, read_blacs,
    ),
)  # fmt: skip
