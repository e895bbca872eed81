"""The calls that make a type, from the innermost outwards, and those that free what was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gapless import constructors as make
from gapless.build_mpi4py import circular_blocks
from gapless.datatype import Datatype
from gapless.lab.advice.fragment import ADDRESS, COUNT, FIXED, HANDLE, INTEGER, Fragment, Numbers, Value, fits
from gapless.lab.advice.names import PAIRS
from gapless.notation import fold

# Types of the notation that MPI has no constructor for.
OURS = ("bounded_vector", "circular_vector", "bucket")


@dataclass(eq=False)
class Handle:
    """A type that a call makes; it is named when it is known how many there are."""

    name: str = ""


@dataclass(frozen=True)
class Argument:
    """A number, a list of numbers or words, a handle, a list of handles, or a word."""

    value: Any
    kind: str = ""
    name: str = ""  # of the array that holds a list
    meaning: str = ""


@dataclass(frozen=True)
class Call:
    """A constructor of MPI."""

    procedure: str
    arguments: Sequence[Argument]
    made: Handle

    @property
    def is_large(self) -> bool:
        """Whether a number does not fit into an int."""
        counts = [argument.value for argument in self.arguments if argument.kind == INTEGER]
        return not all(all(map(fits, value)) if isinstance(value, list) else fits(value) for value in counts)


def in_mpi(datatype: Datatype) -> Datatype:
    """Return a type of the same layout that MPI's own constructors make: structs of vectors, and indexed."""
    text = str(datatype)
    return fold(text, _in_mpi) if any(f"{name}(" in text for name in OURS) else datatype


def made(name: str, arguments: list[Any]) -> Datatype:
    """Return what a named type or a constructor of the notation makes of types."""
    if not arguments:
        return make.named(name)
    if name == "struct":
        lengths, places, olds = ([member[i] for member in arguments[0]] for i in range(3))
        return make.struct(lengths, places, olds)
    *given, old = arguments
    ordered = (*given[:-1], old, given[-1]) if name in ("subarray", "darray") else (*given, old)
    ours: Datatype = getattr(make, name)(*ordered)
    return ours


def _in_mpi(name: str, arguments: list[Any]) -> Datatype:
    ours = made(name, arguments)
    if name not in OURS:
        return ours
    *given, old = arguments
    if name == "bucket":
        theirs = make.indexed(given[1], [slot * given[0] for slot in range(len(given[1]))], old)
    else:
        blocks = list(circular_blocks(*(given if name == "circular_vector" else (given[0], 0, *given))))
        if len(blocks) == 1 and blocks[0][0] == 0:
            theirs = make.vector(*blocks[0][1:], given[-1], old)
        elif all(count == 1 for _, count, _ in blocks):
            theirs = make.indexed([length for _, _, length in blocks], [first for first, _, _ in blocks], old)
        else:
            vectors = [
                make.vector(count, length, given[-1], old) if count > 1 else make.contiguous(length, old)
                for _, count, length in blocks
            ]
            theirs = make.struct([1] * len(blocks), [first * old.extent for first, _, _ in blocks], vectors)
    if (theirs.lower_bound, theirs.extent) == (ours.lower_bound, ours.extent):
        return theirs
    return make.resized(ours.lower_bound, ours.extent, theirs)


def _numbers(values: list[Any], name: str, meaning: str, kind: str = INTEGER) -> Argument:
    return Argument(values, kind, name, meaning)


LENGTHS = ("lengths", "elements of block i")
PLACES = ("displacements", "where block i begins, in elements of the old type")
PLACES_BYTES = ("displacements", "where block i begins, in bytes", ADDRESS)


def _call(name: str, given: list[Any], old: Any) -> tuple[str, list[Argument]]:
    """Return MPI's name of a constructor and what stands before the new type's handle."""
    handle = Argument(old, HANDLE)
    if name == "struct":
        lengths, places, olds = ([member[i] for member in given[0]] for i in range(3))
        lists = [_numbers(lengths, *LENGTHS), _numbers(places, *PLACES_BYTES)]
        types = Argument(olds, HANDLE, "types", "the type of block i")
        return "MPI_Type_create_struct", [Argument(len(lengths), INTEGER), *lists, types]
    if name in ("contiguous", "vector"):
        return f"MPI_Type_{name}", [*(Argument(value, INTEGER) for value in given), handle]
    if name == "hvector":
        kinds = (INTEGER, INTEGER, ADDRESS)
        return "MPI_Type_create_hvector", [*map(Argument, given, kinds), handle]
    if name in ("indexed", "hindexed", "indexed_block", "hindexed_block"):
        length = Argument(given[0], INTEGER) if name.endswith("block") else _numbers(given[0], *LENGTHS)
        place = _numbers(given[1], *(PLACES_BYTES if name.startswith("h") else PLACES))
        count = Argument(len(given[1]), INTEGER)
        return f"MPI_Type_{'' if name == 'indexed' else 'create_'}{name}", [count, length, place, handle]
    if name == "resized":
        return "MPI_Type_create_resized", [handle, *(Argument(value, ADDRESS) for value in given)]
    if name == "dup":
        return "MPI_Type_dup", [handle]
    order = Argument(f"MPI_ORDER_{given[-1].upper()}")
    dimensions = "of dimension i"
    if name == "subarray":
        lists = [
            _numbers(given[0], "sizes", f"the array's elements {dimensions}"),
            _numbers(given[1], "subsizes", f"the box's elements {dimensions}"),
            _numbers(given[2], "starts", f"where the box begins in elements {dimensions}"),
        ]
        return "MPI_Type_create_subarray", [Argument(len(given[0]), FIXED), *lists, order, handle]
    processes, rank, sizes, entries, grid, _ = given
    pairs = [entry if isinstance(entry, tuple) else (entry, "MPI_DISTRIBUTE_DFLT_DARG") for entry in entries]
    lists = [
        _numbers(sizes, "sizes", f"the array's elements {dimensions}"),
        _numbers([f"MPI_DISTRIBUTE_{word.upper()}" for word, _ in pairs], "distributions", dimensions, FIXED),
        _numbers([argument for _, argument in pairs], "distribution_arguments", dimensions, FIXED),
        _numbers(grid, "process_grid", f"the processes {dimensions}", FIXED),
    ]
    begin = [Argument(value, FIXED) for value in (processes, rank, len(sizes))]
    return "MPI_Type_create_darray", [*begin, *lists, order, handle]


class Constructed:
    """The calls that make a type.

    Parameters
    ----------
    datatype : Datatype
        The type.
    fragment : Fragment
        Where the calls are to be written.
    """

    def __init__(self, datatype: Datatype, fragment: Fragment) -> None:
        self._fragment = fragment
        self._calls: list[Call] = []
        self._known: dict[tuple[Any, ...], Handle] = {}
        last = fold(str(in_mpi(datatype)), self._build)
        self._made = [call.made for call in self._calls]
        for handle in self._made:
            handle.name = fragment.unique("newtype" if handle is last else "oldtype")
        self.handle: str = last.name

    def _build(self, name: str, arguments: list[Any]) -> Handle:
        if not arguments:
            return Handle(PAIRS[name] if name in PAIRS else self._fragment.names[name][0])
        given, old = (arguments, None) if name == "struct" else (arguments[:-1], arguments[-1])
        procedure, listed = _call(name, given, old)
        # A type that occurs twice is made once.
        key = (procedure, *(_identity(argument.value) for argument in listed))
        if key not in self._known:
            self._known[key] = Handle()
            self._calls.append(Call(procedure, listed, self._known[key]))
        return self._known[key]

    def write(self) -> None:
        """Write the calls, free what only other types need, and commit."""
        fragment = self._fragment
        if not self._calls:
            return
        fragment.declare(HANDLE, *(handle.name for handle in self._made))
        for call in self._calls:
            arguments = [self._written(argument, call.is_large) for argument in call.arguments]
            fragment.call(call.procedure, *arguments, f"&{call.made.name}", large=call.is_large)
        for handle in self._made:
            if handle.name != self.handle:
                fragment.call("MPI_Type_free", f"&{handle.name}")
        fragment.call("MPI_Type_commit", f"&{self.handle}")

    def free(self) -> None:
        """Free the type."""
        if self._calls:
            self._fragment.call("MPI_Type_free", f"&{self.handle}")

    def _written(self, argument: Argument, large: bool) -> str:
        kind, value = argument.kind, argument.value
        if large and kind in (INTEGER, ADDRESS):
            kind = COUNT
        if isinstance(value, Handle):
            return value.name
        if isinstance(value, list):
            values: list[Value] = [each.name if isinstance(each, Handle) else each for each in value]
            return self._fragment.fresh_list(argument.name, Numbers.of(values), kind, argument.meaning)
        return value if isinstance(value, str) else self._fragment.integer(value, kind)


def _identity(value: Any) -> Any:
    """Return what is equal for equal arguments: of a named type its name, of another that a call made itself."""
    if isinstance(value, list):
        return tuple(map(_identity, value))
    return (value.name or id(value)) if isinstance(value, Handle) else value
