"""The messages of the demo: data that programs send, in plain words, and the datatypes that describe them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from gapless.lab.cases import CONTIGUOUS, PAYLOAD, Case

BASIC, LISTED = "basic", "listed"
METHODS = (CONTIGUOUS, "pack", "native", "gapless")
LONGEST_TEXT = 72


@dataclass(frozen=True)
class Message:
    """One message of the demo.

    Attributes
    ----------
    layout : str
        A short name.
    words : str
        What is sent, for people.
    bytes : int
        The payload.
    types : dict
        Description to the text of its datatype (docs/notation.md); all have one type map, and one element is sent.
    contiguous : str
        The type of an element of the same data where they lie densely.
    """

    layout: str
    words: str
    bytes: int
    types: dict[str, str]
    contiguous: str = "double"

    @property
    def group(self) -> str:
        """Return for example ``blocks_40/1048560``."""
        return f"{self.layout}/{self.bytes}"

    @property
    def case(self) -> Case:
        """Return what is measured of it."""
        dense = self.bytes // {"int32": 4, "double": 8}[self.contiguous]
        messages = [{"name": PAYLOAD, "count": dense, "type": self.contiguous, "layout": PAYLOAD}]
        messages += [{"name": name, "count": 1, "type": text, "layout": "data"} for name, text in self.types.items()]
        told = {
            "group": self.group, "layout": self.layout, "words": self.words, "variant": 0, "A": 0,
            "bytes": self.bytes, "payload_bytes": self.bytes,
        }  # fmt: skip
        return Case(told, messages, {PAYLOAD: self.contiguous} | {k: short(t) for k, t in self.types.items()}, {})


def _second_blocks(count: int, doubles: int) -> Message:
    """Return `count` blocks of so many doubles, each followed by a gap as long."""
    types = {
        BASIC: f"vector({count}, {doubles}, {2 * doubles}, double)",
        LISTED: f"indexed_block({doubles}, [0..{2 * doubles * (count - 1)}:{2 * doubles}], double)",
    }
    size = 8 * doubles
    return Message(f"blocks_{size}", f"every second {size}-byte block of an array", count * size, types)


def _column(rows: int, columns: int) -> Message:
    words = f"a column of a {rows} x {columns} matrix"
    return Message("column", words, 8 * rows, {BASIC: f"vector({rows}, 1, {columns}, double)"})


def _face(n: int) -> Message:
    types = {
        BASIC: f"subarray([{n}, {n}, {n}], [{n}, {n}, 1], [0, 0, 0], C, double)",
        LISTED: f"indexed_block(1, [0..{n * (n * n - 1)}:{n}], double)",
    }
    return Message("face", f"a face of a {n} x {n} x {n} array", 8 * n * n, types)


def _positions(particles: int) -> Message:
    words = "the position of every particle, 24 of 64 bytes"
    return Message("positions", words, 24 * particles, {BASIC: f"vector({particles}, 3, 8, double)"})


def _particles(chosen: int) -> Message:
    """Return a third of the particles of an array, chosen once and for all."""
    places = sorted(random.Random(1).sample(range(3 * chosen), chosen))
    listed = ", ".join(str(64 * place) for place in places)
    types = {BASIC: f"hindexed_block(1, [{listed}], contiguous(6, double))"}
    return Message("particles", "a list of particles, 48 of 64 bytes each", 48 * chosen, types)


def _structs(count: int) -> Message:
    one = "resized(0, 16, struct([(1, 0, double), (1, 8, int32)]))"
    words = "C structs: a double and an int, 12 of 16 bytes"
    return Message("structs", words, 12 * count, {BASIC: f"contiguous({count}, {one})"}, "int32")


def _transposed(n: int) -> Message:
    types = {BASIC: f"hvector({n}, 1, 8, vector({n}, 1, {n}, double))"}
    return Message("transposed", f"a {n} x {n} matrix, column by column", 8 * n * n, types)


def _tile(n: int) -> Message:
    words = f"a {n} x {n} tile of a larger matrix"
    return Message("tile", words, 8 * n * n, {BASIC: f"vector({n}, {n}, {4 * n}, double)"})


# Large ones do not fit into a first or second cache, so that the way through memory counts; in small ones there is
# little to gain, and they show what the layer costs. The tile has runs that MPI libraries copy well themselves.
MESSAGES = (
    _second_blocks(131072, 1), _second_blocks(26214, 5), _structs(87381), _positions(43690), _particles(21845),
    _face(128), _transposed(362), _tile(362),
    _second_blocks(512, 1), _column(512, 512), _particles(85), _structs(341),
)  # fmt: skip
QUICK_MESSAGES = (_second_blocks(32768, 1), _structs(341))


def short(text: str) -> str:
    """Return a type's text with its lists left out where it would be long."""
    if len(text) <= LONGEST_TEXT:
        return text
    before, _, rest = text.partition("[")
    listed, _, after = rest.partition("]")
    numbers = listed.count(",") + 1
    return f"{before}[{numbers} numbers]{after}"
