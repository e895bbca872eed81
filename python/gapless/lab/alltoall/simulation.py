"""All-to-alls on a simulated cluster, by SimGrid: the same program, without the machine's cores as a limit.

The cluster is lab/alltoall/simulated/cluster.xml, and what it costs to begin a message, to end one and to copy stands
here and in lab/alltoall/simulated/charged.cpp: times are those of a model whose numbers are known, not of a machine.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gapless.errors import GaplessError, MeasurementFailed
from gapless.lab.alltoall.names import BRUCK, IRREGULAR, MODEL
from gapless.lab.alltoall.theorems import moved, rounds
from gapless.lab.results import SCHEMA, Line
from gapless.paths import NOT_IN_PIP, REPOSITORY, is_installed

FOLDER = REPOSITORY / "build" / "simgrid"
CLUSTER = REPOSITORY / "lab" / "alltoall" / "simulated" / "cluster.xml"
NODES = 1024
# Of a message [s] and [bytes/s]: two links of half a microsecond, one at each end, and the ends' own work.
LATENCY_S, BANDWIDTH, SEND_S, RECEIVE_S = 1e-6, 12.5e9, 0.5e-6, 0.5e-6
# Of copying, as charged.cpp has it: bytes by a rate, and each piece of memory.
COPY_BANDWIDTH, PIECE_S = 10e9, 10e-9
# The same as libgapless_mpi's own model is told them.
_NUMBERS = f"latency {LATENCY_S + SEND_S + RECEIVE_S:g} bandwidth {BANDWIDTH:g} pack {COPY_BANDWIDTH:g}"
MACHINE = f"gapless-alltoall 1\nlibrary *\n  near {_NUMBERS}\n  far {_NUMBERS}\nend\n"
SIZES = (4, 16, 64, 256, 1024, 4096, 16_384, 80_000)
# What all blocks of all processes may take [bytes], and how many messages a direct algorithm may send at all.
MOST_BYTES, MOST_SPREAD, MOST_DIRECT = 1 << 30, 90, 300
SETTINGS = (
    "smpi/privatization:no", "network/model:SMPI", "smpi/simulate-computation:no", "network/crosstraffic:0",
    "smpi/bw-factor:0:1", "smpi/lat-factor:0:1", f"smpi/os:0:{SEND_S:g}:0", f"smpi/ois:0:{SEND_S:g}:0",
    f"smpi/or:0:{RECEIVE_S:g}:0",
    # What the program itself asks of MPI between all-to-alls, in a logarithm of rounds.
    "smpi/allgather:bruck", "smpi/bcast:binomial_tree", "smpi/reduce:binomial", "smpi/allreduce:rdb",
    "smpi/barrier:ompi_bruck",
    # What the model leaves to the library: of SimGrid's algorithms the one whose messages it simulates in time.
    "smpi/alltoall:ring", "smpi/alltoallv:ring",
)  # fmt: skip
COLUMNS = ("processes", "problem", "block_bytes", "way", "simulated_us", "model_us", "simulated_to_model")


@dataclass(frozen=True)
class Simulated:
    """One all-to-all of a simulated cluster: its time, and what the model says of it [us]."""

    processes: int
    problem: str
    bytes: int
    way: str
    us: float
    model_us: float | None


def copied_pieces(algorithm: str, processes: int) -> tuple[float, float]:
    """Return how many blocks a process copies on its way, and how many pieces of memory that are, about.

    Packed and unpacked: each block that is sent, at both ends. Basic Bruck rotates and permutes all of them besides,
    modified Bruck copies them once.
    """
    sent = sum(moved(processes, k) for k in range(rounds(processes)))
    if algorithm not in BRUCK:
        return 1, 1
    more = 2 * processes if algorithm.startswith("basic") else processes if algorithm.startswith("modified") else 1
    runs = sum(-(-moved(processes, k) // (1 << k)) for k in range(rounds(processes)))
    pieces = sent if algorithm == "zero-copy" else 2 * runs if algorithm in BRUCK[5:] else runs
    return 2 * sent + more, 2 * pieces + more


def model_us(algorithm: str, processes: int, size: int) -> float | None:
    """Return what rounds, bytes and copies cost together on the simulated cluster, or None if there is no model.

    rounds (latency + ends) + bytes / bandwidth + copied bytes / copy bandwidth + pieces.
    """
    algorithm = algorithm.partition(":")[0]
    begin = LATENCY_S + SEND_S + RECEIVE_S
    blocks, pieces = copied_pieces(algorithm, processes)
    copies = blocks * size / COPY_BANDWIDTH + pieces * PIECE_S
    if algorithm in BRUCK:
        sent = sum(moved(processes, k) for k in range(rounds(processes)))
        return 1e6 * (rounds(processes) * begin + sent * size / BANDWIDTH + copies)
    if algorithm == "pairwise":
        return 1e6 * ((processes - 1) * (begin + size / BANDWIDTH) + copies)
    if algorithm == "spread-out":
        # Messages begin one after the other, and all of them pass one link.
        each = max(SEND_S + RECEIVE_S, size / BANDWIDTH)
        return 1e6 * ((processes - 1) * each + LATENCY_S + copies)
    return None


def job_of(processes: int, sizes: Sequence[int], algorithms: Sequence[str], irregular: Sequence[str]) -> Line:
    """Return the job of one number of processes: each way once, verified; what takes too long is left out."""
    once = {"min": 0, "max": 0}
    # The first call makes a communicator: it is no measurement.
    first = {"id": "first", "block_bytes": 4, "members": [{"name": "first", "call": "ours", "algorithm": "basic"}]}
    groups: list[Line] = [{**first, "reps": once}]

    def fits(name: str) -> bool:
        bare = name.partition(":")[0]
        return processes <= (MOST_SPREAD if bare == "spread-out" else MOST_DIRECT if bare == "pairwise" else NODES)

    for size in sizes:
        if 3 * processes * processes * size > MOST_BYTES:
            continue
        for problem, call, names in (("regular", "ours", algorithms), ("random", "ours_v", irregular)):
            members = [{"name": name, "call": call, "algorithm": name} for name in names if fits(name)]
            members.append({"name": MODEL, "call": call})
            groups.append({"id": f"{problem} {size}", "block_bytes": size, "random": problem == "random",
                           "members": members, "reps": once})  # fmt: skip
    return {"schema": SCHEMA, "seed": 1, "groups": groups}


def run_simulation(processes: int, job: Line, now: Callable[[str], None]) -> list[Line]:
    """Run the program on so many simulated nodes and return the lines that it prints.

    Raises
    ------
    MeasurementFailed
        If the simulation fails.
    """
    (library,) = (FOLDER / "debian" / "usr" / "lib").glob("*-linux-gnu")
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job.json"
        path.write_text(json.dumps(job), encoding="utf-8")
        machine = Path(folder) / "machine.txt"
        machine.write_text(MACHINE, encoding="utf-8")
        command = [
            str(library / "simgrid" / "smpimain"), str(FOLDER / "alltoall.so"), f"--cfg=smpi/np:{processes}",
            *(f"--cfg={setting}" for setting in SETTINGS), "--log=root.thres:error", str(CLUSTER), "--job", str(path),
        ]  # fmt: skip
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True,
            env={"LD_LIBRARY_PATH": str(library), "PATH": "/usr/bin:/bin", "GAPLESS_ALLTOALL_FILE": str(machine)},
        ) as process:  # fmt: skip
            assert process.stdout is not None
            for row in process.stdout:
                if row.startswith("{"):
                    lines.append(json.loads(row))
                    if lines[-1]["kind"] == "progress":
                        now(f"{processes} processes, {lines[-1]['done']} of {lines[-1]['of']}")
    wrong = [line for line in lines if line["kind"] in ("error", "refused")]
    if process.returncode or wrong:
        reason = f"{wrong[0]['group']}: {wrong[0]['reason']}" if wrong else f"exit status {process.returncode}"
        raise MeasurementFailed(f"the simulation of {processes} processes failed ({reason})", "run it by hand")
    return lines


def simulated_of(processes: int, lines: Sequence[Line]) -> list[Simulated]:
    """Return the times of one number of processes."""
    found = []
    for line in lines:
        if line["kind"] != "samples" or line["group"] == "first":
            continue
        problem, _, size = line["group"].partition(" ")
        model = model_us(line["member"], processes, int(size)) if problem == "regular" else None
        found.append(Simulated(processes, problem, int(size), line["member"], line["first"] / 1000, model))
    return found


def tsv(found: Sequence[Simulated]) -> str:
    """Return every time, tab-separated, with a heading."""
    rows = ["\t".join(COLUMNS)]
    for one in found:
        model = ("-", "-") if one.model_us is None else (f"{one.model_us:.4g}", f"{one.us / one.model_us:.3f}")
        rows.append("\t".join((str(one.processes), one.problem, str(one.bytes), one.way, f"{one.us:.4g}", *model)))
    return "\n".join(rows) + "\n"


def crossovers(found: Sequence[Simulated]) -> list[str]:
    """Say for each number of processes which way is the fastest up to which size of a block."""
    told = []
    for problem in ("regular", "random"):
        for processes in sorted({one.processes for one in found}):
            of = [one for one in found if one.problem == problem and one.processes == processes]
            sizes = sorted({one.bytes for one in of})
            best = [min((one for one in of if one.bytes == size and one.way != MODEL), key=lambda one: one.us)
                    for size in sizes]  # fmt: skip
            chosen = {one.bytes: one.us for one in of if one.way == MODEL}
            if best:
                told.append(f"{problem}, {processes} processes: " + ", ".join(
                    f"{one.way} at {one.bytes} B ({one.us:.3g} us"
                    + (f"; the model's choice {chosen[one.bytes] / one.us:.2f} times that)" if chosen else ")")
                    for one in best))  # fmt: skip
    return told


def simulate(processes: Sequence[int], sizes: Sequence[int], folder: Path, say: Callable[[str], None]) -> None:
    """Simulate all ways, and write times (TSV) and plots (SVG) to a folder.

    Raises
    ------
    GaplessError
        If the simulated program is not built, or a number of processes is beyond the cluster.
    """
    if is_installed():
        raise GaplessError(f"the simulated program is {NOT_IN_PIP}", "run tools/simgrid.sh in a checkout of Gapless")
    if not (FOLDER / "alltoall.so").is_file():
        raise GaplessError(f"{FOLDER / 'alltoall.so'} is not there", "run tools/simgrid.sh, which fetches SimGrid")
    if not all(1 < number <= NODES for number in processes):
        raise GaplessError(f"the simulated cluster has {NODES} nodes", f"name numbers from 2 to {NODES}")
    from gapless.lab.alltoall.simulated_plots import write_plots

    folder.mkdir(parents=True, exist_ok=True)
    found: list[Simulated] = []
    plots: list[Path] = []
    for number in processes:
        algorithms = (*BRUCK, "basic:types", "zero-copy:types", "zero-copy-blocks:types", "pairwise", "spread-out")
        lines = run_simulation(number, job_of(number, sizes or SIZES, algorithms, IRREGULAR), say)
        found += simulated_of(number, lines)
        (folder / "simulated.tsv").write_text(tsv(found), encoding="utf-8")
        plots = write_plots(found, folder)
    for text in crossovers(found):
        say(text)
    compared = [one.us / one.model_us for one in found if one.model_us is not None]
    say(f"simulated time over the model's: {min(compared):.2f} to {max(compared):.2f} in {len(compared)} times")
    say(f"times in {folder / 'simulated.tsv'}, plots: {', '.join(path.name for path in plots)}")
