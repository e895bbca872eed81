"""The exchanges of applications' kernels, in the inputs of the paper: their groups, and what is told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import geometric_mean

from gapless.display import bytes_text, headline
from gapless.engine import explain_type
from gapless.errors import GaplessError
from gapless.lab.adaptive.chosen import ADAPTIVE, FIXED_WAYS, NATIVE, AgainstBest, against_best, short
from gapless.lab.adaptive.settings import buffers_of
from gapless.lab.apps.cases import GHOST, LARGER, AppCase, all_cases
from gapless.lab.interval import interval_text
from gapless.lab.layouts.layout import Message
from gapless.lab.layouts.notation import BASES
from gapless.lab.report.plots import Figure, Plot
from gapless.lab.ways.group import PINGPONG
from gapless.lab.ways.names import COLOURS, role
from gapless.lab.ways.points import Point
from gapless.lab.ways.report import Told, by_library

WAYS = (*FIXED_WAYS, ADAPTIVE)
ALL = "all"


def kernel_cases() -> list[AppCase]:
    """Return what the kernels exchange, each input once (Suresh et al., 2022); of FFT2, what goes from rank to rank."""
    return [
        case for case in all_cases() if (case.family in (LARGER, GHOST) and case.pattern == PINGPONG) or _is_fft(case)
    ]


def _is_fft(case: AppCase) -> bool:
    return case.layout == "FFT2"


def named_cases(names: Sequence[str]) -> list[AppCase]:
    """Return the inputs of these names.

    Parameters
    ----------
    names : sequence of str
        Of kernels, or how these begin (``NAS_MG_x``, ``MILC``); of inputs (``NAS_MG_x/512``); ``all``.

    Raises
    ------
    GaplessError
        If nothing is called so.
    """

    def has(case: AppCase, name: str) -> bool:
        return name in (ALL, case.name) or case.layout.startswith(name)

    cases = kernel_cases()
    for name in names:
        if not any(has(case, name) for case in cases):
            known = ", ".join(dict.fromkeys(case.layout for case in cases))
            raise GaplessError(f"--kernels: there is no '{name}'", f"there are {known}, and {ALL}")
    return [case for case in cases if any(has(case, name) for name in names)]


def message_of(case: AppCase) -> Message:
    """Return a kernel's datatype, in the first of its descriptions; that of its receiver goes with it."""
    message = next(iter(case.descriptions.values()))  # of WRF: vectors, not subarrays
    return Message(message.count, message.type, more={k: v for k, v in message.more.items() if k != "loops"})


def run_bytes(case: AppCase) -> int:
    """Return the mean run of a kernel's datatype [bytes]."""
    message = message_of(case)
    return int(case.contiguous.count * BASES[case.base].bytes // explain_type(message.type, message.count)["runs"])


def is_kernel(group: str) -> bool:
    """Tell a kernel's group from one of blocks.

    Examples
    --------
    >>> is_kernel("NAS_MG_x/512, fresh, heap"), is_kernel("16 x 4096 B, fresh, heap")
    (True, False)
    """
    return "/" in group.partition(",")[0]


def _input(point: Point) -> str:
    return point.name.partition(",")[0]


def _found(points: Sequence[Point]) -> list[tuple[Point, AgainstBest]]:
    return [(point, found) for point in points if (found := against_best(point)) is not None]


def kernel_sentence(name: str, points: Sequence[Point]) -> str | None:
    """Say what the adaptive way takes of the library's own, and how near it is to the best fixed one.

    Parameters
    ----------
    name : str
        The kind of data and buffers.
    points : sequence of Point
        Of kernels, on one library.
    """
    to_native = [(p, of) for p in points if (of := p.ratio_to(ADAPTIVE, NATIVE)) is not None]
    found = _found(points)
    if not to_native or not found:
        return None
    mean = geometric_mean(of.value for _, of in to_native)
    most_at, most = max(to_native, key=lambda pair: pair[1].value)
    slower = sum(of.low is not None and of.low > 1 for _, of in to_native)
    near = sum(of.near for _, of in found)
    return (
        f"{name}: the kernels of applications take {mean:.2f} of the library's own time in the mean (at most "
        f"{interval_text(most)}: {_input(most_at)}; proved to take more at {slower} of {len(to_native)}), and adaptive "
        f"is within 5 % of the best fixed way, or faster, at {near} of {len(found)}"
    )


def kernel_table(mpi: str, points: Sequence[Point]) -> Told:
    """Return every way's time as a share of the library's own, as the paper has it: 100 is the library."""
    cells = []
    for point in points:
        against = against_best(point)
        shares = [point.ratio_to(way, NATIVE) for way in WAYS]
        native = f"{point.us(NATIVE):.1f}" if NATIVE in point.times else "-"
        cells.append([
            _input(point), bytes_text(point.block_bytes), bytes_text(point.bytes), point.row.data,
            buffers_of(point.name), native,
            *("-" if share is None else f"{100 * share.value:.0f}" for share in shares),
            *(("-", "-") if against is None else (short(against.way), against.text)),
        ])  # fmt: skip
    heads = ["kernel and input", "mean run", "message", "data", "buffers", "native µs", *map(short, WAYS),
             "best fixed way", "adaptive to it"]  # fmt: skip
    return Told(f"{mpi}: kernels of applications; the library's own datatype is 100", heads, cells)


def kernel_plot(title: str, points: Sequence[Point], names: Mapping[str, str]) -> Plot:
    """Return the same as a plot, a subplot for each library.

    Parameters
    ----------
    title : str
        The kind of data and buffers.
    points : sequence of Point
        Of kernels, of that kind, on all libraries.
    names : mapping
        Label of a library to its name with version.
    """
    libraries = by_library(points)
    inputs = list(dict.fromkeys(map(_input, points)))
    x = {"type": "category", "categoryorder": "array", "categoryarray": inputs, "title": {"text": ""},
         "range": [-0.5, len(inputs) - 0.5], "tickangle": -60}  # fmt: skip
    y = {
        "type": "log",
        "title": {"text": "time, the library's own is 100, log scale"},
        "dtick": "D2",
        "tickformat": "~g",
    }
    figure = Figure([names.get(mpi, mpi) for mpi in libraries], x, y, COLOURS)
    cells = []
    for number, (mpi, of) in enumerate(libraries.items()):
        for way in WAYS:
            has = [(point, share) for point in of if (share := point.ratio_to(way, NATIVE)) is not None]
            figure.add(
                number, role(way), short(way), [_input(point) for point, _ in has],
                [100 * share.value for _, share in has],
                [f"{_input(p)}\nruns of {bytes_text(p.block_bytes)}, {bytes_text(p.bytes)}\n{short(way)} to the "
                 f"library's own: {interval_text(share)}" for p, share in has],
                type="scatter", mode="markers", error_y={"visible": False},
                marker={"color": COLOURS[role(way)][0], "size": 11,
                        "symbol": "diamond" if way == ADAPTIVE else "circle"},
            )  # fmt: skip
            cells += [
                [mpi, _input(p), short(way), f"{100 * share.value:.0f}", interval_text(share)] for p, share in has
            ]
    columns = ["library", "kernel and input", "way", "of the library's own [%]", "with its interval"]
    return Plot(headline(f"{title}: kernels of applications"), figure.json(), columns, cells)
