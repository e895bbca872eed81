"""Judges and renders what `gapless bench fft` measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from rich.table import Table

from gapless.display import plain_table
from gapless.lab.results import Line, of_kind

# Of values below 1 in size, and relative to the largest of a spectrum: some rounding steps of double precision.
ALLOWED_ERROR = 1e-13
COLUMNS = (
    "library", "shape", "grid", "input", "launches", "redistribution_plain_ms", "redistribution_gapless_ms",
    "transform_plain_ms", "transform_gapless_ms", "redistribution_gains", "transform_gains",
    "calls", "accelerated", "problem",
)  # fmt: skip


@dataclass(frozen=True)
class FftRow:
    """One transform on one library: medians over launches, in milliseconds, and whether anything is wrong with it.

    A time is that of a pair, there and back. `problem` is empty if every launch of both kinds computed the same bits,
    the right ones, and the layer saw the redistributions in every launch that it was in. Gains are the least and the
    greatest of the pairs of launches: what the machine does between two launches is in them too.
    """

    library: str
    shape: str
    grid: str
    input: str
    launches: int = 0
    redistribution_plain_ms: float | None = None
    redistribution_gapless_ms: float | None = None
    transform_plain_ms: float | None = None
    transform_gapless_ms: float | None = None
    redistribution_gains: tuple[float, float] | None = None
    transform_gains: tuple[float, float] | None = None
    calls: int = 0
    accelerated: int = 0
    declined: dict[str, int] = field(default_factory=dict)
    digests: list[dict[str, str]] = field(default_factory=list)
    problem: str = ""

    @property
    def passes(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problem

    def as_json(self) -> dict[str, Any]:
        """Return the row with its gains."""
        return asdict(self) | {
            "redistribution_gain": _gain(self.redistribution_plain_ms, self.redistribution_gapless_ms),
            "transform_gain": _gain(self.transform_plain_ms, self.transform_gapless_ms),
        }


def _gain(plain: float | None, under: float | None) -> float | None:
    return plain / under if plain and under else None


def _ms(lines: Sequence[Line], name: str) -> float | None:
    """Return the median over launches of each launch's median."""
    return median(median(line["samples_ns"][name]) for line in lines) / 1e6 if lines else None


def _gains(plain: Sequence[Line], under: Sequence[Line], name: str) -> tuple[float, float] | None:
    """Return the least and the greatest gain of a launch with the layer over the one beside it without."""
    with_layer = {line["launch"]: line for line in under}
    pairs = [(line, with_layer[line["launch"]]) for line in plain if line["launch"] in with_layer]
    gains = [median(a["samples_ns"][name]) / median(b["samples_ns"][name]) for a, b in pairs]
    return (min(gains), max(gains)) if gains else None


def problem(lines: Sequence[Line]) -> str:
    """Return what is wrong with the launches of one case, the worst first; empty if nothing is."""
    for line in lines:
        if "reason" in line:
            return f"{'with' if line['layer'] else 'without'} the layer: {line['reason']}"
    plain = [line for line in lines if not line["layer"]]
    under = [line for line in lines if line["layer"]]
    if not plain or not under:
        return "not measured both without and with the layer"
    references = [line["reference_error"] for line in lines if line["reference_error"] is not None]
    # Written so that no answer, and one that is not a number, are wrong.
    if not references or not all(error <= ALLOWED_ERROR for error in references):
        return f"not the transform that NumPy computes (off by {max(references):.1e})" if references else "not proved"
    if any(line["digests"] != plain[0]["digests"] for line in plain):
        return "other bits from one launch without the layer to the next"
    if any(line["digests"] != plain[0]["digests"] for line in under):
        return "OTHER BITS WITH THE LAYER"
    if any(rank["last"] != rank["restored"] for line in lines for rank in line["digests"]):
        return "other bits in the last repetition than in the first"
    if not all(line["error"] <= ALLOWED_ERROR for line in lines):
        return "forward and backward do not restore the input"
    if not all(line["alltoallw"]["calls"] for line in under):
        return "the layer saw no MPI_Alltoallw"
    return ""


def idle(rows: Sequence[FftRow]) -> list[str]:
    """Return the libraries under which the layer accelerated no redistribution at all: their rows compare nothing.

    In one row alone it may have left all of them to the library, by its rules: `declined` says why.
    """
    libraries = dict.fromkeys(row.library for row in rows)
    return [name for name in libraries if not any(row.accelerated for row in rows if row.library == name)]


def fft_rows(lines: Sequence[Line]) -> list[FftRow]:
    """Return one row for each transform on each library."""
    collected: dict[tuple[str, str, str, str], list[Line]] = {}
    for line in of_kind(lines, "fft"):
        key = (line["library"], "x".join(map(str, line["shape"])), line["grid"], line["input"])
        collected.setdefault(key, []).append(line)
    rows = []
    for key, of in collected.items():
        well = [line for line in of if "reason" not in line]
        plain = [line for line in well if not line["layer"]]
        under = [line for line in well if line["layer"]]
        declined: dict[str, int] = {}
        for line in under:
            for reason, number in line["alltoallw"]["declined"].items():
                declined[reason] = declined.get(reason, 0) + number
        rows.append(
            FftRow(
                *key,
                launches=min(len(plain), len(under)),
                redistribution_plain_ms=_ms(plain, "redistribution"),
                redistribution_gapless_ms=_ms(under, "redistribution"),
                transform_plain_ms=_ms(plain, "transform"),
                transform_gapless_ms=_ms(under, "transform"),
                redistribution_gains=_gains(plain, under, "redistribution"),
                transform_gains=_gains(plain, under, "transform"),
                calls=sum(line["alltoallw"]["calls"] for line in under),
                accelerated=sum(line["alltoallw"]["accelerated"] for line in under),
                declined=declined,
                digests=plain[0]["digests"] if plain else [],
                problem=problem(of),
            )
        )
    return rows


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _range(value: tuple[float, float] | None) -> str:
    return "-" if value is None else f"{value[0]:.2f}-{value[1]:.2f}"


def _cell(value: object) -> str:
    """Return a value as a cell of tab-separated ones."""
    if isinstance(value, tuple):
        return "-".join(f"{number:.4g}" for number in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value or "-")


def fft_table(title: str, rows: Sequence[FftRow]) -> Table:
    """Render rows: milliseconds of a pair of transforms, and of the redistributions in it."""
    columns = ["size", "grid", "input", "redist. plain ms", "+ Gapless", "gain", "range", "transform plain ms",
               "+ Gapless", "gain", "range", "accelerated", "remark"]  # fmt: skip
    table = plain_table(title, columns, left=3)
    for row in rows:
        what = row.as_json()
        table.add_row(
            row.shape,
            row.grid,
            row.input,
            _number(row.redistribution_plain_ms),
            _number(row.redistribution_gapless_ms),
            _number(what["redistribution_gain"]),
            _range(row.redistribution_gains),
            _number(row.transform_plain_ms),
            _number(row.transform_gapless_ms),
            _number(what["transform_gain"]),
            _range(row.transform_gains),
            f"{row.accelerated} of {row.calls}",
            row.problem or ", ".join(["identical", *(f"{reason} {n}" for reason, n in row.declined.items() if n)]),
        )
    return table


def fft_tsv(rows: Sequence[FftRow]) -> str:
    """Return the rows as tab-separated values with a heading."""
    out = ["\t".join(COLUMNS)]
    for row in rows:
        out.append("\t".join(_cell(getattr(row, name)) for name in COLUMNS))
    return "\n".join(out) + "\n"


def agreement(rows: Sequence[FftRow]) -> str:
    """Return in one line for how many transforms all libraries computed the same bits; empty for one library."""
    by_case: dict[tuple[str, str, str], list[FftRow]] = {}
    for row in rows:
        by_case.setdefault((row.shape, row.grid, row.input), []).append(row)
    compared = [of for of in by_case.values() if len(of) > 1 and all(row.digests for row in of)]
    same = sum(all(row.digests == of[0].digests for row in of) for of in compared)
    return f"{same} of {len(compared)} transforms have the same bits on all libraries" if compared else ""
