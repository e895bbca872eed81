"""What all-to-alls say: which way is the fastest, what zero-copy and persistence gain, whether ours loses anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gapless.display import bytes_text
from gapless.lab.alltoall.names import (
    COLOURS,
    LAYER,
    LIBRARY,
    LIBRARY_V,
    MESSAGES,
    MODEL,
    PERSISTENT,
    TYPES,
    ZERO_COPY,
    member_of,
    role,
    way_text,
)
from gapless.lab.alltoall.points import Point
from gapless.lab.interval import Interval, interval_text
from gapless.lab.report.plots import NARROWEST, Figure, Plot
from gapless.lab.report.texts import us_text
from gapless.lab.ways.names import parts
from gapless.lab.ways.report import Told, by_library

PROBLEMS = {
    "regular": "MPI_Alltoall, equal blocks",
    "as-irregular": "the same through MPI_Alltoallv",
    "random": "MPI_Alltoallv, blocks of random lengths",
}
# What the issue asks for: zero-copy against basic where copies count [bytes of a block], persistence where calls do.
COPY_BOUND_BYTES, SMALL_BYTES = 40_000, 64


def warning(points: Sequence[Point]) -> str:
    """Say, if it is so, that there were more ranks than cores; else return an empty text."""
    if all(point.is_counted for point in points):
        return ""
    ranks, cores = points[0].ranks, points[0].cores
    return (
        f"{ranks} ranks shared {cores} cores: these times measure waiting for a core, and nothing is concluded from "
        "them. What is counted (rounds, messages, blocks, copies, slots) is not touched by that."
    )


def members_of(points: Sequence[Point]) -> list[str]:
    """Return every way that some point has, in the order of the plan."""
    return list(dict.fromkeys(member for point in points for member in point.times))


def sentences(points: Sequence[Point]) -> list[str]:
    """Return what is found on one library."""
    if warning(points):
        return [warning(points)]
    return [*_against_library(points), *_zero_copy(points), *_persistent(points)]


def _against_library(points: Sequence[Point]) -> list[str]:
    told = []
    for problem, text in PROBLEMS.items():
        of = [point for point in points if point.problem == problem]
        for suffix, kind in (("", "a call"), (PERSISTENT, "persistent")):
            for layer, what in ((False, "the model's choice"), (True, "the program's own call under the layer")):
                ratios = [(point, ratio) for point in of if (ratio := _to_library(point, suffix, layer)) is not None]
                if ratios:
                    told.append(f"{text}, {kind}: {what} {_verdict(ratios)}")
    return told


def _to_library(point: Point, suffix: str, layer: bool) -> Interval | None:
    """Return the time of ours, by the model, or of the library's call with the layer on, to the library's call."""
    own = reference(point, suffix)
    return point.ratio(member_of(parts(own)[0] if layer else MODEL, suffix, layer), own)


def _verdict(ratios: Sequence[tuple[Point, Interval]]) -> str:
    slower = [(point, ratio) for point, ratio in ratios if ratio.low is not None and ratio.low > 1.05]
    if slower:
        worst, ratio = max(slower, key=lambda one: one[1].value)
        return (
            f"is proved slower than the library at {len(slower)} of {len(ratios)} sizes, worst {interval_text(ratio)} "
            f"times at {bytes_text(worst.bytes)}"
        )
    best, ratio = min(ratios, key=lambda one: one[1].value)
    return (
        f"is nowhere proved more than 5 % slower than the library; its best is {interval_text(ratio)} of the library's "
        f"time at {bytes_text(best.bytes)}"
    )


def reference(point: Point, suffix: str) -> str:
    """Return the library's own member, as a call or persistent."""
    return member_of(LIBRARY if point.problem == "regular" else LIBRARY_V, suffix)


def _at(points: Sequence[Point], problem: str, size: int) -> Point | None:
    return next((point for point in points if point.problem == problem and point.bytes == size), None)


def _zero_copy(points: Sequence[Point]) -> list[str]:
    point = _at(points, "regular", COPY_BOUND_BYTES)
    if point is None:
        return []
    told = []
    for how in ("", "/types"):
        for name in ZERO_COPY:
            ratio = point.ratio(member_of(name + how), member_of("basic" + how))
            if ratio is not None:
                share = f"{interval_text(ratio)} of the time of {way_text(member_of('basic' + how))}"
                told.append(f"{way_text(member_of(name + how))} takes {share} at {bytes_text(point.bytes)}")
    return told


def _persistent(points: Sequence[Point]) -> list[str]:
    point = _at(points, "regular", SMALL_BYTES)
    if point is None:
        return []
    told = []
    for member in members_of([point]):
        way, method, suffix = parts(member)
        if suffix or method == LAYER or way in (LIBRARY, MODEL):
            continue
        ratio = point.ratio(member, member_of(way, PERSISTENT))
        if ratio is not None and way in ("basic", "zero-copy", "least-slots", "basic/types", "zero-copy/types"):
            told.append(
                f"at {bytes_text(point.bytes)} a call of {way_text(member)} takes {interval_text(ratio)} times as long "
                "as a start and wait of the same, persistent"
            )
    ours, size = member_of(MODEL, PERSISTENT), bytes_text(point.bytes)
    ratio = point.ratio(ours, member_of(LIBRARY, PERSISTENT))
    if ratio is not None:
        told.append(f"persistent, by the model: {interval_text(ratio)} of MPI_Alltoall_init at {size}")
    # What a persistent all-to-all of messages can gain at all.
    least = member_of(MESSAGES, PERSISTENT)
    ratio, most = point.ratio(ours, least), point.ratio(member_of("zero-copy"), least)
    if ratio is not None:
        told.append(f"persistent, by the model: {interval_text(ratio)} of {way_text(least)} at {size}")
    if most is not None:
        told.append(f"at {size} a call of zero-copy takes {interval_text(most)} times as long as {way_text(least)}")
    return told


def tables(points: Sequence[Point]) -> list[Told]:
    """Return for each library and problem what each way takes, by the size of a block."""
    found = []
    for mpi, of_library in by_library(points).items():
        for problem, text in PROBLEMS.items():
            of = [point for point in of_library if point.problem == problem]
            if not of:
                continue
            cells = [
                [way_text(member), *(us_text(p.us(member).value) if member in p.times else "-" for p in of)]
                for member in members_of(of)
            ]
            title = f"{mpi}: {text} [us]" + (" (more ranks than cores: not counted)" if warning(of) else "")
            found.append(Told(title, ["way", *(bytes_text(point.bytes) for point in of)], cells))
    return found


Fits = Callable[[str, str], bool]
KINDS: tuple[tuple[str, Fits], ...] = (
    ("a call", lambda method, suffix: method != LAYER and not suffix),
    ("persistent", lambda method, suffix: method != LAYER and suffix == PERSISTENT),
    ("making types and requests alone, without communication", lambda _, suffix: suffix == TYPES),
    ("with the layer", lambda method, _: method == LAYER),
)


def plots(points: Sequence[Point], names: dict[str, str]) -> list[Plot]:
    """Return the time over the size of a block, for each problem and kind of call, with intervals."""
    made = []
    for problem, text in PROBLEMS.items():
        of = [point for point in points if point.problem == problem]
        for kind, fits in KINDS:
            shown = [member for member in members_of(of) if fits(*parts(member)[1:])]
            if shown:
                made.append(_plot(f"{text}: {kind}", of, shown, names))
    return made


def _plot(title: str, points: Sequence[Point], shown: Sequence[str], names: dict[str, str]) -> Plot:
    libraries = by_library(points)
    x = {"type": "log", "title": {"text": "block [bytes], log scale"}, "tickformat": "~s", "dtick": 1}
    y = {"type": "log", "title": {"text": "one call [µs], log scale"}, "tickformat": "~g", "dtick": 1}
    figure = Figure([names.get(mpi, mpi) for mpi in libraries], x, y, COLOURS)
    cells = []
    for number, (mpi, of) in enumerate(libraries.items()):
        for member in shown:
            has = [(point, point.us(member)) for point in of if member in point.times]
            dash = "dash" if "/" in parts(member)[0] else "dot" if parts(member)[2] else "solid"
            figure.add(
                number, role(member), way_text(member), [point.bytes for point, _ in has], [us.value for _, us in has],
                [f"{mpi}, {bytes_text(point.bytes)}\n{way_text(member)}\n{us_text(us.value)} µs" for point, us in has],
                ends=[(us.low, us.high) for _, us in has], type="scatter", mode="lines+markers",
                marker={"color": COLOURS[role(member)][0]}, line={"dash": dash},
            )  # fmt: skip
            cells += [[mpi, way_text(member), str(point.bytes), f"{us.value:.4g}"] for point, us in has]
    return Plot(title, figure.json(), ["library", "way", "block bytes", "us"], cells, NARROWEST)
