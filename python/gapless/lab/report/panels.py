"""The numbers behind the plots: which rows share a panel, and the times of each member in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

import numpy as np

from gapless.display import bytes_text
from gapless.lab.report.collected import Collected, Library
from gapless.lab.report.texts import PATTERNS, member_text, test_order, us_text, verdict_text
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Row
from gapless.lab.verdicts import Judged

OWN = "own"
METHODS = ("native", "local", "gapless", "pack", "pack_send", "unpack_receive")
Key = tuple[str, str, int, str, int, str, str, str, str]


@dataclass(frozen=True)
class Times:
    """What a member took on one library [µs]: the median of the launches' medians, the least and the greatest."""

    median: float
    low: float
    high: float
    launches: int


def times_of(library: Library, group: str, member: str) -> Times | None:
    """Return a member's times, or None if no launch that ended well has it."""
    launches = library.run.samples.get((library.mpi, group), {})
    medians = [float(np.median(members[member])) / 1000 for members in launches.values() if member in members]
    if not medians:
        return None
    return Times(float(np.median(medians)), min(medians), max(medians), len(medians))


@dataclass
class Panel:
    """One plot: a layout in one variant, size and pattern; times over A.

    Attributes
    ----------
    test, layout, variant, pattern, bytes, base, cache, data
        What its rows have in common.
    split : str
        The description, where several groups have the same of these; the case, of a row of one's own; else empty.
    categories : list of str
        The places on its x axis.
    members : list of str
        The series.
    times : dict
        (library, category, member) to times.
    verdicts : dict
        (library, category, member) to what was said about that member.
    """

    test: str
    layout: str
    variant: int
    pattern: str
    bytes: int
    base: str
    cache: str
    data: str
    split: str
    categories: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    times: dict[tuple[str, str, str], Times] = field(default_factory=dict)
    verdicts: dict[tuple[str, str, str], list[Judged]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What it shows, as text."""
        variant = f", variant {self.variant}" if self.variant else ""
        parts = [
            "" if self.own else f"{self.layout}{variant}",
            self.split,
            PATTERNS.get(self.pattern, self.pattern),
            bytes_text(self.bytes),
            "" if self.own else self.base,
            "" if self.cache == "warm" else f"{self.cache} caches",
            f"{self.data} data",
        ]
        return " · ".join(filter(None, parts))

    @property
    def libraries(self) -> list[str]:
        """The libraries with times."""
        return list(dict.fromkeys(library for library, _, _ in self.times))

    @property
    def own(self) -> bool:
        """Whether it is of a comparison of one's own, which has no block size."""
        return self.test == OWN

    def verdict_text(self, at: tuple[str, str, str]) -> str:
        """Return what was said about a member: each verdict and the member it was measured against."""
        return "; ".join(
            f"{verdict_text(one)} against {member_text(one.row.reference)}" for one in self.verdicts.get(at, [])
        )


def _key(row: Row, split: str) -> Key:
    return row.test, row.layout, row.variant, row.pattern, row.bytes, row.base, row.cache, row.data, split


def _category(row: Row) -> str:
    return bytes_text(row.payload_bytes) if row.test == OWN else str(row.A)


def _split(row: Row, crowded: set[Key]) -> str:
    if row.test == OWN:
        return row.case
    return row.compared.partition(":")[0] if _key(row, "") in crowded else ""


def _crowded(rows: Iterable[Row]) -> set[Key]:
    """Return the panels in which more than one group of a run would stand at the same place."""
    groups: dict[tuple[Key, str], set[str]] = {}
    for row in rows:
        groups.setdefault((_key(row, ""), _category(row)), set()).add(row.group)
    return {key for (key, _), found in groups.items() if len(found) > 1}


def _member_order(member: str) -> tuple[bool, int]:
    method = member.partition(":")[2]
    return member != CONTIGUOUS_MEMBER, METHODS.index(method) if method in METHODS else len(METHODS)


def _order_members(panel: Panel) -> None:
    """Put the contiguous message first, then message by message in the order met, native before the layer."""
    messages = list(dict.fromkeys(member.partition(":")[0] for member in panel.members))
    panel.members.sort(
        key=lambda member: (
            _member_order(member)[0],
            messages.index(member.partition(":")[0]),
            _member_order(member)[1],
        )
    )


def _add(panel: Panel, library: Library, row: Row) -> None:
    for member in (CONTIGUOUS_MEMBER, row.reference, row.compared):
        times = times_of(library, row.group, member)
        if times is None:
            continue
        if member not in panel.members:
            panel.members.append(member)
        panel.times[library.label, _category(row), member] = times


def panels(collected: Collected) -> list[Panel]:
    """Return every panel with at least one time, in the order of the tests, the largest messages first."""
    made: dict[Key, Panel] = {}
    by_run = {id(run): [library for library in collected.libraries if library.run is run] for run in collected.runs}
    crowded = set().union(*(_crowded(run.rows) for run in collected.runs))
    for run in collected.runs:
        for row in run.rows:
            split = _split(row, crowded)
            panel = made.setdefault(_key(row, split), Panel(*_key(row, split)))
            if _category(row) not in panel.categories:
                panel.categories.append(_category(row))
            for library in by_run[id(run)]:
                _add(panel, library, row)
    _add_verdicts(made, collected, crowded)
    shown = [panel for panel in made.values() if panel.times]
    for panel in shown:
        _order_members(panel)
        if not panel.own:
            panel.categories.sort(key=int)
    patterns = list(PATTERNS)
    return sorted(
        shown,
        key=lambda panel: (
            test_order(panel.test),
            patterns.index(panel.pattern) if panel.pattern in patterns else len(patterns),
            -panel.bytes,
        ),
    )


def _add_verdicts(made: dict[Key, Panel], collected: Collected, crowded: set[Key]) -> None:
    for one in collected.judged:
        row = one.row
        panel = made.get(_key(row, _split(row, crowded)))
        if panel:
            panel.verdicts.setdefault((one.mpi, _category(row), row.compared), []).append(one)


TABLE_COLUMNS = ("library", "message and method", "median µs", "least", "greatest", "launches", "verdict")


def table_of(panel: Panel) -> tuple[list[str], list[list[str]]]:
    """Return the columns and cells of the data table below a panel."""
    cells = []
    for category in panel.categories:
        for library in panel.libraries:
            for member in panel.members:
                times = panel.times.get((library, category, member))
                if times:
                    numbers = [us_text(value) for value in (times.median, times.low, times.high)]
                    at = (library, category, member)
                    told = [*numbers, str(times.launches), panel.verdict_text(at)]
                    cells.append([category, library, member_text(member), *told])
    return ["size" if panel.own else "A", *TABLE_COLUMNS], cells


def plain(text: str) -> str:
    """Return text that plotly shows as it is: it would take tags for its own markup."""
    return escape(text, quote=False)
