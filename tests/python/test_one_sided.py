"""`gapless bench one-sided`: its rows on every library that is installed, and its judgement on known samples."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import VERSIONS, Command
from gapless.bench.one_sided import one_sided_rows


def _measure(gapless: Command, mpi: str, only: str, *more: object) -> list[dict]:
    answer = gapless("bench", "one-sided", "--mpi", mpi, "--launches", 1, "--reps", 2, "--quick", "--filter", only,
                     "--json", *more)  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_windows_have_every_description(gapless: Command, mpi: str, tmp_path: Path) -> None:
    rows = _measure(gapless, mpi, "put/allocate/local/tiled/A=10/3200", "--tsv", tmp_path / "rows.tsv")
    descriptions = {"vector", "resized", "nested", "subarray_of_vector", "struct", "hindexed", "by_element"}
    assert {row["description"] for row in rows} == descriptions
    assert {row["alternative"] for row in rows} == {"normalised", "packed"}
    assert len((tmp_path / "rows.tsv").read_text().splitlines()) == 1 + len(rows)
    recorded = next((tmp_path / "results").glob("*.jsonl")).read_text().splitlines()
    (library,) = {json.loads(line).get("mpi_library") for line in recorded} - {None}
    assert VERSIONS[mpi] in library


def test_get_and_fences(gapless: Command, mpi: str) -> None:
    rows = _measure(gapless, mpi, "get/allocate/both/fence/irregular/A=10/3200")
    assert {row["description"] for row in rows} == {"indexed_block", "hindexed", "by_element"}
    assert {row["alternative"] for row in rows} == {"normalised"}


def test_files_are_measured_under_the_layer_too(gapless: Command, mpi: str, tmp_path: Path) -> None:
    for verb in ("write", "read"):
        rows = _measure(gapless, mpi, f"{verb}/file/local/alternating/A=10/3200", "--folder", tmp_path)
        assert {row["alternative"] for row in rows} == {"normalised", "packed", "gapless"}
    assert not list(tmp_path.glob("gapless-one-sided-*"))


def _samples(launch: int, member: str, us: float) -> dict:
    return {"schema": 1, "kind": "samples", "experiment": "one_sided", "operation": "put", "case": "tiled",
            "launch": launch, "member": member, "samples": [1000 * us] * 3}  # fmt: skip


def test_faster_and_slower_need_all_launches() -> None:
    lines = []
    for launch in range(1, 6):
        lines += [_samples(launch, "normalised", 1.0), _samples(launch, "nested", 2.0)]
        lines += [_samples(launch, "vector", 0.9 if launch < 5 else 1.0), _samples(launch, "list", 0.9)]
    answers = {row.description: (row.answer, row.ratio.ratio) for row in one_sided_rows("mpich", lines)}
    assert answers["nested"] == ("faster", 0.5)
    assert answers["list"][0] == "slower"
    # One launch saw no difference.
    assert answers["vector"][0] == "-"
