"""What is sent or received: its address, its layout, and the handle that the library knows the layout by."""

from __future__ import annotations

import ctypes
import operator
import weakref
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gapless.arrays import from_strides
from gapless.channel.library import fabric
from gapless.datatype import Datatype, as_datatype
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gapless.datatype import Memory

MOST_LAYOUTS = 256  # of arrays that are remembered
MOST_COUNT = 2**63 - 1


class Layout:
    """A layout as the library has it: a gapless_type."""

    def __init__(self, serialised: bytes) -> None:
        self.handle = ctypes.c_void_p()
        if fabric().gapless_type_deserialise(serialised, len(serialised), ctypes.byref(self.handle)) != 0:
            text = fabric().gapless_last_error().decode("utf-8", "replace")
            raise GaplessError(text, "use a libgapless_fabric of this version")
        weakref.finalize(self, fabric().gapless_type_free, ctypes.byref(self.handle)).atexit = False


# One handle for each, since the library remembers layouts by handles.
_layouts: weakref.WeakKeyDictionary[Datatype, Layout] = weakref.WeakKeyDictionary()


def layout_of(datatype: Datatype) -> Layout:
    """Return the library's handle of a datatype; it is made at the first use of one that is equal."""
    known = _layouts.get(datatype)
    if known is None:
        known = _layouts[datatype] = Layout(datatype.serialise())
    return known


@lru_cache(MOST_LAYOUTS)
def _layout_of_array(dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...]) -> Layout:
    return layout_of(from_strides(dtype, shape, strides))


# The library's handle lives as long as a datatype does.
@lru_cache(MOST_LAYOUTS)
def _parsed(text: str) -> Datatype:
    return Datatype(text)


class Message:
    """`count` elements of `layout` at `address`, all inside memory that `owner` keeps alive."""

    __slots__ = ("address", "count", "layout", "owner")

    def __init__(self, given: Memory, datatype: Datatype | str | None, count: int | None, offset: int) -> None:
        array = as_array(given)
        self.owner = array
        if datatype is None:
            if count is not None or offset != 0:
                raise TypeError(
                    "count and offset are of a datatype, and none is given: an array has a layout of its own"
                )
            self.count, self.address = 1, array.ctypes.data
            self.layout = _layout_of_array(array.dtype, array.shape, array.strides)
            return
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            raise ValueError(
                "with a datatype the memory must be in one piece: give the view without one, or its base "
                "(gapless.layout_in_base)"
            )
        made = _parsed(datatype) if isinstance(datatype, str) else as_datatype(datatype)
        self.count, place = 1 if count is None else operator.index(count), operator.index(offset)
        self.address = array.ctypes.data + place
        _must_hold(array.nbytes, made, self.count, place)
        self.layout = layout_of(made)


def as_array(given: Memory) -> NDArray[Any]:
    """Return an array itself, of any other buffer its bytes, without a copy.

    Parameters
    ----------
    given : buffer
        If it is no array, C-contiguous.

    Raises
    ------
    TypeError
        If it is no buffer, or holds references to Python objects.
    BufferError
        If it has gaps.
    """
    if isinstance(given, np.ndarray):
        if given.dtype.hasobject:
            raise TypeError(f"dtype {given.dtype} holds references to Python objects, whose bytes are nobody's to move")
        return given
    try:
        view = memoryview(given)
    except TypeError:
        raise TypeError(f"a NumPy array or another buffer is needed, not '{type(given).__name__}'") from None
    if "O" in view.format:
        raise TypeError("the buffer holds references to Python objects, whose bytes are nobody's to move")
    if not view.c_contiguous:
        raise BufferError("the buffer has gaps: numpy.asarray(it) says its layout")
    return np.frombuffer(view, np.uint8) if view.nbytes else np.empty(0, np.uint8)


def _must_hold(size: int, datatype: Datatype, count: int, offset: int) -> None:
    """Raise unless `count` elements from `offset` [bytes] on are all inside `size` bytes."""
    if not 0 <= count <= MOST_COUNT:
        raise ValueError(f"{count} elements: a message has 0 to 2^63 - 1")
    if count == 0 or datatype.size == 0:
        return
    ends = (offset + datatype.true_lower_bound, offset + datatype.true_lower_bound + (count - 1) * datatype.extent)
    first, last = min(ends), max(ends) + datatype.true_extent
    if first < 0 or last > size:
        raise ValueError(f"{count} elements take the bytes {first} to {last} of a buffer of {size}")


def outermost(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array at the end of a view's bases: when it ends, the memory may go."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def range_of(array: NDArray[Any]) -> tuple[int, int]:
    """Return the lowest address of an array's elements, and how many bytes it is to the end of the highest one."""
    if array.size == 0:
        return array.ctypes.data, 0
    steps = [(size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True)]
    low, high = sum(step for step in steps if step < 0), sum(step for step in steps if step > 0)
    return array.ctypes.data + low, high - low + array.itemsize
