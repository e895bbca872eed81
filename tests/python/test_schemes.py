"""`gapless measure schemes`: what is planned, what is said of made-up points, and short real runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import gapless as gapless_package
import pytest
from conftest import Command
from ctrl_c import interrupted
from gapless.lab.plan import Group
from gapless.lab.report.collected import collect
from gapless.lab.run_file import CONTIGUOUS_MEMBER, read_run
from gapless.lab.schemes.settings import PRESETS, SIZES, SchemesSettings
from gapless.lab.schemes.story import REPORT, plots, sentences, tables
from gapless.lab.ways.points import Point, points_of
from gapless.paths import Build
from measured import page_of_run, printed_here, refused_by, rows_measured, run_could_go_on, run_goes_on
from synthetic import planned_run, wobble

WAYS = {
    "array", "vector", "copy by hand", "MPI_Pack", "MPI_Pack of each number", "MPI_Bsend", "persistent",
    "MPI_Put and fences", "engine and send", "subarray", "subarray + Gapless", "vector + Gapless",
    "persistent + Gapless",
}  # fmt: skip
MIDDLE, LARGE = 1_000_000, 100_000_000
Us = Callable[[int, str], float | None]


def made_up(us: Us, sizes: Sequence[int] = (MIDDLE, LARGE), spread: float = 0.01) -> list[Point]:
    """Return points of which ways take so long by size [us]; launches differ in the last one."""

    def wobbling(group: Group, member: str, launch: int) -> float | None:
        taken = us(group.place.bytes, member)
        return taken and taken * wobble(member, launch, spread if group.place.bytes == sizes[-1] else 0)

    return points_of(planned_run(SchemesSettings(sizes=sizes), wobbling))


def test_a_group_for_each_size_has_every_way() -> None:
    assert (SIZES[0], SIZES[-1], len(SIZES)) == (1000, 1_000_000_000, 13)
    group, blocks = SchemesSettings(sizes=(1000, 24), block=3, stride=7).plan().groups
    assert (group.place.bytes, blocks.place.bytes) == (41 * 24, 24)
    assert set(group.members) == {CONTIGUOUS_MEMBER, *(f"vector:{way}" for way in (
        "native", "hand_c", "pack_send", "pack_element", "buffered", "persistent", "put", "engine_send", "gapless",
        "persistent+layer")), "subarray:native", "subarray:gapless"}  # fmt: skip
    assert {name for name in group.members if group.needs_layer(name)} == {
        "vector:gapless", "vector:persistent+layer", "subarray:gapless"}  # fmt: skip
    without = SchemesSettings(sizes=(1000,), layer=False).plan().groups[0]
    assert not any(without.needs_layer(name) for name in without.members)


def test_vector_and_subarray_are_the_same_layout_received_as_an_array() -> None:
    group = SchemesSettings(sizes=(1000,), block=5, stride=9).plan().groups[0]
    (vector, _), (subarray, _) = group.messages["vector"], group.messages["subarray"]
    runs = [list(gapless_package.Datatype(text).iov()) for text in (vector.type, subarray.type)]
    assert len(runs[0]) == 25 and runs[0] == runs[1]
    assert vector.more["receive"] == subarray.more["receive"] == {"count": 125, "type": "double"}


def test_an_irregular_list_has_the_stride_on_average_and_is_not_endless() -> None:
    settings = SchemesSettings(sizes=(80_000, 10_000_000), block=2, stride=6, irregular=True)
    plan = settings.plan()
    (group,), (refused,) = plan.groups, plan.refused
    at = group.messages["list"][0].more["loops"]["list"]
    steps = [after - before for before, after in zip(at, at[1:], strict=False)]
    assert len(at) == 5000 and min(steps) == 2 and max(steps) == 10
    assert sum(steps) / len(steps) == pytest.approx(6, rel=0.05)
    assert settings.plan().groups[0].messages == group.messages, "the same in each launch"
    assert "a list of 625000 blocks is longer than 50000" in refused["reason"]


def test_repetitions() -> None:
    def repeated(settings: SchemesSettings, size: int) -> dict[str, float]:
        group = replace(settings, sizes=(size,)).plan().groups[0]
        return settings.repetitions(group.place, 10)

    standard, paper = PRESETS["standard"], PRESETS["paper"]
    assert repeated(paper, 1000) | {"member_limit_ms": 0} == {
        "min": 20, "max": 20, "inner": 1, "precision": 0.0, "budget_ms": 0, "warmup": 0, "member_limit_ms": 0
    }  # fmt: skip
    assert (paper.launches, paper.data, paper.cache) == (5, "constant", "cold_sender")
    small, large, huge = (repeated(standard, size) for size in (1000, 1_000_000, LARGE))
    assert (small["min"], large["min"], huge["min"], huge["warmup"]) == (8, 5, 3, 0)
    cold = repeated(replace(standard, cache="cold"), 1000)
    assert (cold["inner"], cold["budget_ms"]) == (1, 8 * small["budget_ms"])


@pytest.mark.parametrize(
    ("beyond", "spread", "verdict"),
    [(2.0, 0.01, "re-found"), (1.15, 0.01, "re-found"), (1.02, 0.01, "refuted"), (1.1, 0.1, "not decided")],
)
def test_the_drop_of_direct_sends(beyond: float, spread: float, verdict: str) -> None:
    # At 1 MB the direct send takes 0.9 of the packed one; so a drop begins at 1.08.
    def us(size: int, member: str) -> float:
        return 9.0 if member == "vector:native" and size == MIDDLE else 10 * beyond if member == "vector:native" else 10

    (told,) = [text for text in sentences(made_up(us, spread=spread)) if "drop" in text]
    assert f"beyond some ten megabytes is {verdict}: the vector takes" in told
    assert "times as long as MPI_Pack and send at 100 MB, and 0.9" in told


def test_without_a_direct_send_or_such_sizes_nothing_is_said_of_a_drop() -> None:
    # So slow beyond that each was left out.
    def us(size: int, member: str) -> float | None:
        return None if size == LARGE and member.endswith(":native") and member != CONTIGUOUS_MEMBER else 10.0

    for points in (made_up(us), made_up(lambda *_: 10.0, (MIDDLE,))):
        assert not [text for text in sentences(points) if "drop" in text]
        assert tables(points) and plots(points, {"mpich": "mpich 5"}, [])


def test_the_fastest_way_without_gapless_and_the_layer_from_64_kb_on() -> None:
    def us(size: int, member: str) -> float:
        return {CONTIGUOUS_MEMBER: 10, "vector:engine_send": 11, "vector:gapless": size / 100_000 * 1.1 + 10,
                "vector:hand_c": 20}.get(member, 30)  # fmt: skip

    told = sentences(made_up(us, (MIDDLE, 1000), 0.001))
    assert told[1].startswith("mpich, 1000 B: copy by hand is the fastest way without Gapless; the next one, ")
    assert "takes 1.50 (1.50 - 1.50) times as long" in told[1]
    assert "with Gapless 2.10 times an array from 64 KB on" in told[-1] and told[-1].count(" at ") == 1


def test_the_eager_limit_is_marked() -> None:
    settings = SchemesSettings(sizes=(1000,))
    run = planned_run(settings, lambda *_: 1.0)
    run.eager_limits = {"mpich": 65536, "openmpi": 4096}
    for plot in plots(points_of(run), {"mpich": "mpich 5"}, [run]):
        (shape,) = plot.figure["layout"]["shapes"]
        assert (shape["x0"], shape["x1"]) == (65536, 65536)


def test_bandwidth_is_of_one_way() -> None:
    points = points_of(planned_run(SchemesSettings(sizes=(10_000,)), lambda *_: 2.0))
    bandwidth = next(plot for plot in plots(points, {}, []) if plot.title == "Bandwidth")
    assert bandwidth.figure["data"][0]["y"] == [pytest.approx(5000)]


def test_a_short_run(gapless: Command, build: Build, tmp_path: Path) -> None:
    rows = rows_measured(gapless, "schemes", "--preset", "quick", "--sizes", "1000")
    assert {row["way"] for row in rows} == WAYS
    assert all(row["us"] > 0 and row["launches"] == 2 and row["first_us"] > 0 for row in rows)
    assert read_run(tmp_path / "run").eager_limits["mpich"] > 0
    page = page_of_run(gapless, tmp_path)
    assert "Every way to send what a vector describes" in page and "MPI_Pack of each number" in page
    as_data = gapless("report", "run", "--format", "json")
    assert json.loads(as_data.stdout) == rows
    run_could_go_on("schemes", "vector", tmp_path / "run")
    run_goes_on(gapless, "schemes", tmp_path)


def test_irregular_blocks_between_pairs_of_ranks_by_the_papers_protocol(
    gapless: Command, build: Build, tmp_path: Path
) -> None:
    # Warm: a walk through the caches before each message takes longer than all else.
    rows = rows_measured(gapless, "schemes", "--preset", "paper", "--cache", "warm", "--sizes", "1000", "--pairs", 2,
                         "--irregular", "--no-layer")  # fmt: skip
    ways = {way.replace("vector", "list") for way in WAYS if "Gapless" not in way}
    assert {row["way"] for row in rows} == ways - {"subarray"}
    assert {(row["data"], row["launches"]) for row in rows} == {("constant", 2)}
    run = read_run(tmp_path / "run")
    assert [line["facts"]["ranks"] for line in run.launches] == [4, 4]
    samples = [of for launches in run.samples.values() for members in launches.values() for of in members.values()]
    assert {len(of) for of in samples} == {20}
    assert {row.pattern for row in run.rows} == {"one way"}


def test_what_would_be_measured_is_listed() -> None:
    status, rows, told = printed_here("measure", "schemes", "--preset", "quick", "--irregular", "--list")
    assert status == 0, told
    assert "refused\t-\tirregular" in rows
    assert "schemes\tslow-down\t1000 B/list:persistent+layer" in rows
    assert "3 refused" in told


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--block", "4", "--stride", "2"], "blocks of 4 doubles overlap at a stride of 2: name a longer --stride"),
        (["--sizes", "1k"], "--sizes 1k: that is no list of positive numbers"),
        (["--pairs", "0"], "Invalid value for '--pairs'"),
        (["--cache", "cool"], "--cache: there is no 'cool': there are warm, cold, cold_sender"),
        (["--preset", "slow"], "no preset is called 'slow': there are quick, standard, paper"),
        (["--irregular", "--sizes", "10000000"], "nothing is left to measure (irregular: a list of 1250000 blocks is "
         "longer than 50000): see 'gapless measure schemes --list'"),
        (["--resume", "nowhere"], "cannot read nowhere/run.jsonl"),
        (["--resume", "nowhere", "--block", "4"], "not with another --block"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured(words: list[str], says: str) -> None:
    refused_by(["measure", "schemes", *words], says)


def test_ctrl_c_keeps_what_was_measured(gapless: Command, build: Build, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    output = interrupted(["measure", "schemes", "--preset", "quick", "--sizes", "1000", "--launches", "500", "--out",
                          str(folder)], folder, 1)  # fmt: skip
    assert f"interrupted; samples in {folder}" in output and f"'--resume {folder}' goes on" in output
    assert "library\tgroup\tway" in output
    assert points_of(read_run(folder))


def test_one_launch_has_a_page_without_intervals() -> None:
    run = planned_run(SchemesSettings(sizes=(1000,)), lambda *_: 1.0, 1)
    assert "(one launch)" in sentences(points_of(run))[0]
    assert "(one launch)" in REPORT.render(collect([run]))
