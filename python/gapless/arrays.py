"""NumPy's dtypes and strided views as datatypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gapless.constructors import contiguous, hvector, named, resized, struct
from gapless.datatype import Datatype

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import DTypeLike, NDArray

# By kind and bytes. Two-byte floats, dates and texts have no type in MPI: see below.
NAMES = {
    "b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16",
    "u4": "uint32", "u8": "uint64", "f4": "float", "f8": "double", "c8": "float_complex", "c16": "double_complex",
}  # fmt: skip
LONG_NAMES = {"g": "long_double", "G": "long_double_complex"}


def from_dtype(dtype: DTypeLike) -> Datatype:
    """Return the datatype of a NumPy dtype: its fields in their order, its extent the dtype's item size.

    Texts are their characters, dates and time spans are int64, two-byte floats and void are bytes.

    Parameters
    ----------
    dtype : dtype or what numpy.dtype takes
        Structured ones and subarrays, too.

    Raises
    ------
    TypeError
        If it holds references to Python objects.
    ValueError
        If its bytes are swapped.
    """
    import numpy as np

    return _from_dtype(np.dtype(dtype))


def _from_dtype(dtype: np.dtype[Any]) -> Datatype:
    if dtype.hasobject:
        raise TypeError(f"dtype {dtype} holds references to Python objects, whose bytes are nobody's to move")
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        old = _from_dtype(base)
        for size in reversed(shape):
            old = contiguous(size, old)
        return old
    if dtype.fields is not None:
        assert dtype.names is not None
        members = [dtype.fields[name] for name in dtype.names]
        inner = struct([1] * len(members), [member[1] for member in members], [_from_dtype(m[0]) for m in members])
        return resized(0, dtype.itemsize, inner)
    if not dtype.isnative:
        raise ValueError(f"dtype {dtype} has its bytes swapped, which no datatype says: convert the array first")
    if dtype.char in LONG_NAMES:
        return named(LONG_NAMES[dtype.char])
    name = NAMES.get(f"{dtype.kind}{dtype.itemsize}")
    if name is not None:
        return named(name)
    if dtype.kind in "mM":
        return named("int64")
    if dtype.kind == "U":
        return contiguous(dtype.itemsize // 4, "uint32")
    if dtype.kind == "S":
        return contiguous(dtype.itemsize, "char")
    if dtype.kind in "fV":
        return contiguous(dtype.itemsize, "byte")
    raise TypeError(f"dtype {dtype} is no bytes of a fixed layout")


def from_array(array: NDArray[Any]) -> Datatype:
    """Return the layout of an array: its elements in C order, displacement 0 the address of its first one.

    Parameters
    ----------
    array : ndarray
        With any strides.
    """
    return from_strides(array.dtype, array.shape, array.strides)


def from_strides(dtype: DTypeLike, shape: tuple[int, ...], strides: tuple[int, ...]) -> Datatype:
    """Return the layout of an array of which this is known; strides in bytes."""
    old = from_dtype(dtype)
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        old = hvector(size, 1, stride, old)
    return old


def layout_in_base(view: NDArray[Any]) -> tuple[Datatype, NDArray[Any], int]:
    """Return a view's layout, the array whose memory it shows, and the offset of the view's first element in that.

    Parameters
    ----------
    view : ndarray
        With any strides.

    Raises
    ------
    ValueError
        If the memory is not that of an array in one piece.

    Examples
    --------
    >>> import numpy, gapless
    >>> matrix = numpy.arange(6, dtype="i2").reshape(2, 3)
    >>> column, base, offset = gapless.layout_in_base(matrix[:, 1])
    >>> numpy.frombuffer(column.pack(base, offset=offset), "i2").tolist()
    [1, 4]
    """
    import numpy as np

    owner = view
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        raise ValueError("the array at the end of the view's bases has gaps itself")
    return from_array(view), owner, view.ctypes.data - owner.ctypes.data
