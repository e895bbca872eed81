"""`gapless demo`: what derived datatypes cost on this machine, and what they cost with Gapless underneath."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from gapless.display import console
from gapless.lab.environment import environment_line
from gapless.lab.guidelines import rows_of
from gapless.lab.halo import HaloSize, halo_rows, measure_halo, require_identical
from gapless.lab.pingpong import measure_pingpong, progress_bar
from gapless.lab.report.tables import print_tables
from gapless.lab.results import Recorder, new_file
from gapless.paths import Build

REPORT = Path("report.html")


@dataclass(frozen=True)
class Extent:
    """How much the demo measures."""

    launches: int
    lab_arguments: tuple[str, ...]
    halo_launches: int
    halo_sizes: tuple[HaloSize, ...]


# At 64 x 64 the messages are a few kilobytes: nothing can be gained there, and the row shows what the layer costs.
# Fewer samples than the lab's own default, for more launches in the same time: launches are the replicates.
FULL = Extent(5, ("--reps-large", "15", "--reps-small", "60"), 9, (HaloSize(2048, 100), HaloSize(64, 20000)))
QUICK = Extent(1, ("--quick", "--filter", "/A=2/"), 1, (HaloSize(512, 5), HaloSize(64, 50)))


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
    build.require("lab/pingpong", "examples/halo2d")
    recorder = Recorder(new_file("demo"))
    recorder.add(environment_line(build, "gapless demo"))
    with progress_bar() as progress:
        measure_pingpong(build, extent.launches, extent.lab_arguments, recorder, progress)
        measure_halo(build, extent.halo_sizes, extent.halo_launches, recorder, progress)
    require_identical(halo_rows(recorder.lines))
    if as_json:
        json.dump([row.as_json() for row in rows_of(recorder.lines)], sys.stdout, indent=1, ensure_ascii=False)
        print()
    else:
        print_tables(console(), recorder.lines)
    # Imported late: the plotting library takes half a second to load, which no other command should pay.
    from gapless.lab.report.demo_page import write_report

    write_report(recorder.lines, REPORT)
    console(stderr=True).print(f"gapless: plots in {REPORT}, samples in {recorder.path}", soft_wrap=True)
