"""MPI derived datatypes at contiguous speed: the engine for Python, and the `gapless` command.

    >>> import gapless
    >>> column = gapless.vector(3, 1, 4, "int32")
    >>> column.size, column.extent
    (12, 36)

Nothing is loaded before it is used: the command works where the extension is not built, and `import gapless` costs
nothing else. What type checkers see is in __init__.pyi.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Where each name of the interface is.
_MODULES = {
    "arrays": "from_array from_dtype layout_in_base",
    "basic_types": "aint bool byte char double double_complex double_int float float_complex float_int int8 int16 "
    "int32 int64 long_double long_double_complex long_double_int long_int packed short_int two_int uint8 uint16 "
    "uint32 uint64 wchar",
    "build_mpi4py": "to_mpi4py",
    "constructors": "bounded_vector bucket circular_vector contiguous darray dup hindexed hindexed_block hvector "
    "indexed indexed_block named parse resized struct subarray vector",
    "datatype": "Datatype copy",
    "decode_mpi4py": "from_mpi4py",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}
__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'gapless' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"gapless.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
