"""The numbers of the all-to-all model, which gapless tune measures: their text, and where it is (docs/alltoallv.md)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gapless.launch.rules import cache_folder, site_folder

SETTING = "GAPLESS_ALLTOALL_FILE"
NAME = "alltoall.numbers"
HEAD = "gapless-alltoall 1"
DISTANCES = ("near", "far")
# What src/alltoall/machine.cpp takes for possible.
SHORTEST_S, LONGEST_S, SLOWEST, FASTEST = 1e-12, 3600.0, 1.0, 1e18
NUMBERS, RANGES, LARGEST = ("latency", "bandwidth", "pack"), ("calls", "in-place"), 1 << 40
# What it reads: lines end in one character, words in these, and a number is what std::from_chars takes.
BLANKS = " \t\r"
NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Numbers:
    """What is measured of a library at one distance: seconds, and bytes a second."""

    latency_s: float
    bandwidth: float
    pack: float
    calls: tuple[int, int] | None = None
    """The least and the most bytes of a block for which Gapless's own all-to-all between two processes is faster."""
    in_place: tuple[int, int] | None = None
    """The same in place."""

    def text(self) -> str:
        """Return its words."""
        ranges = {name: found for name, found in (("calls", self.calls), ("in-place", self.in_place)) if found}
        words = [f"latency {self.latency_s:.3g} bandwidth {self.bandwidth:.3g} pack {self.pack:.3g}"]
        return " ".join([*words, *(f"{name} {first} {last}" for name, (first, last) in ranges.items())])


Sections = dict[str, dict[str, Numbers]]
"""For each library, the first line of its version up to a comma, the numbers of ``near`` and ``far``."""


def numbers_text(sections: Mapping[str, Mapping[str, Numbers]], comments: tuple[str, ...] = ()) -> str:
    """Return the text of a file."""
    rows = [HEAD, *(f"# {comment}" for comment in comments)]
    for library, distances in sections.items():
        rows += [f"library {library}", *(f"  {one} {distances[one].text()}" for one in DISTANCES if one in distances)]
    return "\n".join([*rows, "end"]) + "\n"


def _range(words: list[str]) -> tuple[int, int]:
    """Return the two numbers of bytes that the words begin with."""
    if len(words) < 2 or not all(re.fullmatch("[0-9]+", word) for word in words[:2]):
        raise ValueError(f"'{' '.join(words[:2])}' are no bytes, from the least to the most")
    first, last = int(words[0]), int(words[1])
    if not first <= last <= LARGEST:
        raise ValueError(f"'{' '.join(words[:2])}' are no bytes, from the least to the most")
    return first, last


def _numbers(words: list[str]) -> Numbers:
    found: dict[str, float] = {}
    ranges: dict[str, tuple[int, int]] = {}
    seen: list[str] = []
    left = words[1:]
    while left:
        name, left = left[0], left[1:]
        seen.append(name)
        if name in RANGES:
            ranges[name] = _range(left)
            left = left[2:]
        elif name in NUMBERS:
            low, high = (SHORTEST_S, LONGEST_S) if name == "latency" else (SLOWEST, FASTEST)
            word, left = left[0] if left else "", left[1:]
            if not NUMBER.fullmatch(word) or not low <= float(word) <= high:
                raise ValueError(f"'{word}' is no {name}")
            found[name] = float(word)
        else:
            raise ValueError(f"nothing is called '{name}'")
    if any(seen.count(name) != 1 for name in NUMBERS):
        raise ValueError("latency, bandwidth and pack are wanted, once each")
    if any(seen.count(name) > 1 for name in RANGES):
        raise ValueError("calls and in-place are wanted once, if at all")
    return Numbers(found["latency"], found["bandwidth"], found["pack"], ranges.get("calls"), ranges.get("in-place"))


def _rows(text: str) -> list[tuple[int, str]]:
    rows = [(number, row.partition("#")[0].strip(BLANKS)) for number, row in enumerate(text.split("\n"), 1)]
    return [(number, row) for number, row in rows if row]


def parse_numbers(text: str) -> Sections:
    """Read a text as the library does: of two sections of one library the first counts.

    Raises
    ------
    ValueError
        What is wrong, and in which line.
    """
    sections: Sections = {}
    section: dict[str, Numbers] | None = None
    rows = _rows(text)
    if not rows:
        raise ValueError("it is empty")
    if rows[0][1] != HEAD:
        raise ValueError(f"line {rows[0][0]}: it does not begin with '{HEAD}'")
    if rows[-1][1] != "end":
        raise ValueError("it is cut off: there is no 'end'")
    for number, row in rows[1:-1]:
        words = re.split(f"[{BLANKS}]+", row)
        try:
            if words == ["end"]:
                raise ValueError("something follows 'end'")
            if words[0] == "library" and len(words) > 1:
                section = {}
                sections.setdefault(" ".join(words[1:]), section)
            elif words[0] in DISTANCES:
                if section is None:
                    raise ValueError("no 'library' stands before it")
                section[words[0]] = _numbers(words)
            else:
                raise ValueError(f"'{words[0]}' is not known here")
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return sections


def read_text(path: Path) -> str:
    """Return the text of a file with the line ends that it has."""
    return path.read_bytes().decode("utf-8")


def numbers_files(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files there are for this machine, the user's own first."""
    folders = [cache_folder(environment), site_folder()]
    return [folder / NAME for folder in folders if folder and (folder / NAME).is_file()]


def numbers_setting(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what the library is to be told: the user's own word, or the files for this machine that are there."""
    if environment.get(SETTING):
        return {SETTING: environment[SETTING]}
    there = [str(path) for path in numbers_files(environment) if ":" not in str(path)]
    return {SETTING: ":".join(there)} if there else {}


def numbers_in_words(environment: Mapping[str, str] = os.environ) -> str:
    """Return for people which numbers the library will go by, and why not those of a file that is wrong."""
    for word in numbers_setting(environment).get(SETTING, "").split(":"):
        if not word or not Path(word).exists():
            continue
        try:
            sections = parse_numbers(read_text(Path(word)))
        except (OSError, ValueError) as error:
            return f"the default ones; refused: {word}: {error}"
        return f"{word}: {', '.join(sections) or 'of no library'}"
    return "the default ones; gapless tune measures them"
