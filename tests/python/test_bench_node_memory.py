"""`gapless bench node-memory`: counts, which are the same on every run but for the system's page tables."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import Command
from gapless.bench.node_memory import MOST, NodeMemoryRow, node_memory_table
from gapless.display import console

KB = 1024


@pytest.mark.skipif(os.sysconf("SC_PAGESIZE") != 4 * KB, reason="all is in whole pages")
def test_memory_does_not_grow_with_the_square(gapless: Command) -> None:
    answer = gapless("bench", "node-memory", "--processes", "2,5,40", "--json")
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert [(row["processes"], row["peers"]) for row in rows] == [(2, 1), (5, 4), (40, 39)]
    for row in rows:
        # A process's own records, and eight chunks at least.
        assert 32 * KB < row["records"] / row["processes"] < 64 * KB
        assert 8 * 96 * KB <= row["pool"] / row["processes"] < 9 * 96 * KB
        assert row["of_node"] == pytest.approx(
            row["records"] + row["pool"] + row["processes"] * (row["tables"] + row["layouts"] + row["page_tables"])
        )
    few, _, many = rows
    # All have the same layout, which is kept once; the page tables of a peer's pool are less than one page.
    assert few["layouts"] > 1000
    assert many["layouts"] < 3 * few["layouts"]
    assert 0 < many["page_tables"] < 39 * 4 * KB
    assert many["mappings"] <= 2 * few["mappings"]


def test_fewer_peers(gapless: Command) -> None:
    answer = gapless("bench", "node-memory", "--processes", "3,8", "--peers", 4, "--size", 1000)
    assert answer.returncode == 0, answer.stderr
    assert "messages of 1000 bytes" in answer.stdout
    numbers = [line.split()[:2] for line in answer.stdout.splitlines() if line.split()[:1] in (["3"], ["8"])]
    assert numbers == [["3", "2"], ["8", "4"]]


def test_table_is_by_process(capsys: pytest.CaptureFixture[str]) -> None:
    row = NodeMemoryRow(4, 2, 800, 160_000, 4_000_000, 2_000_000, 50_000, 6000, 10_000, 5, 1 << 30)
    assert row.of_process == 40_000 + 1_000_000 + 66_000
    console().print(node_memory_table([row]))
    cells = next(line.split() for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["4"])
    assert cells == ["4", "2", "40.0", "1000.0", "50.0", "6.0", "10.0", "1106.0", "8.0", "4.4", "2.00"]


def test_as_many_processes_as_share_memory(repository: Path) -> None:
    header = (repository / "src/wire/segment.hpp").read_text(encoding="utf-8")
    assert f"kMaxProcesses = {MOST};" in header


def test_no_list_of_numbers(gapless: Command) -> None:
    for given in ("1,2", "2000", "two", ""):
        answer = gapless("bench", "node-memory", "--processes", given)
        assert answer.returncode == 2
        assert "no list of numbers from 2 to 1024" in answer.stderr
