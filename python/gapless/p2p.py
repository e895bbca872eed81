"""`gapless bench p2p`: a ping-pong of every layout under the layer, against what it is made of and what it replaces.

Of each description of each layout: the engine's packing, a contiguous send and the engine's unpacking, each alone, are
what the layer does; the native datatype, and MPI_Pack with a send of the packed bytes, are what the program would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.progress import Progress
from rich.table import Table

from gapless.display import plain_table
from gapless.guidelines import Medians
from gapless.lab import run_lab
from gapless.libraries import Library
from gapless.pingpong import measure_pingpong
from gapless.results import Key, Line, Recorder
from gapless.tables import bytes_text

METHODS = ("contiguous", "pack", "native", "gapless", "engine", "engine_pack", "engine_unpack")
ENGINE_TOLERANCE, BEST_TOLERANCE, GUIDELINE_TOLERANCE = 1.10, 1.05, 0.05


@dataclass(frozen=True)
class P2pRow:
    """One description of one layout at one message size on one library; times in microseconds, one way.

    Attributes
    ----------
    engine_us : float or None
        Pack, send, receive and unpack in one message by the engine without the layer; not judged. It says whether a
        row over its parts is the layer's doing, or that of caches that are warmer for a part alone.
    acts : bool or None
        Whether the layer converted the transfer, by its own counters; None if that was not asked.
    violated : dict
        Performance guideline to how many times slower than its reference the layer is, where that is beyond 5 %.
    """

    library: str
    layout: str
    variant: int
    A: int
    description: str
    size: int
    payload_bytes: int
    contiguous_us: float
    native_us: float
    pack_us: float
    gapless_us: float
    engine_pack_us: float
    engine_unpack_us: float
    acts: bool | None
    violated: dict[str, float]
    engine_us: float | None = None

    @property
    def to_sequence(self) -> float | None:
        """The time under the layer, as a ratio to a program that does the same by hand with the engine."""
        return self.gapless_us / self.engine_us if self.engine_us else None

    @property
    def name(self) -> str:
        """Return for example ``tiled/v1/A=2/basic/3200``."""
        return f"{self.layout}/v{self.variant}/A={self.A}/{self.description}/{self.size}"

    @property
    def to_parts(self) -> float:
        """The time under the layer, as a ratio to engine pack + contiguous send + engine unpack."""
        return self.gapless_us / (self.engine_pack_us + self.contiguous_us + self.engine_unpack_us)

    @property
    def to_best(self) -> float:
        """The time under the layer, as a ratio to the faster of native datatype and native packing."""
        return self.gapless_us / min(self.native_us, self.pack_us)

    @property
    def within_parts(self) -> bool:
        """Whether the layer costs at most a tenth more than its parts."""
        return self.to_parts <= ENGINE_TOLERANCE

    @property
    def within_best(self) -> bool:
        """Whether the layer is at most 5 % slower than the faster of the program's own ways."""
        return self.to_best <= BEST_TOLERANCE

    @property
    def passes(self) -> bool:
        """Whether both hold, and every guideline where the layer acts."""
        return self.within_parts and self.within_best and not (self.violated and self.acts is not False)

    def as_json(self) -> dict[str, Any]:
        """Return the row with its ratios and verdicts."""
        ratios = ("name", "to_sequence", "to_parts", "to_best", "within_parts", "within_best", "passes")
        return asdict(self) | {name: getattr(self, name) for name in ratios}


def measure_p2p(
    library: Library,
    launches: int,
    reps: tuple[str, str],
    arguments: Sequence[str],
    recorder: Recorder,
    progress: Progress,
) -> None:
    """Ask once where the layer acts, with its counters on, then measure with them off.

    Parameters
    ----------
    library : Library
        What to measure.
    launches : int
        The number of replicates.
    reps : tuple of str
        Samples in a launch, of large and of small messages.
    arguments : sequence of str
        Passed on to the lab's program.
    recorder : Recorder
        Where the lines go.
    progress : Progress
        Where the advance is shown.
    """
    arguments = ["--all-layouts", *arguments]
    once = [*arguments, "--methods", "gapless", "--reps-large", "1", "--reps-small", "1"]
    for line in run_lab(library, "lab/pingpong", once, 1, {"GAPLESS_STATS": "1"}):
        if line["kind"] in ("samples", "error"):
            kind = {"samples": "acts", "error": "error"}[line["kind"]]
            recorder.add({k: v for k, v in line.items() if k != "samples"} | {"kind": kind})
    arguments += ["--methods", ",".join(METHODS), "--reps-large", reps[0], "--reps-small", reps[1]]
    measure_pingpong(library, launches, arguments, recorder, progress)


def p2p_rows(library: str, lines: Sequence[Line]) -> list[P2pRow]:
    """Return the rows of a result file, in the order measured: medians over launches of each launch's median."""
    medians = Medians(lines)
    acts = {(line["group"], line["description"]): line.get("layer_acts") for line in lines if line["kind"] == "acts"}
    rows = []
    for key, sets in medians.lines_by_key.items():
        if key.method != "gapless":
            continue
        of = {
            method: medians.ns.get(Key(key.group, "contiguous" if method == "contiguous" else key.description, method))
            for method in METHODS
        }
        times = {f"{method}_us": ns / 1000 for method, ns in of.items() if ns is not None}
        if len(times.keys() | {"engine_us"}) < len(METHODS):
            continue
        verdicts = medians.verdicts(key.group, key.description, "gapless", GUIDELINE_TOLERANCE)
        first = sets[0]
        rows.append(
            P2pRow(
                library=library,
                layout=first["layout"],
                variant=first["variant"],
                A=first["A"],
                description=key.description,
                size=first["bytes"],
                payload_bytes=first["payload_bytes"],
                acts=acts.get((key.group, key.description)),
                violated={name: verdict.factor for name, verdict in verdicts.items() if not verdict.holds},
                **times,
            )
        )
    return rows


TIMES = ("contiguous_us", "native_us", "pack_us", "gapless_us", "engine_pack_us", "engine_unpack_us")


def p2p_tsv(rows: Sequence[P2pRow]) -> str:
    """Return the rows as tab-separated values with a heading."""
    columns = (
        "library",
        "name",
        *TIMES,
        "acts",
        "to_sequence",
        "to_parts",
        "to_best",
        "within_parts",
        "within_best",
        "guidelines",
    )
    out = ["\t".join(columns)]
    for row in rows:
        times = [f"{getattr(row, name):.4g}" for name in TIMES]
        broken = ",".join(f"{name}x{factor:.2f}" for name, factor in row.violated.items()) or "hold"
        verdicts = ["yes" if holds else "no" for holds in (row.within_parts, row.within_best)]
        acts = {True: "yes", False: "no", None: "?"}[row.acts]
        ratios = [
            "-" if row.to_sequence is None else f"{row.to_sequence:.3f}",
            f"{row.to_parts:.3f}",
            f"{row.to_best:.3f}",
        ]
        out.append("\t".join([row.library, row.name, *times, acts, *ratios, *verdicts, broken]))
    return "\n".join(out) + "\n"


def time_text(us: float) -> str:
    """Return a time with three digits, and never as a power of ten."""
    return f"{us:.0f}" if us >= 100 else f"{us:.3g}"


def p2p_table(title: str, rows: Sequence[P2pRow]) -> Table:
    """Render rows of one message size: the times in microseconds, and the ratios that are judged."""
    table = plain_table(
        f"{title}, µs",
        [
            "layout",
            "contig.",
            "native",
            "MPI_Pack",
            "+ Gapless",
            "pack",
            "unpack",
            "parts",
            "best",
            "by hand",
            "remark",
        ],
    )
    for row in rows:
        broken = [f"{name} ×{factor:.2f}" for name, factor in row.violated.items()]
        remark = ", ".join((["native"] if row.acts is False else []) + broken)
        table.add_row(
            row.name.rsplit("/", 1)[0],
            *(time_text(getattr(row, name)) for name in TIMES),
            f"×{row.to_parts:.2f}{' ' if row.within_parts else '!'}",
            f"×{row.to_best:.2f}{' ' if row.within_best else '!'}",
            "-" if row.to_sequence is None else f"×{row.to_sequence:.2f}",
            remark,
        )
    return table


@dataclass(frozen=True)
class P2pSummary:
    """How many rows of one message size hold what is promised."""

    size: int
    rows: int
    acts: int
    beyond_parts: int
    beyond_best: int
    violated: dict[str, int]

    def __str__(self) -> str:
        """Return the sentence below the table."""
        broken = ", ".join(f"{name} violated in {n}" for name, n in self.violated.items()) or "GL1 to GL4 hold"
        return (
            f"{bytes_text(self.size)}: {self.rows} rows, the layer acts in {self.acts}; over 1.10 × its parts in "
            f"{self.beyond_parts}, over 1.05 × the better native way in {self.beyond_best}; {broken}"
        )


def summarise(rows: Sequence[P2pRow]) -> list[P2pSummary]:
    """Return a summary for each message size; guidelines are counted where the layer acts."""
    found = []
    for size in sorted({row.size for row in rows}):
        of = [row for row in rows if row.size == size]
        acting = [row for row in of if row.acts is not False]
        names = sorted({name for row in acting for name in row.violated})
        found.append(
            P2pSummary(
                size,
                len(of),
                len(acting),
                sum(not row.within_parts for row in of),
                sum(not row.within_best for row in of),
                {name: sum(name in row.violated for row in acting) for name in names},
            )
        )
    return found
