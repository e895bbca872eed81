"""Loops that pack and unpack a type as its base type, or as bytes where it has several."""

from __future__ import annotations

import gapless
from gapless.datatype import Datatype
from gapless.lab.advice.fragment import COUNT, INT, INTEGER, Fragment, Loops, Place, fits
from gapless.lab.advice.names import BYTES, PAIRS
from gapless.lab.advice.normal_form import (
    MOST_PIECES,
    Blocks,
    Loop,
    Node,
    Pieces,
    Run,
    Table,
    depth_of,
    flat,
    node_of,
    parts_of,
    piece_count,
)
from gapless.notation import fold

VARIABLES = "ijklmpqrstuvw"


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
        if piece_count(node) > MOST_PIECES or depth_of(node) >= len(VARIABLES):
            node = flat(datatype, datatype.explain(1), unit)
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
        for part in parts_of(node):
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
