"""Tables of how near an adaptive way is to the best fixed one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from gapless.display import bytes_text
from gapless.lab.adaptive.chosen import AgainstBest, View, against_best, short
from gapless.lab.adaptive.heat import judged
from gapless.lab.ways.points import Point
from gapless.lab.ways.report import Told

Judge = Callable[[Point], AgainstBest | None]


def heat_table(mpi: str, view: View, judge: Judge = against_best) -> Told | None:
    """Return a view's heat map as a table; None if nothing of it can be judged."""
    found = judged(view.points, judge)
    if not found:
        return None
    at = {(p.block_bytes, p.blocks): f"{a.ratio.value:.2f} {short(a.way)}" for p, a in found}
    counts = sorted({blocks for _, blocks in at})
    cells = [
        [bytes_text(length), *(at.get((length, blocks), "-") for blocks in counts)]
        for length in sorted({length for length, _ in at})
    ]
    return Told(f"{mpi}, {view.name}: adaptive to the best fixed way", ["block", *map(str, counts)], cells)


def near_table(mpi: str, views: Sequence[View], what: str, judge: Judge = against_best) -> Told:
    """Return how near the adaptive way is in each view, and which ways are best how often; `what` heads the views."""
    cells = []
    for view in views:
        found = judged(view.points, judge)
        if not found:
            continue
        best = Counter(short(of.way) for _, of in found)
        worst = max((of for _, of in found), key=lambda of: of.ratio.value)
        cells.append([
            view.name, str(len(found)), f"{sum(of.near for _, of in found) / len(found):.0%}",
            str(sum(of.slower for _, of in found)), worst.text,
            ", ".join(f"{way} {number}" for way, number in best.most_common()),
        ])  # fmt: skip
    heads = [what, "points", "within 5 %", "proved slower", "worst", "best fixed way"]
    return Told(f"{mpi}: adaptive to the best fixed way", heads, cells)
