"""The demo's tables on a terminal: the ping-pong, the guidelines, the halo exchange."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from gapless.display import bytes_text, plain_table, print_whole
from gapless.lab.better_of import FEWEST_LAUNCHES, NOT_SLOWER, SLOWER
from gapless.lab.cases import GAPLESS, LOCAL, SMALL_BYTES
from gapless.lab.demo_messages import BASIC
from gapless.lab.guidelines import TYPED, GuidelineSummary, Row, message_text, rows_of, stands_against_best, summaries
from gapless.lab.halo import HaloRow, halo_rows
from gapless.lab.launch_facts import data_text, peer_lines_text
from gapless.lab.report.story import sentence, sizes_text, stories
from gapless.lab.results import Line, of_kind

TITLES = {
    "contiguous": "contig. µs",
    "manual": "by hand",
    "pack": "MPI_Pack",
    "native": "datatype",
    LOCAL: "local",
    "gapless": "+ Gapless",
}
GUIDELINE_TEXT = {
    "GL1": "GL1 (1, contiguous(c, t)) ≃ (c, t)",
    "GL2/GL3": "GL2/GL3 datatype ⪯ MPI_Pack + send",
    "GL4": "GL4 any description ⪯ normal one",
}


def span(ratios: Sequence[float]) -> str:
    """Return the ratios of all descriptions of a layout as one text: ``1.2`` or ``16-33``."""

    def digits(value: float) -> str:
        return f"{value:.2f}" if value < 10 else f"{value:.0f}"

    low, high = digits(min(ratios)), digits(max(ratios))
    return low if max(ratios) <= 1.05 * min(ratios) else f"{low} - {high}"


# The layouts of the expectation tests in plain words; b: bytes of a block, s and l: of the shorter and the longer of
# two, g: three blocks.
# Variant 1 has gaps of one to three ints, variant 2 gaps as long as a block and longer (lab/layouts.hpp).
LAYOUT_WORDS = {
    ("tiled", 1): "{b}-byte blocks of an array, 8 bytes apart",
    ("tiled", 2): "every third {b}-byte block of an array",
    ("block", 1): "{b}-byte blocks, 4 and 12 bytes apart",
    ("block", 2): "{b}-byte blocks, {b} and {g} bytes apart",
    ("bucket", 1): "blocks of {s} and {l} bytes, evenly spaced",
    ("bucket", 2): "blocks of {s} and {l} bytes, evenly spaced",
    ("alternating", 1): "blocks of {s} and {l} bytes, 8 bytes apart",
    ("alternating", 2): "blocks of {s} and {l} bytes, far apart",
}


def words(row: Row) -> str:
    """Return what is sent, in plain words."""
    if row.words:
        return row.words
    block = 4 * row.A
    if (row.layout, row.variant) == ("tiled", 1) and block == 8:
        return "every second 8-byte block of an array"
    half = 4 * (row.A // 2) if row.variant == 2 else 4
    shorter, longer = (half, 2 * block - half) if row.variant == 2 else (block - half, block + half)
    text = LAYOUT_WORDS.get((row.layout, row.variant), row.layout.replace("_", " "))
    return text.format(b=block, s=shorter, l=longer, g=3 * block)


def pingpong_columns(rows: Sequence[Row]) -> list[str]:
    """Return the columns of the ping-pong table: the methods that were measured, and what the tests call a layout."""
    measured = {row.method for row in rows}
    named = [] if all(row.words for row in rows) else ["layout"]
    return ["message", "what is sent", *(title for method, title in TITLES.items() if method in measured), *named]


def groups_of(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each message as the tables have them.

    Layouts of the expectation tests come by size and A; the demo's, which differ in size, large ones first, and
    those first whose datatype costs most natively.
    """
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)

    def place(group: Sequence[Row]) -> tuple[float, ...]:
        first = group[0]
        if not first.words:
            return (0, -first.size, first.A)
        native = [row.ratio_to_contiguous for row in group if row.method == "native" and row.description == BASIC]
        return (1, first.size <= SMALL_BYTES, -max(native, default=0))

    return sorted(groups.values(), key=place)


def pingpong_cells(rows: Sequence[Row]) -> list[list[str]]:
    """Return the ping-pong table's cells: a line for each message."""
    measured = {row.method for row in rows}
    cells = []
    for group in groups_of(rows):
        first = group[0]
        line = [bytes_text(first.size), words(first)]
        for method in (method for method in TITLES if method in measured):
            of_method = [row for row in group if row.method == method]
            if not of_method and method == LOCAL:  # which is all that there is, then
                of_method = [row for row in group if row.method == GAPLESS]
            if not of_method:
                line.append("-")
            elif method == GAPLESS and LOCAL in measured and not any(row.method == LOCAL for row in group):
                line.append("as local")
            elif method == "contiguous":
                line.append(f"{of_method[0].median_us:.4g}")
            else:
                line.append(span([row.ratio_to_contiguous for row in of_method]))
        cells.append(line if first.words else [*line, f"{first.layout} {first.variant}, A = {first.A}"])
    return cells


def pingpong_table(rows: Sequence[Row]) -> Table:
    """Render the ping-pong: times as ratios to the contiguous send of the same run."""
    table = plain_table(
        "The same bytes sent in several ways, time as a ratio to a contiguous send (from - to: equal descriptions)",
        pingpong_columns(rows),
        left=2,
    )
    before = None
    for group, cells in zip(groups_of(rows), pingpong_cells(rows), strict=True):
        section = message_text(group[0])
        if before not in (None, section):
            table.add_section()
        # A size that all messages of a section have is said once.
        table.add_row("" if section == before == cells[0] else cells[0], *cells[1:])
        before = section
    return table


GUIDELINE_COLUMNS = ("guideline", "message", "native", "with Gapless")


def guideline_cells(rows: Sequence[Row]) -> list[list[str]]:
    """Return the verdict table's cells: guideline, message size, verdict natively, verdict with Gapless."""
    by_place: dict[tuple[str, str], dict[str, GuidelineSummary]] = {}
    for summary in sorted(summaries(rows), key=lambda of: (of.guideline, -of.largest)):
        by_place.setdefault((summary.guideline, summary.message), {})[summary.method] = summary
    return [
        [GUIDELINE_TEXT[guideline], message, *(str(of.get(method, "-")) for method in TYPED)]
        for (guideline, message), of in by_place.items()
    ]


def guideline_table(rows: Sequence[Row]) -> Table:
    """Render which guideline holds, natively and with Gapless."""
    table = plain_table("Performance guidelines, 10 % tolerance", GUIDELINE_COLUMNS, left=len(GUIDELINE_COLUMNS))
    for cells in guideline_cells(rows):
        table.add_row(*cells)
    return table


def best_line(lines: Sequence[Line]) -> str | None:
    """Return the sentence that compares Gapless with the best of the other ways, or None without Gapless."""
    found = stands_against_best(lines)
    if not found:
        return None
    (case, size), worst = max(found.items(), key=lambda item: item[1].ratio)
    count = {verdict: sum(of.verdict == verdict for of in found.values()) for verdict in (SLOWER, NOT_SLOWER)}
    return (
        "Gapless against the best of native, MPI_Pack + send and, where it is paired, local, within 5 %: "
        f"proved slower in {count[SLOWER]} of {len(found)} cases, "
        f"proved not slower in {count[NOT_SLOWER]}{few_launches(worst.launches)} "
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


def repetitions(lines: Sequence[Line]) -> str:
    """Return how many samples a launch has of a message sent in one way: ``15``, or ``5 to 60``."""
    counts = [len(line["samples"]) for line in of_kind(lines, "samples")]
    if not counts:
        return "0"
    return f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def heading(lines: Sequence[Line]) -> str:
    """Return what was measured, on what, and how often, in one line."""
    environment = (of_kind(lines, "environment") or [{}])[0]
    samples = of_kind(lines, "samples")
    libraries = sorted({line["mpi_library"].splitlines()[0].replace("Version: ", "") for line in samples})
    launches = len({line["launch"] for line in samples})
    replicates = f"medians over {launches} launches" if launches > 1 else "one launch"
    replicates += f" of {repetitions(lines)} samples"
    measured = [replicates, data_text(lines)] if samples else []
    return ", ".join([*libraries, str(environment.get("cpu", "unknown processor")), *measured])


def print_tables(out: Console, lines: Sequence[Line]) -> None:
    """Print everything that the demo shows of a result file."""
    rows, halo = rows_of(lines), halo_rows(lines)
    out.print(heading(lines) + "\n", soft_wrap=True, markup=False)
    peers = peer_lines_text(lines)
    if peers:
        out.print(peers + "\n", soft_wrap=True, markup=False)
    for story in stories(lines):
        out.print(f"{sizes_text(story)}: {sentence(story)}\n", soft_wrap=True, markup=False)
    if rows:
        print_whole(out, pingpong_table(rows))
        out.print(guideline_table(rows))
        best = best_line(lines)
        if best:
            out.print(best + "\n", soft_wrap=True, markup=False)
    if halo:
        out.print(halo_table(halo))
