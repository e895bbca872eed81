"""Constructors as text: what docs/notation.md says, written by Python. Arguments in MPI's order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Base:
    """A base type: its name on the command line, in the notation, and its extent [bytes]."""

    name: str
    type: str
    bytes: int


BASES = {
    base.name: base
    for base in (
        Base("int", "int32", 4),
        Base("char", "char", 1),
        Base("short", "int16", 2),
        Base("float", "float", 4),
        Base("double", "double", 8),
        Base("byte", "byte", 1),
    )
}


def numbers(values: Sequence[int]) -> str:
    """Return a list; a range or a repetition in the shorthand of the notation."""
    if len(values) > 2:
        if isinstance(values, range):
            return f"[{values[0]}..{values[-1]}:{values.step}]"
        if values.count(values[0]) == len(values):
            return f"[{values[0]}*{len(values)}]"
    return f"[{', '.join(map(str, values))}]"


def contiguous(count: int, old: str) -> str:
    """Return MPI_Type_contiguous."""
    return f"contiguous({count}, {old})"


def vector(count: int, blocklength: int, stride: int, old: str) -> str:
    """Return MPI_Type_vector; the stride counts elements."""
    return f"vector({count}, {blocklength}, {stride}, {old})"


def hvector(count: int, blocklength: int, stride_bytes: int, old: str) -> str:
    """Return MPI_Type_create_hvector."""
    return f"hvector({count}, {blocklength}, {stride_bytes}, {old})"


def indexed(blocklengths: Sequence[int], displacements: Sequence[int], old: str) -> str:
    """Return MPI_Type_indexed; displacements count elements."""
    return f"indexed({numbers(blocklengths)}, {numbers(displacements)}, {old})"


def indexed_block(blocklength: int, displacements: Sequence[int], old: str) -> str:
    """Return MPI_Type_create_indexed_block; displacements count elements."""
    return f"indexed_block({blocklength}, {numbers(displacements)}, {old})"


def struct(*members: tuple[int, int, str]) -> str:
    """Return MPI_Type_create_struct of (block length, displacement in bytes, type)."""
    return f"struct([{', '.join(f'({length}, {at}, {old})' for length, at, old in members)}])"


def resized(lower_bound: int, extent: int, old: str) -> str:
    """Return MPI_Type_create_resized; both in bytes."""
    return f"resized({lower_bound}, {extent}, {old})"


def shortened(text: str, most: int = 200) -> str:
    """Return a type's text for people: a long one loses its middle."""
    return text if len(text) <= most else f"{text[: most * 2 // 3]} ... {text[-most // 3 + 5 :]}"
