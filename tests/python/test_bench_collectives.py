"""`gapless bench collectives`: its rows on every library that is installed, and its judgement on known samples."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from conftest import VERSIONS, Command
from gapless.bench.collectives import PATTERNS, collective_groups, collective_rows, collective_table, collective_tsv
from rich.console import Console

GROUP = "alltoallw/2/fresh/256000/tiled/A=2"


def test_each_pattern_is_measured_in_every_way(gapless: Command, mpi: str, tmp_path: Path) -> None:
    answer = gapless("bench", "collectives", "--mpi", mpi, "--launches", 1, "--reps", 2, "--quick", "--json",
                     "--filter", "/256000/tiled/A=1000", "--tsv", tmp_path / "rows.tsv")  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert [row["group"].split("/")[:3] for row in rows] == [
        [pattern, "2", data] for pattern in PATTERNS for data in ("constant", "fresh")
    ]
    for row in rows:
        assert set(row["us"]) == {"contiguous", "native", "local", "paired"}
        assert (row["cycle"] is None) == ("constant" in row["group"])
    assert len((tmp_path / "rows.tsv").read_text().splitlines()) == 1 + len(rows)
    recorded = next((tmp_path / "results").glob("*.jsonl")).read_text().splitlines()
    (library,) = {json.loads(line).get("mpi_library") for line in recorded} - {None}
    assert VERSIONS[mpi] in library


@pytest.mark.parametrize(
    ("option", "complaint"),
    [(("--ranks", "1"), "--ranks 1: that is no list"), (("--filter", "no such"), "no group has 'no such'")],
)
def test_what_cannot_be_measured_is_one_line(gapless: Command, option: tuple[str, str], complaint: str) -> None:
    answer = gapless("bench", "collectives", *option)
    assert answer.returncode == 2
    assert complaint in answer.stderr


def test_all_layouts_and_sizes_are_there() -> None:
    names = [group.id for group in collective_groups(3, quick=False)]
    assert len(names) == len(set(names)) == len(PATTERNS) * 2 * 3 * 4 * 4
    assert len(collective_groups(3, quick=True)) == len(PATTERNS) * 2 * 2 * 2 * 2
    named = collective_groups(2, quick=False, only=GROUP)
    assert [group.id for group in named] == [GROUP, *(f"{with_}{GROUP}" for with_ in ("neighbor_", "i", "ineighbor_"))]
    group = named[0]
    assert list(group.members) == ["contiguous:native", "tiled:native", "tiled:local", "tiled:gapless"]
    assert group.messages["contiguous"][0].count == 64_000


def _samples(launch: int, member: str, us: float, writing_us: float = 10.0) -> dict:
    return {"schema": 1, "kind": "samples", "group": GROUP, "member": member, "launch": launch, "ranks": 2,
            "samples": [1000 * us] * 3, "cycle_samples": [1000 * (us + writing_us)] * 3}  # fmt: skip


def test_faster_and_slower_need_all_launches() -> None:
    lines = []
    for launch in range(1, 6):
        lines += [_samples(launch, "contiguous:native", 10), _samples(launch, "tiled:native", 40)]
        lines += [_samples(launch, "tiled:local", 19 if launch < 5 else 20), _samples(launch, "tiled:gapless", 20)]
    (row,) = collective_rows("mpich", lines)
    assert row.us == {"contiguous": 10, "native": 40, "local": 19, "paired": 20}
    assert (row.to["native"].ratio, row.answer("native")) == (0.5, "faster")
    assert (row.to["contiguous"].ratio, row.answer("contiguous")) == (2, "slower")
    # One launch saw no difference.
    assert row.answer("local") == "-"
    assert row.cycle is not None and row.cycle.ratio == 1.5
    head, only = (line.split("\t") for line in collective_tsv([row]).splitlines())
    told = dict(zip(head, only, strict=True))
    assert (told["paired_us"], told["to_native_ratio"], told["to_contiguous_with_writing_ratio"]) == (
        "20", "0.500", "1.500",
    )  # fmt: skip
    shown = Console(width=160, record=True, file=io.StringIO())
    shown.print(collective_table("title", [row]))
    (cells,) = (line.split() for line in shown.export_text().splitlines() if "alltoallw" in line)
    assert cells == ["alltoallw", "2", "fresh", "256", "KB", "2.00", "2.00", "-", "2.00", "1.50", "0.50", "1.05", "0",
                     "0", "1"]  # fmt: skip


def test_a_group_without_all_ways_is_no_row() -> None:
    assert collective_rows("mpich", [_samples(1, "tiled:gapless", 1), _samples(1, "contiguous:native", 1)]) == []
