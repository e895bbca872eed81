"""What experiments share that send one layout in many ways: points, the paper's filter, the fastest way, the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from gapless.errors import GaplessError
from gapless.lab.adaptive.settings import PRESETS as ADAPTIVE
from gapless.lab.adaptive.settings import AdaptiveSettings
from gapless.lab.advice.settings import AdviceSettings
from gapless.lab.alltoall.settings import AlltoallSettings
from gapless.lab.apps.settings import AppsSettings
from gapless.lab.creation.settings import PRESETS as CREATION
from gapless.lab.experiment import EXPERIMENTS, Experiment, experiment_of
from gapless.lab.fabric.settings import FabricSettings
from gapless.lab.plan import Group
from gapless.lab.report.collected import collect
from gapless.lab.report.kinds import report_of
from gapless.lab.report.page import render
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Run, run_of
from gapless.lab.schemes.settings import PRESETS as SCHEMES
from gapless.lab.schemes.settings import SchemesSettings
from gapless.lab.schemes.story import REPORT
from gapless.lab.settings import Settings
from gapless.lab.vector.settings import PRESETS as VECTOR
from gapless.lab.vector.settings import VectorSettings
from gapless.lab.ways.names import COLOURS, role, way_text
from gapless.lab.ways.points import Point, fastest, points_of, without_outliers
from gapless.lab.ways.report import COLUMNS
from gapless.lab.ways.settings import PAPER
from report_page import asks_nothing_of_the_network, data_of
from synthetic import planned_lines, planned_run, wobble

ONE_SIZE = SchemesSettings(sizes=(1000,))
ALL = [settings for presets in (SCHEMES, VECTOR, ADAPTIVE, CREATION) for settings in presets.values()]
ONE, OTHER, THIRD = "vector:native", "vector:hand_c", "vector:pack_send"


def ten_us(_: Group, member: str, __: int) -> float:
    return 10.0 if member == CONTIGUOUS_MEMBER else 25.0


def point_of(**times: list[float]) -> Point:
    """Return the point of a message of which ways take so long [us], by launch."""
    ways = {"array": CONTIGUOUS_MEMBER, "one": ONE, "other": OTHER, "third": THIRD}
    named = {ways[name]: of for name, of in ({"array": [1.0] * 6} | times).items()}
    launches = max(map(len, named.values()))

    def us(_: Group, member: str, launch: int) -> float | None:
        return named[member][launch - 1] if len(named.get(member, ())) >= launch else None

    (point,) = points_of(planned_run(ONE_SIZE, us, launches))
    return point


@pytest.mark.parametrize("settings", ALL, ids=lambda one: f"{one.experiment} {one.preset}")
def test_every_way_of_a_preset_has_a_name_a_colour_and_is_read_back(settings: Experiment) -> None:
    plan = settings.plan()
    for group in plan.groups:
        names = [way_text(member) for member in group.members]
        assert len(set(names)) == len(names)
        assert {role(member) for member in group.members} <= COLOURS.keys()
        rows = [row for row in plan.rows if row.group == group.id]
        assert {row.compared for row in rows} == group.members.keys() - {CONTIGUOUS_MEMBER}
        assert {row.reference for row in rows} == {CONTIGUOUS_MEMBER}
    assert experiment_of(json.loads(json.dumps(settings.as_json()))) == settings


def test_names_of_ways() -> None:
    named = {member: (way_text(member), role(member)) for member in (
        CONTIGUOUS_MEMBER, "vector:native", "vector:native+type", "vector:gapless+buffer", "list:persistent+layer",
        "subarray:gapless", "vector:hand_c")}  # fmt: skip
    assert list(named.values()) == [
        ("array", "contiguous"), ("vector", "native"), ("vector, type made anew", "native"),
        ("vector + Gapless, another buffer", "gapless"), ("persistent + Gapless", "gapless"),
        ("subarray + Gapless", "gapless"), ("copy by hand", "hand_c"),
    ]  # fmt: skip


def test_a_point_is_half_of_a_round_trip_and_a_median() -> None:
    lines = planned_lines(ONE_SIZE, ten_us, 3)
    first = next(line for line in lines if line.get("member") == ONE)
    first["samples"] = [50_000, 50_000, 5_000_000]
    (point,) = points_of(run_of(lines, Path("run")))
    assert (point.mpi, point.bytes, point.block_bytes, point.blocks, point.launches) == ("mpich", 1000, 8, 125, 3)
    assert (point.us(CONTIGUOUS_MEMBER), point.us(ONE)) == (10, 25)
    ratio = point.ratio(ONE)
    assert ratio is not None and (ratio.value, ratio.low, ratio.high) == pytest.approx((2.5, 2.5, 2.5))
    assert point.ratio("vector:pack") is None


def test_a_ratio_is_within_launches_and_one_launch_has_no_interval() -> None:
    # Each launch has a speed of its own; the ways of one share it.
    point = point_of(array=[1, 3, 2, 7], one=[2, 6, 4, 14])
    ratio = point.ratio(ONE)
    assert ratio is not None and (ratio.low, ratio.high) == pytest.approx((2, 2))
    single = point_of(array=[1], one=[2]).ratio(ONE)
    assert single is not None and (single.value, single.low, single.high) == (pytest.approx(2), None, None)


def test_a_group_without_its_array_is_no_point() -> None:
    run = planned_run(ONE_SIZE, lambda _, member, __: None if member == CONTIGUOUS_MEMBER else 1.0)
    assert run.samples and points_of(run) == []


@pytest.mark.parametrize(
    ("samples", "value"),
    [
        ([5.0], 5.0),
        ([1.0, 3.0], 2.0),
        ([1.0, 1.0, 1.0, 1.0, 10.0], 1.0),
        # 100 goes; a second pass, which there is none of, would take 10 away, too.
        ([1.0, 1.0, 1.0, 1.0, 10.0, 100.0], 2.8),
        ([4.0, 4.0, 4.0], 4.0),
    ],
)
def test_the_papers_filter(samples: list[float], value: float) -> None:
    assert without_outliers(np.array(samples)) == pytest.approx(value)


def test_by_the_papers_protocol_a_sample_is_one_message_and_a_launch_its_filtered_mean() -> None:
    settings = replace(SCHEMES["paper"], sizes=(1000,))
    assert settings.plan().groups[0].options == {"pong": "empty", "pairs": False}
    assert ONE_SIZE.plan().groups[0].options == {"pong": "full", "pairs": False}
    lines = planned_lines(settings, ten_us)
    assert settings.protocol == PAPER
    for line in lines:
        if line.get("member") == ONE:
            line["samples"] = [24_000, 26_000, 25_000, 25_000, 900_000]
    (point,) = points_of(run_of(lines, Path("run")))
    assert (point.us(CONTIGUOUS_MEMBER), point.us(ONE)) == (10, 25)


def test_first_messages_and_phases_are_read_back_as_medians_over_launches() -> None:
    lines = planned_lines(ONE_SIZE, ten_us, 3, lambda _, ns: {"phases": {"create": [1.0, 2.0, 9.0]}, "first": 3 * ns})
    slow = [line for line in lines if line.get("member") == ONE]
    slow[0] |= {"first": 7.0, "first_type": {"create": 5.0, "commit": 6.0, "free": 1.0}}
    (point,) = points_of(run_of(lines, Path("run")))
    assert point.phases[ONE] == {"create": 2.0}
    assert point.firsts[CONTIGUOUS_MEMBER] == {"message": 60_000}
    assert point.firsts[ONE] == {"message": 150_000, "create": 5, "commit": 6, "free": 1}


def test_the_fastest_way_is_decided_if_it_is_proved_faster() -> None:
    one, other = ([us * wobble(way, launch) for launch in range(6)] for way, us in (("one", 10.0), ("other", 12.0)))
    found = fastest(point_of(one=one, other=other), (OTHER, ONE))
    assert found is not None and (found.way, found.second, found.decided) == (ONE, OTHER, True)
    assert found.lead is not None and found.lead.value == pytest.approx(1.2, rel=0.03)
    restless = [us * wobble("other", launch, 0.5) for launch, us in enumerate(other)]
    unsure = fastest(point_of(one=one, other=restless), (OTHER, ONE))
    assert unsure is not None and not unsure.decided


def test_a_way_that_wins_in_one_half_of_the_launches_alone_is_not_decided() -> None:
    # Proved over all launches; but every other one says the contrary.
    found = fastest(point_of(array=[1.0] * 20, one=[1.0] * 20, other=[1.1, 0.99] * 10), (ONE, OTHER))
    assert found is not None and found.lead is not None and found.lead.low is not None
    assert (found.way, found.decided, found.lead.low > 1) == (ONE, False, True)


def test_two_launches_with_one_way_and_none() -> None:
    point = point_of(one=[1, 1])
    alone = fastest(point, (ONE, OTHER))
    assert alone is not None and (alone.way, alone.decided, alone.second, alone.lead) == (ONE, True, None, None)
    assert fastest(point, (OTHER,)) is None
    single = fastest(point_of(array=[1], one=[1], other=[2]), (ONE, OTHER))
    assert single is not None and (single.way, single.decided) == (ONE, False)


def test_more_ways_ask_for_stronger_proof() -> None:
    # The mean of the logarithms is 2.8 times its error: beyond Student's 2.57 at 5 %, below his 3.16 at 2.5 %.
    other = list(np.exp(0.01252 + 0.01 * np.array([1, -1] * 3)))
    two = fastest(point_of(one=[1.0] * 6, other=other), (ONE, OTHER, THIRD))
    three = fastest(point_of(one=[1.0] * 6, other=other, third=[5.0] * 6), (ONE, OTHER, THIRD))
    assert two is not None and three is not None
    assert (two.way, two.decided, three.way, three.decided) == (ONE, True, ONE, False)


SMALL: dict[str, Experiment] = {
    "guidelines": Settings(tests=("ET6",), blocks=(2,), sizes=(3200,)),
    "apps": AppsSettings(names=("NAS_LU_y/N=12",)),
    "schemes": SchemesSettings(sizes=(1000, 100_000)),
    "vector": VectorSettings(lengths=(8,), counts=(1000, 2000)),
    "adaptive": AdaptiveSettings(lengths=(64, 4096), counts=(1000, 2000)),
    "creation": replace(CREATION["quick"], counts=(10,)),
    "advice": AdviceSettings(type_text="vector(10, 1, 2, double)"),
    "alltoall": AlltoallSettings(sizes=(64,)),
    "fabric": FabricSettings(lengths=(64, 4096), counts=(1000, 2000), reuse=(1, 16), parts=("map",)),
}


def small_run(experiment: str) -> Run:
    once, moved = (dict.fromkeys(names, [ns]) for names, ns in (
        (("create", "commit", "free"), 100.0), (("pack", "communicate", "unpack"), 1.0)))  # fmt: skip

    def us(group: Group, member: str, launch: int) -> float:
        return wobble(member, launch) * (1 + group.place.bytes)

    return planned_run(SMALL[experiment], us, 4, lambda _, ns: {"first": ns, "phases": once | moved})


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_has_a_report_that_holds_all_it_needs(experiment: str) -> None:
    run = small_run(experiment)
    own, collected = report_of([run]), collect([run])
    assert (own is None) == (experiment == "guidelines")
    page = own.render(collected) if own else render(collected)
    asks_nothing_of_the_network(page)
    data = data_of(page)
    assert len(data["rows"]) == len(run.rows)
    assert data["panels"]
    for panel in data["panels"]:
        assert go.Figure(panel["figure"]).data and panel["cells"]


def test_the_page_of_ways_has_every_time_and_what_was_left_out() -> None:
    lines = planned_lines(ONE_SIZE, lambda group, member, launch: None if member == ONE else 5.0, libraries=("a", "b"))
    lines.append({"schema": 1, "kind": "refused", "mpi": "a", "launch": 1, "group": "1000 B", "member": ONE,
                  "reason": "longer than a member of this group may take"})  # fmt: skip
    collected = collect([run_of(lines, Path("run"))])
    page = REPORT.render(collected)
    assert page.count("<tr><td>a</td><td>1000 B</td>") >= len(ONE_SIZE.plan().groups[0].members) - 1
    assert "longer than a member of this group may take" in page
    assert all(f"<h3>{mpi}</h3>" in page for mpi in ("a", "b"))


def test_the_report_as_text_has_a_row_for_each_way() -> None:
    run = small_run("schemes")
    collected = collect([run])
    heading, *lines = REPORT.as_text(collected, "tsv").splitlines()
    assert tuple(heading.split("\t")) == COLUMNS
    rows = json.loads(REPORT.as_text(collected, "json"))
    assert len(rows) == len(lines) == len(run.rows) + 2
    for row, line in zip(rows, lines, strict=True):
        cells = dict(zip(COLUMNS, line.split("\t"), strict=True))
        assert (cells["way"], cells["create_us"], cells["first_create_us"]) == (row["way"], "0.1", "-")
        assert float(cells["us"]) == pytest.approx(row["us"], rel=1e-3)
        assert float(cells["first_us"]) == pytest.approx(row["us"], rel=0.1)
    commas = REPORT.as_text(collect([small_run("vector")]), "csv").splitlines()
    assert {line.count(",") for line in commas} == {len(COLUMNS) - 1}
    with pytest.raises(GaplessError, match="--format md"):
        REPORT.as_text(collected, "md")
    nothing = collect([planned_run(ONE_SIZE, lambda *_: None)])
    with pytest.raises(GaplessError, match="measured nothing"):
        REPORT.render(nothing)


def test_runs_of_two_experiments_have_no_page_in_common() -> None:
    with pytest.raises(GaplessError, match="runs of schemes and vector, which have no page in common"):
        report_of([small_run("schemes"), small_run("vector")])
