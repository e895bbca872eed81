"""`gapless report`: stored results as a page, as text, or as data."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gapless.errors import GaplessError

if TYPE_CHECKING:
    from gapless.lab.report.collected import Collected
    from gapless.lab.report.kinds import Report
    from gapless.lab.results import Line


class Format(str, Enum):
    """How a report is written."""

    HTML = "html"
    MD = "md"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"


PAGE = Path("report.html")


def report(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULTS...",
            help="Folders or run.jsonl files of 'gapless measure ...' (several of one experiment: side by side), "
            "or a demo's.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The file to write (default: report.html; other formats: stdout)."),
    ] = None,
    kind: Annotated[
        Format, typer.Option("--format", help="A page, tables in Markdown, or one line or object for each row.")
    ] = Format.HTML,
    tolerance: Annotated[
        float | None,
        typer.Option(min=0.001, max=10, help="By how much a time may be more: 0.1 is 10 % (default: as in the run)."),
    ] = None,
    q: Annotated[
        float, typer.Option("--q", min=0.0001, max=0.5, help="Which share of the decided rows may be decided wrongly.")
    ] = 0.05,
) -> None:
    """Render stored results as one self-contained page (and print the summary), or as text or data.

    [bold]Examples:[/bold]

      gapless report results/20260101-120000-guidelines -o report.html

      gapless report results/before results/after     [dim]# side by side[/dim]

      gapless report results/before --format json | jq '.[].verdict'

      gapless report results/20260101-120000-demo.jsonl

    [bold]Exit status:[/bold] 0, the report was written, whatever its verdicts;
    2, the results cannot be read or the report cannot be written; 130, interrupted.
    """
    from gapless.lab.results import read
    from gapless.lab.run_file import run_path

    files = [(path, read(run_path(path))) for path in results]
    if len(files) == 1 and _is_demo(files[0][1]):
        _report_demo(files[0][1], kind, output or PAGE)
        return
    if any(_is_applications(lines) for _, lines in files):
        if len(files) > 1:
            raise GaplessError("a run of whole applications has a page of its own", "name it alone")
        _report_applications(files[0][1], kind, output)
        return
    from gapless.lab.report.collected import collect
    from gapless.lab.report.kinds import report_of
    from gapless.lab.run_file import run_of

    runs = [run_of(lines, path) for path, lines in files]
    own = report_of(runs)
    collected = collect(runs, tolerance, q)
    if own is None:
        _report_guidelines(collected, kind, output)
    else:
        _report_experiment(own, collected, kind, output)


def _is_demo(lines: list[Line]) -> bool:
    """Whether the older report has something to show of them."""
    kinds = {line.get("kind") for line in lines}
    return bool(kinds & {"samples", "halo"}) and "row" not in kinds


def _is_applications(lines: list[Line]) -> bool:
    """Whether they are of whole applications, which have no rows of the lab's own programs."""
    return any(line.get("kind") == "application" for line in lines)


def _report_applications(lines: list[Line], kind: Format, output: Path | None) -> None:
    import json

    from gapless.display import console
    from gapless.lab.applications.judged import rows_of
    from gapless.lab.applications.page import write_page
    from gapless.lab.applications.tables import print_rows, tsv
    from gapless.lab.report.page import write_text

    rows = rows_of(lines)
    if kind is Format.HTML:
        write_page(lines, rows, output or PAGE)
        print_rows(console(), rows)
        print(f"gapless: the figure and all rows in {output or PAGE}", file=sys.stderr)
        return
    if kind not in (Format.JSON, Format.TSV):
        raise GaplessError(f"--format {kind.value}: a run of applications has none", "there are html, json, tsv")
    text = tsv(rows) if kind is Format.TSV else json.dumps([row.as_json() for row in rows], indent=1) + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)


def _report_demo(lines: list[Line], kind: Format, output: Path) -> None:
    from gapless.display import console
    from gapless.lab.report.demo_page import write_report
    from gapless.lab.report.tables import print_tables

    if kind is not Format.HTML:
        raise GaplessError(
            f"--format {kind.value} is for runs of 'gapless measure guidelines', not for a file of the demo",
            "leave --format out, or use 'gapless demo --json'",
        )
    write_report(lines, output)
    print_tables(console(), lines)
    print(f"gapless: the page is {output}", file=sys.stderr)


def _report_experiment(own: Report, collected: Collected, kind: Format, output: Path | None) -> None:
    """Write the report of an experiment that has one of its own."""
    from gapless.display import console
    from gapless.lab.report.page import write_text

    if kind is Format.HTML:
        write_text(output or PAGE, own.render(collected))
        own.show(console(), collected)
        print(f"gapless: plots and all rows in {output or PAGE}", file=sys.stderr)
        return
    text = own.as_text(collected, kind.value)
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)


def _report_guidelines(collected: Collected, kind: Format, output: Path | None) -> None:
    from gapless.lab.report.page import write_page, write_text

    if kind is Format.HTML:
        from gapless.display import console
        from gapless.lab.report.texts import summary_table

        write_page(collected, output or PAGE)
        labels = [library.label for library in collected.libraries]
        console().print(summary_table(collected.judged, collected.missing, labels))
        print(f"gapless: plots and all rows in {output or PAGE}", file=sys.stderr)
        return
    text = _text(collected, kind)
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)


def _text(collected: Collected, kind: Format) -> str:
    from gapless.lab.report.texts import as_json, as_markdown, as_separated

    if kind is Format.JSON:
        return as_json(collected.judged, collected.missing)
    if kind is Format.MD:
        labels = [library.label for library in collected.libraries]
        return as_markdown(collected.judged, collected.missing, labels)
    return as_separated(collected.judged, "," if kind is Format.CSV else "\t", collected.missing)
