"""`gapless bench peer-lines`: the program with few rounds, and the tables from made-up samples. No timing."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from conftest import Command
from gapless.bench.peer_lines import one_core, pack_table, peer_rows, store_table
from gapless.display import console
from gapless.paths import Build


def line(kind: str, case: str, way: str, writer_ns: list[float]) -> dict[str, Any]:
    """Return a line as the program prints it."""
    return {"kind": kind, "case": case, "way": way, "lines": 1000, "writer_ns": writer_ns, "reader_ns": [4.0]}


def launch(plain_ns: float, together: float = 1.0) -> list[dict[str, Any]]:
    """Return the lines of one launch."""
    return [
        {"kind": "cores", "together": together},
        line("pack", "A = 10", "plain", [plain_ns] * 3),
        line("pack", "A = 10", "past", [2.0] * 3),
        line("store", "256 lines", "plain", [plain_ns, plain_ns, 99.0]),
        line("store", "256 lines", "past", [1.25] * 3),
    ]


def test_rows_show_each_launch(capsys: pytest.CaptureFixture[str]) -> None:
    rows = peer_rows([launch(27.0), launch(1.0), launch(27.0)])
    assert [row.kind for row in rows] == ["store", "pack"]
    assert rows[0].plain_ns == [27.0, 1.0, 27.0]
    assert rows[1].ratio == pytest.approx(2 / 27)
    console().print(store_table(rows))
    console().print(pack_table(rows))
    printed = capsys.readouterr().out
    assert "27.0 1.0 27.0" in printed
    assert "27.00" in printed


def test_processors_of_one_core_are_said() -> None:
    assert one_core([launch(1.0, 1.9), launch(1.0, 2.1)])
    assert not one_core([launch(1.0), launch(1.0, 1.2)])


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a reader needs a processor of its own")
def test_peer_lines_end_to_end(gapless: Command, build: Build) -> None:
    answer = gapless("bench", "peer-lines", "--rounds", 2, "--launches", 1, "--json")
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)["rows"]
    assert {row["kind"] for row in rows} == {"store", "pack"}
    assert all(len(row["past_ns"]) == 1 and row["past_ns"][0] > 0 for row in rows)
