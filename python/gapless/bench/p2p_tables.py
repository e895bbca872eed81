"""The tables of `gapless bench p2p`: for people, and tab-separated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from gapless.bench.p2p import PAIRED, SHOWN, TESTS, WRITTEN, P2pRow
from gapless.bench.ways import counts, ends, middle, numbers
from gapless.display import bytes_text, plain_table
from gapless.lab.better_of import NOT_SLOWER, SLOWER, Stand
from gapless.lab.cases import LOCAL, PINGPONG
from gapless.lab.report.tables import few_launches
from gapless.lab.statistics import Ratio

TIMES = ("contiguous_us", "native_us", "pack_us", "gapless_us", "engine_pack_us", "engine_unpack_us")
# What the layer's modes are ratios to, by the names of `P2pRow.ratios`.
MODES = {mode: [f"{mode}_to_{other}" for other in SHOWN] for mode in (LOCAL, PAIRED)}
AS_LOCAL = "as local"  # instead of a time or a ratio of a message that is not paired
COLUMNS = (
    "library", "name", "payload_bytes", "data", "calls", "launches", *TIMES, "acts", "to_sequence", "to_parts",
    "to_best", "ci_low", "ci_high", "best", "cycle_to_best", "cycle_ci_low", "cycle_ci_high", "cycle", "beyond_parts",
    "guidelines", "local_us", "paired",
    *(f"{name}{end}" for of in MODES.values() for name in of for end in ("", "_low", "_high")),
)  # fmt: skip


def _number(value: float | None, digits: str = ".3f") -> str:
    return "-" if value is None else f"{value:{digits}}"


def p2p_tsv(rows: Sequence[P2pRow]) -> str:
    """Return the rows as tab-separated values with a heading."""
    out = ["\t".join(COLUMNS)]
    for row in rows:
        cycle = row.cycle
        cells = [row.library, row.name, f"{row.payload_bytes}", row.data, row.pattern, f"{row.best.launches}"]
        cells += [_number(getattr(row, name), ".4g") for name in TIMES]
        cells += [{True: "yes", False: "no", None: "?"}[row.acts], _number(row.to_sequence), _number(row.to_parts)]
        cells += [f"{value:.3f}" for value in (row.best.ratio, row.best.ci_low, row.best.ci_high)] + [row.best.verdict]
        cells += (
            ["-"] * 4
            if cycle is None
            else [*(f"{value:.3f}" for value in (cycle.ratio, cycle.ci_low, cycle.ci_high)), cycle.verdict]
        )
        broken = ",".join(f"{name}x{factor:.2f}" for name, factor in row.violated.items())
        cells += ["yes" if row.beyond_parts else "no", broken or "hold"]
        cells += [_number(_local_us(row), ".4g"), "yes" if row.is_paired else AS_LOCAL]
        cells += [number for of in MODES.values() for name in of for number in numbers(row.ratios.get(name))]
        out.append("\t".join(cells))
    return "\n".join(out) + "\n"


def time_text(us: float | None) -> str:
    """Return a time with three digits, and never as a power of ten."""
    return "-" if us is None else f"{us:.0f}" if us >= 100 else f"{us:.3g}"


def _ratio(value: float | None, proved: bool = False) -> str:
    return "-" if value is None else f"×{value:.2f}{'!' if proved else ' '}"


def _local_us(row: P2pRow) -> float:
    return row.gapless_us if row.local_us is None else row.local_us


def _mode_cells(row: P2pRow, mode: str) -> list[str]:
    """Return the time in one of the layer's modes, and its ratios with their intervals."""
    if mode == PAIRED and not row.is_paired:
        return [AS_LOCAL, "", ""]
    us = row.gapless_us if mode == PAIRED else _local_us(row)
    return [time_text(us), *(_ratio_text(row.ratios.get(name)) for name in MODES[mode])]


def _ratio_text(of: Ratio | None) -> str:
    return f"{of.ratio:.2f} ({of.low:.2f} - {of.high:.2f})" if of else "-"


def p2p_table(title: str, rows: Sequence[P2pRow]) -> Table:
    """Render rows of one table: the times in microseconds, and the ratios that are judged; ! is proved beyond them."""
    with_parts = any(row.to_parts is not None for row in rows)
    parts = ["parts", "by hand"] if with_parts else []
    data = " and ".join(sorted({row.data for row in rows}))
    calls = "".join(f", {pattern}" for pattern in sorted({row.pattern for row in rows} - {PINGPONG}))
    modes = [column for mode in MODES for column in (mode, "to native", "to contig.")]
    table = plain_table(
        f"{title}{calls}, {data} data, µs",
        ["layout", "contig.", "native", "MPI_Pack", *modes, "to best", "interval", "with writing", *parts, "remark"],
    )
    for row in rows:
        broken = [f"{name} ×{factor:.2f}" for name, factor in row.violated.items()]
        ratios = [_ratio(row.to_parts, row.beyond_parts), _ratio(row.to_sequence)] if with_parts else []
        cycle = (row.cycle.ratio, row.cycle.verdict == SLOWER) if row.cycle else (None, False)
        table.add_row(
            row.name.rsplit("/", 1)[0] if row.family == TESTS else row.name,
            *(time_text(us) for us in (row.contiguous_us, row.native_us, row.pack_us)),
            *_mode_cells(row, LOCAL),
            *_mode_cells(row, PAIRED),
            _ratio(row.best.ratio, row.lost),
            interval_text(row.best),
            _ratio(*cycle),
            *ratios,
            ", ".join((["native"] if row.acts is False else []) + broken),
        )
    return table


def modes_table(title: str, rows: Sequence[P2pRow]) -> Table:
    """Render what the layer's modes are worth, over the layouts of a size and block size, or of a family."""
    table = plain_table(
        title,
        ["messages", "A", "data", *(f"{mode} to {other}" for mode in MODES for other in ("native", "contig.")),
         "least - most", "with writing", "paired to local", "faster", "slower", "lost", "rows"],
        3,
    )  # fmt: skip
    by_place: dict[tuple[str, str, str, bool], list[P2pRow]] = {}
    for row in rows:
        a = f"{row.A}" if row.family == TESTS else ""
        by_place.setdefault((table_name(row), a, row.data, row.is_paired), []).append(row)
    names, last = list(dict.fromkeys(name for name, *_ in by_place)), None
    for (name, a, data, is_paired), of in sorted(by_place.items(), key=lambda item: names.index(item[0][0])):
        if last not in (None, name):
            table.add_section()
        last = name
        to = {
            ratio: [row.ratios[ratio] for row in of if ratio in row.ratios]
            for ratio in (*MODES[LOCAL], *MODES[PAIRED], f"{PAIRED}_to_{LOCAL}", WRITTEN)
        }
        paired = [middle(to[ratio]) for ratio in MODES[PAIRED]] if is_paired else [AS_LOCAL, ""]
        against_local = to[f"{PAIRED}_to_{LOCAL}"]
        table.add_row(
            name, a, data, *(middle(to[ratio]) for ratio in MODES[LOCAL]), *paired,
            ends(to[MODES[PAIRED if is_paired else LOCAL][-1]]), middle(to[WRITTEN]), middle(against_local),
            *counts(against_local), f"{sum(row.lost for row in of)}", f"{len(of)}",
        )  # fmt: skip
    return table


def interval_text(stand: Stand) -> str:
    """Return an interval; an end that nothing is known of is not spelt out."""
    high = f"{stand.ci_high:.2f}" if stand.ci_high < 100 else "∞"
    return f"{stand.ci_low:.2f} - {high}"


def table_name(row: P2pRow) -> str:
    """Return in which table a row is shown."""
    return bytes_text(row.size) if row.family == TESTS else row.family


@dataclass(frozen=True)
class P2pSummary:
    """What is proved of the rows of one table."""

    name: str
    data: str
    calls: str
    launches: int
    rows: int
    acts: int
    paired: int
    slower: list[str]
    not_slower: int
    cycle_slower: list[str] | None
    beyond_parts: int
    violated: dict[str, int]

    def __str__(self) -> str:
        """Return the sentences below the table."""
        broken = ", ".join(f"{name} violated in {n}" for name, n in self.violated.items()) or "no guideline violated"
        text = (
            f"{self.name}, {self.calls}, {self.data} data: {self.rows} rows, the layer acts in {self.acts}, "
            f"{self.paired} paired; "
            "proved more than 5 % slower than the best of native, MPI_Pack + send and, where paired, local: "
            f"{len(self.slower)}, proved not: {self.not_slower}{few_launches(self.launches)}; "
            f"proved more than 10 % over its parts: {self.beyond_parts}; {broken}"
        )
        if self.cycle_slower is not None:
            text += f"; the writing included, proved slower: {len(self.cycle_slower)}"
        if self.slower:
            text += f"\n  proved slower: {', '.join(self.slower)}"
        if self.cycle_slower:
            text += f"\n  proved slower, the writing included: {', '.join(self.cycle_slower)}"
        return text


def summarise(rows: Sequence[P2pRow]) -> list[P2pSummary]:
    """Return a summary for each table; guidelines are counted where the layer acts."""
    found = []
    for name in dict.fromkeys(table_name(row) for row in rows):
        of = [row for row in rows if table_name(row) == name]
        acting = [row for row in of if row.acts is not False]
        names = sorted({guideline for row in acting for guideline in row.violated})
        cycles = [(row.name, row.cycle.verdict) for row in of if row.cycle]
        found.append(
            P2pSummary(
                name,
                " and ".join(sorted({row.data for row in of})),
                " and ".join(sorted({row.pattern for row in of})),
                min(row.best.launches for row in of),
                len(of),
                len(acting),
                sum(row.is_paired for row in of),
                [row.name for row in of if row.lost],
                sum(row.best.verdict == NOT_SLOWER for row in of),
                [row for row, verdict in cycles if verdict == SLOWER] if cycles else None,
                sum(row.beyond_parts for row in of),
                {guideline: sum(guideline in row.violated for row in acting) for guideline in names},
            )
        )
    return found
