"""The report of the guidelines: page, Markdown, CSV, TSV and JSON of a run file made by code, and of damaged ones."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import plotly.graph_objects as go
import pytest
import synthetic_run
from conftest import Command
from gapless.errors import GaplessError
from gapless.lab.report.collected import Collected, collect
from gapless.lab.report.figures import figure
from gapless.lab.report.page import embedded, render
from gapless.lab.report.panels import panels
from gapless.lab.report.texts import (
    as_json,
    as_markdown,
    as_separated,
    count,
    factor_interval,
    matrix,
    rows_table,
    summary_table,
    verdict_text,
)
from gapless.lab.results import Line
from gapless.lab.run_file import NAME, run_of
from report_page import asks_nothing_of_the_network, data_of, own_part
from rich.console import Console

KEYS = {"mpi", "test", "guideline", "case", "pattern", "bytes", "layer", "verdict", "ratio", "ci_low", "ci_high"}
TESTS = ("ET2", "ET3", "ET4", "ET6", "ET11")
HOSTILE = "</script><script>alert('1')</script><img src=x onerror=alert(2)>"


def collected_of(*runs: list[Line]) -> Collected:
    return collect([run_of(lines, Path(f"run{number}") / NAME) for number, lines in enumerate(runs)])


def of_kind(lines: list[Line], kind: str) -> list[Line]:
    return [line for line in lines if line["kind"] == kind]


@pytest.fixture(scope="module")
def lines() -> list[Line]:
    """A run of five tests on three libraries."""
    return synthetic_run.lines(TESTS)


@pytest.fixture(scope="module")
def collected(lines: list[Line]) -> Collected:
    return collected_of(lines)


@pytest.fixture(scope="module")
def page(collected: Collected) -> str:
    return render(collected)


@pytest.fixture(scope="module")
def small() -> list[Line]:
    """A run of one test on three libraries, for the command."""
    return synthetic_run.lines(("ET6",))


def test_the_page_asks_nothing_of_the_network(page: str) -> None:
    asks_nothing_of_the_network(page)


def test_every_judged_row_is_in_the_page(page: str, collected: Collected) -> None:
    data = data_of(page)
    rows = [dict(zip(data["columns"], cells, strict=True)) for cells in data["rows"]]
    assert len(rows) == len(synthetic_run.rows(TESTS)) * 3
    assert rows == json.loads(as_json(collected.judged))


def test_every_row_has_its_verdict_below_a_plot(page: str, collected: Collected) -> None:
    data = data_of(page)
    told = [cell for panel in data["panels"] for cells in panel["cells"] for cell in cells[-1].split("; ") if cell]
    assert len(told) == len(collected.judged)
    numbers = [int(number) for number in re.findall(r'data-panel="(\d+)"', page)]
    assert numbers == list(range(len(data["panels"])))


def test_json_rows_have_the_promised_keys(collected: Collected) -> None:
    rows = json.loads(as_json(collected.judged))
    assert len(rows) == len(collected.judged)
    assert all(row.keys() >= KEYS for row in rows)
    assert {row["mpi"] for row in rows} == set(synthetic_run.LIBRARIES)


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_csv_parses_back_to_the_same_numbers(collected: Collected, delimiter: str) -> None:
    back = list(csv.DictReader(io.StringIO(as_separated(collected.judged, delimiter)), delimiter=delimiter))
    rows = json.loads(as_json(collected.judged))
    assert len(back) == len(rows)
    for got, row in zip(back, rows, strict=True):
        assert got["case"] == row["case"]
        assert got["layer"] == ("true" if row["layer"] else "false")
        assert int(got["bytes"]) == row["bytes"]
        for name in ("ratio", "ci_low", "ci_high", "compared_us", "reference_us"):
            assert float(got[name]) == row[name]


def test_markdown_tables_have_equal_lines(collected: Collected) -> None:
    text = as_markdown(collected.judged)
    tables = [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]
    assert len(tables) == 2
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table}
        assert len(widths) == 1
    assert len(tables[1]) == 2 + len(collected.judged)
    assert re.search(r"\| ET6 \| GL4 \| 5? ?.*2 violated \(worst ×9", text)


def test_the_known_violations_are_the_worst(collected: Collected) -> None:
    of = matrix(collected.judged)
    cliff = of.cells["mpich", ("ET6", "GL4"), False]
    assert cliff.violated == 2
    assert cliff.worst is not None and cliff.worst.row.case.endswith("tiled_vector")
    subtype = of.cells["intel", ("ET4", "GL1"), False]
    assert subtype.violated == subtype.total
    assert of.cells["mpich", ("ET6", "GL4"), True].violated == 0
    assert [place[0] for place in of.places] == ["ET2", "ET3", "ET3", "ET4", "ET6", "ET11"]


def test_counts_add_up(collected: Collected) -> None:
    of = matrix(collected.judged)
    assert sum(counts.total for counts in of.cells.values()) == len(collected.judged)
    assert count([]).total == 0
    assert count([]).worst is None


def test_a_faster_side_that_should_be_similar_is_told_as_a_factor_above_one(lines: list[Line]) -> None:
    turned = [
        line | {"compared": line["reference"], "reference": line["compared"]} if line["kind"] == "row" else line
        for line in lines
    ]
    subtypes = [one for one in collected_of(turned).judged if one.row.test == "ET4" and one.mpi == "intel"]
    violated = [one for one in subtypes if one.verdict == "violated"]
    assert violated
    for one in violated:
        low, high = factor_interval(one)
        assert one.ratio < 1 < low <= one.factor <= high


def test_figures_are_plotlys(collected: Collected) -> None:
    shown = panels(collected)
    assert {panel.test for panel in shown} == set(TESTS)
    for panel in shown:
        made = go.Figure(figure(panel, {"mpich": "mpich 5"}))
        axes = [axis for axis in made.layout.to_plotly_json() if axis.startswith("yaxis")]
        assert len(axes) == 3
        assert "µs" in made.layout.yaxis.title.text
        assert made.layout.xaxis.title.text.startswith("A [elements")
        # One more series than compared and reference, native and with the layer: the contiguous message.
        assert made.data[0].name == "contiguous, native"
    cliff = next(panel for panel in shown if panel.test == "ET6" and panel.bytes == 2560000)
    made = go.Figure(figure(cliff, {}))
    assert made.layout.yaxis.type == "log"
    assert {trace.marker.pattern.shape for trace in made.data} == {"", "/"}
    bar = next(trace for trace in made.data if trace.legendgroup == "tiled_vector:native")
    times = cliff.times["mpich", "2", "tiled_vector:native"]
    assert bar.y[0] == times.median
    assert bar.y[0] + bar.error_y.array[0] == pytest.approx(times.high)
    assert bar.y[0] - bar.error_y.arrayminus[0] == pytest.approx(times.low)


def test_groups_of_other_payloads_do_not_share_a_panel() -> None:
    lines = synthetic_run.lines(("ET11",), {"mpich": "5"})
    apart = [
        line | {"group": line["group"] + line["compared"].partition(":")[0]} if line["kind"] == "row" else line
        for line in lines
    ]
    samples = [line for line in apart if line["kind"] == "samples"]
    for line in samples:
        line_groups = {row["group"] for row in apart if row["kind"] == "row" and row["group"].startswith(line["group"])}
        apart += [line | {"group": group} for group in line_groups]
    shown = [panel for panel in panels(collected_of(apart)) if panel.test == "ET11" and panel.bytes == 3200]
    assert {panel.split for panel in shown} == {"full_indexed", "contiguous_and_indexed"}


def test_a_comparison_of_ones_own_has_a_panel() -> None:
    made = synthetic_run.lines(("ET6",), {"mpich": "5"})
    own = {"test": "own", "guideline": "own", "layout": "own", "base": "own", "variant": 0, "A": 0}
    lines = [
        line | own | {"case": f"mine {line['group']}"} if line["kind"] == "row" else line for line in made
    ]  # fmt: skip
    collected = collected_of(lines)
    shown = panels(collected)
    assert len(shown) == len({line["group"] for line in of_kind(lines, "row")})
    assert all(len(panel.verdicts) == 2 and len(panel.categories) == 1 for panel in shown)
    assert shown[0].title.startswith("mine tiled/v1/A=2/pingpong/2560000 · ping-pong · 2.56 MB")
    assert go.Figure(figure(shown[0], {})).layout.xaxis.title.text == ""
    assert "own" in own_part(render(collected))


def test_failed_launches_refusals_and_wrong_data_are_shown(lines: list[Line]) -> None:
    wrong = {"schema": 1, "kind": "error", "mpi": "intel", "launch": 2, "group": "g1", "reason": "byte 7 is other"}
    page = own_part(render(collected_of([*lines, wrong])))
    assert "1 launch failed" in page
    assert "killed after 60 s without a line" in page
    assert "one unit holds 4000 bytes, more than the message of 3200" in page
    assert "byte 7 is other" in page
    assert "1 message did not arrive as sent" in page
    assert "a &lt;processor&gt; of 2.1 GHz" in page


def test_the_end_of_a_time_budget_is_no_failed_launch(lines: list[Line]) -> None:
    ended = {"status": "cut", "reason": "the time of the run ended after 7 of 9 groups"}
    page = own_part(render(collected_of([line | ended if line.get("status") == "failed" else line for line in lines])))
    assert "failed</strong>" not in page and "Launches that failed" not in page
    assert "ended before all was measured (1)" in page
    assert "the time of the run ended after 7 of 9 groups" in page


def test_a_library_whose_launches_all_failed_is_a_column(lines: list[Line]) -> None:
    failed = [
        line | {"status": "failed", "reason": "no mpiexec"}
        if (line["kind"], line.get("mpi")) == ("launch", "intel")
        else line
        for line in lines
        if (line["kind"], line.get("mpi")) != ("samples", "intel")
    ]  # fmt: skip
    collected = collected_of(failed)
    assert len(collected.missing) == len(synthetic_run.rows(TESTS))
    told = [row["verdict"] for row in json.loads(as_json(collected.judged, collected.missing)) if row["mpi"] == "intel"]
    assert told == ["not measured"] * len(collected.missing)
    assert {mpi for mpi, _ in collected.missing} == {"intel"}
    assert "18 not measured" in as_markdown(collected.judged, collected.missing)
    page = own_part(render(collected))
    assert page.count("no mpiexec") == 4
    assert "9 not measured" in page


def test_a_run_without_any_time_is_a_page(lines: list[Line]) -> None:
    planned = [line for line in lines if line["kind"] not in ("samples", "launch")]
    page = own_part(render(collected_of(planned)))
    assert "no launch of each" in page
    assert "planned rows were measured in no launch" in page
    assert as_separated([], ",") == "\n"


def test_two_nodes_are_labelled(lines: list[Line]) -> None:
    two = [line | {"two_nodes": True} if line["kind"] == "environment" else line for line in lines]
    page = own_part(render(collected_of(two)))
    assert "between two network namespaces on one machine" in page
    assert "network namespaces" not in own_part(render(collected_of(lines)))


def test_runs_stand_side_by_side(lines: list[Line]) -> None:
    other = synthetic_run.lines(TESTS, {"mpich": "4.3"}, seed=2)
    collected = collected_of(lines, other)
    assert [library.label for library in collected.libraries] == ["mpich @ run0", "openmpi", "intel", "mpich @ run1"]
    assert len(collected.judged) == 4 * len(synthetic_run.rows(TESTS))
    shown = panels(collected)
    assert all(len(panel.libraries) == 4 for panel in shown)
    assert "mpich @ run1 4.3" in own_part(render(collected))


def test_hostile_text_is_text(lines: list[Line]) -> None:
    def spoilt(line: Line) -> Line:
        if line["kind"] == "row":
            return line | {name: HOSTILE for name in ("case", "layout", "base", "cache", "compared_type")}
        if line["kind"] in ("refused", "launch"):
            return line | {"reason": HOSTILE}
        if line["kind"] == "environment":
            library = {"mpi_library": HOSTILE, "version": HOSTILE, "transport": HOSTILE}
            return line | {"cpu": HOSTILE, "libraries": dict.fromkeys(line["libraries"], library)}
        return line

    collected = collected_of([spoilt(line) for line in lines])
    page = own_part(render(collected))
    assert "<script>alert" not in page
    assert "<img" not in page
    # The data, plotly, and the page's script; no fourth.
    assert len(re.findall(r"<script\b", page)) == 3
    data = data_of(render(collected))
    assert data["rows"][0][data["columns"].index("case")] == HOSTILE
    for panel in data["panels"]:
        drawn = json.dumps(panel["figure"]["layout"]) + json.dumps([trace["name"] for trace in panel["figure"]["data"]])
        assert "<img" not in drawn
    assert "<script>" not in as_markdown(collected.judged)
    out = io.StringIO()
    Console(file=out, width=110).print(rows_table(collected.judged[:2]))
    assert "alert" in out.getvalue()


def test_embedded_json_closes_nothing() -> None:
    text = embedded({"a": "</script><!--&\u2028"})
    assert not re.search("[<>&\u2028]", text)
    assert json.loads(text) == {"a": "</script><!--&\u2028"}


def test_the_terminal_summary(collected: Collected) -> None:
    out = io.StringIO()
    Console(file=out, width=110).print(summary_table(collected.judged))
    text = out.getvalue()
    assert "…" not in text
    assert re.search(r"mpich +ET2 +alignment", text)
    assert re.search(r"intel .*\n.*\n.*\n +ET4 +GL1 +0 +36 +0 +×[12]\.\d\d", text)


def test_rows_on_a_terminal_are_whole(collected: Collected) -> None:
    out = io.StringIO()
    Console(file=out, width=110).print(rows_table(collected.judged))
    assert "…" not in out.getvalue()
    assert out.getvalue().count("[") >= len(collected.judged)


def test_verdicts_as_text(collected: Collected) -> None:
    worst = next(one for one in collected.judged if one.mpi == "mpich" and one.row.case == "tiled/v1/A=2/tiled_vector"
                 and one.row.bytes == 2560000 and not one.row.layer)  # fmt: skip
    assert re.fullmatch(r"violated ×9\.\d\d \[\d\.\d\d, \d+\.\d\d\]", verdict_text(worst))


def test_a_single_launch_has_no_interval(lines: list[Line]) -> None:
    first = [line for line in lines if line.get("launch", 1) == 1]
    collected = collected_of(first)
    assert all(one.verdict == "undecided" for one in collected.judged)
    assert verdict_text(collected.judged[0]).endswith("[one launch]")
    rows = json.loads(as_json(collected.judged))
    assert all(row["ci_high"] is None for row in rows)
    assert data_of(render(collected))["rows"]
    back = list(csv.DictReader(io.StringIO(as_separated(collected.judged, ","))))
    assert all(row["ci_high"] == "" for row in back)


def test_the_report_command(small: list[Line], gapless: Command, tmp_path: Path) -> None:
    synthetic_run.write(tmp_path / "run", small)
    answer = gapless("report", "run", "-o", "page.html")
    assert answer.returncode == 0, answer.stderr
    assert "violated" in answer.stdout
    assert (tmp_path / "page.html").stat().st_size > 1_000_000

    answer = gapless("report", f"run/{NAME}", "--format", "json")
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert len(rows) == 3 * len(synthetic_run.rows(("ET6",)))

    lenient = json.loads(gapless("report", "run", "--format", "json", "--tolerance", 10).stdout)
    assert sum(row["verdict"] == "violated" for row in rows) == 2
    assert not any(row["verdict"] == "violated" for row in lenient)

    answer = gapless("report", "run", "--format", "csv", "-o", "rows.csv")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == ""
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 1 + len(rows)
    assert "\t" in gapless("report", "run", "--format", "tsv").stdout.splitlines()[0]
    assert gapless("report", "run", "run", "--format", "md").stdout.startswith("## Verdicts\n\n| test |")


def test_what_cannot_be_written_is_told(small: list[Line], gapless: Command, tmp_path: Path) -> None:
    synthetic_run.write(tmp_path / "run", small)
    for arguments in ((), ("--format", "json")):
        answer = gapless("report", "run", "-o", "missing/page", *arguments)
        assert answer.returncode == 2
        assert answer.stderr == (
            "gapless: error: cannot write missing/page: No such file or directory: choose another file with -o\n"
        )


def test_the_help_has_examples_and_the_exit_status(gapless: Command) -> None:
    answer = gapless("report", "--help")
    assert answer.returncode == 0
    assert "Examples:" in answer.stdout
    assert "Exit status:" in answer.stdout


def test_a_demo_file_has_no_rows_of_the_guidelines(recorded: list[Line], gapless: Command, tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in recorded))
    answer = gapless("report", "r.jsonl", "--format", "json")
    assert answer.returncode == 2
    assert "gapless demo --json" in answer.stderr


def without(kind: str, name: str) -> Callable[[list[Line]], list[Line]]:
    def change(lines: list[Line]) -> list[Line]:
        return [{k: v for k, v in line.items() if (line["kind"], k) != (kind, name)} for line in lines]

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [],
        lambda lines: of_kind(lines, "environment"),
        lambda lines: [*lines, {"schema": 1}],
        without("row", "case"),
        without("samples", "member"),
        without("launch", "status"),
        lambda lines: [line | {"samples": ["fast"]} if line["kind"] == "samples" else line for line in lines],
    ],
)
def test_a_damaged_run_is_one_line_and_no_traceback(
    change: Callable[[list[Line]], list[Line]], small: list[Line], gapless: Command, tmp_path: Path
) -> None:
    synthetic_run.write(tmp_path / "run", change(small))
    for command in (("report", "run"), ("compare", "run", "run")):
        answer = gapless(*command)
        assert answer.returncode == 2
        assert answer.stderr.startswith("gapless: error: run")
        assert answer.stderr.count("\n") == 1
        assert "Traceback" not in answer.stderr


def test_a_file_that_is_missing_is_told(gapless: Command) -> None:
    answer = gapless("report", "nowhere")
    assert answer.returncode == 2
    assert "cannot read nowhere" in answer.stderr


def test_a_run_file_without_rows_says_what_to_do() -> None:
    with pytest.raises(GaplessError, match="holds no rows: name a folder that 'gapless measure guidelines' wrote"):
        collected_of([])
