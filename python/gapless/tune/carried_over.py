"""How well rules that were measured on some machines do on another one: what `gapless tune` would still gain there.

python -m gapless.tune.carried_over         # from docs/results/tune

For each machine whose measurements are kept: messages within a node, as its own rules, the built-in ones of its
processors' vendor, those without what was measured on it (as on a machine that nobody has measured), and those of all
other machines whatever their vendor decide. What a decision takes there is known, for every way was measured: sends and
receives are judged against the library's own way, paired messages against what the rules of that day did without
pairing.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

from gapless.launch.rules import NATIVE, PACKED, PAST, Section, Table
from gapless.tune.default_rules import LIBRARIES, RESULTS, measurements, of_vendor, vendor_of
from gapless.tune.measure import Measured, section_of
from gapless.tune.tables import BLOCKING, NONBLOCKING, PAIRED

WAYS = {PACKED: "p", NATIVE: "n", PAST: "s"}
# From which ratio to the library's own way on a message counts as slower.
SLOWER = 1.05
HEAD = ("library", "machine", "calls", "rules", "time / without", "time / best", "slower by 5 %", "worst")


def _nearest(values: Sequence[int], value: int) -> int:
    return min(values, key=lambda one: abs(math.log(one / value)))


def decided(tables: dict[tuple[str, str], Table], operation: str, shape: str, size: int, run: int) -> str:
    """Return the way that rules say, n, p or s: of what lies between sizes or runs the nearest counts, by ratio.

    A shape of which nothing was measured is packed.
    """
    table = tables.get((operation, shape))
    if table is None:
        return WAYS[PACKED]
    row = table.rows[_nearest(list(table.rows), size)]
    return WAYS[row[table.runs.index(_nearest(table.runs, run))]]


def judged(section: Section, on: Measured, kind: str) -> list[tuple[float, float]]:
    """Return for each cell what it takes by these rules: against the library's own way, against the best of all ways.

    Parameters
    ----------
    section : Section
        The rules.
    on : Measured
        A machine.
    kind : str
        ``blocking`` or ``nonblocking``.
    """
    operations = BLOCKING if kind == "blocking" else NONBLOCKING
    tables = {(table.operation, table.shape): table for table in section.tables if table.distance == "near"}
    found = []
    for (shape, size, run), costs in on.cells.items():
        way = "".join(decided(tables, operation, shape, size, run) for operation in operations)
        # Packed past the caches is measured of long messages alone.
        cost = costs.get(f"{kind}/{way}", costs[f"{kind}/{way.replace('s', 'p')}"])
        best = min(value for name, value in costs.items() if name.startswith(f"{kind}/"))
        found.append((math.exp(cost - costs[f"{kind}/nn"]), math.exp(cost - best)))
    return found


def judged_paired(section: Section, on: Measured, kind: str) -> list[tuple[float, float]]:
    """Return the same of pairing: against not pairing, against the better of both."""
    tables = {(table.operation, table.shape): table for table in section.tables}
    found = []
    for (shape, size, run), costs in on.paired.items():
        paired = (PAIRED[kind], shape) in tables and decided(tables, PAIRED[kind], shape, size, run) != "n"
        ratio, best = math.exp(costs[kind]) if paired else 1.0, min(1.0, math.exp(costs[kind]))
        found.append((ratio, ratio / best))
    return found


def rows(results: Path = RESULTS) -> list[tuple[str, ...]]:
    """Return a row for each library, machine, kind of calls and rules; `HEAD` names the columns."""
    told = []
    for library in LIBRARIES:
        measured = measurements(library, results)
        for machine, here in measured:
            if not here.near:
                continue
            others = [(name, one) for name, one in measured if name != machine]
            rules = {
                "its own": [here],
                "built-in": of_vendor(measured, vendor_of(machine)),
                "others of the vendor": of_vendor(others, vendor_of(machine)),
                "others": of_vendor(others, ""),
            }
            if not any(one.near for _, one in others):
                del rules["others"]
            if not any(one.near for name, one in others if vendor_of(name) == vendor_of(machine)):
                del rules["others of the vendor"]
            sections = {name: section_of(library, "", of) for name, of in rules.items()}
            for kind, (calls, judge) in itertools.product(PAIRED, (("", judged), (", paired", judged_paired))):
                for name, section in sections.items():
                    if found := judge(section, here, kind):
                        told.append((library, machine, kind + calls, name, *_summary(found)))
    return told


def _summary(cells: Sequence[tuple[float, float]]) -> tuple[str, ...]:
    without = [cell[0] for cell in cells]
    means = (statistics.geometric_mean([cell[k] for cell in cells]) for k in (0, 1))
    slower = sum(ratio > SLOWER for ratio in without) / len(without)
    return (*(f"{mean:.3f}" for mean in means), f"{slower:.1%}", f"{max(without):.2f}")


if __name__ == "__main__":
    for row in (HEAD, *rows()):
        print(*row, sep="\t")
