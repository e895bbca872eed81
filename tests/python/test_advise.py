"""`gapless advise`: what it measures, what it says of made-up points, stored runs, and short real runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import gapless as gapless_package
import pytest
from conftest import Command
from ctrl_c import interrupted
from gapless.errors import GaplessError
from gapless.lab.advice.held_out import Tried, other_launches, other_rows
from gapless.lab.advice.settings import LARGEST, LAYER, NATIVE, SMALLEST, AdviceSettings, run_bytes
from gapless.lab.advice.stored import FARTHEST, KNOWN, Known, known_of, predict
from gapless.lab.advice.story import sentences, sentences_of, tables
from gapless.lab.advice.verdict import Advice, advice_of
from gapless.lab.apps.settings import AppsSettings
from gapless.lab.creation.settings import CreationSettings
from gapless.lab.experiment import Experiment, experiment_of
from gapless.lab.plan import Group
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Row
from gapless.lab.vector.settings import VectorSettings
from gapless.lab.ways.points import Point, points_of
from gapless.paths import Build
from measured import printed_here, refused_by
from synthetic import planned_lines, planned_run, wobble, write

DATATYPE, PACKED, BY_HAND = NATIVE
STRIDED = "vector(10, 1, 2, double)"
SHORT = "vector(2, 1, 2, byte)"  # of which no count around 1 is measured
WAYS = {CONTIGUOUS_MEMBER, *NATIVE, LAYER}


def points(times: dict[str, dict[int, float]], spread: float = 0.01, launches: int = 6) -> list[Point]:
    """Return points at several counts: for each way what it takes [us] from such a count on; 10 us the others."""
    settings = AdviceSettings(type_text=STRIDED, count=16)

    def us(group: Group, member: str, launch: int) -> float:
        found = [us for count, us in sorted(times.get(member, {}).items()) if int(group.id) >= count]
        return (found[-1] if found else 10.0) * wobble(f"{member} {group.id}", launch, spread)

    return points_of(planned_run(settings, us, launches))


def advised(times: dict[str, dict[int, float]], spread: float = 0.01, launches: int = 6) -> Advice:
    found = advice_of(points(times, spread, launches), 16)
    assert found is not None
    return found


def test_counts_around_the_one_asked_for() -> None:
    assert AdviceSettings(type_text=STRIDED, count=16).counts() == [1, 4, 16, 64, 256]
    assert AdviceSettings(type_text="byte").counts() == [1], "the one asked for, however small"
    sizes = [80 * count for count in AdviceSettings(type_text=STRIDED, count=100_000).counts()]
    assert sizes[-1] == 8_000_000 and all(SMALLEST <= size <= LARGEST for size in sizes)


def test_a_group_for_each_count() -> None:
    settings = AdviceSettings(type_text=STRIDED, count=16)
    plan = settings.plan()
    assert [(group.id, group.place.bytes) for group in plan.groups] == [(f"{n}", 80 * n) for n in (1, 4, 16, 64, 256)]
    assert set(plan.groups[0].members) == WAYS
    assert set(replace(settings, layer=False).plan().groups[0].members) == WAYS - {LAYER}
    assert {row.A for row in plan.rows} == {8}
    assert experiment_of(json.loads(json.dumps(settings.as_json()))) == settings
    # Who sends no whole doubles is compared with an array of bytes.
    assert AdviceSettings(type_text="vector(5, 1, 2, int32)").plan().groups[0].place.base.name == "byte"
    with pytest.raises(GaplessError, match="hold no data"):
        AdviceSettings(type_text="contiguous(0, double)").plan()


@pytest.mark.parametrize(
    ("text", "count", "run"),
    [(STRIDED, 7, 8), ("contiguous(10, double)", 4, 320), ("indexed([1, 3], [0, 5], double)", 1, 16), ("byte", 1, 1)],
)
def test_the_average_length_of_runs(text: str, count: int, run: int) -> None:
    assert run_bytes(gapless_package.Datatype(text), count) == run


def test_the_advice_says_from_what_count_on() -> None:
    # By hand is the fastest from a count of 4 on.
    advice = advised({BY_HAND: {1: 10, 4: 5}, LAYER: {1: 2}})
    assert (advice.native.way, advice.native.decided, advice.since, advice.with_layer) == (BY_HAND, True, 4, "faster")
    first, second = sentences_of(advice)
    assert first.startswith("mpich, 1280 B: pack it by hand; the next best, '")
    assert first.endswith("; so it is from a count of 4 on")
    assert second.startswith("mpich, 1280 B: under 'gapless run', send the datatype: 2.5")
    here = sentences_of(advised({BY_HAND: {16: 5}, LAYER: {1: 20}}))
    assert "from a count" not in here[0] and "is slower under 'gapless run': that takes 0.2" in here[1]


def test_a_count_without_a_decision_ends_the_range() -> None:
    assert advised({BY_HAND: {1: 5, 4: 10, 16: 5}}).since == 16


def test_an_advice_that_is_not_decided() -> None:
    advice = advised({}, spread=0.1)
    assert (advice.native.decided, advice.since, advice.with_layer) == (False, None, "undecided")
    told = sentences_of(advice)
    assert "not decided: '" in told[0] and "write what reads best" in told[0]
    assert "whether the datatype under 'gapless run' is faster is not decided" in told[1]
    single = sentences_of(advised({BY_HAND: {1: 5}}, launches=1))
    assert "not decided" in single[0] and "(one launch)" in single[0]


def test_one_way_alone_and_a_count_that_is_not_there() -> None:
    found = points({})
    assert advice_of(found, 17) is None
    for point in found:
        point.times = {way: of for way, of in point.times.items() if way in (CONTIGUOUS_MEMBER, PACKED)}
    assert sentences(found)[0] == "mpich, 80 B: only one way could be measured: pack it by MPI_Pack and send that"
    assert len(sentences(found)) == len(found)
    (told,) = tables(found)
    assert told.cells[0][3:] == ["-", told.cells[0][4], "-", "-"]


def known(name: str, size: int, run: int, spread: float = 0.0, mpi: str = "mpich", **us: float) -> Known:
    """Return a stored message of which ways take so long [us]: an array 5, others 10 if nothing is said."""
    row = Row("r", "", "", "", "pingpong", size, size, "double", "warm", False, name, "", "", "", "", 0, run)
    ways = {CONTIGUOUS_MEMBER: 5.0, **{way: us.get(way.partition(":")[2], 10.0) for way in (*NATIVE, LAYER)}}
    times = {way: {n: 1000 * of * wobble(f"{name} {way}", n, spread) for n in range(8)} for way, of in ways.items()}
    return Known(mpi, name, size, run, Point(mpi, row, times))


def test_a_prediction_is_what_the_nearest_agree_on() -> None:
    near = [known("a", 1010, 800, manual=5), known("b", 1030, 800, manual=5), known("c", 1000, 840, manual=6)]
    far = [known("d", 1000, 4096, pack=5), known("e", 1 << 20, 8, pack=5), known("f", 800, 8, mpi="intel", pack=5)]
    found = predict([*far, *near], "mpich", 1000, 800)
    assert (found.way, [one.name for one in found.neighbours]) == (BY_HAND, ["a", "b", "c"])
    assert found.ratios == pytest.approx({DATATYPE: 2, PACKED: 2, BY_HAND: 1.06, LAYER: 2}, rel=0.05)
    assert predict(far, "intel", 800, 8).way == PACKED
    assert near[0].distance(4040, 800) == 2 > FARTHEST


def test_nothing_is_predicted_where_the_nearest_are_too_far_disagree_or_are_not_clear() -> None:
    one, other = known("a", 800, 8, manual=5), known("b", 820, 8, pack=5)
    for stored in ([], [known("a", 1000, 8, manual=5)], [one, other], [known("a", 800, 8, manual=9.7)]):
        assert predict(stored, "mpich", 800, 8).way is None
    assert predict([one], "openmpi", 800, 8).neighbours == []


def test_only_the_four_nearest_are_asked() -> None:
    stored = [known(f"{n}", 800 + n, 8, manual=5) for n in range(4)] + [known("fifth", 830, 8, pack=5)]
    assert predict(stored, "mpich", 800, 8).way == BY_HAND


def test_a_row_is_advised_for_from_all_but_its_kin() -> None:
    stored = [
        known("a", 800, 8, 0.01, manual=5), known("b", 820, 8, 0.01, manual=5), known("c", 840, 8, 0.01, manual=5),
        # Its kin on another library says nothing of it; nobody else is near; nor is what is not decided counted.
        known("d", 1 << 20, 8, 0.01, pack=5), known("d", 1 << 20, 8, 0.01, "intel", pack=5), known("e", 810, 8),
    ]  # fmt: skip
    assert other_rows(stored) == Tried(5, 0, 0), "of a, b and c the undecided e is a neighbour, too"
    assert other_rows(stored[:-1]) == Tried(5, 3, 3, 3)
    assert other_rows([stored[0], replace(stored[0])]) == Tried(2, 0, 0), "nor does another run of it"
    assert other_rows([*stored[:2], known("x", 830, 8, 0.01, pack=5)]) == Tried(3, 1, 0), "a and b say what x is not"


def test_half_of_the_launches_advises_for_the_others() -> None:
    clear, unclear = known("a", 800, 8, 0.01, manual=5).point, known("b", 800, 8, 0.3).point
    assert other_launches([clear, unclear]) == Tried(1, 1, 1, 1)
    turned = known("c", 800, 8, 0.01, manual=5, pack=50).point
    for launch in range(0, 8, 2):
        turned.times[BY_HAND][launch], turned.times[PACKED][launch] = (
            turned.times[PACKED][launch], turned.times[BY_HAND][launch])  # fmt: skip
    assert other_launches([turned]) == Tried(1, 1, 0), "each half says the contrary"


def by_hand_wins(group: Group, member: str, launch: int) -> float:
    hand = ":hand" in member or ":manual" in member
    return (5.0 if hand else 4.0 if member == CONTIGUOUS_MEMBER else 10.0) * wobble(f"{group.id} {member}", launch)


@pytest.mark.parametrize(
    ("settings", "name", "run"),
    [
        (VectorSettings(lengths=(64,), counts=(16,)), "16 x 64 B/vector", 64),
        (AdviceSettings(type_text=STRIDED, count=1), "1/datatype", 8),
        (AppsSettings(names=("WRF_x/8x8",)), "WRF_x/8x8/vec", 0),
    ],
    ids=["vector", "advice", "apps"],
)
def test_what_stored_runs_say(settings: Experiment, name: str, run: int) -> None:
    found = known_of(planned_run(settings, by_hand_wins))
    one = next(one for one in found if one.name == name)
    assert one.run == run or (not run and 8 <= one.run < one.bytes)
    assert one.point.times.keys() >= set(NATIVE)
    assert one.point.us(BY_HAND) == pytest.approx(5, rel=0.05) and one.point.us(DATATYPE) == pytest.approx(10, rel=0.05)
    assert settings.experiment in KNOWN


def test_runs_of_other_experiments_say_nothing() -> None:
    assert known_of(planned_run(CreationSettings(counts=(10,)), by_hand_wins)) == []
    # What is received otherwise than it is sent.
    dense = replace(VectorSettings(lengths=(64,), counts=(16,)), experiment="schemes")
    assert known_of(planned_run(dense, by_hand_wins)) == []


def stored_vector(folder: Path) -> str:
    settings = VectorSettings(lengths=(8,), counts=(98, 104))
    return str(write(planned_lines(settings, by_hand_wins, libraries=("mpich", "intel")), folder))


def test_advice_from_stored_runs(tmp_path: Path) -> None:
    run = stored_vector(tmp_path / "run")
    status, answer, told = printed_here("advise", "vector(100, 1, 2, double)", "--from", run)
    assert status == 0, told
    mpich, intel, *lines = answer.splitlines()
    assert mpich.startswith("mpich, 800 bytes in runs of 8: pack it by hand (by 98 x 8 B/vector, 104 x 8 B/vector; ")
    assert intel.startswith("intel, 800 bytes in runs of 8: pack it by hand")
    assert "// by hand" in lines and "MPI_Pack" not in "\n".join(lines)
    assert lines[-1] == "free(packed);"
    _, as_json, _ = printed_here("advise", "vector(100, 1, 2, double)", "--from", run, "--mpi", "intel", "--json")
    (found,) = json.loads(as_json)
    assert (found["mpi"], found["decided"], found["fastest_native"], found["run_bytes"]) == ("intel", True, BY_HAND, 8)
    _, far, _ = printed_here("advise", "contiguous(100, double)", "--from", run, "--mpi", "mpich", "--language", "none")
    assert far == (
        "mpich, 800 bytes in runs of 800: not decided by stored messages (none near enough); leave --from out\n"
    )


def test_a_short_run(gapless: Command, build: Build, tmp_path: Path) -> None:
    answer = gapless("advise", SHORT, "--launches", 2, "--language", "none", "--json", TMPDIR=str(tmp_path))
    assert answer.returncode == 0, answer.stderr
    (found,) = json.loads(answer.stdout)
    assert (found["mpi"], found["bytes"], found["launches"], set(found["us"])) == ("mpich", 2, 2, WAYS)
    assert found["fastest_native"] in NATIVE and found["lead"]["value"] >= 1
    assert list(tmp_path.iterdir()) == []


def test_the_table_the_sentences_the_lines_and_a_run_to_advise_from(
    gapless: Command, build: Build, tmp_path: Path
) -> None:
    kept = tmp_path / "run"
    answer = gapless("advise", SHORT, "--count", 2, "--launches", 2, "--no-layer", "--language",
                     "fortran", "--out", kept)  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert "mpich: one message [µs], and its ratio to an array" in answer.stdout
    assert "\nmpich, 4 B: " in answer.stdout and "gapless run" not in answer.stdout
    assert "\n! " in answer.stdout and "MPI_Send" in answer.stdout
    assert f"samples in {kept}" in answer.stderr
    _, stored, _ = printed_here("advise", SHORT, "--count", "2", "--from", str(kept), "--language", "none")
    assert stored.startswith("mpich, 4 bytes in runs of ")
    refused_by(["advise", SHORT, "--out", str(kept)], f"{kept}/run.jsonl holds a run already")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([STRIDED, "--language", "pascal"], "--language: there is no 'pascal': there are c, fortran, none"),
        (["contiguous(0, double)"], "1 of contiguous(0, double) hold no data: name a type and a count that do"),
        (["vectr(1, 1, 1, byte)"], "unknown type 'vectr' (line 1, column 1): did you mean 'vector'?"),
        ([STRIDED, "--from", "/no/such/run"], "cannot read /no/such/run"),
        ([STRIDED, "--from", "results", "--out", "there"], "--from measures nothing"),
        ([STRIDED, "--mpi", "nothing"], "no MPI is called 'nothing'"),
        ([STRIDED, "--count", "0"], "Invalid value for '--count'"),
        ([STRIDED, "--launches", "1"], "Invalid value for '--launches'"),
    ],
)
def test_what_cannot_be_advised(words: list[str], says: str) -> None:
    refused_by(["advise", *words], says)


def test_stored_runs_that_say_nothing_of_datatypes(tmp_path: Path) -> None:
    lines = planned_lines(CreationSettings(counts=(10,)), by_hand_wins)
    refused_by(["advise", STRIDED, "--from", str(write(lines, tmp_path / "run"))],
               "the stored runs say nothing of datatypes within a node: name runs of apps, vector, advice (of advise "
               "with --out), without --two-nodes and --eager")  # fmt: skip


def test_ctrl_c_says_what_was_measured_and_leaves_nothing(build: Build, tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    words = ["advise", SHORT, "--launches", "500", "--language", "none"]
    output = interrupted(words, folder, 1, TMPDIR=str(folder))
    assert "mpich, 2 B: " in output and "gapless: interrupted" in output
    assert list(folder.iterdir()) == []


def test_ctrl_c_before_anything_was_measured_advises_nothing(build: Build, tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    # 8 MB: the first group takes its time.
    words = ["advise", "vector(1000000, 1, 2, double)", "--launches", "500"]
    output = interrupted(words, folder, 0, TMPDIR=str(folder))
    assert output.strip() == "gapless: interrupted"
