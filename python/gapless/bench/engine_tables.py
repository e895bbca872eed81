"""The engine's benchmark on a terminal: a line per message, and what was to be shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from gapless.bench.engine import EngineRow
from gapless.bench.engine_targets import Summary, name_of
from gapless.display import bytes_text, plain_table

MOST_MISSES = 12


def _number(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def _span(ratios: Sequence[float]) -> str:
    low, high = _number(min(ratios)), _number(max(ratios))
    return low if low == high else f"{low} - {high}"


def message_table(rows: Sequence[EngineRow], libraries: Sequence[str]) -> Table:
    """Render a line per message: the engine's speed, and its ratio to every rival's."""
    columns = {
        "hand": "hand",
        **{name: name for name in libraries},
        "limit": "limit",
        "memcpy": "memcpy",
        "whole 8192": "8 KB",
        "whole 4096": "4 KB",
        "touched 8192": "lines of 8 KB",
        "touched 4096": "lines of 4 KB",
        "description": "described else",
    }
    table = plain_table(
        "GB/s of the engine, and its speed to that of each rival (above 1 the engine is faster)",
        ["case", "op", "caches", "bytes", "GB/s", *columns.values()],
        left=3,
    )
    messages: dict[tuple[str, str, int, str], list[EngineRow]] = {}
    for row in rows:
        messages.setdefault((row.case, row.op, row.nominal_bytes, row.caches), []).append(row)
    case = None
    for key in sorted(messages):
        of = messages[key]
        if case is not None and key[0] != case:
            table.add_section()
        ratios: dict[str, list[float]] = {}
        for row in of:
            name = f"{row.rival} {row.chunk}" if row.chunk else row.rival.split(":")[0]
            ratios.setdefault(name, []).append(row.ratio)
        speed = next((row for row in of if not row.chunk), of[0]).gb_per_s
        cells = [_span(ratios[name]) if name in ratios else "" for name in columns]
        table.add_row("" if key[0] == case else key[0], key[1], key[3], bytes_text(of[0].bytes), f"{speed:.2f}", *cells)
        case = key[0]
    return table


def target_table(summaries: Iterable[Summary]) -> Table:
    """Render what had to be shown."""
    table = plain_table(
        "What it must show (ratios of medians)",
        ["against", "where", "rows", "mean", "wanted", "worst", "wanted", "missed", "worst case"],
        left=2,
    )
    for summary in summaries:
        target = summary.target
        each = "" if target.each is None else f"≥ {target.each:g}"
        if target.at_most is not None:
            each = f"{target.each:g} - {target.at_most:g}"
        wanted = each or target.mean is not None
        mean_fails = target.mean is not None and summary.mean < target.mean
        missed = (f"{len(summary.missed)}" + (" + mean" if mean_fails else "")) if wanted else ""
        table.add_row(
            target.against, target.where, f"{summary.rows}", _number(summary.mean),
            "" if target.mean is None else f"≥ {target.mean:g}", _number(summary.worst.ratio), each, missed,
            name_of(summary.worst).rpartition(" / ")[0],
        )  # fmt: skip
    return table


def print_summary(out: Console, summaries: Sequence[Summary]) -> None:
    """Print the targets and the rows that miss them."""
    out.print(target_table(summaries))
    for summary in summaries:
        if not summary.missed:
            continue
        out.print(f"missed against {summary.target.against}, {summary.target.where}:", markup=False)
        for row in summary.missed[:MOST_MISSES]:
            interval = f"{row.ratio:.2f} [{row.ci_low:.2f}, {row.ci_high:.2f}]"
            out.print(f"  {interval}  {name_of(row)}", markup=False, soft_wrap=True)
        if len(summary.missed) > MOST_MISSES:
            out.print(f"  and {len(summary.missed) - MOST_MISSES} more")
