"""The report: what a result file of the demo says, as one HTML page that needs nothing from the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from jinja2 import Environment, PackageLoader

from gapless.errors import GaplessError
from gapless.lab.cases import SMALL_BYTES
from gapless.lab.demo_messages import BASIC
from gapless.lab.guidelines import Row, rows_of
from gapless.lab.halo import HaloRow, halo_rows
from gapless.lab.launch_facts import peer_lines_text
from gapless.lab.report.story import lost_sentence, sentence, size_text, sizes_text, stories, times_text
from gapless.lab.report.tables import (
    GUIDELINE_COLUMNS,
    HALO_COLUMNS,
    best_line,
    groups_of,
    guideline_cells,
    halo_cells,
    heading,
    pingpong_cells,
    pingpong_columns,
    repetitions,
    words,
)
from gapless.lab.results import Line, of_kind

TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Dot:
    """One message in the figure: ratios to contiguous, and where they lie in per cent of the figure's width."""

    words: str
    size: str
    native: str
    gapless: str
    native_at: float
    gapless_at: float


@dataclass(frozen=True)
class Figure:
    """Messages of one kind on a logarithmic axis."""

    title: str
    dots: list[Dot]
    ticks: list[tuple[str, float]]
    one_at: float


def figures(rows: Sequence[Row]) -> list[Figure]:
    """Return the figures of large and of small messages, each as its usual datatype; all have one axis."""
    usual = [[row for row in group if row.description == BASIC] for group in groups_of(rows)]
    found = [{row.method: row for row in group} for group in usual]
    both = [(of["native"], of["gapless"]) for of in found if of.keys() >= {"native", "gapless"}]
    ratios = [row.ratio_to_contiguous for pair in both for row in pair]
    if not ratios:
        return []
    low, high = log(min(0.9, 0.9 * min(ratios))), log(max(2.0, 1.1 * max(ratios)))

    def at(ratio: float) -> float:
        return round(100 * (log(ratio) - low) / (high - low), 2)

    def dot(native: Row, gapless: Row) -> Dot:
        natively, under = native.ratio_to_contiguous, gapless.ratio_to_contiguous
        return Dot(words(native), size_text(native.bytes), times_text(natively), times_text(under),
                   at(natively), at(under))  # fmt: skip

    ticks = [(f"{tick:g}×", at(tick)) for tick in TICKS if low <= log(tick) <= high]
    made = []
    for small, title in ((False, "Large messages"), (True, "Small messages")):
        dots = [dot(*pair) for pair in both if (pair[0].size <= SMALL_BYTES) == small]
        if dots:
            made.append(Figure(title, dots, ticks, at(1)))
    return made


def halo_sentence(rows: Sequence[HaloRow]) -> str:
    """Return what the halo exchange shows, whichever way it went."""
    parts = []
    for row in rows:
        gain = row.exchange_gain
        times = f"{max(gain, 1 / gain):.2f} times"
        seen = "as fast" if times == "1.00 times" else f"{times} {'faster' if gain > 1 else 'slower'}"
        parts.append(f"on a grid of {row.n} x {row.n} its exchange is {seen} (the whole program ×{row.total_gain:.2f})")
    return f"Under Gapless, {'; '.join(parts)}."


def _plain(value: object) -> object:
    """Return what an environment holds as a reader wants it: of several named values, ``name value, name value``."""
    return ", ".join(f"{name} {one}" for name, one in value.items()) if isinstance(value, dict) else value


def render(lines: Sequence[Line]) -> str:
    """Return the report of a result file as HTML."""
    rows, halo = rows_of(lines), halo_rows(lines)
    if not rows and not halo:
        raise GaplessError(
            "the result file holds neither ping-pong nor halo results", "name a file that the demo wrote"
        )
    environment = (of_kind(lines, "environment") or [{}])[0]
    told = stories(lines)
    template = Environment(loader=PackageLoader("gapless.lab.report"), autoescape=True).get_template("report.html.j2")
    return template.render(
        environment={k: _plain(v) for k, v in environment.items() if k not in ("schema", "kind")},
        heading=heading(lines),
        stories=[
            {"native": times_text(story.native), "gapless": times_text(story.gapless), "sentence": sentence(story),
             "sizes": sizes_text(story), "messages": story.messages}
            for story in told
        ],
        launches=told[0].launches if told else 0,
        repetitions=repetitions(lines),
        lost=lost_sentence(lines) if rows else "",
        figures=figures(rows),
        pingpong_columns=pingpong_columns(rows),
        pingpong=pingpong_cells(rows),
        guideline_columns=GUIDELINE_COLUMNS,
        guidelines=guideline_cells(rows),
        best=best_line(lines) if rows else None,
        peers=peer_lines_text(lines),
        halo_columns=HALO_COLUMNS,
        halo=halo_cells(halo),
        halo_launches=halo[0].launches if halo else 0,
        halo_sentence=halo_sentence(halo) if halo else "",
        rows=rows,
        skipped=list({(line["group"], line["reason"]): None for line in of_kind(lines, "skipped")}),
    )  # fmt: skip


def write_report(lines: Sequence[Line], path: Path) -> None:
    """Write the report of a result file."""
    page = render(lines)
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise GaplessError(f"cannot write {path}: {error.strerror}", "choose another file with -o") from error
