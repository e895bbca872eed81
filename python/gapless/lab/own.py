"""Comparisons of the user's own: two messages in the text notation, from the command line or a TOML file."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gapless.engine import TypeTextError, explain_type
from gapless.errors import GaplessError
from gapless.lab.catalogue import CONTIGUOUS, NOT_SLOWER, PATTERNS, SIMILAR
from gapless.lab.layouts.layout import Message
from gapless.lab.layouts.notation import BASES, shortened
from gapless.lab.plan import Group, Place, Plan, Selection
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

EXPECTATIONS = {"<=": NOT_SLOWER, "~": SIMILAR}
EXAMPLE = "'8 x vector(1000, 1, 64, double) <= contiguous'"
COUNTED = re.compile(r"\s*(?:(\d+)\s*[x*]\s+)?(.*\S)\s*", re.DOTALL)


@dataclass(frozen=True)
class Pair:
    """A message of the user's, what it is compared with, and what is expected of it.

    Attributes
    ----------
    name : str
        What the row is called.
    compared, reference : str
        ``TYPE`` or ``COUNT x TYPE``; the reference may be ``contiguous``: the same bytes without gaps.
    expectation : str
        ``not slower`` or ``similar``.
    patterns : tuple of str
        pingpong, bcast, allgather.
    """

    name: str
    compared: str
    reference: str = CONTIGUOUS
    expectation: str = NOT_SLOWER
    patterns: tuple[str, ...] = ("pingpong",)

    def as_json(self) -> dict[str, Any]:
        """Return the pair as `from_table` reads it."""
        return asdict(self)


def parse_pair(text: str) -> Pair:
    """Read ``[NAME:] COMPARED <= REFERENCE``, or with ``~`` for similar.

    Examples
    --------
    >>> parse_pair("rows: 4 x vector(8, 1, 2, int32) ~ vector(32, 1, 2, int32)").expectation
    'similar'
    """
    name, colon, rest = text.partition(":")
    if not colon or not re.fullmatch(r"[\w .-]+", name):
        name, rest = "", text
    sign = next((sign for sign in EXPECTATIONS if sign in rest), None)
    if sign is None:
        raise GaplessError(f"'{text}' compares nothing", f"write COMPARED <= REFERENCE (or ~), for example {EXAMPLE}")
    compared, _, reference = rest.partition(sign)
    return Pair(name.strip() or shortened(rest.strip(), 80), compared, reference, EXPECTATIONS[sign])


def from_table(table: Mapping[str, Any], where: str) -> Pair:
    """Return the pair of one ``[[pair]]`` of a TOML file."""
    if not isinstance(table, Mapping):
        raise GaplessError(f"{where} is no table", 'write [[pair]], and below it compared = "COUNT x TYPE"')
    known = {"name", "compared", "reference", "expectation", "patterns"}
    unknown = sorted(set(table) - known)
    if unknown:
        raise GaplessError(f"{where}: unknown key '{unknown[0]}'", f"there are {', '.join(sorted(known))}")
    if not isinstance(table.get("compared"), str):
        raise GaplessError(f"{where}: 'compared' is missing", 'write compared = "COUNT x TYPE"')
    patterns = table.get("patterns", ["pingpong"])
    patterns = patterns if isinstance(patterns, list | tuple) else [patterns]
    for pattern in patterns:
        if pattern not in PATTERNS:
            raise GaplessError(f"{where}: no pattern is called '{pattern}'", f"there are {', '.join(PATTERNS)}")
    expectation = table.get("expectation", NOT_SLOWER)
    if expectation not in EXPECTATIONS.values():
        raise GaplessError(f"{where}: no expectation is called '{expectation}'", f"'{NOT_SLOWER}' or '{SIMILAR}'")
    name = str(table.get("name", shortened(table["compared"], 80)))
    return Pair(name, table["compared"], str(table.get("reference", CONTIGUOUS)), expectation, tuple(patterns))


def read_pairs(path: Path) -> list[Pair]:
    """Read the pairs of a TOML file: a table ``[[pair]]`` for each."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GaplessError(f"cannot read {path}: {error.strerror}", "name a TOML file with --pairs") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise GaplessError(f"{path} is no TOML file ({error})", "correct it") from error
    pairs = tables.get("pair")
    if not isinstance(pairs, list) or not pairs:
        raise GaplessError(f"{path} holds no [[pair]]", f"write one with compared = {EXAMPLE.split(' <=')[0]}'")
    return [from_table(table, f"{path}, pair {number}") for number, table in enumerate(pairs, 1)]


def _message(text: str, pair: Pair) -> tuple[Message, int]:
    """Return a message and its payload [bytes]; the type is read by the engine, whose complaint is passed on."""
    match = COUNTED.fullmatch(text)
    if match is None:
        raise GaplessError(f"'{pair.name}': a type is missing", f"write both sides, for example {EXAMPLE}")
    message = Message(int(match[1] or 1), match[2])
    try:
        size = int(explain_type(message.type)["size"])
    except TypeTextError as error:
        raise GaplessError(f"'{pair.name}': {error}", "docs/notation.md says how types are written") from None
    return message, size * message.count


def add_pairs(plan: Plan, pairs: list[Pair], selection: Selection) -> None:
    """Add the groups and rows of the user's pairs to a plan.

    Raises
    ------
    GaplessError
        If a type is none, or the two sides do not carry the same number of bytes. Whether their type maps are equal
        is proved by the measuring program.
    """
    taken: set[tuple[str, str]] = set()
    for pair in pairs:
        for pattern in pair.patterns:
            if (pair.name, pattern) in taken:
                raise GaplessError(f"two comparisons are called '{pair.name}'", "give each a name of its own")
            taken.add((pair.name, pattern))
        compared, bytes_ = _message(pair.compared, pair)
        against_contiguous = pair.reference.strip() == CONTIGUOUS
        reference, reference_bytes = (Message(bytes_, "byte"), bytes_) if against_contiguous else (
            _message(pair.reference, pair)
        )  # fmt: skip
        if bytes_ == 0 or bytes_ != reference_bytes:
            raise GaplessError(
                f"'{pair.name}': {bytes_} bytes against {reference_bytes}", "compare messages of equal, positive size"
            )
        for pattern in pair.patterns:
            for cache in selection.caches:
                group = Group(f"g{len(plan.groups)}", Place(bytes_, pattern, BASES["byte"], cache, selection.data))
                group.messages[CONTIGUOUS] = (Message(bytes_, "byte"), "contiguous")
                group.messages["compared"] = (compared, "own")
                group.add(CONTIGUOUS, "native")
                if not against_contiguous:
                    group.messages["reference"] = (reference, "own")
                for layer in (False, True) if selection.layer else (False,):
                    method = "gapless" if layer else "native"
                    one = group.add("compared", method)
                    other = CONTIGUOUS_MEMBER if against_contiguous else group.add("reference", method)
                    plan.rows.append(
                        Row(
                            row=f"r{len(plan.rows)}", test="own", guideline="own", case=pair.name, pattern=pattern,
                            bytes=bytes_, payload_bytes=bytes_, base="own", cache=cache, layer=layer, group=group.id,
                            compared=one, reference=other, expectation=pair.expectation, layout="own", variant=0, A=0,
                            compared_type=f"{compared.count} x {shortened(compared.type)}",
                            reference_type=f"{reference.count} x {shortened(reference.type)}", data=selection.data,
                        )
                    )  # fmt: skip
                plan.groups.append(group)
