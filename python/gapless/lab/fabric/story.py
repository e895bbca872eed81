"""What layouts between nodes say: the adaptive way against the best fixed one, crossovers, first uses, memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from gapless.display import bytes_text, headline
from gapless.lab.adaptive.chosen import NEAR, AgainstBest, View, against_best, by_length, pooled, short
from gapless.lab.adaptive.heat import heat_map, judged
from gapless.lab.adaptive.near import heat_table, near_table
from gapless.lab.fabric.facts import Facts, facts_of, first_to_steady, registration_share, steady_points, total
from gapless.lab.fabric.model import HOST, LISTS, Model, crossovers, model_of
from gapless.lab.fabric.settings import FIXED, NATIVE, WAYS, is_kernel, member, reuse_of, reuse_text
from gapless.lab.interval import interval_text, ratio_of
from gapless.lab.report.collected import Collected
from gapless.lab.report.plots import Plot
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Run
from gapless.lab.ways.curves import curves, time_us
from gapless.lab.ways.names import way_text
from gapless.lab.ways.points import Point
from gapless.lab.ways.report import COLUMNS, PointsReport, Story, Told, by_library, print_story, rows_of

if TYPE_CHECKING:
    from rich.console import Console

ADAPTIVE = member("adaptive")
FIXED_WAYS = tuple(member(way) for way in FIXED)
SHOWN = (NATIVE, *(member(way) for way in WAYS))


def judge(point: Point) -> AgainstBest | None:
    """Compare the adaptive way with the best fixed one of the odd launches in the even ones."""
    return against_best(point, ADAPTIVE, FIXED_WAYS)


def of_vectors(points: Sequence[Point]) -> list[Point]:
    """Return the points of the map."""
    return [point for point in points if reuse_of(point.name)]


def views(points: Sequence[Point]) -> list[View]:
    """Return the points of the map by reuse, then those of kept buffers, then kernels."""
    ordered = sorted(points, key=lambda point: (point.block_bytes, point.blocks))
    reuses = sorted({reuse_of(point.name) for point in of_vectors(points)})
    found = [View(reuse_text(reuse), [p for p in ordered if reuse_of(p.name) == reuse]) for reuse in reuses]
    kept = [point for point in ordered if not reuse_of(point.name)]
    found.append(View("buffers that are kept", [point for point in kept if not is_kernel(point.name)]))
    found.append(View("kernels", [point for point in kept if is_kernel(point.name)]))
    return [view for view in found if view.points]


def _adaptive(points: Sequence[Point]) -> str | None:
    found = judged(points, judge)
    if not found:
        return None
    near, slower = sum(of.near for _, of in found), sum(of.slower for _, of in found)
    point, worst = max(found, key=lambda pair: pair[1].ratio.value)
    mean = exp(float(np.mean([log(of.ratio.value) for _, of in found])))
    return (
        f"adaptive is within {NEAR - 1:.0%} of the best fixed way, or faster, at {near} of {len(found)} points "
        f"({near / len(found):.0%}; {slower or 'none'} proved slower than that), {mean:.2f} of its time in the mean; "
        f"the worst is {worst.text} at {point.name}, where {short(worst.way)} is best"
    )


def _lists(points: Sequence[Point]) -> str | None:
    told = []
    for length, of in by_length(points).items():
        ratio = pooled(of, LISTS, HOST)
        if ratio is not None:
            told.append(f"{bytes_text(length)}: {interval_text(ratio)}")
    return f"lists to host by length of a block: {'; '.join(told)}" if told else None


def _firsts(mpi: str, points: Sequence[Point], facts: Facts) -> str | None:
    """Say what the first use of a buffer costs, and how much of all is registration."""
    told = []
    for way in WAYS:
        launches = [facts.transfers.get((mpi, point.name, member(way)), []) for point in points]
        ratios = [log(ratio) for of in launches if (ratio := first_to_steady(of)) is not None]
        share = registration_share([one for of in launches for one in of])
        if ratios and share is not None:
            told.append(f"{way} {exp(float(np.mean(ratios))):.2f} ({share:.1%} of its time is registration)")
    return f"the first use of a buffer takes as many times a later one's time: {', '.join(told)}" if told else None


def _libraries(points: Sequence[Point], everyone: Sequence[Point]) -> list[str]:
    """Compare the ways with the libraries' own sends of the same layouts, launch by launch."""
    told = []
    for other in dict.fromkeys(p.mpi for p in everyone if NATIVE in p.times):
        theirs = {p.name: p for p in everyone if p.mpi == other and NATIVE in p.times}
        for way in ("host", "adaptive"):
            ratios = [
                f"{bytes_text(point.block_bytes)}: {_across(point, member(way), theirs[point.name])}"
                for point in sorted(points, key=lambda p: p.block_bytes)
                if point.name in theirs and member(way) in point.times
            ]
            if ratios:
                told.append(f"{way} to {other}'s own typed send: {'; '.join(ratios)}")
    return told


def _across(point: Point, way: str, other: Point) -> str:
    """Return the ratio of a way to a library's own send."""
    one, two = point.times[way], other.times[NATIVE]
    launches = sorted(one.keys() & two.keys())
    if not launches:
        return "-"
    return interval_text(ratio_of(np.array([log(one[n] / two[n]) for n in launches])))


def _model_text(model: Model) -> str:
    (h0, h1), (l0, l1, l2) = model.host, model.lists
    return (
        f"the model, from {model.points} messages of the odd launches without a charge: host = {h0 / 1000:.1f} us + "
        f"{h1:.3f} ns/B + packing; lists = {l0 / 1000:.1f} us + {l1:.3f} ns/B + {l2:.0f} ns for each run "
        "+ registrations / reuse"
    )


def _sentences(facts: Facts, everyone: Sequence[Point], points: Sequence[Point]) -> list[str]:
    mpi, told = points[0].mpi, []
    for view in views(points):
        for say in (_adaptive, _lists if view.name != "kernels" else lambda _: None):
            text = say(view.points)
            if text:
                told.append(f"{mpi}, {view.name}: {text}")
        firsts = _firsts(mpi, view.points, facts)
        if firsts:
            told.append(f"{mpi}, {view.name}: {firsts}")
    told += [f"{mpi}: {text}" for text in _libraries(points, everyone)]
    model = model_of(of_vectors(everyone), facts)
    if model is not None and facts.charge(mpi) == (0, 0) and any(HOST in p.times for p in points):
        told.append(f"{mpi}: {_model_text(model)}")
    return told


def _uses(mpi: str, points: Sequence[Point], facts: Facts) -> Told | None:
    cells = []
    for view in views(points):
        for way in WAYS:
            launches = [one for point in view.points for one in facts.transfers.get((mpi, point.name, member(way)), [])]
            if not launches:
                continue
            first, share = first_to_steady(launches), registration_share(launches)
            cells.append([
                view.name, way, "-" if first is None else f"{first:.2f}", "-" if share is None else f"{share:.1%}",
                *(str(total(launches, name)) for name in (
                    "host", "lists", "segments", "writes", "registrations", "registered_aside", "layouts_shown",
                    "layouts_known")),
            ])  # fmt: skip
    heads = ["reuse", "way", "first to later use", "registration", "sent by host", "by lists", "by segments", "writes",
             "registrations", "aside", "layouts shown", "known"]  # fmt: skip
    return Told(f"{mpi}: first uses, and what rank 0 counted", heads, cells) if cells else None


def _times(mpi: str, points: Sequence[Point], title: str) -> Told | None:
    """Return a table of times."""
    members = [name for name in (CONTIGUOUS_MEMBER, *SHOWN) if any(name in point.times for point in points)]
    cells = [
        [point.name, bytes_text(point.block_bytes), str(point.blocks),
         *(f"{point.us(name):.1f}" if name in point.times else "-" for name in members),
         found.text if (found := judge(point)) is not None else "-"]
        for point in points
    ]  # fmt: skip
    heads = ["message", "block", "blocks", *(_head(name) for name in members), "adaptive to the best fixed way"]
    return Told(f"{mpi}: {title} [us]", heads, cells) if cells else None


def _head(name: str) -> str:
    return short(name) if name in (ADAPTIVE, *FIXED_WAYS) else way_text(name)


def peers_table(facts: Facts) -> Told | None:
    """Return what channels hold by number of processes: real ones, and computed."""
    real: dict[int, list[dict[str, object]]] = {}
    for line in facts.peers:
        real.setdefault(line["processes"], []).append(line)
    if not real:
        return None
    cells, last = [], None
    for processes, lines in sorted(real.items()):

        def median(of: str, name: str, lines: list[dict[str, object]] = lines) -> float:
            return float(np.median([line[of][name] for line in lines]))  # type: ignore[index]

        opened, after = median("opened", "memory_bytes"), median("after_ring", "memory_bytes")
        resident = float(np.median([float(str(line["resident_bytes"])) for line in lines]))
        seconds = float(np.median([float(str(line["open_ns"])) for line in lines])) / 1e9
        cells.append([str(processes), "real", f"{median('opened', 'endpoints'):.0f}", f"{opened:.0f}", f"{after:.0f}",
                      bytes_text(int(resident)), f"{seconds:.2f}"])  # fmt: skip
        last = (processes, opened, after, median("opened", "peer_bytes"))
    assert last is not None
    for processes in facts.settings.get("computed", ()):
        if processes > last[0]:
            sizes = (last[1], last[2])
            grown = _slope(cells)
            more = [size + (processes - last[0]) * step for size, step in zip(sizes, grown, strict=True)]
            full = more[0] + (processes - 1) * last[3]
            cells.append([str(processes), "computed", "1", f"{more[0]:.0f}", f"{full:.0f} if all are used", "-", "-"])
    heads = ["processes", "", "endpoints", "bytes, opened", "bytes, after a ring", "resident", "opened after [s]"]
    return Told("What the channel of one process holds (medians over processes)", heads, cells)


def _slope(cells: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Return by how much a further process adds to both sizes, from the first and last real numbers."""
    real = [row for row in cells if row[1] == "real"]
    first, last = real[0], real[-1]
    apart = int(last[0]) - int(first[0])
    if not apart:
        return 0.0, 0.0
    return tuple((float(last[k]) - float(first[k])) / apart for k in (3, 4))  # type: ignore[return-value]


def _model_table(points: Sequence[Point], facts: Facts) -> Told | None:
    vectors = of_vectors(points)
    model = model_of(vectors, facts)
    if model is None:
        return None
    cells = [
        [one.mpi, str(one.reuse), *("nowhere" if at is None else bytes_text(at) for at in (one.expected, one.found)),
         f"{one.right} of {one.points}"]
        for one in crossovers(vectors, facts, model)
    ]  # fmt: skip
    heads = [
        "",
        "reuse",
        "lists overtake host: expected from blocks of",
        "found from",
        "points where the faster is as expected",
    ]
    return Told("Where the model says lists overtake host, and where they do", heads, cells)


def _against(points: Sequence[Point]) -> Told | None:
    """Return every way beside the libraries' own sends."""
    cells = []
    for other in dict.fromkeys(p.mpi for p in points if NATIVE in p.times):
        theirs = {p.name: p for p in points if p.mpi == other and NATIVE in p.times}
        for point in sorted(points, key=lambda p: p.block_bytes):
            if point.name not in theirs or ADAPTIVE not in point.times and HOST not in point.times:
                continue
            cells.append([
                point.mpi, other, bytes_text(point.block_bytes), str(point.blocks),
                f"{theirs[point.name].us(NATIVE):.0f}",
                *(f"{point.us(member(way)):.0f}" if member(way) in point.times else "-" for way in WAYS),
                *(_across(point, member(way), theirs[point.name]) if member(way) in point.times else "-"
                  for way in ("host", "adaptive")),
            ])  # fmt: skip
    heads = ["", "library", "block", "blocks", "its own [us]", *(f"{way} [us]" for way in WAYS), "host to it",
             "adaptive to it"]  # fmt: skip
    return Told("Beside the libraries' own typed sends of the same layouts", heads, cells) if cells else None


def _tables(facts: Facts, points: Sequence[Point]) -> list[Told]:
    found: list[Told | None] = []
    for mpi, of in by_library(points).items():
        if any(judge(point) is not None for point in of):
            found.append(near_table(mpi, views(of), "reuse", judge))
            found += [heat_table(mpi, view, judge) for view in views(of) if view.name != "kernels"]
        found.append(_uses(mpi, of, facts))
        found += [_times(mpi, view.points, view.name) for view in views(of)]
    found += [_against(points), _model_table(points, facts), peers_table(facts)]
    return [told for told in found if told is not None]


def _plots(points: Sequence[Point], names: dict[str, str], runs: Sequence[Run]) -> list[Plot]:
    def length(point: Point) -> float:
        return point.block_bytes

    made = []
    for view in views(points):
        if view.name == "kernels":
            continue
        plot = heat_map(view, names, judge)
        if plot is not None:
            made.append(plot)
    for view in views(points):
        sizes = Counter(point.bytes for point in view.points)
        size = max(sizes, key=lambda one: (sizes[one], one))
        of = [point for point in view.points if point.bytes == size]
        title = headline(f"{view.name}, messages of {bytes_text(size)}: half a round trip")
        shown = [name for name in (CONTIGUOUS_MEMBER, *SHOWN) if any(name in point.times for point in of)]
        made.append(curves(title, of, names, time_us, "time [us]", length, "block [bytes]", shown))
    return made


def story_of(facts: Facts, everyone: Sequence[Point]) -> Story[Point]:
    """Return the story of runs with these facts."""
    return Story(
        "Layouts between nodes by libfabric: fixed ways and the adaptive one",
        "Vectors and the faces of applications, sent and received as such by libgapless_fabric between two processes: "
        "packed into registered buffers (host), straight from memory to memory by gather and scatter lists (lists), in "
        "chunks of the shorter side's shortest run (segments), and as the channel chooses (adaptive).",
        "Each layout and reuse is a group: all ways in turn, each by a channel of its own in the same two processes; "
        "launches are the replicates. Half of a round trip is shown. A buffer is used as often as the reuse says, then "
        "it is forgotten and unmapped, and another one takes its place, so that registrations are paid anew; kept "
        "buffers stay. Where a cost of registering is stated (charged: nanoseconds for each region and for each page), "
        "the process waits that long for each. The best fixed way of a point is chosen on the odd launches, and the "
        "adaptive one compared with it on the even ones. The array is as many bytes without gaps.",
        partial(_sentences, facts, everyone),
        partial(_tables, facts),
        _plots,
    )


class FabricReport(PointsReport[Point]):
    """The report, which has the counters of its runs beside their times."""

    def __init__(self) -> None:
        super().__init__(story_of(Facts(), ()), steady_points, rows_of, COLUMNS)

    def _with(self, collected: Collected) -> None:
        self.story = story_of(facts_of(collected.runs), self.points(collected))

    def render(self, collected: Collected) -> str:
        """Return the page."""
        self._with(collected)
        return super().render(collected)

    def show(self, out: Console, collected: Collected) -> None:
        """Print the tables and what is found."""
        self._with(collected)
        print_story(out, self.story, self.points(collected))


REPORT = FabricReport()
