"""Loops that pack and unpack a type as its base type, or as bytes where it has several: from the normal form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import gcd
from typing import Any

import gapless
from gapless.datatype import Datatype
from gapless.lab.advice.construct import made
from gapless.lab.advice.fragment import (
    COUNT,
    INT,
    INTEGER,
    MOST_NUMBERS,
    Fragment,
    Loops,
    Numbers,
    Place,
    fits,
)  # fmt: skip
from gapless.lab.advice.names import BYTES, PAIRS
from gapless.notation import fold

MOST_PIECES = 8  # written one behind the other
MOST_RUNS = 1_000_000  # read one by one, where the normal form is too long to be written
VARIABLES = "ijklmpqrstuvw"


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
    if _run_count(node) > MOST_RUNS or not (irregular or _pieces(node) > MOST_PIECES):
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
        return _flat(datatype, explained, unit)
    node = node_of(outer.datatype, unit)
    if node is None:
        raise Uneven
    for count, stride in reversed(loops):
        node = Loop(count, _divided(stride, unit), node) if count > 1 else node
    return node


def _flat(datatype: Datatype, explained: dict[str, Any], unit: int) -> Node:
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


def _parts(node: Node) -> list[Node]:
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
    return 1 if isinstance(node, Run) else _times(node) * sum(map(_run_count, _parts(node)))


def _pieces(node: Node) -> int:
    """Return how many copying statements a node becomes."""
    return sum(map(_pieces, _parts(node))) if _parts(node) else 1


def _depth(node: Node) -> int:
    """Return how many loops are in one another."""
    return (not isinstance(node, Pieces | Run)) + max(map(_depth, _parts(node)), default=0)


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


class ByHand:
    """Loops over the elements of a message.

    Parameters
    ----------
    datatype : Datatype
        The type of the message's elements.
    count : int
        How many there are: loops over one element leave the loop over `count` out.
    fragment : Fragment
        Where the loops are to be written.
    """

    def __init__(self, datatype: Datatype, count: int, fragment: Fragment) -> None:
        self._fragment, self._count = fragment, count
        bases: set[str] = set()
        fold(str(datatype), lambda name, arguments: None if arguments else bases.add(name))
        self.base, unit, node = BYTES, 1, None
        if len(bases) == 1 and not bases & set(PAIRS):
            (self.base,) = bases
            unit = gapless.Datatype(self.base).size
            if count <= 1 or datatype.extent % unit == 0:
                node = node_of(datatype, unit)
        self._is_bytes = node is None
        if node is None:
            self.base, unit = BYTES, 1
            node = node_of(datatype, unit)
            assert node is not None  # bytes are whole
        if node is not None and (_pieces(node) > MOST_PIECES or _depth(node) >= len(VARIABLES)):
            node = _flat(datatype, datatype.explain(1), unit)
        if count != 1 and datatype.size > 0:
            # The message's own loop; its end is a variable.
            node = Loop(-1, datatype.extent // unit, node)
        self._node = node
        self._units = datatype.size // unit
        self._end = (datatype.true_lower_bound + datatype.true_extent + max(count - 1, 0) * datatype.extent) // unit
        self._begin = datatype.true_lower_bound // unit + min(max(count - 1, 0) * datatype.extent // unit, 0)
        self._arrays: dict[int, tuple[str, ...]] = {}
        self._used: set[str] = set()

    def write(self) -> tuple[str, list[str], list[str], bool]:
        """Write declarations and what allocates memory.

        Returns
        -------
        total : str
            How many elements of the base type are sent.
        packing, unpacking : list of str
            The loops.
        large : bool
            Whether `total` is a large count.
        """
        fragment = self._fragment
        element = fragment.names[self.base][1]
        large = self._units * max(self._count, 1) >= INT
        fragment.is_far = large or not (fits(self._begin) and fits(self._end))
        data = fragment.view(element, self._is_bytes, self._end)
        if self._count == 1:
            total = fragment.integer(self._units, COUNT if large else INTEGER)
        else:
            total = fragment.product("total", self._units, large)
        fragment.allocate(element, "packed", total)
        self._make_arrays(self._node)
        packing, unpacking = (self._loops(self._node, Place(), data, way, 0).lines for way in (True, False))
        fragment.index(*sorted(self._used))
        return total, packing, unpacking, large

    def _make_arrays(self, node: Node) -> None:
        """Make the lists of a node and what it holds, before any loop."""
        kind = COUNT if self._fragment.is_far else INTEGER
        elements = "bytes" if self._is_bytes else "elements"
        if isinstance(node, Table | Blocks):
            begins = f"where block i begins, in {elements}"
            places = self._fragment.fresh_list("displacements", node.places, kind, begins)
            self._arrays[id(node)] = (places,)
        if isinstance(node, Blocks):
            lengths = self._fragment.fresh_list("lengths", node.lengths, kind, f"{elements} of block i")
            self._arrays[id(node)] += (lengths,)
        for part in _parts(node):
            self._make_arrays(part)

    def _loops(self, node: Node, at: Place, data: str, packing: bool, depth: int) -> Loops:
        """Return the loops over a node that begins at a place."""
        fragment = self._fragment
        if isinstance(node, Run):
            return fragment.move(data, at, node.length, packing, self._is_bytes)
        if isinstance(node, Pieces):
            all_of_them = Loops()
            for place, part in node.parts:
                all_of_them.add(self._loops(part, at.moved(place), data, packing, depth))
            return all_of_them
        variable = VARIABLES[depth]
        self._used.add(variable)
        if isinstance(node, Loop):
            inner = at.along(node.stride, variable)
            end = "count" if node.count < 0 else str(node.count)
            return fragment.loop(variable, end, self._loops(node.body, inner, data, packing, depth + 1))
        names = [fragment.element(name, variable) for name in self._arrays[id(node)]]
        inner = at.along(1, names[0])
        if isinstance(node, Blocks):
            body = fragment.move(data, inner, names[1], packing, self._is_bytes)
        else:
            body = self._loops(node.body, inner, data, packing, depth + 1)
        return fragment.loop(variable, str(node.places.total), body)
