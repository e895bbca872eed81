"""libgapless-mpi in this process, beside the MPI library that mpi4py has loaded."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gapless.errors import GaplessError
from gapless.paths import INSTALLED, build_folder, uses_installed

if TYPE_CHECKING:
    from mpi4py import MPI


class Handle:
    """An mpi4py object's handle: its place, and what C passes for it."""

    def __init__(self, kind: Any) -> None:
        from mpi4py import MPI

        # A handle is an int in MPICH's ABI, a pointer in the others.
        self.ctype: Any = ctypes.c_int if MPI._sizeof(kind) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p
        self._of = MPI._addressof

    def of(self, held: Any) -> Any:
        """Return the handle as an argument."""
        return self.ctype.from_address(self._of(held))


def _loaded_mpi() -> str:
    """Return the path of the MPI library that this process has loaded."""
    mapped = {line.split(maxsplit=5)[-1].strip() for line in Path("/proc/self/maps").read_text().splitlines()}
    names = ("libmpi.so", "libmpi_abi.so", "libmpich.so")
    found = sorted(path for path in mapped if os.path.basename(path).startswith(names))
    if not found:
        raise GaplessError(
            "mpi4py has loaded no MPI library under a name that is known (libmpi, libmpi_abi, libmpich)",
            "run the program under the layer, which finds the library by its functions: gapless run -- mpiexec ...",
        )
    return found[0]


def _abi() -> str:
    from mpi4py import MPI

    if "libmpi_abi" in os.path.basename(_loaded_mpi()):
        return "standard"
    return "openmpi" if MPI.Get_library_version().startswith("Open MPI") else "mpich"


@cache
def library() -> ctypes.CDLL:
    """Return the library: the layer's, where the process runs under it, else the one of the library's ABI.

    Raises
    ------
    GaplessError
        If MPI is not initialised, or libgapless-mpi is not there for its ABI.
    """
    from mpi4py import MPI

    if not MPI.Is_initialized() or MPI.Is_finalized():
        raise GaplessError("MPI is not initialised, or was finalised", "call this between MPI.Init and MPI.Finalize")
    # Python loads an extension's libraries for itself alone: others find MPI's functions only from now on.
    ctypes.CDLL(_loaded_mpi(), os.RTLD_GLOBAL | os.RTLD_NOLOAD)
    layer = ctypes.CDLL(None)
    if hasattr(layer, "GAPLESS_Copy"):
        return layer
    name = f"libgapless_mpi_{_abi()}.so"
    path = INSTALLED / name if uses_installed() else build_folder() / "src" / "preload" / name
    if not path.is_file():
        raise GaplessError(
            f"there is no {path}, which is made for each MPI ABI that is found where Gapless is built", "make build"
        )
    return ctypes.CDLL(str(path))


def call(function: str, *arguments: Any) -> None:
    """Call a function of gapless_mpi.h; `arguments` are of ctypes.

    Raises
    ------
    mpi4py.MPI.Exception
        What MPI's own would raise.
    """
    from mpi4py import MPI

    code = getattr(library(), function)(*arguments)
    if code != MPI.SUCCESS:
        raise MPI.Exception(code)


class Memory:
    """A buffer as MPI gets it; keeps what it is of alive."""

    def __init__(self, given: Any, writable: bool) -> None:
        from mpi4py import MPI

        self.is_in_place = given is MPI.IN_PLACE
        if given is MPI.BOTTOM or self.is_in_place:
            self.address, self.size = int(given), None
            return
        kind = getattr(MPI, "buffer", None) or MPI.memory
        self._view = kind.frombuffer(given, readonly=not writable)
        self.address, self.size = self._view.address, self._view.nbytes

    def argument(self) -> ctypes.c_void_p:
        """Return its address."""
        return ctypes.c_void_p(self.address)

    def must_hold(self, count: int, datatype: MPI.Datatype, name: str, place: int = 0) -> None:
        """Raise ValueError if `count` elements from `place` [bytes] on are not all inside."""
        if self.size is None or count == 0 or datatype.Get_size() == 0:
            return
        extent = datatype.Get_extent()[1]
        true_lower_bound, true_extent = datatype.Get_true_extent()
        ends = (place + true_lower_bound, place + true_lower_bound + (count - 1) * extent)
        first, last = min(ends), max(ends) + true_extent
        if first < 0 or last > self.size:
            raise ValueError(f"{name}: {count} elements take the bytes {first} to {last} of a buffer of {self.size}")


def count_of(value: int) -> ctypes.c_int64:
    """Return an MPI_Count; OverflowError if it is none."""
    if not -(2**63) <= value < 2**63:
        raise OverflowError(f"{value} does not fit an MPI_Count")
    return ctypes.c_int64(value)


def counts_of(values: Sequence[int]) -> Any:
    """Return an array of MPI_Count or MPI_Aint; OverflowError if one does not fit."""
    return (ctypes.c_int64 * max(1, len(values)))(*(count_of(value).value for value in values))
