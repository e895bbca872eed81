"""The plots of the applications as plotly's JSON: what the pages' script dresses, arranges and draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gapless.display import bytes_text
from gapless.lab.apps.rows import ONCE, PHASES, WAYS, AppRow
from gapless.lab.apps.tables import SHORT, ways_of
from gapless.lab.report.figures import COLOURS as SHARED
from gapless.lab.report.panels import plain
from gapless.lab.report.plots import LIBRARIES, LIBRARY_COLOURS, WIDE, Figure, Plot
from gapless.lab.report.texts import us_text

PHASE = "phase "
# Roles to colours on a light and a dark page: ways, phases, and libraries side by side.
COLOURS = (
    {name: SHARED[name] for name in ("contiguous", "native", "pack", "gapless")}
    | {"hand_c": ("#009E73", "#00B386"), "hand_clang": ("#CC79A7", "#CC79A7"), "hand_fortran": ("#6A3D9A", "#B794E6"),
       "native+type": ("#8C564B", "#B07A6C"), "gapless+type": ("#56B4E9", "#2F8FD0")}
    | {
        PHASE + "create": ("#CC79A7", "#CC79A7"), PHASE + "commit": ("#6A3D9A", "#B794E6"),
        PHASE + "pack": ("#E69F00", "#E69F00"),
        PHASE + "communicate": ("#0072B2", "#56B4E9"), PHASE + "unpack": ("#009E73", "#00B386"),
        PHASE + "free": ("#999999", "#a8a8a8"),
    }
    | LIBRARIES
)  # fmt: skip
NAMES = {"contiguous": "as an array"} | SHORT
# In the order in which they stack, what happens for each message first.
STACKED = ("pack", "communicate", "unpack", "create", "commit", "free")


def typical(rows: Sequence[AppRow]) -> list[AppRow]:
    """Return one row of each test on each library: the size in the middle, the same on all."""
    chosen = {}
    for test in dict.fromkeys(row.test for row in rows):
        sizes = sorted({(row.bytes, row.case) for row in rows if row.test == test})
        chosen[test] = sizes[(len(sizes) - 1) // 2][1]
    return [row for row in rows if row.case == chosen[row.test]]


def _libraries(rows: Sequence[AppRow]) -> list[str]:
    return list(dict.fromkeys(row.mpi for row in rows))


def _tests_axis(rows: Sequence[AppRow]) -> dict[str, Any]:
    tests = [plain(test) for test in dict.fromkeys(row.test for row in rows)]
    return {"type": "category", "categoryorder": "array", "categoryarray": tests, "title": {"text": ""}}


def _hover(row: AppRow, way: str, *lines: str) -> str:
    return "\n".join([f"{row.mpi}, {row.case}, {bytes_text(row.bytes)}", NAMES[way], *lines])


def opening(rows: Sequence[AppRow], names: dict[str, str]) -> Plot:
    """Return the page's first figure: each application's exchange in every way, in the middle one of its sizes."""
    rows = typical(rows)
    y = {"type": "log", "title": {"text": "one way [µs], log scale"}, "dtick": 1, "tickformat": "~g"}
    libraries = _libraries(rows)
    figure = Figure([names.get(mpi, mpi) for mpi in libraries], _tests_axis(rows), y, COLOURS, barmode="group")
    cells = []
    for number, mpi in enumerate(libraries):
        of = [row for row in rows if row.mpi == mpi]
        for way in ("contiguous", *ways_of(rows)):
            has = [row for row in of if way in row.us]
            figure.add(
                number, way, NAMES[way], [plain(row.test) for row in has], [row.us[way] for row in has],
                [_hover(row, way, f"{us_text(row.us[way])} µs over {row.launches} launches") for row in has],
            )  # fmt: skip
            cells += [
                [row.test, mpi, NAMES[way], us_text(row.us[way]), str(row.bytes), row.case, str(row.launches)]
                for row in has
            ]
    columns = ["test", "library", "way", "µs", "bytes", "exchange", "launches"]
    return Plot("Each application's exchange, one way", figure.json(), columns, cells, WIDE, 110)


def phases(rows: Sequence[AppRow], test: str, names: dict[str, str]) -> Plot | None:
    """Return the phases of a test stacked, as multiples of sending the same bytes as an array."""
    of = sorted((row for row in rows if row.test == test and row.phases), key=lambda row: row.bytes)
    if not of:
        return None
    libraries, ways = _libraries(of), ways_of(of)
    x = {"type": "multicategory", "title": {"text": ""}}
    y = {"type": "linear", "rangemode": "tozero", "title": {"text": "multiples of contiguous"}}
    figure = Figure([names.get(mpi, mpi) for mpi in libraries], x, y, COLOURS, barmode="stack")
    figure.layout["shapes"] = [
        {"type": "line", "xref": f"x{Figure.axis(i)} domain", "yref": f"y{Figure.axis(i)}", "x0": 0, "x1": 1,
         "y0": 1, "y1": 1, "line": {"color": COLOURS["contiguous"][0], "dash": "dot", "width": 1}}
        for i in range(len(libraries))
    ]  # fmt: skip
    cells = []
    for number, mpi in enumerate(libraries):
        bars = [(row, way) for row in of if row.mpi == mpi for way in ways if way in row.phases]
        places = [[plain(row.size) for row, _ in bars], [SHORT[way] for _, way in bars]]
        for phase in STACKED:
            figure.add(
                number, PHASE + phase, f"{phase}, once" if phase in ONCE else phase, places,
                [row.phases[way].get(phase, 0) / row.us["contiguous"] for row, way in bars],
                [_hover(row, way, f"{phase}: {us_text(row.phases[way].get(phase, 0))} µs") for row, way in bars],
                marker={"color": COLOURS[PHASE + phase][0],
                        "pattern": {"shape": "/" if phase in ONCE else "", "fillmode": "overlay",
                                    "size": 6, "solidity": 0.3}},
            )  # fmt: skip
        cells += [
            [row.case, mpi, SHORT[way], *(us_text(max(row.phases[way].get(phase, 0), 0)) for phase in PHASES)]
            for row, way in bars
        ]
    columns = ["exchange", "library", "way", *(f"{phase} µs" for phase in PHASES)]
    return Plot(f"{test}: phases", figure.json(), columns, cells, 600, 120)


def bandwidth(rows: Sequence[AppRow], test: str, names: dict[str, str]) -> Plot:
    """Return the bandwidth of a test over its sizes, against that of the plain ping-pong."""
    of = sorted((row for row in rows if row.test == test), key=lambda row: row.bytes)
    libraries = _libraries(of)
    x = {"type": "log", "title": {"text": "bytes, log scale"}, "tickformat": "~s", "dtick": 1}
    y = {"type": "log", "title": {"text": "MB/s, log scale"}, "tickformat": "~s", "dtick": 1}
    figure = Figure([names.get(mpi, mpi) for mpi in libraries], x, y, COLOURS)
    cells = []
    for number, mpi in enumerate(libraries):
        for way in ("contiguous", *ways_of(of)):
            has = [row for row in of if row.mpi == mpi and way in row.us]
            rates = [row.bytes / row.us[way] for row in has]
            figure.add(
                number, way, "plain ping-pong" if way == "contiguous" else NAMES[way], [row.bytes for row in has],
                rates, [_hover(row, way, f"{rate:.4g} MB/s") for row, rate in zip(has, rates, strict=True)],
                type="scatter", mode="lines+markers", marker={"color": COLOURS[way][0]},
                line={"dash": "dot" if way == "contiguous" else "solid"},
            )  # fmt: skip
            cells += [[row.case, mpi, NAMES[way], str(row.bytes), f"{rate:.4g}"]
                      for row, rate in zip(has, rates, strict=True)]  # fmt: skip
    return Plot(f"{test}: bandwidth", figure.json(), ["exchange", "library", "way", "bytes", "MB/s"], cells)


def _overheads(
    rows: Sequence[AppRow], heads: Sequence[str], shown: Sequence[tuple[int, str, str, Callable[[AppRow], str | None]]],
    title: str,
) -> Plot:  # fmt: skip
    """Return a plot of overheads; `shown` are its series: subplot, role, name, and the way of a row that is in it."""
    y = {"type": "linear", "title": {"text": "overhead [%]"}}
    figure, cells = Figure(heads, _tests_axis(rows), y, COLOURS, barmode="group"), []
    for number, role, name, way_of in shown:
        has = [(row, way) for row in rows if (way := way_of(row)) is not None and way in row.overhead]
        of = [row.overhead[way] for row, way in has]

        def percent(value: float | None) -> float | None:
            return None if value is None else 100 * value

        def told(low: float | None, high: float | None) -> str:
            return "one launch" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f} %"

        figure.add(
            number, role, name, [plain(row.test) for row, _ in has], [100 * one.value for one in of],
            [_hover(row, way, f"overhead {100 * one.value:.1f} % ({told(one.low, one.high)})")
             for (row, way), one in zip(has, of, strict=True)],
            [(percent(one.low), percent(one.high)) for one in of],
        )  # fmt: skip
        cells += [
            [row.test, row.mpi, NAMES[way], f"{100 * one.value:.1f}", told(one.low, one.high), row.case]
            for (row, way), one in zip(has, of, strict=True)
        ]
    columns = ["test", "library", "way", "overhead %", "95 % interval", "exchange"]
    return Plot(title, figure.json(), columns, cells, WIDE, 110)


def overheads(rows: Sequence[AppRow], names: dict[str, str]) -> list[Plot]:
    """Return the overheads, (t - t_net) / t: by library with all ways and compilers, and by way with all libraries."""
    rows = typical(rows)
    libraries, ways = _libraries(rows), ways_of(rows)

    def is_of(mpi: str, way: str) -> Callable[[AppRow], str | None]:
        return lambda row: way if row.mpi == mpi else None

    by_library = [
        (number, way, NAMES[way], is_of(mpi, way))
        for number, mpi in enumerate(libraries)
        for way in WAYS
        if way in ways
    ]
    by_way = [
        (ways.index(way), f"library {number % LIBRARY_COLOURS}", names.get(mpi, mpi), is_of(mpi, way))
        for way in ways
        for number, mpi in enumerate(libraries)
    ]
    return [
        _overheads(rows, [names.get(mpi, mpi) for mpi in libraries], by_library, "Overheads of each library"),
        _overheads(rows, [NAMES[way] for way in ways], by_way, "Overheads of each way, libraries side by side"),
    ]
