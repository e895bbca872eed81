"""The demo's tables on a terminal: the ping-pong, the guidelines, the halo exchange."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from gapless.display import plain_table
from gapless.lab.better_of import FEWEST_LAUNCHES, NOT_SLOWER, SLOWER
from gapless.lab.guidelines import TYPED, GuidelineSummary, Row, rows_of, stands_against_best, summaries
from gapless.lab.halo import HaloRow, halo_rows
from gapless.lab.launch_facts import data_text, peer_lines_text
from gapless.lab.results import Line, of_kind

TITLES = {
    "contiguous": "contig. µs",
    "manual": "by hand",
    "pack": "MPI_Pack",
    "native": "datatype",
    "gapless": "+ Gapless",
}
PINGPONG_COLUMNS = ("message", "A", "layout", *TITLES.values())

GUIDELINE_TEXT = {
    "GL1": "GL1 (1, contiguous(c, t)) ≃ (c, t)",
    "GL2/GL3": "GL2/GL3 datatype ⪯ MPI_Pack + send",
    "GL4": "GL4 any description ⪯ normal one",
}


def bytes_text(count: int) -> str:
    """Return a message size as people say it: 3200 B, 2.56 MB."""
    return f"{count / 1e6:.3g} MB" if count >= 1_000_000 else f"{count} B"


def span(ratios: Sequence[float]) -> str:
    """Return the ratios of all descriptions of a layout as one text: ``1.2`` or ``16-33``."""

    def digits(value: float) -> str:
        return f"{value:.2f}" if value < 10 else f"{value:.0f}"

    low, high = digits(min(ratios)), digits(max(ratios))
    return low if max(ratios) <= 1.05 * min(ratios) else f"{low} - {high}"


def layout_text(row: Row) -> str:
    """Return a layout with its variant, as the ping-pong table names it."""
    return f"{row.layout} {row.variant}"


def pingpong_cells(rows: Sequence[Row]) -> list[list[str]]:
    """Return the ping-pong table's cells: one line per layout, block size and message size, largest messages first."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    cells = []
    for group in sorted(groups.values(), key=lambda group: (-group[0].size, group[0].A)):
        first = group[0]
        line = [bytes_text(first.size), f"{first.A}", layout_text(first)]
        for method in TITLES:
            of_method = [row for row in group if row.method == method]
            if not of_method:
                line.append("-")
            elif method == "contiguous":
                line.append(f"{of_method[0].median_us:.4g}")
            else:
                line.append(span([row.ratio_to_contiguous for row in of_method]))
        cells.append(line)
    return cells


def pingpong_table(rows: Sequence[Row]) -> Table:
    """Render the ping-pong: times as ratios to the contiguous send of the same run."""
    table = plain_table(
        "Ping-pong of the same data, time as a ratio to the contiguous send (from - to over equal descriptions)",
        PINGPONG_COLUMNS,
        left=3,
    )
    size = None
    for cells in pingpong_cells(rows):
        if size not in (None, cells[0]):
            table.add_section()
        repeated = cells[0] == size
        size = cells[0]
        table.add_row("" if repeated else size, *cells[1:])
    return table


GUIDELINE_COLUMNS = ("guideline", "message", "native", "with Gapless")


def guideline_cells(rows: Sequence[Row]) -> list[list[str]]:
    """Return the verdict table's cells: guideline, message size, verdict natively, verdict with Gapless."""
    by_place: dict[tuple[str, int], dict[str, GuidelineSummary]] = {}
    for summary in summaries(rows):
        by_place.setdefault((summary.guideline, summary.size), {})[summary.method] = summary
    return [
        [GUIDELINE_TEXT[guideline], bytes_text(size), *(str(of.get(method, "-")) for method in TYPED)]
        for (guideline, size), of in sorted(by_place.items(), key=lambda item: (item[0][0], -item[0][1]))
    ]


def guideline_table(rows: Sequence[Row]) -> Table:
    """Render which guideline holds, natively and with Gapless."""
    table = plain_table("Performance guidelines, 10 % tolerance", GUIDELINE_COLUMNS, left=len(GUIDELINE_COLUMNS))
    for cells in guideline_cells(rows):
        table.add_row(*cells)
    return table


def best_line(lines: Sequence[Line]) -> str | None:
    """Return the sentence that compares Gapless with the better of the two native ways, or None without Gapless."""
    found = stands_against_best(lines)
    if not found:
        return None
    (case, size), worst = max(found.items(), key=lambda item: item[1].ratio)
    count = {verdict: sum(of.verdict == verdict for of in found.values()) for verdict in (SLOWER, NOT_SLOWER)}
    return (
        f"Gapless against the faster of native and MPI_Pack + send, within 5 %: proved slower in {count[SLOWER]} of "
        f"{len(found)} cases, proved not slower in {count[NOT_SLOWER]}{few_launches(worst.launches)} "
        f"(greatest ratio ×{worst.ratio:.2f}: {case}, {bytes_text(size)})"
    )


def few_launches(launches: int) -> str:
    """Return what is to be said of so many launches, or nothing."""
    if launches >= FEWEST_LAUNCHES:
        return ""
    return f"; {launches} launch{'es prove' if launches > 1 else ' proves'} {'little' if launches > 1 else 'nothing'}"


def halo_cells(rows: Sequence[HaloRow]) -> list[list[str]]:
    """Return the halo table's cells."""
    return [
        [
            f"{row.n} x {row.n}",
            f"{row.iterations}",
            f"{row.total_plain_ms:.4g}",
            f"{row.total_gapless_ms:.4g}",
            f"×{row.total_gain:.2f}",
            f"{row.exchange_plain_ms:.4g}",
            f"{row.exchange_gapless_ms:.4g}",
            f"×{row.exchange_gain:.2f}",
            "bit-identical" if row.identical else "DIFFERENT",
        ]
        for row in rows
    ]


HALO_COLUMNS = (
    "grid", "steps", "total ms", "+ Gapless", "gain", "exchange ms", "+ Gapless", "gain", "results",
)  # fmt: skip


def halo_table(rows: Sequence[HaloRow]) -> Table:
    """Render the halo exchange without and with the layer."""
    table = plain_table("examples/halo2d, an unmodified program on 2 ranks, without and with Gapless", HALO_COLUMNS)
    for cells in halo_cells(rows):
        table.add_row(*cells)
    return table


def heading(lines: Sequence[Line]) -> str:
    """Return what was measured, on what, and how often, in one line."""
    environment = (of_kind(lines, "environment") or [{}])[0]
    samples = of_kind(lines, "samples")
    libraries = sorted({line["mpi_library"].splitlines()[0].replace("Version: ", "") for line in samples})
    launches = len({line["launch"] for line in samples})
    replicates = f"medians over {launches} launches" if launches > 1 else "one launch"
    measured = [replicates, data_text(lines)] if samples else []
    return ", ".join([*libraries, str(environment.get("cpu", "unknown processor")), *measured])


def print_tables(out: Console, lines: Sequence[Line]) -> None:
    """Print everything that the demo shows of a result file."""
    rows, halo = rows_of(lines), halo_rows(lines)
    out.print(heading(lines) + "\n", soft_wrap=True, markup=False)
    peers = peer_lines_text(lines)
    if peers:
        out.print(peers + "\n", soft_wrap=True, markup=False)
    if rows:
        out.print(pingpong_table(rows))
        out.print(guideline_table(rows))
        best = best_line(lines)
        if best:
            out.print(best + "\n", soft_wrap=True, markup=False)
    if halo:
        out.print(halo_table(halo))
