"""From what each way costs to the tables of rules: what is decided for which message, and not by noise."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Final

from gapless.launch.rules import NATIVE, NEVER, PACKED, PAST, Table

# What the first choice, mostly packing, may lose before another takes its place: noise must not.
GAIN = 0.03
# How much the cells beside one count.
NEIGHBOUR = 0.5
# The ways to decide for both sides, the sender first: n native, p packed, s packed past the caches.
CHOICES = ("pp", "np", "pn", "nn", "sp", "sn")
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
    return {cell: {way: statistics.fmean(one[way] for one in of) for way in of[0]} for cell, of in found.items()}


class _Grid:
    """The costs of one shape and one kind of operation, in rows and columns."""

    def __init__(self, cells: Cells, shape: str, kind: str) -> None:
        self._kind = kind
        of = {(size, run): costs for (name, size, run), costs in cells.items() if name == shape}
        # What is measured is a whole number of runs: close to the sizes that were asked for.
        self.sizes = sorted({_nearby(size) for size, _ in of})
        self.runs = sorted({run for _, run in of})
        self._at = {(self.sizes.index(_nearby(size)), self.runs.index(run)): costs for (size, run), costs in of.items()}

    def cost(self, row: int, column: int, choice: str) -> float | None:
        """Return what a choice costs in a cell, those beside it taken into account."""
        own = self._at.get((row, column))
        if own is None or f"{self._kind}/{choice}" not in own:
            return None
        beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        way = f"{self._kind}/{choice}"
        others = [self._at[cell][way] for cell in beside if way in self._at.get(cell, {})]
        return (own[way] + NEIGHBOUR * sum(others)) / (1 + NEIGHBOUR * len(others))

    def least(self, choice: str) -> float:
        """Return what a choice costs where it costs least."""
        costs = [self.cost(row, column, choice) for row, column in self._at]
        return min(cost for cost in costs if cost is not None)

    def best(self, choices: Sequence[str]) -> list[list[str]]:
        """Return the choice of each cell; of a cell that has no two runs, that of the nearest shorter ones."""
        result: list[list[str]] = []
        for row in range(len(self.sizes)):
            chosen: list[str] = []
            for column in range(len(self.runs)):
                costs = {choice: self.cost(row, column, choice) for choice in choices}
                known = {choice: cost for choice, cost in costs.items() if cost is not None}
                if not known:
                    chosen.append(chosen[-1] if chosen else choices[0])
                    continue
                best = min(known, key=lambda choice: known[choice])
                chosen.append(best if known[best] < known[choices[0]] - GAIN else choices[0])
            result.append(chosen)
        return result

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
            chosen = grid.best(CHOICES)
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
    tables, gains = [], False
    for kind, operation in PAIRED.items():
        ways = {cell: {"paired/p": costs[kind], "paired/n": 0.0} for cell, costs in cells.items()}
        for shape in sorted({shape for shape, _, _ in ways}, key=SHAPES.index):
            grid = _Grid(ways, shape, "paired")
            tables.append(grid.table(operation, "near", shape, grid.best(("p", "n")), 0))
            gains = gains or grid.least("p") < -GAIN
    sizes = [size for table in tables for size, row in table.rows.items() if PACKED in row]
    return (min(sizes), tables) if sizes and gains else (NEVER, [])


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
