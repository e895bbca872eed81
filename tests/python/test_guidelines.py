"""Rows, verdicts, tables and the report of a small recorded file."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import MEDIANS_US, Command, halo_line
from gapless.errors import GaplessError
from gapless.lab.guidelines import Row, rows_of, stands_against_best, summaries
from gapless.lab.halo import halo_rows, require_identical
from gapless.lab.launch_facts import data_of, peer_lines_text
from gapless.lab.report.demo_page import render
from gapless.lab.report.tables import best_line, heading, print_tables, span
from rich.console import Console

Lines = list[dict[str, Any]]


def row_of(lines: Lines, description: str, method: str) -> Row:
    found = [r for r in rows_of(lines) if r.description == description and r.method == method]
    assert len(found) == 1
    return found[0]


def test_every_description_has_all_five_methods(recorded: Lines) -> None:
    by_case: dict[str, set[str]] = {}
    for row in rows_of(recorded):
        by_case.setdefault(row.case, set()).add(row.method)
    assert len(by_case) == 3
    assert all(methods == {"contiguous", "manual", "pack", "native", "gapless"} for methods in by_case.values())


def test_medians_are_those_of_the_undisturbed_launches(recorded: Lines) -> None:
    for (description, method), us in MEDIANS_US.items():
        where = "basic" if method in ("contiguous", "manual") else description
        row = row_of(recorded, where, method)
        assert row.median_us == pytest.approx(us)
        assert row.ratio_to_contiguous == pytest.approx(us / 100)


@pytest.mark.parametrize(
    ("description", "method", "guideline", "verdict"),
    [
        ("contiguous_subtype", "native", "GL1", "violated ×1.9"),
        ("contiguous_subtype", "gapless", "GL1", "hold"),
        ("basic", "native", "GL2/GL3", "violated ×1.7"),
        ("basic", "gapless", "GL2/GL3", "hold"),
        ("tiled_vector", "native", "GL4", "violated ×9.7"),
        ("tiled_vector", "native", "GL2/GL3", "violated ×2.2"),
        ("tiled_vector", "gapless", "GL4", "hold"),
    ],
)
def test_verdicts(recorded: Lines, description: str, method: str, guideline: str, verdict: str) -> None:
    assert str(row_of(recorded, description, method).verdicts[guideline]) == verdict


def test_summaries_name_the_worst_case(recorded: Lines) -> None:
    by_place = {(s.guideline, s.method): s for s in summaries(rows_of(recorded))}
    assert str(by_place["GL2/GL3", "native"]) == "violated ×3.2 (3 of 3)"
    assert by_place["GL2/GL3", "native"].worst_case == "tiled/v1/A=2/contiguous_subtype"
    assert str(by_place["GL2/GL3", "gapless"]) == "hold (3)"


def test_gapless_is_compared_with_the_faster_native_way(recorded: Lines) -> None:
    found = stands_against_best(recorded)
    assert found["tiled/v1/A=2/tiled_vector", 2560000].ratio == pytest.approx(195 / 1500)
    said = str(best_line(recorded))
    assert "proved slower in 0 of 3 cases, proved not slower in 3; 3 launches prove little" in said
    assert "(greatest ratio ×0.95: tiled/v1/A=2/basic, 2.56 MB)" in said


def test_files_of_both_kinds_of_data_are_refused(recorded: Lines) -> None:
    assert data_of(recorded) == "constant"  # files from before it was recorded
    mixed = [line | {"data": "fresh"} if line.get("method") == "gapless" else line for line in recorded]
    with pytest.raises(GaplessError, match="fresh data and of constant data"):
        heading(mixed)
    fresh = [line | {"data": "fresh"} for line in recorded]
    assert "fresh data (the sender writes them before each message, untimed)" in heading(fresh)


def test_launches_are_told_apart_by_what_a_line_costs_that_a_peer_read() -> None:
    assert peer_lines_text([{"kind": "facts"}]) is None
    lines: Lines = [
        {"kind": "facts", "peer_line_ns": {"plain": plain, "past": 1.2}} for plain in (27.0, 2.5, 26.1, 2.0)
    ]
    assert peer_lines_text(lines) == (
        "Storing into a line that a peer has read: 26.1 to 27.0 ns in 2 launches, 2.0 to 2.5 ns in 2 launches; "
        "past the caches 1.2 ns"
    )
    nested = [{"kind": "launch", "facts": line} for line in lines[:1]]
    assert peer_lines_text(nested) == (
        "Storing into a line that a peer has read: 27.0 ns in 1 launch; past the caches 1.2 ns"
    )


def test_the_packing_reference_is_the_librarys_own(recorded: Lines) -> None:
    slow = [line | {"samples": [1e9]} if line.get("method") == "gapless" else line for line in recorded]
    assert row_of(slow, "basic", "gapless").verdicts["GL2/GL3"].ratio == pytest.approx(1e9 / 200e3)


def test_span() -> None:
    assert span([1.234]) == "1.23"
    assert span([16.2, 33.4]) == "16 - 33"
    assert span([2.0, 2.05]) == "2.00"


def test_tables(recorded: Lines) -> None:
    out = io.StringIO()
    print_tables(Console(file=out, width=120), recorded)
    text = out.getvalue()
    assert text.startswith(
        "MPICH 5.0.2, a <processor>, medians over 3 launches of 3 samples, constant data (never written again)\n"
    )
    assert "…" not in text
    assert re.search(
        r"2\.56 MB +every second 8-byte block of an array +100 +1\.50 +2\.00 - 15 +3\.40 - 33 +1\.90 +tiled 1, A = 2",
        text,
    )
    assert re.search(r"GL1 .* 2\.56 MB +violated ×1\.9 \(1 of 1\) +hold \(1\)", text)
    assert re.search(r"2048 x 2048 +10 +400 +300 +×1\.33 +200 +100 +×2\.00 +bit-identical", text)


def test_halo_results_that_differ_are_refused(recorded: Lines) -> None:
    different = [*recorded, halo_line(2048, True, 2, 0.3, 0.1, "00fe")]
    with pytest.raises(GaplessError, match="other bits"):
        require_identical(halo_rows(different))
    require_identical(halo_rows(recorded))


def test_json_rows_have_the_promised_keys(recorded: Lines) -> None:
    for row in rows_of(recorded):
        entry = json.loads(json.dumps(row.as_json()))
        assert {"case", "guideline", "bytes", "method", "median_us", "ratio_to_contiguous"} <= entry.keys()


def test_the_report_is_one_self_contained_page(recorded: Lines) -> None:
    page = render(recorded)
    assert "violated ×9.7" in page
    assert "bit-identical" in page
    assert "a &lt;processor&gt;" in page
    assert not re.search(r"<(script|link|img|iframe)|@import|url\(|https?:", page)


def test_the_report_command(recorded: Lines, gapless: Command, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in recorded))
    answer = gapless("report", "r.jsonl", "-o", "page.html")
    assert answer.returncode == 0, answer.stderr
    assert "violated ×9.7" in answer.stdout
    assert (tmp_path / "page.html").read_text().endswith("</html>")


@pytest.mark.parametrize("text", ["not json\n", "{}\n", '{"schema": 99, "kind": "samples"}\n'])
def test_a_file_that_is_no_result_is_one_line_and_no_traceback(text: str, gapless: Command, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text(text)
    answer = gapless("report", "r.jsonl")
    assert answer.returncode == 2
    assert answer.stderr.startswith("gapless: error: r.jsonl:1 ")
    assert answer.stderr.count("\n") == 1
