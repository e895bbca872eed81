"""Judges and renders what `gapless bench programs` measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from rich.table import Table

from gapless.display import bytes_text, plain_table
from gapless.lab.results import Line, of_kind
from gapless.lab.statistics import FEWEST_LAUNCHES, Ratio, ratio_of_medians
from gapless.launch.reasons import reason_of

COLUMNS = (
    "program", "library", "ranks", "launches", "plain_ms", "gapless_ms", "gain", "low", "high", "results",
    "typed_calls", "accelerated", "bytes", "paired", "pack_ms", "procedures", "declined", "why", "problem",
)  # fmt: skip
# What moves data; what completes, frees or commits is counted by the layer too.
BESIDE = re.compile(r"MPI_(Wait|Test|Start|Request|Cancel|Comm|Type|File|Win|Init|Finali|Session|Query)", re.IGNORECASE)


@dataclass(frozen=True)
class ProgramRow:
    """One program on one library: medians over launches, in milliseconds, and what the layer did in one launch.

    `gain` is the time without over the time with the layer, with its interval (`ratio_of_medians`). Counts are those
    of all ranks of one launch, the first.
    """

    program: str
    library: str
    ranks: int
    launches: int = 0
    plain_ms: float | None = None
    gapless_ms: float | None = None
    gain: float | None = None
    low: float | None = None
    high: float | None = None
    results: str = ""
    typed_calls: int = 0
    accelerated: int = 0
    bytes: int = 0
    paired: int = 0
    pack_ms: float = 0.0
    procedures: dict[str, int] = field(default_factory=dict)
    declined: dict[str, int] = field(default_factory=dict)
    why: str = ""
    problem: str = ""

    @property
    def passes(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problem

    def as_json(self) -> dict[str, Any]:
        """Return the row for scripts."""
        return asdict(self)


@dataclass
class Counts:
    """What the layer did in a launch with what moves data, all ranks together."""

    calls: int = 0
    accelerated: int = 0
    bytes: int = 0
    paired: int = 0
    pack_ns: int = 0
    procedures: Counter[str] = field(default_factory=Counter)
    declined: Counter[str] = field(default_factory=Counter)

    @property
    def typed(self) -> int:
        """How many calls had a derived datatype for which the layer could have done something."""
        return self.accelerated + sum(n for name, n in self.declined.items() if not reason_of(name).has_nothing_to_do)


def counts(procedures: Mapping[str, Mapping[str, Any]]) -> Counts:
    """Sum the counters of a launch (`counters.as_json`) over the procedures that move data."""
    found = Counts()
    for name, entry in procedures.items():
        if BESIDE.match(name):
            continue
        found.calls += entry["calls"]
        found.accelerated += entry["accelerated"]
        found.bytes += entry["bytes"]
        found.paired += entry.get("paired", 0)
        found.pack_ns += entry.get("pack_ns", 0) + entry.get("unpack_ns", 0)
        if entry["accelerated"]:
            found.procedures[name.removesuffix("_c")] += entry["accelerated"]
        found.declined.update(entry.get("declined", {}))
    return found


def why_nothing(of: Counts, gain: Ratio | None, wall_s: float, ranks: int) -> str:
    """Return why a program that is not proved to gain anything gains nothing, or that it loses; empty if it gains.

    Parameters
    ----------
    of : Counts
        What the layer did in a launch.
    gain : Ratio or None
        The time without over the time with the layer.
    wall_s : float
        How long that launch took, start and end included.
    ranks : int
        How many processes shared that time.
    """
    if gain is None or gain.low > 1:
        return ""
    if not of.typed:
        return f"none of its {of.calls} calls needs a derived datatype moved"
    declined = [(reason_of(name), n) for name, n in of.declined.most_common()]
    reasons = [f"{reason.why} ({n} calls)" for reason, n in declined if not reason.has_nothing_to_do]
    if not of.accelerated:
        return "; ".join(reasons)
    each = of.bytes / of.accelerated
    share = of.pack_ns / 1e9 / (wall_s * ranks)
    said = [f"messages of {bytes_text(round(each))} on average; packing takes {share:.1%} of the processes' time"]
    return "; ".join((["SLOWER UNDER THE LAYER"] if gain.high < 1 else []) + said + reasons)


def judge(lines: Sequence[Line]) -> tuple[str, str]:
    """Return in a few words how results compare, and what is wrong with the launches (empty if nothing)."""
    for line in lines:
        if "reason" in line:
            return "", f"{'with' if line['layer'] else 'without'} the layer: {line['reason']}"
    plain = [line for line in lines if not line["layer"]]
    under = [line for line in lines if line["layer"]]
    if not plain or not under:
        return "", "not measured both without and with the layer"
    for line in lines:
        if not line["passed"]:
            return "", f"not right by its own measure, {'with' if line['layer'] else 'without'} the layer"
    if any(line["result"] != plain[0]["result"] for line in plain):
        return "right; natively they differ from launch to launch", ""
    if any(line["result"] != plain[0]["result"] for line in under):
        return "", "OTHER RESULTS WITH THE LAYER"
    return "identical", ""


def _pairs(plain: Sequence[Line], under: Sequence[Line]) -> list[tuple[list[float], list[float]]]:
    """Return the samples of launches side by side, without and with the layer."""
    with_layer = {line["launch"]: line for line in under}
    return [
        (line["samples_s"], with_layer[line["launch"]]["samples_s"]) for line in plain if line["launch"] in with_layer
    ]


def _milliseconds(of: Sequence[Line]) -> float | None:
    return 1e3 * median(median(line["samples_s"]) for line in of) if of else None


def program_row(lines: Sequence[Line]) -> ProgramRow:
    """Return the row of one program on one library."""
    results, problem = judge(lines)
    well = [line for line in lines if "reason" not in line]
    plain, under = ([line for line in well if line["layer"] is layer] for layer in (False, True))
    pairs = _pairs(plain, under)
    gain = ratio_of_medians(pairs) if pairs else None
    of = counts(under[0]["procedures"]) if under else Counts()
    first = lines[0]
    return ProgramRow(
        first["program"],
        first["library"],
        first["ranks"],
        launches=len(pairs),
        plain_ms=_milliseconds(plain),
        gapless_ms=_milliseconds(under),
        gain=gain.ratio if gain else None,
        low=gain.low if gain else None,
        high=gain.high if gain else None,
        results=results,
        typed_calls=of.typed,
        accelerated=of.accelerated,
        bytes=of.bytes,
        paired=of.paired,
        pack_ms=of.pack_ns / 1e6,
        procedures=dict(of.procedures.most_common()),
        declined=dict(of.declined.most_common()),
        why=why_nothing(of, gain, under[0]["wall_s"], first["ranks"]) if under else "",
        problem=problem,
    )


def program_rows(lines: Sequence[Line]) -> list[ProgramRow]:
    """Return one row for each program on each library."""
    collected: dict[tuple[str, str], list[Line]] = {}
    for line in of_kind(lines, "program"):
        collected.setdefault((line["program"], line["library"]), []).append(line)
    return [program_row(of) for of in collected.values()]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _gain(row: ProgramRow) -> str:
    return "-" if row.gain is None else f"{row.gain:.2f} ({row.low:.2f}-{row.high:.2f})"


def _accelerated(row: ProgramRow) -> str:
    """Return what was accelerated in words."""
    by = ", ".join(f"{name} {n}" for name, n in row.procedures.items())
    return f"{row.accelerated} of {row.typed_calls}" + (f": {by}; {bytes_text(row.bytes)}" if by else "")


def program_table(rows: Sequence[ProgramRow]) -> Table:
    """Render rows for the eye."""
    columns = ["program", "MPI", "ranks", "plain ms", "+ Gapless", "gain (interval)", "results", "remark"]
    table = plain_table(f"{max((row.launches for row in rows), default=0)} launches without and with", columns, left=2)
    for row in rows:
        remark = row.problem or "; ".join(filter(None, [_accelerated(row), row.why]))
        table.add_row(row.program, row.library, str(row.ranks), _number(row.plain_ms), _number(row.gapless_ms),
                      _gain(row), row.results or "-", remark)  # fmt: skip
    return table


def few_launches(rows: Sequence[ProgramRow]) -> str:
    """Return what too few launches mean for the intervals; empty if there are enough."""
    if not rows or min(row.launches for row in rows) >= FEWEST_LAUNCHES:
        return ""
    return f"fewer than {FEWEST_LAUNCHES} launches: the intervals are over repetitions within them"


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}:{n}" for name, n in value.items()) or "-"
    if isinstance(value, float):
        return f"{value:.6g}"
    return "-" if value is None or value == "" else str(value)


def program_tsv(rows: Sequence[ProgramRow]) -> str:
    """Return the rows as tab-separated values with a heading."""
    out = ["\t".join(COLUMNS), *("\t".join(_cell(getattr(row, name)) for name in COLUMNS) for row in rows)]
    return "\n".join(out) + "\n"
