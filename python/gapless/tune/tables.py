"""From what each way costs to the tables of rules: what is decided for which message, and not by noise."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from gapless.launch.rules import NATIVE, NEVER, PACKED, PAST, Table

# What the first choice may lose before another takes its place: noise must not.
GAIN = 0.03
# How much the cells beside one count, and the most that a choice may cost or gain there: they tell noise apart, and
# what is many times slower from the next size on says nothing of this one.
NEIGHBOUR = 0.35
MAX_BESIDE = 0.15
# The ways to decide for both sides, the sender first: n native, p packed, s packed past the caches.
CHOICES = ("nn", "pp", "np", "pn", "sp", "sn")
# The first choice is the library's own way: then a message is rarely slower than it was, also on machines that are like
# the measured one (gapless.tune.carried_over). But small elements may be of any type, of which one is measured;
# libraries take ten times as long for some (MPICH 5.0.2: 4 KB in structs of a double and an int), and packing does not.
CHOICES_OF_ELEMENTS = ("pp", *(choice for choice in CHOICES if choice != "pp"))
CELLS = {"p": PACKED, "n": NATIVE, "s": PAST}
BLOCKING, NONBLOCKING = ("send", "receive"), ("isend", "ireceive")
SHAPES: Final = ("vector", "elements", "nest", "list")

Cells = dict[tuple[str, int, int], dict[str, float]]  # (shape, bytes, bytes of a run) -> what each choice costs


def added(all_of: Iterable[Cells]) -> Cells:
    """Return the mean costs of several measurements, each cell over those that have it."""
    found: dict[tuple[str, int, int], list[dict[str, float]]] = {}
    for one in all_of:
        for cell, costs in one.items():
            found.setdefault(cell, []).append(costs)
    return {cell: _mean(of) for cell, of in found.items()}


def _mean(costs: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean costs of the ways that all have."""
    return {way: statistics.fmean(one[way] for one in costs) for way in costs[0] if all(way in one for one in costs)}


class _Grid:
    """The costs of one shape and one kind of operation, in rows and columns."""

    def __init__(self, cells: Cells, shape: str, kind: str) -> None:
        self._kind = kind
        of: dict[tuple[int, int], list[dict[str, float]]] = {}
        for (name, size, run), costs in cells.items():
            if name == shape:
                # What is measured is a whole number of runs, and machines were measured at different sizes.
                of.setdefault((_nearby(size), run), []).append(costs)
        self.sizes = sorted({size for size, _ in of})
        self.runs = sorted({run for _, run in of})
        self._at = {(self.sizes.index(size), self.runs.index(run)): _mean(costs) for (size, run), costs in of.items()}

    def cost(self, row: int, column: int, choice: str) -> float | None:
        """Return what a choice costs in a cell, those beside it taken into account."""
        own = self._at.get((row, column))
        if own is None or f"{self._kind}/{choice}" not in own:
            return None
        way = f"{self._kind}/{choice}"
        others = [max(-MAX_BESIDE, min(one[way], MAX_BESIDE)) for one in self._beside(row, column) if way in one]
        return (own[way] + NEIGHBOUR * sum(others)) / (1 + NEIGHBOUR * len(others))

    def _beside(self, row: int, column: int) -> list[dict[str, float]]:
        """Return the costs of the next measured cells on each side."""
        sizes, runs = range(len(self.sizes)), range(len(self.runs))
        ways = ([(r, column) for r in reversed(sizes[:row])], [(r, column) for r in sizes[row + 1 :]],
                [(row, c) for c in reversed(runs[:column])], [(row, c) for c in runs[column + 1 :]])  # fmt: skip
        found = (next((self._at[cell] for cell in way if cell in self._at), None) for way in ways)
        return [costs for costs in found if costs is not None]

    def best(self, choices: Sequence[str]) -> list[list[str]]:
        """Return the choice of each cell; of one that was not measured, that of a measured one (`_stand_in`)."""
        chosen: dict[tuple[int, int], str] = {}
        for row, column in self._at:
            costs = {choice: self.cost(row, column, choice) for choice in choices}
            known = {choice: cost for choice, cost in costs.items() if cost is not None}
            if known:
                best = min(known, key=lambda choice: known[choice])
                chosen[row, column] = best if known[best] < known[choices[0]] - GAIN else choices[0]
        rows, columns = range(len(self.sizes)), range(len(self.runs))
        return [
            [chosen[self._stand_in(row, column, chosen)] if chosen else choices[0] for column in columns]
            for row in rows
        ]

    def _stand_in(self, row: int, column: int, of: Collection[tuple[int, int]]) -> tuple[int, int]:
        """Return the cell that decides for one: itself, or the nearest size with runs of this length.

        Messages are whole numbers of at least two runs: of long runs there are no short messages, and sizes that are no
        multiples of a long run are rounded down, and make rows of their own. Where no size was measured with such runs,
        the nearest shorter run decides, else the nearest longer one.
        """

        def apart(cell: tuple[int, int]) -> tuple[bool, float, float]:
            of_runs, of_sizes = self.runs[cell[1]] / self.runs[column], self.sizes[cell[0]] / self.sizes[row]
            return of_runs > 1, abs(math.log2(of_runs)), abs(math.log2(of_sizes))

        return min(of, key=apart)

    def table(self, operation: str, distance: str, shape: str, chosen: list[list[str]], side: int) -> Table:
        """Return the table of one side of the choices."""
        rows = {size: "".join(CELLS[choice[side]] for choice in chosen[row]) for row, size in enumerate(self.sizes)}
        return Table(operation, distance, shape, tuple(self.runs), rows)


def _nearby(size: int) -> int:
    """Return the power of two, or three halves of one, that a size is nearest to by ratio."""
    power = 1 << max(1, int(math.log2(size)))
    return min((power, 3 * power // 2, 2 * power), key=lambda one: abs(math.log2(one / size)))


def tables_of(cells: Cells, distance: str) -> list[Table]:
    """Return the tables of the sends and receives that follow from costs; ``any``: also those of packing."""
    tables = []
    for shape in sorted({shape for shape, _, _ in cells}, key=SHAPES.index):
        for kind, operations in (("blocking", BLOCKING), ("nonblocking", NONBLOCKING)):
            grid = _Grid(cells, shape, kind)
            chosen = grid.best(CHOICES_OF_ELEMENTS if shape == "elements" else CHOICES)
            tables += [grid.table(name, distance, shape, chosen, side) for side, name in enumerate(operations)]
    return tables


def packing_tables(cells: Cells) -> list[Table]:
    """Return the tables of MPI_Pack and MPI_Unpack."""
    tables = []
    for shape in sorted({shape for shape, _, _ in cells}, key=SHAPES.index):
        for operation in ("pack", "unpack"):
            grid = _Grid(cells, shape, operation)
            tables.append(grid.table(operation, "any", shape, grid.best(("p", "n")), 0))
    return tables


# What pairing is decided for, and the operation of its table.
PAIRED = {"blocking": "paired", "nonblocking": "ipaired"}


def paired_rules(cells: Cells) -> tuple[int | str, list[Table]]:
    """Return the smallest message [bytes] that goes through shared memory, and of which messages that is true.

    Parameters
    ----------
    cells : Cells
        What pairing costs against what else is decided, ``blocking`` and ``nonblocking``: below 0 it is faster.
    """
    tables = []
    for kind, operation in PAIRED.items():
        ways = {cell: {"paired/p": costs[kind], "paired/n": 0.0} for cell, costs in cells.items()}
        for shape in sorted({shape for shape, _, _ in ways}, key=SHAPES.index):
            grid = _Grid(ways, shape, "paired")
            tables.append(grid.table(operation, "near", shape, grid.best(("n", "p")), 0))
    sizes = [size for table in tables for size, row in table.rows.items() if PACKED in row]
    return (min(sizes), tables) if sizes else (NEVER, [])


def paired_in_words(cells: Cells) -> str:
    """Return for people what `paired_rules` says, and what that gains."""
    if not cells:
        return "not measured: nothing went through shared memory ('gapless doctor' says why)"
    smallest, tables = paired_rules(cells)
    if smallest == NEVER:
        return "never, nothing is faster through shared memory"
    of = {(table.operation, table.shape): table for table in tables}
    told = []
    for kind, operation in PAIRED.items():
        paired = [costs[kind] for (shape, size, run), costs in cells.items()
                  if (table := of[operation, shape]).rows[_nearby(size)][table.runs.index(run)] == PACKED]  # fmt: skip
        gain = f": {math.exp(statistics.fmean(paired)):.2f} of the time" if paired else ""
        told.append(f"{len(paired)} of the {len(cells)} {kind} messages that were measured{gain}")
    return f"from {smallest} bytes on, {', '.join(told)}, by the geometric mean"
