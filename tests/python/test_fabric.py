"""`gapless measure fabric`: what is planned, what made-up points say, and short real runs from end to end."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, first_in_make_test
from gapless.cli.measure_fabric import charges
from gapless.errors import GaplessError
from gapless.lab.fabric.facts import Facts, Transfers, facts_of, first_to_steady, registration_share, steady_points
from gapless.lab.fabric.launches import PROGRAM, Where, run_launch
from gapless.lab.fabric.model import crossovers, model_of
from gapless.lab.fabric.settings import FIXED, KERNELS, NATIVE, PRESETS, WAYS, FabricSettings, library_groups, member
from gapless.lab.fabric.story import REPORT, judge, peers_table, story_of
from gapless.lab.plan import Group
from gapless.lab.report.collected import collect
from gapless.lab.results import Recorder, of_kind, read
from gapless.lab.run_file import CONTIGUOUS_MEMBER, read_run, run_of
from gapless.paths import Build
from gapless.targets.two_nodes import Nodes
from measured import page_of_run, printed_here, refused_by
from synthetic import planned_lines, planned_run, wobble

SMALL = FabricSettings(lengths=(64, 4096), counts=(128, 1024), reuse=(1, 16), parts=("map",))
FREE, CHARGED = "tcp", "tcp charged 20000+200"
# Size, number and length of runs of the paper's table.
PAPER = {
    "MILC_su3_zd/A": (196_608, 64, 3072), "MILC_su3_zd/E": (6_291_456, 128, 49_152), "NAS_MG_x/B": (32_768, 4096, 8),
    "NAS_MG_x/D": (84_960, 10_620, 8), "NAS_MG_y/A": (60_960, 30, 2032), "NAS_MG_y/C": (1_931_424, 118, 16_368),
    "WRF_y_vec/A": (15_803_844, 987, 16_012), "WRF_y_vec/C": (23_691_948, 987, 24_004),
    "SPECFEM3D_mt/A": (2_097_152, 512, 4096), "SPECFEM3D_mt/C": (2_457_600, 200, 12_288),
}  # fmt: skip


def has_program() -> bool:
    try:
        return Build.find().program(PROGRAM).exists()
    except GaplessError:
        return False


built = pytest.mark.skipif(not has_program(), reason=f"{PROGRAM} is not built: there is no libfabric or no libsodium")


def can_make_nodes() -> bool:
    return subprocess.run(["unshare", "-mn", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", PAPER)
def test_kernels_are_those_of_the_paper(name: str) -> None:
    shape = KERNELS[name]
    assert (shape.bytes, shape.runs, shape.run) == PAPER[name]


def test_every_preset_has_its_parts_and_says_what_it_leaves_out() -> None:
    for settings in PRESETS.values():
        plan = settings.plan()
        assert len({group.id for group in plan.groups}) == len(plan.groups)
        job = settings.fabric_job(1, {group.id: group for group in plan.groups})
        assert [group["id"] for group in job["groups"]] == [group.id for group in plan.groups]
        for group in job["groups"]:
            assert [of["way"] for of in group["members"][1:]] == list(WAYS)
            assert 1 <= group["reps"]["min"] <= group["reps"]["max"]
        shared = library_groups(plan)
        assert {group.id.split(" B")[0].split("x ")[1] for group in shared} == {"8", "64", "256", "1024", "4096"}
        assert all(set(group.members) == {CONTIGUOUS_MEMBER, NATIVE} for group in shared)
    assert {line["reason"].split()[0] for line in PRESETS["quick"].plan().refused} == {"shorter", "longer"}


def test_costs_are_read() -> None:
    assert charges(None) is None
    assert charges(["0", "0,0", "20000,200", "7"]) == ("", "20000,200", "7")
    with pytest.raises(GaplessError, match="--charge 1,x"):
        charges(["1,x"])


def us_of(group: Group, name: str, launch: int, charge_us: float) -> float:
    """Return what a model with known costs says [us]: lists overtake host from longer blocks on with a charge."""
    size, block = group.place.bytes, int(group.id.split()[2])
    reuse = int(group.id.split()[-1])
    pack = size * 0.2 + size / block * 2
    ns = {
        "host": 20_000 + size * 0.5 + pack,
        "lists": 20_000 + size * 0.5 + size / block * 100 + 1000 * charge_us / reuse,
        "segments": 50_000 + size * 0.7 + size / block * 100,
    }
    ns["adaptive"] = 1.02 * min(ns.values())
    way = "lists" if name == CONTIGUOUS_MEMBER else name.partition("+")[2] or "adaptive"
    return ns[way] / 1000 * wobble(f"{name} {group.id} {charge_us}", launch, 0.001)


def made_up() -> list[dict[str, Any]]:
    """Return the lines of a run whose costs are known, without a charge and with one."""
    settings = FabricSettings(lengths=(64, 512, 4096, 32_768), counts=(128, 1024), reuse=(1, 64), parts=("map",))
    lines: list[dict[str, Any]] = []
    for name, charge, registering_us in ((FREE, "", 0.0), (CHARGED, "20000,200", 2 * 20.0)):
        made = planned_lines(settings, lambda g, m, n, us=registering_us: us_of(g, m, n, us), 6, libraries=(name,))
        if not lines:
            made[0]["libraries"] = {FREE: {"charge": ""}, CHARGED: {"charge": "20000,200"}}
        lines += made if not lines else [line for line in made if line["kind"] in ("samples", "launch")]
        for group in settings.plan().groups:
            size, block, reuse = group.place.bytes, int(group.id.split()[2]), int(group.id.split()[-1])
            both = {"schema": 1, "kind": "counts", "experiment": "fabric", "mpi": name, "launch": 1, "group": group.id}
            pack = size * 0.2 + size / block * 2
            lines.append(both | {"what": "packing", "runs": size // block, "pack": [pack / 2], "unpack": [pack / 2]})
            counters = {"registrations": 2, "registered_bytes": 0, "registration_ns": 40_000 if charge else 0}
            lines.append(both | {"what": "transfers", "member": member("lists"), "trips": reuse, "timed_ns": 1e6,
                                 "uses": [], "counters": counters})  # fmt: skip
    return lines


def test_the_model_finds_the_costs_and_where_lists_overtake_host() -> None:
    run = run_of(made_up(), Path("made up"))
    facts, points = facts_of([run]), steady_points(run)
    model = model_of(points, facts)
    assert model is not None
    assert model.host == pytest.approx((20_000, 0.5), rel=0.1)
    assert model.lists == pytest.approx((20_000, 0.5, 100), rel=0.1)
    found = {(one.mpi, one.reuse): one for one in crossovers(points, facts, model)}
    assert all(one.expected == one.found and one.right == one.points for one in found.values())
    # A charge moves it to longer blocks where buffers are used once.
    lengths = {key: one.found for key, one in found.items()}
    assert lengths[FREE, 1] == lengths[FREE, 64] == lengths[CHARGED, 64] == 512
    assert lengths[CHARGED, 1] == 4096


def test_the_adaptive_way_is_compared_with_the_best_of_the_other_half() -> None:
    points = steady_points(run_of(made_up(), Path("made up")))
    for point in points:
        found = judge(point)
        assert found is not None and found.near
        assert found.ratio.value == pytest.approx(1.02, abs=0.005)
        assert found.way in {member(way) for way in FIXED}


def test_first_uses_and_the_share_of_registering() -> None:
    one = Transfers(1, 6, 1000.0, [[300.0, 100.0, 110.0], [330.0, 90.0, 100.0]], {"registration_ns": 250})
    assert first_to_steady([one]) == pytest.approx(3.15)
    assert registration_share([one]) == pytest.approx(0.25)
    assert first_to_steady([Transfers(1, 1, 1.0, [], {})]) is None


def test_memory_of_more_processes_is_computed_and_called_so() -> None:
    counters = {"endpoints": 1, "peer_bytes": 400}
    peers = [
        {"processes": n, "rank": rank, "open_ns": 1e9, "resident_bytes": 1 << 20,
         "opened": counters | {"memory_bytes": 1000 + 100 * n},
         "after_ring": counters | {"memory_bytes": 5000 + 100 * n}}
        for n in (2, 4) for rank in range(n)
    ]  # fmt: skip
    table = peers_table(Facts(peers=peers, settings={"computed": [1024]}))
    assert table is not None
    real, _, computed = table.cells
    assert real[:5] == ["2", "real", "1", "1200", "5200"]
    assert computed[:4] == ["1024", "computed", "1", str(1000 + 100 * 1024)]


def test_the_report_tells_it_all() -> None:
    run = run_of(made_up(), Path("made up"))
    page = REPORT.render(collect([run]))
    assert "Where the model says lists overtake host" in page
    story = story_of(facts_of([run]), steady_points(run))
    told = story.sentences([point for point in steady_points(run) if point.mpi == FREE])
    assert any("adaptive is within 5% of the best fixed way" in text for text in told)
    assert any("ns for each run" in text for text in told)


def test_a_plan_without_points_has_no_model() -> None:
    run = planned_run(SMALL, lambda *_: 1.0)
    assert model_of(steady_points(run), facts_of([run])) is None


def test_what_cannot_be_is_said_before_anything_runs() -> None:
    refused_by(["measure", "fabric", "--provider", "shm"], "add --one-node")
    refused_by(["measure", "fabric", "--hosts", "one"], "two hosts are needed")
    refused_by(["measure", "fabric", "--hosts", "one,two", "--mpi", "mpich"], "leave out one of them")
    refused_by(["measure", "fabric", "--lengths", "12"], "a double has 8 bytes")
    status, out, _ = printed_here("measure", "fabric", "--list", "--preset", "quick")
    assert status == 0 and "MILC_su3_zd/A" in out and "refused" in out


QUICK = ("--preset", "quick", "--lengths", "4096", "--counts", "16", "--reuse", "1,4", "--launches", 2)


@built
@pytest.mark.parametrize("provider", first_in_make_test(["tcp", "shm"]))
def test_a_short_run_has_every_way_with_and_without_a_charge(gapless: Command, tmp_path: Path, provider: str) -> None:
    answer = gapless("measure", "fabric", *QUICK, "--provider", provider, "--one-node", "--parts", "map,peers",
                     "--peers", "2,3", "--json", "--out", "run")  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    wanted = {"array", *(f"vector by libfabric{'' if way == 'adaptive' else f', {way}'}" for way in WAYS)}
    found = Counter((row["library"], row["group"]) for row in rows)
    assert len(found) == 2 * 2 and set(found.values()) == {len(wanted)}
    assert {row["way"] for row in rows} == wanted
    run = read_run(tmp_path / "run")
    facts = facts_of([run])
    assert sorted(line["processes"] for line in facts.peers) == [2, 2, 3, 3, 3]
    assert all(line["right"] for line in facts.peers)
    charged = [
        one for (mpi, _, name), of in facts.transfers.items() for one in of
        if mpi.endswith("20000+200") and name == member("lists")
    ]  # fmt: skip
    assert charged and all(
        one.counters["registration_ns"] >= 20_000 * one.counters["registrations"] > 0 for one in charged
    )
    assert not run.errors
    if provider == "tcp":
        page_of_run(gapless, tmp_path)
    # As a run of that part alone is.
    lines = [
        line
        for line in read(tmp_path / "run" / "run.jsonl")
        if line["kind"] == "environment" or line.get("what") == "peers"
    ]
    (tmp_path / "peers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    answer = gapless("report", "peers.jsonl", "-o", "peers.html")
    assert answer.returncode == 0, answer.stderr
    assert "computed" in answer.stdout and "computed" in (tmp_path / "peers.html").read_text()


@built
@pytest.mark.skipif(not can_make_nodes(), reason="two nodes take root and the right to make namespaces")
def test_a_launch_on_two_nodes_goes_over_the_cable(tmp_path: Path) -> None:
    settings = FabricSettings(lengths=(4096,), counts=(128,), reuse=(1,), parts=("map",))
    groups = {group.id: group for group in settings.plan().groups}
    recorder = Recorder(tmp_path / "run.jsonl")
    with Nodes() as nodes:
        before = nodes.sent()
        where = Where(Build.find(), "tcp", nodes)
        assert run_launch(where, "tcp", "", 1, settings, groups, recorder, 60) == []
        assert min(after - begun for begun, after in zip(before, nodes.sent(), strict=True)) > 4096 * 128
    assert len(of_kind(recorder.lines, "samples")) == len(WAYS) + 1


@built
def test_hosts_are_reached_by_the_shell_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = FabricSettings(lengths=(4096,), counts=(16,), reuse=(1,), parts=("map",))
    groups = {group.id: group for group in settings.plan().groups}
    recorder = Recorder(tmp_path / "run.jsonl")
    shell, calls = tmp_path / "shell", tmp_path / "calls"
    shell.write_text(f'#!/bin/sh\necho "$*" >> {calls}\nshift\nexec env -u GAPLESS_JOB_SECRET sh -c "$*"\n')
    shell.chmod(0o755)
    monkeypatch.setenv("GAPLESS_RSH", str(shell))
    where = Where(Build.find(), "tcp", hosts=("127.0.0.1", "localhost"))
    assert run_launch(where, "tcp", "20000,200", 1, settings, groups, recorder, 60) == []
    assert len(of_kind(recorder.lines, "samples")) == len(WAYS) + 1
    told = calls.read_text()
    assert "localhost" in told and "GAPLESS_FABRIC_CHARGE=20000,200" in told and "SECRET=" not in told


@built
def test_wrong_data_are_rows_with_a_reason_and_the_others_are_measured(tmp_path: Path) -> None:
    settings = FabricSettings(lengths=(4096,), counts=(16,), reuse=(1,), parts=("map",))
    groups = {group.id: group for group in settings.plan().groups}
    recorder = Recorder(tmp_path / "run.jsonl")
    wrong = run_launch(
        Where(Build.find(), "tcp"), "tcp", "", 1, settings, groups, recorder, 60, {"wrong": member("lists")}
    )
    assert len(wrong) == 1 and "wrong data: rank 0: byte 0 of" in wrong[0]
    (error,) = of_kind(recorder.lines, "error")
    assert (error["group"], error["member"]) == ("16 x 4096 B, reuse 1", member("lists"))
    measured = {line["member"] for line in of_kind(recorder.lines, "samples")}
    assert measured == {CONTIGUOUS_MEMBER, *(member(way) for way in WAYS if way != "lists")}
    assert of_kind(recorder.lines, "launch")[0]["status"] == "wrong data"


@built
def test_a_launch_that_cannot_begin_is_recorded(tmp_path: Path) -> None:
    settings = FabricSettings(lengths=(4096,), counts=(16,), reuse=(1,), parts=("map",))
    groups = {group.id: group for group in settings.plan().groups}
    recorder = Recorder(tmp_path / "run.jsonl")
    wrong = run_launch(Where(Build.find(), "smoke"), "smoke", "", 1, settings, groups, recorder, 60)
    assert len(wrong) == 1 and "no provider 'smoke'" in wrong[0]
    assert of_kind(recorder.lines, "launch")[0]["status"] == "failed"
