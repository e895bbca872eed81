"""`gapless bench engine`: ratios and targets from made-up samples, and the program with few cases. No timing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from gapless.bench.engine import EngineRow, best_library_rows, engine_rows, limit_factor
from gapless.bench.engine_tables import message_table, print_summary
from gapless.bench.engine_targets import summarise
from gapless.display import console
from gapless.engine import explain_type
from gapless.lab.statistics import ratio_of_medians
from gapless.paths import Build

Line = dict[str, Any]
COMMON: Line = {
    "kind": "samples", "case": "tiled/v1/A=2", "group": "layout", "op": "pack", "bytes": 6400, "nominal_bytes": 6400,
    "temperature": "warm", "lines": 200, "partial_lines": 200, "shortest_run": 8, "transposes": False, "loop": "",
}  # fmt: skip


def process(library: str, launch: int, times: dict[str, float], **changed: Any) -> list[Line]:
    """Return the lines of one process: the engine takes 100 ns, in chunks 125 ns."""
    common = COMMON | {"process": library, "launch": launch} | changed
    lines = [
        common | {"rival": "gapless", "chunk": 0, "samples": [90.0, 100.0, 400.0]},
        common | {"rival": "gapless", "chunk": 8192, "samples": [120.0, 125.0, 130.0]},
    ]
    return lines + [
        common | {"rival": name, "chunk": 0, "samples": [0.9 * ns, ns, 9 * ns]} for name, ns in times.items()
    ]


def by_rival(lines: list[Line]) -> dict[str, EngineRow]:
    return {row.rival: row for row in engine_rows(lines)}


def test_a_ratio_above_1_says_that_the_engine_is_faster() -> None:
    rows = by_rival(process("mpich", 1, {"hand": 150.0, "mpich": 80.0}))
    assert rows["hand"].ratio == pytest.approx(1.5)
    assert rows["mpich"].ratio == pytest.approx(0.8)
    assert (rows["hand"].gb_per_s, rows["mpich"].rival_gb_per_s) == (64.0, 80.0)
    assert rows["hand"].ci_low <= 1.5 <= rows["hand"].ci_high


def test_chunks_are_compared_with_the_whole() -> None:
    row = by_rival(process("mpich", 1, {}))["whole"]
    assert (row.chunk, row.gb_per_s, row.rival_gb_per_s) == (8192, 51.2, 64.0)
    assert row.ratio == pytest.approx(0.8)


def test_touched_lines_are_compared_with_the_parts_that_touch_them() -> None:
    lines = process("mpich", 1, {}, transposes=True)
    lines.append(lines[1] | {"rival": "touched", "samples": [95.0, 100.0, 105.0]})
    rows = by_rival(lines)
    assert (rows["touched"].chunk, rows["touched"].gb_per_s, rows["touched"].rival_gb_per_s) == (8192, 51.2, 64.0)
    assert rows["touched"].ratio == pytest.approx(0.8)
    assert rows["whole"].ratio == pytest.approx(0.8)


@pytest.mark.parametrize(("op", "moved"), [("pack", 200 * 64 + 6400), ("unpack", 400 * 64 + 6400)])
def test_the_limit_compares_bytes_moved_for_time(op: str, moved: int) -> None:
    line = COMMON | {"op": op}
    assert limit_factor(line) == pytest.approx(moved / (2 * 200 * 64))
    row = by_rival(process("mpich", 1, {"limit": 100.0}, op=op))["limit"]
    assert row.ratio == pytest.approx(moved / (2 * 200 * 64))


def test_every_library_is_compared_within_its_own_process() -> None:
    slow = [line | {"samples": [10 * ns for ns in line["samples"]]} for line in process("intel", 1, {"intel": 300.0})]
    rows = engine_rows([*process("mpich", 1, {"mpich": 200.0, "hand": 100.0}), *slow])
    ratios = {row.rival: row.ratio for row in rows if not row.chunk}
    assert ratios == {"mpich": pytest.approx(2.0), "hand": pytest.approx(1.0), "intel": pytest.approx(3.0)}
    (best,) = best_library_rows(rows, ["mpich", "intel"])
    assert best.rival == "mpich"


def test_from_five_launches_on_the_launches_are_the_replicates() -> None:
    lines = [
        line for launch, ns in enumerate([100, 110, 120, 130, 900.0]) for line in process("m", launch, {"hand": ns})
    ]
    row = by_rival(lines)["hand"]
    assert (row.launches, row.ratio) == (5, pytest.approx(1.2))
    assert (row.ci_low, row.ci_high) == (pytest.approx(1.0), pytest.approx(9.0))


def test_one_disturbed_launch_of_nine_does_not_widen_the_interval() -> None:
    launches = [([float(100 + i)], [100.0]) for i in range(8)] + [([9000.0], [100.0])]
    ratio = ratio_of_medians(launches)
    assert (ratio.ratio, ratio.low, ratio.high) == (pytest.approx(1.04), pytest.approx(1.01), pytest.approx(1.07))


def test_with_fewer_launches_repetitions_are_drawn_anew() -> None:
    a, b = [100.0 + i % 5 for i in range(31)], [50.0] * 31
    ratio = ratio_of_medians([(a, b)])
    assert ratio.ratio == pytest.approx(2.04)
    assert 2.0 <= ratio.low < 2.04 < ratio.high <= 2.08


def test_targets_name_what_misses_them(capsys: pytest.CaptureFixture[str]) -> None:
    lines = process("mpich", 1, {"hand": 96.0, "mpich": 300.0, "limit": 60.0, "description:else": 107.0})
    lines += process("mpich", 1, {"hand": 90.0, "mpich": 100.0}, case="block/v1/A=2")
    rows = engine_rows(lines)
    found = {(of.target.against, of.target.where): of for of in summarise(rows, ["mpich"])}
    hand = found["hand", "in cache"]
    assert [row.case for row in hand.missed] == ["block/v1/A=2"]
    assert hand.mean == pytest.approx((0.96 * 0.9) ** 0.5)
    assert not hand.holds
    library = found["fastest library", "all sizes"]
    assert (library.missed, library.holds) == ([], True)
    assert [row.ratio for row in found["equal message", "all sizes"].missed] == [pytest.approx(1.07)]
    # Blocks of 8 bytes: only the mean counts.
    limit = found["limit", "in cache"]
    assert (limit.missed, limit.holds) == ([], False)
    assert len(found["whole, by 8 KB chunks", "all sizes"].missed) == 2
    console().print(message_table(rows, ["mpich"]))
    print_summary(console(), list(found.values()))
    printed = capsys.readouterr().out
    assert "block/v1/A=2 pack 6,400 B / hand" in printed


def test_a_library_that_is_faster_for_sure_is_a_miss() -> None:
    lines = process("mpich", 1, {"mpich": 98.0})
    for line in lines:
        line["samples"] = [line["samples"][1]] * 31
    (of,) = [of for of in summarise(engine_rows(lines), ["mpich"]) if of.target.best_library]
    assert [row.ratio for row in of.missed] == [pytest.approx(0.98)]


def test_4_kb_and_less_are_reported_only() -> None:
    rows = engine_rows(process("mpich", 1, {"hand": 10.0, "mpich": 10.0}, bytes=4096))
    assert summarise(rows, ["mpich"]) == []


def test_baseline_kernels_have_targets_of_their_own() -> None:
    (of, *_) = summarise(engine_rows(process("mpich", 1, {"hand": 91.0})), ["mpich"], baseline=True)
    assert (of.target.mean, of.target.each, of.holds) == (0.9, 0.7, True)


def test_end_to_end(gapless: Command, build: Build, tmp_path: Path) -> None:
    answer = gapless(
        "bench", "engine", "--mpi", "mpich", "--case", "tiled/v1/A=2", "--case", "transpose/n=1000", "--case", "small*",
        "--sizes", "32768", "--repetitions", 5, "--json", "--write", "kept", "--out", "raw.jsonl",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    result = json.loads(answer.stdout)
    rows = result["rows"]
    assert {row["case"] for row in rows} == {"tiled/v1/A=2", "transpose/n=1000", "small/16x4"}
    of_tiles = {(row["rival"], row["chunk"]) for row in rows if row["case"] == "tiled/v1/A=2" and row["op"] == "unpack"}
    assert of_tiles >= {
        ("hand", 0), ("mpich", 0), ("memcpy", 0), ("limit", 0), ("whole", 8192), ("whole", 4096),
        ("description:contiguous_subtype", 0), ("description:tiled_vector", 0),
    }  # fmt: skip
    for row in rows:
        assert row["gb_per_s"] > 0
        assert 0 < row["ci_low"] <= row["ratio"] <= row["ci_high"]
    assert {row["caches"] for row in rows} == {"warm", "cold"}
    assert not [row for row in rows if row["rival"] == "limit" and row["case"] == "transpose/n=1000"]
    assert "MPICH" in result["versions"]["mpich"]
    assert result["isa"] == explain_type("byte")["isa"]
    assert json.loads((tmp_path / "kept" / "engine.json").read_text())["rows"] == rows
    raw = [json.loads(line) for line in (tmp_path / "raw.jsonl").read_text().splitlines()]
    assert all(len(line["samples"]) == 5 and line["verified"] for line in raw if line["kind"] == "samples")


def test_what_misses_is_measured_again(gapless: Command, build: Build, tmp_path: Path) -> None:
    # Which case misses what is a matter of timing; what misses in the end was measured twice as often.
    answer = gapless(
        "bench", "engine", "--mpi", "mpich", "--case", "small*", "--case", "list/random/block=4", "--sizes", "32768",
        "--repetitions", 5, "--json", "--rerun", "--launches", 2, "--op", "pack",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    result = json.loads(answer.stdout)
    missed = {name.split(" ")[0] for target in result["targets"] for name in target["missed"]}
    for row in result["rows"]:
        assert row["launches"] == 4 or (row["launches"] == 2 and row["case"] not in missed)


def test_every_case_is_right(build: Build) -> None:
    """The program verifies every rival of every case before it times it; here once, with small payloads."""
    from gapless.bench.engine import PROGRAM
    from gapless.lab.programs import json_lines, mpi_command
    from gapless.targets.libraries import find_library

    library = find_library("mpich")
    arguments = ["--bytes", "4096,32768", "--temperature", "warm", "--repetitions", "1"]
    patterns = (
        "tiled*",
        "b*",
        "alternating*",
        "repeated*",
        "heterogeneous*",
        "row_column/v1/A=10",
        "ddtbench*",
        "list/[rs]*",
    )
    arguments += [word for pattern in patterns for word in ("--case", pattern)]
    lines = list(json_lines(library, mpi_command(library, PROGRAM, arguments, ranks=1), layer=False))
    done = {line["case"] for line in lines if line["kind"] == "samples"}
    assert len(done) > 120
    assert all(line["verified"] for line in lines if line["kind"] == "samples")


def test_the_kernels_that_were_asked_for_are_those_in_force(gapless: Command, build: Build) -> None:
    small = ("bench", "engine", "--mpi", "mpich", "--case", "small*", "--repetitions", 5, "--json")
    forced = gapless(*small, "--isa", "baseline")
    assert forced.returncode == 0, forced.stderr
    assert json.loads(forced.stdout)["isa"] == "baseline"
    unknown = gapless(*small, "--isa", "mmx")
    assert unknown.returncode == 2
    assert unknown.stdout == ""
    assert "gapless: error: the kernels for mmx are not in force on mpich, but those for " in unknown.stderr
    assert "Traceback" not in unknown.stderr


def test_a_case_that_is_not_there_is_one_line(gapless: Command, build: Build) -> None:
    answer = gapless("bench", "engine", "--mpi", "mpich", "--case", "nothing")
    assert answer.returncode == 2
    assert "gapless: error: no case was measured" in answer.stderr
