"""The tables of `gapless bench p2p`: for people, and tab-separated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from gapless.bench.p2p import TESTS, P2pRow
from gapless.display import bytes_text, plain_table
from gapless.lab.better_of import NOT_SLOWER, SLOWER, Stand
from gapless.lab.report.tables import few_launches

TIMES = ("contiguous_us", "native_us", "pack_us", "gapless_us", "engine_pack_us", "engine_unpack_us")
FEW_TIMES = TIMES[:4]
COLUMNS = (
    "library", "name", "payload_bytes", "data", "launches", *TIMES, "acts", "to_sequence", "to_parts", "to_best",
    "ci_low", "ci_high", "best", "cycle_to_best", "cycle_ci_low", "cycle_ci_high", "cycle", "beyond_parts",
    "guidelines",
)  # fmt: skip


def _number(value: float | None, digits: str = ".3f") -> str:
    return "-" if value is None else f"{value:{digits}}"


def p2p_tsv(rows: Sequence[P2pRow]) -> str:
    """Return the rows as tab-separated values with a heading."""
    out = ["\t".join(COLUMNS)]
    for row in rows:
        cycle = row.cycle
        cells = [row.library, row.name, f"{row.payload_bytes}", row.data, f"{row.best.launches}"]
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
        out.append("\t".join(cells))
    return "\n".join(out) + "\n"


def time_text(us: float | None) -> str:
    """Return a time with three digits, and never as a power of ten."""
    return "-" if us is None else f"{us:.0f}" if us >= 100 else f"{us:.3g}"


def _ratio(value: float | None, proved: bool = False) -> str:
    return "-" if value is None else f"×{value:.2f}{'!' if proved else ' '}"


def p2p_table(title: str, rows: Sequence[P2pRow]) -> Table:
    """Render rows of one table: the times in microseconds, and the ratios that are judged; ! is proved beyond them."""
    with_parts = any(row.to_parts is not None for row in rows)
    times = TIMES if with_parts else FEW_TIMES
    heads = {"engine_pack_us": "pack", "engine_unpack_us": "unpack"}
    heads |= {"contiguous_us": "contig.", "native_us": "native", "pack_us": "MPI_Pack", "gapless_us": "+ Gapless"}
    parts = ["parts", "by hand"] if with_parts else []
    data = " and ".join(sorted({row.data for row in rows}))
    table = plain_table(
        f"{title}, {data} data, µs",
        ["layout", *(heads[name] for name in times), "to best", "interval", "with writing", *parts, "remark"],
    )
    for row in rows:
        broken = [f"{name} ×{factor:.2f}" for name, factor in row.violated.items()]
        ratios = [_ratio(row.to_parts, row.beyond_parts), _ratio(row.to_sequence)] if with_parts else []
        cycle = (row.cycle.ratio, row.cycle.verdict == SLOWER) if row.cycle else (None, False)
        table.add_row(
            row.name.rsplit("/", 1)[0] if row.family == TESTS else row.name,
            *(time_text(getattr(row, name)) for name in times),
            _ratio(row.best.ratio, row.lost),
            interval_text(row.best),
            _ratio(*cycle),
            *ratios,
            ", ".join((["native"] if row.acts is False else []) + broken),
        )
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
    launches: int
    rows: int
    acts: int
    slower: list[str]
    not_slower: int
    cycle_slower: list[str] | None
    beyond_parts: int
    violated: dict[str, int]

    def __str__(self) -> str:
        """Return the sentences below the table."""
        broken = ", ".join(f"{name} violated in {n}" for name, n in self.violated.items()) or "no guideline violated"
        text = (
            f"{self.name}, {self.data} data: {self.rows} rows, the layer acts in {self.acts}; proved more than 5 % "
            f"slower than the better of native and MPI_Pack + send: {len(self.slower)}, proved not: {self.not_slower}"
            f"{few_launches(self.launches)}; proved more than 10 % over its parts: {self.beyond_parts}; {broken}"
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
                min(row.best.launches for row in of),
                len(of),
                len(acting),
                [row.name for row in of if row.lost],
                sum(row.best.verdict == NOT_SLOWER for row in of),
                [row for row, verdict in cycles if verdict == SLOWER] if cycles else None,
                sum(row.beyond_parts for row in of),
                {guideline: sum(guideline in row.violated for row in acting) for guideline in names},
            )
        )
    return found
