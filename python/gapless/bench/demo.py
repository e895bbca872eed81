"""`gapless demo`: what derived datatypes cost on this machine, and what they cost with Gapless underneath."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gapless.display import OneLine, console
from gapless.lab.cases import Repeated, Samples
from gapless.lab.demo_messages import MESSAGES, METHODS, QUICK_MESSAGES, Message
from gapless.lab.environment import environment_line
from gapless.lab.guidelines import rows_of
from gapless.lab.halo import HaloSize, halo_rows, measure_halo, require_identical
from gapless.lab.pingpong import PROGRAM, ask_layer, measure_pingpong
from gapless.lab.report.tables import print_tables
from gapless.lab.results import Line, Recorder, new_file
from gapless.paths import Build

REPORT = Path("report.html")
# How much of the time the ping-pong takes; the halo exchange takes the rest.
PINGPONG_SHARE = 0.7


@dataclass(frozen=True)
class Extent:
    """How much the demo measures."""

    launches: int
    messages: tuple[Message, ...]
    large: Samples
    small: Samples
    halo_launches: int
    halo_sizes: tuple[HaloSize, ...]


# At 64 x 64 the messages are a few kilobytes: nothing can be gained there, and the row shows what the layer costs.
# Launches are the replicates, and cost more than samples do: few samples of each, for more launches in the same time.
FULL = Extent(7, MESSAGES, Samples(5, 15, 1000), Samples(20, 60, 1000), 7, (HaloSize(2048, 50), HaloSize(64, 10000)))
QUICK = Extent(
    1, QUICK_MESSAGES, Samples(5, 5, 500), Samples(9, 9, 500), 1, (HaloSize(512, 5), HaloSize(64, 50))
)  # fmt: skip


def measure_messages(build: Build, extent: Extent, recorder: Recorder, now: Callable[[float, str], None]) -> None:
    """Send every message in every way, in several launches, the messages of each in an order drawn anew."""
    repeated = Repeated(METHODS, extent.large, extent.small, shuffled=True)
    cases = ask_layer(build, [message.case for message in extent.messages], repeated.data, recorder)
    measure_pingpong(build, cases, repeated, extent.launches, recorder, now)


def run_demo(build: Build, extent: Extent, as_json: bool) -> None:
    """Measure, print the tables (or the rows as JSON), and write report.html.

    Parameters
    ----------
    build : Build
        What to measure.
    extent : Extent
        How much.
    as_json : bool
        Print the rows as a JSON list and nothing else to the standard output.
    """
    build.require(PROGRAM, "examples/halo2d")
    recorder = Recorder(new_file("demo"))
    recorder.add(environment_line(build, "gapless demo"))
    with OneLine("measuring") as line:
        measure_messages(
            build, extent, recorder, lambda share, text: line.now(share * PINGPONG_SHARE, f"ping-pong, {text}"),
        )  # fmt: skip
        measure_halo(
            build, extent.halo_sizes, extent.halo_launches, recorder,
            lambda share, text: line.now(PINGPONG_SHARE + share * (1 - PINGPONG_SHARE), text),
        )  # fmt: skip
        line.now(1.0)
    finish(recorder.lines, as_json)
    console(stderr=True).print(f"gapless: the page is {REPORT}, the samples are in {recorder.path}", soft_wrap=True)


def finish(lines: Sequence[Line], as_json: bool) -> None:
    """Print what was measured, and write the page."""
    require_identical(halo_rows(lines))
    if as_json:
        json.dump([row.as_json() for row in rows_of(lines)], sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        print_tables(console(), lines)
    # Imported late: the templates take a while to load, which no other command should pay.
    from gapless.lab.report.demo_page import write_report

    write_report(lines, REPORT)
