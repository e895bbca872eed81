"""`gapless bench fft`: mpi4py-fft, a program that nobody here wrote, launched without and with the layer in turn."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import Progress

from gapless.errors import GaplessError
from gapless.lab.results import SCHEMA, Line, Recorder
from gapless.launch.counters import total
from gapless.launch.fronts import FrontName, choose_front
from gapless.launch.launcher import recognise
from gapless.launch.layer import put_under, without_layer
from gapless.launch.mpi_library import STANDARD, libraries_in, library_folders
from gapless.launch.process import run_watched
from gapless.launch.reach import Rank, read_ranks
from gapless.launch.temporary import temporary_folder
from gapless.targets.libraries import Library
from gapless.targets.on_demand import FFT_FOLDER, MPI4PY_FOLDER

RANKS = 4
GRIDS, INPUTS = ("slab", "pencil"), ("complex", "real")
SIZES = ("64", "128", "90x84x100")
SMALLEST, LARGEST_ELEMENTS = 8, 1 << 30
TIMEOUT_S = 300
ALLTOALLW = re.compile(r"MPI_I?alltoallw(_init)?(_c)?", re.IGNORECASE)


@dataclass(frozen=True)
class Case:
    """A transform: how large, on which grid of processes, of what."""

    shape: tuple[int, int, int]
    grid: str
    input: str

    @property
    def name(self) -> str:
        """The case in words, for example ``64x64x64 slab complex``."""
        return f"{'x'.join(map(str, self.shape))} {self.grid} {self.input}"

    @property
    def repetitions(self) -> int:
        """How often one launch transforms: often if that takes little."""
        return max(7, min(50, (1 << 23) // math.prod(self.shape)))


def parse_size(text: str) -> tuple[int, int, int]:
    """Read ``64`` or ``90x84x100``.

    Raises
    ------
    GaplessError
        If that is no size, too small to be spread over the ranks, or more than a node's memory.
    """
    words = text.split("x")
    numbers = [int(word) if word.isascii() and word.isdigit() else 0 for word in words]
    if len(numbers) == 1:
        numbers *= 3
    if len(numbers) != 3 or min(numbers) < SMALLEST:
        raise GaplessError(
            f"--size {text}: that is no size of a transform",
            f"write one number for a cube or three, each at least {SMALLEST}: --size 64, --size 90x84x100",
        )
    if math.prod(numbers) > LARGEST_ELEMENTS:
        raise GaplessError(f"--size {text}: more than {LARGEST_ELEMENTS:,} elements", "name a smaller one")
    return numbers[0], numbers[1], numbers[2]


def cases(sizes: Sequence[str], grids: Sequence[str], inputs: Sequence[str]) -> list[Case]:
    """Return every combination, each once.

    Raises
    ------
    GaplessError
        If one of the words is not known.
    """
    for option, words, known in (("--grid", grids, GRIDS), ("--input", inputs, INPUTS)):
        for word in words:
            if word not in known:
                raise GaplessError(f"{option} {word}: there is none of that name", f"name {' or '.join(known)}")
    found = [Case(parse_size(size), grid, kind) for size in sizes for grid in grids for kind in inputs]
    return list(dict.fromkeys(found))


def mpi_file(library: Library) -> Path:
    """Return the file of a library that mpi4py is to load.

    Raises
    ------
    GaplessError
        If its prefix holds none.
    """
    for found in libraries_in(library_folders(library.mpi_root)):
        if found.abi == library.abi and found.abi != STANDARD:
            return found.path
    raise GaplessError(f"no libmpi of {library.name} below {library.mpi_root}", "name the prefix of a complete MPI")


def rank_environment(library: Library) -> dict[str, str]:
    """Return what the ranks need: mpi4py and mpi4py-fft, the library to load, one thread each."""
    package = Path(__file__).resolve().parents[2]
    # Ranks that wait must let the others run where there are more of them than cores; on all launches alike.
    crowded = len(os.sched_getaffinity(0)) < RANKS
    yielding = {"I_MPI_THREAD_YIELD": "2", "OMPI_MCA_mpi_yield_when_idle": "1"} if crowded else {}
    return {
        "PYTHONPATH": os.pathsep.join(str(path) for path in (FFT_FOLDER / "lib", MPI4PY_FOLDER / "lib", package)),
        "MPI4PY_LIBMPI": str(mpi_file(library)),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        **yielding,
        **library.settings,
    }


def _alltoallw(ranks: Sequence[Rank]) -> dict[str, Any]:
    """Return what the layer did with the calls that redistribute, over all ranks."""
    counts = [count for name, count in total(ranks).items() if ALLTOALLW.fullmatch(name)]
    declined: dict[str, int] = {}
    for count in counts:
        for reason, number in count.declined.items():
            declined[reason] = declined.get(reason, 0) + number
    sums = {name: sum(getattr(count, name) for count in counts) for name in ("calls", "accelerated", "bytes")}
    return sums | {"declined": declined, "ranks": len(ranks)}


def _answer(output: str) -> dict[str, Any] | None:
    """Return the object that rank 0 printed, or None: launchers print lines of their own."""
    for row in output.splitlines():
        if row.startswith("{"):
            try:
                found = json.loads(row)
            except ValueError:
                return None
            return found if isinstance(found, dict) and "digests" in found else None
    return None


def launch_once(library: Library, case: Case, layer: bool, reference: bool, force: bool = False) -> Line:
    """Launch one transform on four ranks; a launch that fails is a line that says why.

    Parameters
    ----------
    library : Library
        The MPI to run on.
    case : Case
        What to transform.
    layer : bool
        Whether the ranks run under the layer, as `gapless run` puts it there.
    reference : bool
        Whether the ranks compare with NumPy's transform of the whole.
    force : bool
        Whether the layer drops its limits, and packs also where its rule says that the library is faster.
    """
    arguments = ["--shape", ",".join(map(str, case.shape)), "--grid", case.grid, "--input", case.input]
    arguments += ["--repetitions", str(case.repetitions), *(["--reference"] if reference else [])]
    command = [*library.launch(RANKS), sys.executable, "-m", "gapless.bench.fft_rank", *arguments]
    environment = without_layer() | rank_environment(library)
    line: Line = {
        "schema": SCHEMA, "kind": "fft", "library": library.name, "layer": layer,
        "shape": list(case.shape), "grid": case.grid, "input": case.input,
    }  # fmt: skip
    with temporary_folder("gapless-fft-") as folder:
        if layer:
            launcher = recognise(command[0])
            front = choose_front(FrontName.AUTO, command, launcher, environment)
            settings = {"GAPLESS_RUN_DIR": folder, "GAPLESS_STATS": "1"} | ({"GAPLESS_FORCE": "1"} if force else {})
            started = put_under(command, str(front.path), settings, environment, launcher)
            command, environment = started.command, started.environment
            line["front"] = front.name
        ended = run_watched(command, environment, TIMEOUT_S)
        if layer:
            line["alltoallw"] = _alltoallw([rank for rank in read_ranks(Path(folder)) if not rank.native])
    reason, answer = ended.failure(TIMEOUT_S), _answer(ended.output)
    if reason is None and answer is None:
        reason = "it printed no result"
    if reason is None and layer and line["alltoallw"]["ranks"] != RANKS:
        reason = f"the layer reached {line['alltoallw']['ranks']} of {RANKS} ranks"
    return line | ({"reason": reason} if reason else answer or {})


def measure_fft(
    library: Library, chosen: Sequence[Case], launches: int, force: bool, recorder: Recorder, progress: Progress
) -> Iterator[Line]:
    """Launch every case without and with the layer in turn, which goes first alternates; yield and record each line.

    After a launch that failed, the case is not launched again: its row says why.
    """
    task = progress.add_task(library.name, total=2 * launches * len(chosen), now="")
    failed: set[Case] = set()
    for launch in range(1, launches + 1):
        for case in chosen:
            for layer in (False, True) if launch % 2 else (True, False):
                progress.update(task, now=f"{case.name}, {'with' if layer else 'without'} the layer")
                if case not in failed:
                    reference = launch == 1 and not layer
                    line = launch_once(library, case, layer, reference, force) | {"launch": launch}
                    if "reason" in line:
                        failed.add(case)
                    recorder.add(line)
                    yield line
                progress.advance(task)
