"""A type's normal form as loops over elements, as someone would write them by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import gcd
from typing import Any

from gapless.datatype import Datatype
from gapless.lab.advice.construct import made
from gapless.lab.advice.fragment import MOST_NUMBERS, Numbers
from gapless.notation import fold

MOST_PIECES = 8  # written one behind the other
MOST_RUNS = 1_000_000  # read one by one, where the normal form is too long to be written


@dataclass(frozen=True)
class Run:
    """So many elements in a row."""

    length: int


@dataclass(frozen=True)
class Loop:
    """A part again and again, a stride apart."""

    count: int
    stride: int
    body: Node


@dataclass(frozen=True)
class Table:
    """A part at each of the places."""

    places: Numbers
    body: Node


@dataclass(frozen=True)
class Blocks:
    """Runs of unlike lengths at places."""

    lengths: Numbers
    places: Numbers


@dataclass(frozen=True)
class Pieces:
    """Unlike parts, each at its place."""

    parts: Sequence[tuple[int, Node]]


class Uneven(Exception):
    """Some run does not consist of whole elements at whole elements' places."""


Node = Run | Loop | Table | Blocks | Pieces


def node_of(datatype: Datatype, unit: int) -> Node | None:
    """Return the normal form in elements of `unit` bytes; None if something lies between two elements.

    Nodes nest no deeper than the logarithm of the type's size: each loop and each list has two copies or more.
    """
    explained = datatype.explain(1)
    text = str(explained["normal_form"])
    if text == "empty":
        return Pieces([])
    place = 0
    if text.startswith("at "):
        at, text = text.removeprefix("at ").split(": ", 1)
        place = int(at)
    try:
        if text.endswith(("...", "written out")):
            return _long(datatype, explained, unit)
        node = fold(text.replace(":", ","), lambda name, arguments: _node(name, arguments, unit))
        return node if place == 0 else Pieces([(_divided(place, unit), node)])
    except Uneven:
        return None


def _divided(number: int, unit: int) -> int:
    if number % unit:
        raise Uneven
    return number // unit


def _node(name: str, arguments: list[Any], unit: int) -> Node:
    """Return a node of the normal form's text, whose numbers are bytes."""

    def divided(values: Sequence[int]) -> list[int]:
        return [_divided(value, unit) for value in values]

    if name == "run":
        return Run(_divided(arguments[0], unit))
    if name == "loop":
        return Loop(arguments[0], _divided(arguments[1], unit), arguments[2])
    if name == "table":
        return Table(Numbers.of(divided(arguments[0])), arguments[1])
    if name == "blocks":
        return Blocks(*(Numbers.of(divided(values)) for values in arguments))
    if name != "sequence":
        raise ValueError(f"no normal form is called {name}")
    return _simpler(Pieces(list(zip(divided(arguments[::2]), arguments[1::2], strict=True))))


def _simpler(node: Pieces) -> Node:
    """Return a list of runs for pieces that are too many, or that are irregular: lists, or loops over few runs each."""
    loops = [part for _, part in node.parts if not isinstance(part, Table | Blocks)]
    pieces, regular = len(node.parts), sum(map(_run_count, loops))
    irregular = regular <= MOST_PIECES * pieces and (pieces > 3 or len(loops) < pieces)
    if _run_count(node) > MOST_RUNS or not (irregular or piece_count(node) > MOST_PIECES):
        return node
    return _listed(list(_runs(node, 0)))


@dataclass(frozen=True)
class _Outer:
    """A type, the constructor that made it, and what it was made of."""

    datatype: Datatype
    name: str
    given: Sequence[Any]
    old: _Outer | None

    @staticmethod
    def of(name: str, arguments: list[Any]) -> _Outer:
        """Return what `fold` builds of a constructor."""
        if not arguments:
            return _Outer(made(name, []), name, (), None)
        if name == "struct":
            members = [(length, place, old.datatype) for length, place, old in arguments[0]]
            return _Outer(made(name, [members]), name, (), None)
        *given, old = arguments
        return _Outer(made(name, [*given, old.datatype]), name, given, old)

    def loops(self) -> list[tuple[int, int]]:
        """Return how often and how far apart [bytes] the old type stands, the outer loop first."""
        extent = self.old.datatype.extent if self.old else 0
        if self.name in ("vector", "hvector"):
            count, length, stride = self.given
            return [(count, stride * (extent if self.name == "vector" else 1)), (length, extent)]
        return [(self.given[0], extent)] if self.name == "contiguous" else []


def _long(datatype: Datatype, explained: dict[str, Any], unit: int) -> Node:
    """Return the loops of a type whose normal form is too long to be written, around a list of runs."""
    outer, loops = fold(str(datatype), _Outer.of), []
    while outer.old and outer.name in ("contiguous", "vector", "hvector", "dup", "resized"):
        loops += outer.loops()
        outer = outer.old
    if not loops:
        return flat(datatype, explained, unit)
    node = node_of(outer.datatype, unit)
    if node is None:
        raise Uneven
    for count, stride in reversed(loops):
        node = Loop(count, _divided(stride, unit), node) if count > 1 else node
    return node


def flat(datatype: Datatype, explained: dict[str, Any], unit: int) -> Node:
    """Return the list of a type's runs, of which only the first few are known where there are very many."""
    runs = [(_divided(place, unit), _divided(length, unit)) for place, length in islice(datatype.iov(1), MOST_RUNS + 1)]
    if len(runs) <= MOST_RUNS:
        return _listed(runs)
    return Blocks(*(Numbers(explained["runs"], [run[i] for run in runs[:MOST_NUMBERS]]) for i in (1, 0)))


def _listed(runs: list[tuple[int, int]]) -> Node:
    """Return a list of runs: of equal ones, if parts of them are not many more than they are."""
    part = gcd(*(length for _, length in runs))
    parts = sum(length for _, length in runs) // part
    if parts == len(runs) or (parts <= 2 * len(runs) and not len(runs) <= MOST_NUMBERS < parts):
        places = [place for begin, length in runs for place in range(begin, begin + length, part)]
        return Table(Numbers.of(places), Run(part))
    places, lengths = ([run[i] for run in runs] for i in range(2))
    return Blocks(Numbers.of(lengths), Numbers.of(places))


def parts_of(node: Node) -> list[Node]:
    """Return what a node holds."""
    if isinstance(node, Pieces):
        return [part for _, part in node.parts]
    return [node.body] if isinstance(node, Loop | Table) else []


def _times(node: Node) -> int:
    """Return how often a node has its parts."""
    return node.count if isinstance(node, Loop) else node.places.total if isinstance(node, Table) else 1


def _run_count(node: Node) -> int:
    if isinstance(node, Blocks):
        return node.places.total
    return 1 if isinstance(node, Run) else _times(node) * sum(map(_run_count, parts_of(node)))


def piece_count(node: Node) -> int:
    """Return how many copying statements a node becomes."""
    return sum(map(piece_count, parts_of(node))) if parts_of(node) else 1


def depth_of(node: Node) -> int:
    """Return how many loops are in one another."""
    return (not isinstance(node, Pieces | Run)) + max(map(depth_of, parts_of(node)), default=0)


def _runs(node: Node, at: int) -> Iterator[tuple[int, int]]:
    """Yield place and length of each run, in order; all numbers of its lists are known."""
    if isinstance(node, Run):
        yield at, node.length
    elif isinstance(node, Blocks):
        for place, length in zip(node.places.first, node.lengths.first, strict=True):
            yield at + int(place), int(length)
    elif isinstance(node, Pieces):
        for place, part in node.parts:
            yield from _runs(part, at + place)
    else:
        places = (i * node.stride for i in range(node.count)) if isinstance(node, Loop) else node.places.first
        for place in places:
            yield from _runs(node.body, at + int(place))
