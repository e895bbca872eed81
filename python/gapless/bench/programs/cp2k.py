"""CP2K from Debian, quantum chemistry on ScaLAPACK: it times each kind of its own MPI calls."""

from __future__ import annotations

import re
from pathlib import Path

from gapless.bench.programs.debian import OPEN_MPI, TREE, install_debian
from gapless.bench.programs.program import Answer, Program, Started
from gapless.errors import GaplessError
from gapless.launch.process import Ended
from gapless.targets.libraries import Library

EXAMPLE = TREE / "usr/share/doc/cp2k/examples/H2O.inp"  # five steps of a water molecule, by Debian's package
STEPS = 20
ENERGY = re.compile(r"^ ENERGY\| .*:\s+(-?\d+\.\d+)$", re.MULTILINE)
# The conserved energy [hartree] of these steps is conserved to 6e-6: kinetic and potential energy change by 1e-3.
CONSERVED = 2e-5
TIMER = re.compile(
    r"^ (?P<name>\w+) +(?P<calls>\d+) +[\d.]+ +[\d.]+ +[\d.]+ +(?P<mean>[\d.]+) +(?P<most>[\d.]+)$", re.MULTILINE
)


def prepare(folder: Path, cutoff: int = 200) -> Started:
    """Write the input into an empty folder and return what ranks run there.

    Parameters
    ----------
    folder : Path
        Where the ranks start.
    cutoff : int
        Of the plane waves [Ry]: the FFT's grid has as many points along an edge as its square root says.

    Raises
    ------
    GaplessError
        If the package's example is another than expected.
    """
    text = EXAMPLE.read_text(encoding="ascii") if EXAMPLE.is_file() else ""
    if "STEPS 5" not in text or "PRINT_LEVEL LOW" not in text:
        raise GaplessError("CP2K's example has another input than expected", "remove build/programs/debian")
    text = text.replace("STEPS 5", f"STEPS {STEPS}")
    text = text.replace("CUTOFF 200", f"CUTOFF {cutoff}")
    # All timers, not those alone that take 2 % of the whole.
    text = text.replace("PRINT_LEVEL LOW", "PRINT_LEVEL LOW\n  &TIMINGS\n    THRESHOLD 0.0\n  &END TIMINGS")
    (folder / "H2O.inp").write_text(text, encoding="ascii")
    settings = {"CP2K_DATA_DIR": str(TREE / "usr/share/cp2k"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return Started([str(TREE / "usr/bin/cp2k.psmp"), "-i", "H2O.inp"], settings)


def timers(output: str) -> dict[str, tuple[int, float, float]]:
    """Return CP2K's timers: the most calls of a rank, and seconds in them, of all ranks the mean and the most."""
    return {of["name"]: (int(of["calls"]), float(of["mean"]), float(of["most"])) for of in TIMER.finditer(output)}


def read(ended: Ended, folder: Path) -> Answer | None:
    """Return all energies that CP2K printed, and the time of its steps but for the first, which sets up."""
    energies = ENERGY.findall(ended.output)
    found = sorted(folder.glob("*.ener"))
    if len(energies) != STEPS + 1 or len(found) != 1:
        return None
    # Step, time, kinetic energy, temperature, potential and conserved energy, seconds that the step took.
    rows = [row.split() for row in found[0].read_text(encoding="ascii").splitlines() if not row.startswith("#")]
    if len(rows) != STEPS + 1 or any(len(row) != 7 for row in rows):
        return None
    try:
        conserved, seconds = [float(row[5]) for row in rows], sum(float(row[6]) for row in rows[2:])
    except ValueError:
        return None
    result = [*energies, *(" ".join(row[1:6]) for row in rows)]
    return Answer([seconds], result, all(abs(of - conserved[0]) < CONSERVED for of in conserved))


def _start(library: Library, folder: Path) -> Started:
    return prepare(folder)


PROGRAMS = (
    Program(
        "cp2k", "cp2k (Debian)",
        f"molecular dynamics of a water molecule, {STEPS} steps of density functional theory: its FFT sends contiguous "
        "blocks all to all; below it is ScaLAPACK, whose BLACS make a vector type for each message",
        "all digits of each step's energies; time of the steps after the first",
        (OPEN_MPI,), install_debian, _start, read,
    ),
)  # fmt: skip
