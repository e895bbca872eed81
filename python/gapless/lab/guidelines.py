"""From samples to rows and verdicts: what each description cost, and which performance guideline holds.

The guidelines (docs/methods.md): GL1, a type describing `count` units costs what `count` units cost; GL2 and GL3, a
datatype is not slower than MPI_Pack, sending the packed bytes, and MPI_Unpack; GL4, a description is not slower than
the best one of the same layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import log
from typing import Any

import numpy as np

from gapless.display import bytes_text
from gapless.lab.better_of import Stand, stands
from gapless.lab.cases import LOCAL, OF_THE_GROUP, SMALL_BYTES
from gapless.lab.results import Key, Line, samples_by_key
from gapless.lab.statistics import TOLERANCE, Expectation, Verdict, judge, median_of_medians

Launch = tuple[int, int]
METHODS = ("contiguous", "manual", "pack", "native", LOCAL, "gapless")
TYPED = ("native", "gapless")
# Which guideline a description is there to test, and which description it is measured against.
TESTED_BY = {
    "contiguous_subtype": "GL1",
    "tiled_vector": "GL4",
    "vector_tiled": "GL4",
    "tiled_struct_11": "GL4",
    "tiled_struct_23": "GL4",
    "block_indexed": "GL4",
    "alternating_indexed": "GL4",
    "alternating_struct": "GL4",
    "row_column_indexed": "GL4",
    "row_column_fully_indexed": "GL4",
    "listed": "GL4",
}
EXPECTATIONS = {"GL1": Expectation.SIMILAR, "GL2/GL3": Expectation.NOT_SLOWER, "GL4": Expectation.NOT_SLOWER}
PACK = "GL2/GL3"
WAYS = ("native", "pack")  # what a program can do without the layer


@dataclass(frozen=True)
class Row:
    """One method of one case.

    Attributes
    ----------
    case : str
        Layout, variant, block size and description.
    guideline : str
        What the case's description tests: GL1, GL2/GL3 or GL4.
    bytes : int
        The payload of a message.
    method : str
        contiguous, manual, pack, native, gapless, or local: gapless without shared memory, of what goes through it.
    median_us : float
        Half of a round trip: the median over launches of each launch's median, in microseconds.
    ratio_to_contiguous : float
        The same divided by the contiguous send of the same run.
    words : str
        What is sent, in plain words; empty for the layouts of the expectation tests.
    verdicts : dict
        For native and gapless: guideline to verdict and ratio to its reference.
    """

    case: str
    guideline: str
    bytes: int
    method: str
    median_us: float
    ratio_to_contiguous: float
    layout: str
    variant: int
    A: int
    size: int
    group: str
    description: str
    type: str
    tests: list[str]
    launches: int
    words: str = ""
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the row as it is printed by ``gapless demo --json``."""
        verdicts = {name: {"verdict": str(verdict), **asdict(verdict)} for name, verdict in self.verdicts.items()}
        return asdict(self) | {"verdicts": verdicts}


class Medians:
    """The medians of all measurements of a result file, in nanoseconds."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines_by_key = samples_by_key(lines)
        self.ns = {
            key: median_of_medians([line["samples"] for line in rows]) for key, rows in self.lines_by_key.items()
        }

    def get(self, group: str, description: str, method: str) -> float | None:
        """Return a median, or None if it was not measured."""
        return self.ns.get(Key(group, description, method))

    def by_launch(self, group: str, description: str, method: str, samples: str = "samples") -> dict[Launch, float]:
        """Return the median of each launch [ns]; of a number that is there again (two runs in one file), each."""
        found: dict[Launch, float] = {}
        own = method if method in OF_THE_GROUP else description
        for line in self.lines_by_key.get(Key(group, own, method), []):
            if samples not in line:
                continue
            number = 0
            while (line["launch"], number) in found:
                number += 1
            found[line["launch"], number] = float(np.median(line[samples]))
        return found

    def log_ratios(
        self, group: str, description: str, method: str, others: Sequence[str], samples: str = "samples"
    ) -> np.ndarray:
        """Return the logarithms of a method's ratios to others, others x launches: those launches that have them all.

        Empty (others x 0) if there is no such launch.
        """
        time = self.by_launch(group, description, method, samples)
        references = [self.by_launch(group, description, other, samples) for other in others]
        launches = [launch for launch in time if all(launch in of for of in references)]
        return np.array([[log(time[launch] / of[launch]) for launch in launches] for of in references])

    def ways(self, group: str, description: str) -> tuple[str, ...]:
        """Return what Gapless competes with: what a program can do without it, and without its shared memory."""
        return (*WAYS, LOCAL) if Key(group, description, LOCAL) in self.lines_by_key else WAYS

    def verdicts(self, group: str, description: str, method: str, tolerance: float = TOLERANCE) -> dict[str, Verdict]:
        """Judge a typed method of one case: against packing, and against the basic description.

        Packing is always the library's own (the layer off), so that the layer cannot help its own reference.
        """
        time = self.get(group, description, method)
        if method not in TYPED or time is None:
            return {}
        references = {PACK: self.get(group, description, "pack")}
        if description in TESTED_BY:
            references[TESTED_BY[description]] = self.get(group, "basic", method)
        return {
            guideline: judge(time, reference, EXPECTATIONS[guideline], tolerance)
            for guideline, reference in references.items()
            if reference
        }


def case_name(line: Line, description: str) -> str:
    """Return what people call a description of the layout of a line."""
    if "words" in line:
        return line["words"] if description == "basic" else f"{line['words']} ({description})"
    return f"{line['layout']}/v{line['variant']}/A={line['A']}/{description}"


def rows_of(lines: Sequence[Line]) -> list[Row]:
    """Return the rows of a result file: the methods of every description of every group, in the order measured."""
    medians = Medians(lines)
    rows = []
    seen = dict.fromkeys((key.group, key.description) for key in medians.ns)
    for group, description in seen:
        if description in OF_THE_GROUP:
            continue
        contiguous = medians.get(group, "contiguous", "contiguous")
        if contiguous is None:
            continue
        for method in METHODS:
            own = description if method not in OF_THE_GROUP else method
            sets = medians.lines_by_key.get(Key(group, own, method))
            if not sets:
                continue
            first, median_ns = sets[0], medians.ns[Key(group, own, method)]
            rows.append(
                Row(
                    case=case_name(first, description),
                    guideline=TESTED_BY.get(description, PACK),
                    bytes=first["payload_bytes"],
                    method=method,
                    median_us=median_ns / 1000,
                    ratio_to_contiguous=median_ns / contiguous,
                    layout=first["layout"],
                    variant=first["variant"],
                    A=first["A"],
                    size=first["bytes"],
                    group=group,
                    description=description,
                    type=first["type"],
                    tests=list(first.get("tests", [])),
                    launches=len(sets),
                    words=first.get("words", ""),
                    verdicts=medians.verdicts(group, own, method),
                )
            )
    return rows


@dataclass(frozen=True)
class GuidelineSummary:
    """One guideline at one message size by one method: in how many cases it holds, and the worst one.

    Attributes
    ----------
    message : str
        The size, or whether large or small messages of several sizes.
    largest : int
        The greatest of the sizes.
    """

    guideline: str
    message: str
    largest: int
    method: str
    cases: int
    violated: int
    worst: Verdict
    worst_case: str

    def __str__(self) -> str:
        """Return for example ``violated ×1.8 (3 of 28)``, or ``hold (28)``."""
        return f"{self.worst} ({self.violated} of {self.cases})" if self.violated else f"hold ({self.cases})"


def message_text(row: Row) -> str:
    """Return which messages a row is summarised with: those of its size, or in words."""
    if not row.words:
        return bytes_text(row.size)
    return "small" if row.size <= SMALL_BYTES else "large"


def summaries(rows: Sequence[Row]) -> list[GuidelineSummary]:
    """Summarise the verdicts: one entry per guideline, message size and method."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for guideline in EXPECTATIONS:
        for row in rows:
            if guideline in row.verdicts:
                found.setdefault((guideline, message_text(row), row.method), []).append(row)
    result = []
    for (guideline, message, method), group in found.items():
        worst = max(group, key=lambda row: row.verdicts[guideline].factor)
        violated = sum(not row.verdicts[guideline].holds for row in group)
        largest = max(row.size for row in group)
        result.append(
            GuidelineSummary(
                guideline, message, largest, method, len(group), violated, worst.verdicts[guideline], worst.case
            )
        )
    return result


def stands_against_best(lines: Sequence[Line]) -> dict[tuple[str, int], Stand]:
    """Return, for each case and message size, how Gapless stands to the fastest of the other ways (`Medians.ways`)."""
    medians, places, logs = Medians(lines), [], []
    for key, sets in medians.lines_by_key.items():
        if key.method != "gapless":
            continue
        found = medians.log_ratios(key.group, key.description, "gapless", medians.ways(key.group, key.description))
        if found.size:
            first = sets[0]
            places.append((case_name(first, key.description), first["bytes"]))
            logs.append(found)
    return dict(zip(places, stands(logs), strict=True))
