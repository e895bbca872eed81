"""`gapless measure alltoall`: its plan, theorems, the paper's filter, the simulation's model, a short real run."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import Command
from gapless.cli.measure_alltoall import ranges
from gapless.lab.alltoall import simulation
from gapless.lab.alltoall.filtered import mean_interval, without_long
from gapless.lab.alltoall.names import COLOURS, IRREGULAR, REGULAR, role, way_text
from gapless.lab.alltoall.points import points_of
from gapless.lab.alltoall.report import REPORT
from gapless.lab.alltoall.settings import PRESETS, AlltoallSettings
from gapless.lab.alltoall.simulated_plots import svg
from gapless.lab.alltoall.story import sentences, warning
from gapless.lab.alltoall.theorems import check, counted, least_slots, moved
from gapless.lab.jobs import group_json
from gapless.lab.plan import Group
from gapless.lab.report.collected import collect
from gapless.lab.run_file import Run, run_of
from gapless.paths import Build
from measured import page_of_run, printed_here, refused_by, rows_measured
from report_page import asks_nothing_of_the_network
from synthetic import planned_lines, wobble

SIZES = (64, 40_000)


def made_up(us: Callable[[int, str], float], cores: int = 2, **changes: object) -> Run:
    """Return a run in which ways take so long by the size of a block [us]."""
    settings = AlltoallSettings(sizes=SIZES, problems=("regular",), **changes)  # type: ignore[arg-type]

    def of(group: Group, member: str, launch: int) -> float:
        share = 1 if settings.protocol == "paper" else 2
        return us(group.place.bytes, member) * wobble(member, launch, 0.001) / share

    lines = planned_lines(settings, of)
    lines[0] |= {"cores": cores, "settings": settings.as_json()}
    return run_of(lines, Path("made up"))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_way_of_a_preset_has_a_name_a_colour_and_a_call(preset: str) -> None:
    settings = PRESETS[preset]
    for group in settings.plan().groups:
        job = group_json(group, settings, layer=True)
        assert job["block_bytes"] == group.place.bytes and job["reps"]["min"] <= job["reps"]["max"]
        assert len({way_text(member) for member in group.members}) == len(group.members)
        for member in job["members"]:
            assert COLOURS[role(member["name"])]
            assert member["call"].startswith(("library", "ours", "types", "messages"))
            assert (member["algorithm"] == "") == (
                role(member["name"]) in ("model", "messages", "MPI_Alltoall", "MPI_Alltoallv")
            )
            assert member["layer"] == ("+ Gapless" in way_text(member["name"]))


def test_the_papers_preset_is_the_papers() -> None:
    paper = PRESETS["paper"]
    few, many = (paper.repetitions(group.place, 1) for group in (paper.plan().groups[-1], paper.plan().groups[0]))
    assert (many["min"], many["max"], few["min"], few["max"]) == (300, 300, 40, 40)
    assert (paper.sizes[0], paper.sizes[-1], paper.data, paper.layer) == (4, 80_000, "constant", False)
    assert {"zero-copy/types", "basic/types"} < set(paper.algorithms)


def test_only_what_is_much_longer_is_left_out() -> None:
    samples = np.array([0.001, 10.0, 10.0, 10.1, 10.2, 10.2, 10.3, 14.0, 99.0])
    assert without_long(samples).tolist() == [0.001, 10.0, 10.0, 10.1, 10.2, 10.2, 10.3]
    assert without_long(np.array([5.0])).tolist() == [5.0]
    # Student's 0.975 quantile with three degrees of freedom is 3.182.
    of = mean_interval(np.array([1.0, 2.0, 3.0, 4.0]))
    assert of.low is not None and (of.value, of.value - of.low) == (2.5, pytest.approx(3.182 * 1.291 / 2, rel=1e-3))
    assert mean_interval(np.array([7.0])).low is None


def test_by_the_papers_protocol_a_time_is_a_mean_over_repetitions() -> None:
    run = made_up(lambda *_: 10.0, protocol="paper", launches=1)
    (point, _) = points_of(run)
    assert point.us("basic:native").value == pytest.approx(10.0, rel=0.05)
    ratio = point.ratio("zero-copy:native", "basic:native")
    one, other = point.us("zero-copy:native"), point.us("basic:native")
    assert ratio is not None and ratio.low == pytest.approx(one.low / other.high)  # type: ignore[operator]


def test_theorems() -> None:
    by_hand = {p: sum(bin(j)[2:].zfill(12)[-1 - k] == "1" for j in range(p)) for p, k in ((36, 2), (80, 6), (100, 0))}
    assert [moved(36, 2), moved(80, 6), moved(100, 0)] == list(by_hand.values())
    assert all(least_slots(p) <= max(0, p // 2 - 2) for p in range(1, 1025))
    right = {"algorithm": "least-slots", "processes": 36, "in_place": False, "rounds": 6, "messages": 6,
             "blocks_sent": 88, "blocks_copied": 0, "slots": 13}  # fmt: skip
    assert check(right).wrong == ()
    for name, value in (("rounds", 7), ("messages", 7), ("blocks_sent", 109), ("blocks_copied", 1), ("slots", 14)):
        (wrong, *_) = check(right | {name: value}).wrong
        assert wrong.startswith(f"{name} {value}, but ")


def test_the_library_counts_what_the_theorems_say(build: Build) -> None:
    lines = counted(build, (*range(1, 34), 36, 80, 1024))
    assert {line["algorithm"] for line in lines} == set(REGULAR)
    assert [(line, check(line).wrong) for line in lines if check(line).wrong] == []


def test_the_names_are_those_of_the_library(build: Build) -> None:
    program = build.program("lab/every_alltoall")
    told = [json.loads(row) for row in subprocess.check_output([program, "--names"], text=True).splitlines()]
    names = {kind: [one["name"] for one in told if one["irregular"] is kind] for kind in (False, True)}
    assert set(names[False]) == {*REGULAR, "library"} and set(names[True]) == {*IRREGULAR, "library"}


def test_what_is_said() -> None:
    def us(size: int, member: str) -> float:
        slow = 2.0 if member.startswith("basic") and size == 40_000 else 1.0
        return 10.0 * slow * (0.25 if member.endswith("+persistent") else 1.0) * (1.3 if "model" in member else 1.0)

    told = sentences(points_of(made_up(us)))
    assert "zero-copy takes 0.50 (0." in " ".join(told)
    assert "at 64 B a call of zero-copy takes 4.0" in " ".join(told[:-1])
    assert "at 64 B a call of zero-copy takes 4.0" in told[-1] and told[-1].endswith("as persistent messages alone")
    assert "persistent, by the model: 1.3" in told[-2]
    assert "the model's choice is proved slower than the library at 2 of 2 sizes, worst 1.3" in told[0]


def test_more_ranks_than_cores_are_not_counted_and_that_is_said() -> None:
    run = made_up(lambda *_: 10.0, cores=2, ranks=4)
    points = points_of(run)
    assert not points[0].is_counted and sentences(points) == [warning(points)]
    assert "4 ranks shared 2 cores" in warning(points)
    page = REPORT.render(collect([run]))
    assert "More ranks than cores" in page and "more ranks than cores: not counted" in page
    asks_nothing_of_the_network(page)
    assert "\tno\t" in REPORT.as_text(collect([run]), "tsv")


def test_the_model_of_the_simulated_cluster() -> None:
    # One of seven rounds more, of nothing: latency and both ends; and 79 blocks of 80 kB through one link.
    assert simulation.model_us("zero-copy-blocks", 2, 4) == pytest.approx(2.0, rel=0.05)
    direct = simulation.model_us("spread-out", 80, 80_000)
    assert direct == pytest.approx(79 * 80_000 / 12.5e3, rel=0.03)
    assert simulation.model_us("padded", 80, 64) is None
    cluster = ElementTree.parse(simulation.CLUSTER).find("cluster")
    assert cluster is not None and cluster.get("radical") == f"0-{simulation.NODES - 1}"
    assert cluster.get("bw") == f"{simulation.BANDWIDTH / 1e9:g}GBps"
    assert cluster.get("lat") == f"{simulation.LATENCY_S / 2 * 1e6:g}us"


def test_a_simulation_leaves_out_what_it_has_no_memory_or_time_for() -> None:
    job = simulation.job_of(1024, (64, 80_000), ("basic", "spread-out"), ("padded", "pairwise"))
    assert [group["id"] for group in job["groups"]] == ["first", "regular 64", "random 64"]
    assert [[member["name"] for member in group["members"]] for group in job["groups"][1:]] == [
        ["basic", "model"],
        ["padded", "model"],
    ]


def test_curves_are_drawings() -> None:
    found = [simulation.Simulated(36, "regular", size, way, size + 10.0, size + 9.0)
             for size in (4, 4000) for way in ("basic", "zero-copy:types")]  # fmt: skip
    drawn = ElementTree.fromstring(svg("a < b", found))
    assert sum(part.tag.endswith("polyline") for part in drawn) == 4
    assert "basic" in [part.text for part in drawn.iter() if part.tag.endswith("text")]


def test_a_short_run(gapless: Command, build: Build, tmp_path: Path) -> None:
    rows = rows_measured(gapless, "alltoall", "--preset", "quick", "--sizes", "64", "--problems", "regular,random",
                         "--algorithms", "basic,least-slots/types")  # fmt: skip
    ways = {row["way"] for row in rows if row["problem"] == "regular"}
    assert {"MPI_Alltoall", "MPI_Alltoall_init", "basic", "basic, persistent", "basic, making types alone",
            "persistent messages alone", "least-slots by types", "model", "MPI_Alltoall + Gapless"} <= ways  # fmt: skip
    assert {row["way"] for row in rows if row["problem"] == "random"} >= {"MPI_Alltoallv", "two-phase", "padded"}
    assert all(row["us"] > 0 and row["launches"] == 2 and row["ranks"] == 2 for row in rows)
    page = page_of_run(gapless, tmp_path)
    assert "All-to-all by every algorithm" in page and "every theorem on rounds" in page


def test_what_would_be_measured_is_listed() -> None:
    status, rows, told = printed_here("measure", "alltoall", "--preset", "quick", "--in-place", "--list")
    assert status == 0, told
    assert "alltoall\tthe library\tregular/model:native\tregular\t64" in rows
    assert "MPI_IN_PLACE is measured of equal blocks alone" in rows


def test_ranges() -> None:
    assert ranges("1-4,36", "--count") == [1, 2, 3, 4, 36]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--sizes", "6"], "--sizes 6: an integer has 4 bytes: name multiples of 4"),
        (["--algorithms", "quick"], "--algorithms: there is no 'quick'"),
        (["--algorithms", "basic/fast"], "behind the stroke: there is no 'fast': there are types, staged"),
        (["--problems", "none"], "--problems: there is no 'none'"),
        (["--count", "9-3"], "--count 9-3: '9-3' is no range"),
        (["--count", "2", "--simulate", "2"], "--count and --simulate exclude each other"),
    ],
)
def test_what_cannot_be_measured(words: list[str], says: str) -> None:
    refused_by(["measure", "alltoall", *words], says)
