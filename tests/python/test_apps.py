"""The exchanges of applications: sizes against the published tables, the real program, rows, best of, page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gapless.errors import GaplessError
from gapless.lab.apps.cases import DDTBENCH, TESTS, all_cases, named_tests
from gapless.lab.apps.page import as_text, render
from gapless.lab.apps.plan import HAND, MADE_ANEW, OVERHEAD
from gapless.lab.apps.rows import rows_of, summary
from gapless.lab.apps.settings import PRESETS, AppsSettings
from gapless.lab.apps.tables import sentences, tsv
from gapless.lab.best import held_out
from gapless.lab.experiment import changed, experiment_of
from gapless.lab.jobs import write_job
from gapless.lab.plan import Group
from gapless.lab.programs import json_lines, mpi_command
from gapless.lab.report.collected import collect
from gapless.lab.report.kinds import report_of
from gapless.lab.run_file import Run
from gapless.targets.libraries import find_library
from report_page import asks_nothing_of_the_network, data_of
from synthetic import planned_run, wobble

Line = dict[str, Any]

# The `bytes` column of DDTBench 1.2, as its program prints it (of FFT2 what a rank sends to both).
PAYLOADS = {
    "WRF_y_vec": [90804, 75012, 63168, 55272, 43428], "WRF_y_sa": [90804, 75012, 63168, 55272, 43428],
    "WRF_x_vec": [173712, 102648, 63168], "WRF_x_sa": [173712, 102648, 63168],
    "MILC_su3_zd": [98304, 49152, 24576, 12288],
    "NAS_LU_x": [480, 1320, 2560, 4080, 6480, 16320, 40800], "NAS_LU_y": [480, 1320, 2560, 4080, 6480, 16320, 40800],
    "NAS_MG_x": [2048, 32768, 131072, 524288], "NAS_MG_y": [4096, 65536, 262144, 1048576],
    "NAS_MG_z": [4096, 65536, 262144, 1048576],
    "FFT2": [524288, 2097152, 4718592, 8388608, 18874368],
    "SPECFEM3D_mt": [91200, 76800, 67200, 74400], "SPECFEM3D_oc": [12900, 7588, 3508, 1972],
    "SPECFEM3D_cm": [177672, 106248, 55224, 26424],
    "LAMMPS_full": [195968, 143552, 106368], "LAMMPS_atomic": [11664, 6960, 5472],
}  # fmt: skip


def test_sixteen_tests_have_the_69_payloads_of_ddtbench() -> None:
    found: dict[str, list[int]] = {}
    for case in all_cases():
        if case.family == DDTBENCH:
            for name in case.descriptions:
                found.setdefault(case.test(name), []).append(case.bytes)
    assert found == PAYLOADS
    assert set(found) == set(TESTS)
    assert sum(map(len, found.values())) == 69


def test_tests_are_named_whole_or_by_their_beginning() -> None:
    assert named_tests(["NAS_LU", "FFT2"]) == ["NAS_LU_x", "NAS_LU_y", "FFT2"]
    assert named_tests(["WRF_x"]) == ["WRF_x_vec", "WRF_x_sa"]
    with pytest.raises(GaplessError, match="no 'NAS_L'"):
        named_tests(["NAS_L"])


def test_presets_measure_every_test_and_are_read_back() -> None:
    for settings in PRESETS.values():
        plan = settings.plan()
        assert {row.test for row in plan.rows} == set(TESTS)
        assert experiment_of(json.loads(json.dumps(settings.as_json()))) == settings
    paper = PRESETS["paper"]
    reps = paper.repetitions(paper.plan().groups[0].place, 5)
    assert (paper.launches, reps["min"], reps["max"], paper.data) == (10, 20, 20, "constant")


# The smallest message of each application's loops.
SMALLEST = (
    "WRF_y/8x8", "MILC_su3_zd/8x8x8x8", "NAS_LU_x/N=12", "NAS_LU_y/N=12", "NAS_MG_x/34", "NAS_MG_y/34", "NAS_MG_z/34",
    "FFT2/N=256", "SPECFEM3D_mt/5600", "SPECFEM3D_oc/493", "SPECFEM3D_cm/1957", "LAMMPS_full/1662",
    "LAMMPS_atomic/114",
)  # fmt: skip


def exchanged(tmp_path: Path, settings: AppsSettings, *options: str) -> list[Line]:
    library = find_library()
    job = tmp_path / "job.json"
    groups = settings.plan().groups
    write_job(job, groups, settings, layer=False, seed=3)
    lines = list(json_lines(library, mpi_command(library, "lab/exchange", ["--job", str(job), *options], 2), False))
    assert {group.id for group in groups} == {line["group"] for line in lines if line["kind"] == "progress"}
    return lines


def test_loops_of_every_application_send_what_its_datatype_does(tmp_path: Path) -> None:
    """Every byte that arrives is compared with known values, gaps and guards included, before and after timing."""
    settings = AppsSettings(names=SMALLEST, layer=False, exact=True)
    lines = exchanged(tmp_path, settings)
    assert not [line for line in lines if line["kind"] == "error"]
    samples = [line for line in lines if line["kind"] == "samples"]
    by_hand = {line["group"] for line in samples if line["member"].endswith(":hand_c") and line["verified"]}
    assert by_hand == set(SMALLEST)
    compilers = next(line for line in lines if line["kind"] == "facts")["loops"]
    refused = {line["case"] for line in lines if line["kind"] == "refused"}
    assert refused | set(compilers) == set(HAND)
    assert not refused & set(compilers)
    for line in samples:
        # Phases are those of a type that stays.
        assert ("phases" in line) != line["member"].endswith(MADE_ANEW)
        if "phases" not in line:
            continue
        phases, method = line["phases"], line["member"].partition(":")[2]
        assert {len(of) for of in phases.values()} == {len(line["samples"])} == {20}
        packs = method == "pack" or method in HAND
        assert (np.median(phases["pack"]) > 0) == packs
        # What is received dense is received in its place.
        dense = method in HAND and line["group"].startswith("SPECFEM3D_mt")
        assert (np.median(phases["unpack"]) > 0) == (packs and not dense)
        assert np.median(phases["communicate"]) > 0


def test_loops_that_pack_other_bytes_than_the_type_are_refused(tmp_path: Path) -> None:
    library, job = find_library(), tmp_path / "job.json"
    settings = AppsSettings(names=("NAS_LU_y/N=12",), layer=False)
    write_job(job, settings.plan().groups, settings, layer=False, seed=3)
    told = json.loads(job.read_text())
    told["groups"][0]["messages"][1]["loops"]["sizes"] = [11]
    job.write_text(json.dumps(told))
    command = mpi_command(library, "lab/exchange", ["--job", str(job)], 2)
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "its loops pack 440 bytes, its type 480" in done.stderr


def made_up(times: dict[str, float], launches: int = 6, noise: float = 0.0, case: str = "WRF_x/8x8") -> Run:
    """Return a run of one exchange whose ways take these times [µs], one way."""
    settings = changed(AppsSettings(names=(case,)), tests=named_tests(["WRF_x_vec"]))

    def us(_: Group, member: str, launch: int) -> float | None:
        return times[member] * wobble(member, launch, noise) if member in times else None

    def phases(_: str, ns: float) -> Line:
        of = {"create": [500.0], "pack": [ns / 4], "communicate": [ns / 2], "unpack": [ns / 4], "free": [9.0]}
        return {"phases": of}

    return planned_run(settings, us, launches, phases)


TIMES = {"contiguous:native": 10.0, "vec:native": 40.0, "vec:pack": 25.0, "vec:hand_c": 20.0, "vec:gapless": 16.0}


def test_overhead_is_that_of_the_paper_and_phases_are_of_one_message() -> None:
    (row,) = rows_of(made_up(TIMES))
    assert row.test == "WRF_x_vec"
    assert row.us["contiguous"] == pytest.approx(10)
    # (t_pp - t_net) / t_pp
    assert row.overhead["native"].value == pytest.approx((40 - 10) / 40)
    assert row.overhead["gapless"].value == pytest.approx((16 - 10) / 16)
    assert row.phases["pack"] == pytest.approx(
        {"create": 0.5, "pack": 25 / 4, "communicate": 25 / 2, "unpack": 25 / 4, "free": 0.009}
    )
    assert row.best is not None
    assert (row.best.ratio, row.chosen) == (pytest.approx(16 / 20), ("hand_c", "hand_c"))
    assert not row.lost


def test_a_row_is_lost_only_if_that_is_proved_and_then_by_name() -> None:
    slower = TIMES | {"vec:gapless": 22.0}
    (lost,) = rows_of(made_up(slower, noise=0.01))
    assert lost.lost
    told = sentences([lost])
    assert "proved more than 5 % slower: 1" in told[0]
    assert "WRF_x/8x8/vec (63168 bytes)" in told[1] and "of loops in C" in told[1]
    (open_,) = rows_of(made_up(slower, noise=0.1))
    assert open_.best is not None and open_.best.ratio > 1
    assert not open_.lost
    (single,) = rows_of(made_up(slower, launches=1))
    assert not single.lost


def test_the_best_is_chosen_on_the_other_half() -> None:
    # Each half has its own luckiest way; compared where it was chosen, the ratio would be 2 throughout.
    lucky = {1: 1.0, 2: 2.0, 3: 1.0, 4: 2.0}
    other = {1: 2.0, 2: 1.0, 3: 2.0, 4: 1.0}
    found = held_out(dict.fromkeys(range(1, 5), 2.0), {"a": lucky, "b": other})
    assert found is not None
    assert found.chosen == ("a", "b")
    assert np.exp(found.logs) == pytest.approx([1, 1, 1, 1])
    assert held_out({1: 1.0}, {"a": {2: 1.0}}) is None


def test_the_geometric_mean_is_over_rows() -> None:
    rows = rows_of(made_up(TIMES)) + rows_of(made_up(TIMES | {"vec:gapless": 5.0}, case="WRF_x/2x2"))
    found = summary("mpich", rows)
    assert found is not None
    assert found.ratio.value == pytest.approx((16 / 20 * 5 / 20) ** 0.5)


def test_the_geometric_mean_is_over_launches_that_have_all_rows() -> None:
    fast, slow = (rows_of(made_up(TIMES | {"vec:gapless": us}, launches=6))[0] for us in (5.0, 16.0))
    # The first launch of one row failed: its second one is not the other row's first.
    for number, row in enumerate((fast, slow)):
        row.logs = {launch: log + launch for launch, log in row.logs.items() if launch != 1 + 5 * number}
    found = summary("mpich", [fast, slow])
    assert found is not None
    # Launches 2 to 5 are left, 3.5 in the mean.
    assert np.log(found.ratio.value) == pytest.approx(np.log((16 / 20 * 5 / 20) ** 0.5) + 3.5)
    fast.logs = {7: 0.0}
    alone = summary("mpich", [fast, slow])
    assert alone is not None and (alone.ratio.low, alone.ratio.high) == (None, None)


def test_the_page_opens_with_every_exchange_in_all_ways() -> None:
    run = made_up(TIMES)
    assert report_of([run]) is not None
    collected = collect([run])
    page = render(collected)
    data = data_of(page)
    first = data["panels"][0]
    assert page.index('data-panel="0"') < page.index('id="overheads"')
    names = [trace["name"] for trace in first["figure"]["data"]]
    assert names == ["as an array", "datatype", "MPI_Pack", "loops in C", "+ Gapless"]
    assert [trace["y"][0] for trace in first["figure"]["data"]] == pytest.approx([10, 40, 25, 20, 16])
    stacked = next(panel for panel in data["panels"] if panel["title"] == "WRF_x_vec: phases")
    heights = [
        trace["y"][1] for trace in stacked["figure"]["data"] if trace["name"] in ("pack", "communicate", "unpack")
    ]
    assert sum(heights) == pytest.approx(2.5)  # of MPI_Pack, in multiples of the array's time
    graph = pytest.importorskip("plotly.graph_objects")
    for panel in data["panels"]:
        graph.Figure(panel["figure"])  # refuses what plotly does not know
    asks_nothing_of_the_network(page)


def test_the_report_as_data_has_every_row() -> None:
    collected = collect([made_up(TIMES)])
    (row,) = json.loads(as_text(collected, "json"))
    assert row["layer_to_best"]["chosen"] == ["hand_c", "hand_c"]
    heading, line = as_text(collected, "tsv").splitlines()
    cells = dict(zip(heading.split("\t"), line.split("\t"), strict=True))
    assert (cells["native_us"], cells["hand_fortran_us"], cells["to_best"]) == ("40", "-", "0.800")
    assert tsv(rows_of(made_up(TIMES))).splitlines()[0] == heading
    with pytest.raises(GaplessError, match="--format md"):
        as_text(collected, "md")


def test_measure_apps_end_to_end(tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [sys.executable, "-m", "gapless", "measure", "apps", "--preset", "quick", "--mpi", "mpich", "--filter",
               "NAS_LU_?/N=12 ", "--launches", "2", "--json", "--out", str(out)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [(row["test"], row["bytes"], row["launches"]) for row in rows] == [
        ("NAS_LU_x", 480, 2),
        ("NAS_LU_y", 480, 2),
    ]
    assert all({"contiguous", "native", "pack", "hand_c", "gapless"} <= row["us"].keys() for row in rows)
    shown = subprocess.run(
        [sys.executable, "-m", "gapless", "report", str(out), "-o", str(tmp_path / "page.html")],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert "NAS_LU_y" in shown.stdout
    assert OVERHEAD in (out / "run.jsonl").read_text()
