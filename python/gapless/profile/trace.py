"""`gapless measure trace`: the messages of a profile as comparisons for the lab, and what the lab says of them.

Each distinct layout and count is sent to and fro between two ranks, natively and under the layer, against the same
bytes without gaps. Peers, collective calls and what else happened at the same time are not replayed: the time of one
message is weighted by the number of messages of the profile.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gapless.errors import GaplessError
from gapless.lab.own import Pair
from gapless.lab.run_file import Run
from gapless.lab.statistics import of_differences, of_launches, ratio_interval
from gapless.profile.profile import SCHEMA

MOST_BYTES = 1 << 28  # of one message
MOST = 40  # distinct messages
MOVES = ("send", "receive")


@dataclass(frozen=True)
class Traced:
    """A distinct message of a profile: a layout and a count, and how many were sent."""

    name: str
    layout: str
    type: str
    count: int
    bytes: int
    messages: int

    def pair(self) -> Pair:
        """Return the comparison that measures it."""
        return Pair(self.name, f"{self.count} x {self.type}", "contiguous")


@dataclass(frozen=True)
class Trace:
    """What of a profile is measured, and what is not, in a sentence each."""

    messages: list[Traced]
    left_out: list[str]


def read_trace(path: Path) -> Trace:
    """Read the profile's file.

    A message is counted where it is sent; where only its receiver has the layout, there.

    Raises
    ------
    GaplessError
        If it is no profile, or holds nothing that can be measured.
    """
    try:
        profile = json.loads(path.read_text(encoding="utf-8"))
        if profile["kind"] != "profile" or profile["schema"] != SCHEMA:
            raise ValueError("of another kind or version")
        layouts = {layout["id"]: layout for layout in profile["layouts"]}
        messages = profile["native"][0]["messages"]
    except OSError as error:
        raise GaplessError(f"cannot read {path}: {error.strerror}", "write it by 'gapless profile --json'") from error
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise GaplessError(f"{path} is no profile ({error})", "write it by 'gapless profile --json'") from error
    return _trace(path, layouts, messages)


def _trace(path: Path, layouts: dict[str, Any], messages: list[dict[str, Any]]) -> Trace:
    numbers: dict[str, Counter[tuple[str, int]]] = {role: Counter() for role in MOVES}
    for one in messages:
        layout = layouts.get(one["layout"])
        if layout is None or one["role"] not in MOVES or not layout["size"] or one["count"] < 1:
            continue
        # A collective call has several blocks: they are told by their bytes.
        numbers[one["role"]][one["layout"], one["count"]] += one["bytes"] // (layout["size"] * one["count"])
    found, left_out = [], []
    for layout, count in dict.fromkeys([*numbers["send"], *numbers["receive"]]):
        of, nbytes = layouts[layout], layouts[layout]["size"] * count
        many = numbers["send"][layout, count] or numbers["receive"][layout, count]
        if not many:
            continue
        name = f"{layout} x {count}"
        if of["contiguous"]:
            left_out.append(f"{name}: contiguous")
        elif not of["whole"]:
            left_out.append(f"{name}: the profile has its text abridged")
        elif nbytes > MOST_BYTES:
            left_out.append(f"{name}: {nbytes} bytes are more than is measured")
        else:
            found.append(Traced(name, layout, of["type"], count, nbytes, many))
    found.sort(key=lambda one: -one.bytes * one.messages)
    left_out += [f"{one.name}: {MOST} with more bytes are measured" for one in found[MOST:]]
    if not found:
        raise GaplessError(
            f"{path} holds no message of a derived datatype that can be measured", "profile a program that sends some"
        )
    return Trace(found[:MOST], left_out)


@dataclass(frozen=True)
class Measured:
    """A message on a library: the time of one [ns], contiguous, natively and under the layer; medians over launches.

    Attributes
    ----------
    low, high : float or None
        The 95 % interval of native over accelerated time; None without the layer, or of a single launch.
    """

    mpi: str
    message: Traced
    contiguous_ns: float
    native_ns: float
    gapless_ns: float | None
    low: float | None
    high: float | None
    launches: int

    def as_json(self) -> dict[str, Any]:
        """Return it for scripts."""
        return {name: value for name, value in vars(self).items() if name != "message"} | vars(self.message)


def measured(run: Run, trace: Trace) -> list[Measured]:
    """Return what a run of the lab says of the messages, library by library."""
    rows = {row.case: row.group for row in run.rows}
    found = []
    for mpi in run.libraries:
        for message in trace.messages:
            launches = run.samples.get((mpi, rows.get(message.name, "")), {})
            times = {
                name: [float(np.median(members[name])) for members in launches.values() if name in members]
                for name in ("contiguous:native", "compared:native", "compared:gapless")
            }
            native, gapless = times["compared:native"], times["compared:gapless"]
            if not native:
                continue
            low = high = None
            if min(len(native), len(gapless)) > 1:
                of = of_differences(of_launches([np.log(native)]), of_launches([np.log(gapless)]))
                lows, highs = ratio_interval(of, 0.05)
                low, high = float(lows[0]), float(highs[0])
            found.append(
                Measured(
                    mpi, message, float(np.median(times["contiguous:native"])), float(np.median(native)),
                    float(np.median(gapless)) if gapless else None, low, high, len(native),
                )
            )  # fmt: skip
    return found


def weighted(found: list[Measured], mpi: str) -> tuple[float, float, float | None]:
    """Return what all messages of the profile take on a library, one after the other [ns]: the last with the layer."""
    mine = [one for one in found if one.mpi == mpi]
    gapless = [one.gapless_ns for one in mine]
    return (
        sum(one.contiguous_ns * one.message.messages for one in mine),
        sum(one.native_ns * one.message.messages for one in mine),
        None
        if None in gapless
        else sum((ns or 0) * one.message.messages for ns, one in zip(gapless, mine, strict=True)),
    )
