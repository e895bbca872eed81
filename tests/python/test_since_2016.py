"""The table of 2016's findings: gone, still so, or not decided, from verdicts with known answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gapless.lab.catalogue import TESTS
from gapless.lab.plan import Selection, plan_of
from gapless.lab.run_file import Row
from gapless.lab.verdicts import Judged
from since_2016 import FINDINGS, table, today


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return plan_of(Selection(tests=list(TESTS), layer=True)).rows


def judged(row: Row, verdict: str, ratio: float) -> Judged:
    return Judged(row, "mpich", 9, verdict, ratio, ratio * 0.9, ratio * 1.1, 10 * ratio, 10.0)


def test_every_finding_concerns_rows_of_the_plan(rows: list[Row]) -> None:
    all_hold = [judged(row, "holds", 1.0) for row in rows]
    for finding in FINDINGS:
        assert today(finding, all_hold).startswith("gone (")


def test_a_violation_counts_in_the_direction_that_was_found(rows: list[Row]) -> None:
    ten = next(finding for finding in FINDINGS if finding.test == "ET10")
    all_of = [judged(row, "holds", 1.0) for row in rows]
    slower = [replace(one, verdict="violated", ratio=2.0) if one.row.test == "ET10" else one for one in all_of]
    faster = [replace(one, verdict="violated", ratio=0.25) if one.row.test == "ET10" else one for one in all_of]
    assert today(ten, slower).startswith("gone")
    assert today(ten, faster).startswith("still, ×4 in ")


def test_what_is_undecided_is_not_called_gone(rows: list[Row]) -> None:
    undecided = [judged(row, "undecided", 1.09) for row in rows]
    assert all("0 of" in today(finding, undecided) for finding in FINDINGS)
    assert today(FINDINGS[0], []) == "not measured"


def test_the_table_has_a_line_for_each_finding(rows: list[Row]) -> None:
    lines = table([judged(row, "holds", 1.0) for row in rows]).splitlines()
    assert len(lines) == 2 + len(FINDINGS)
    assert all(line.count("|") == 4 for line in lines)
