"""The report of the guidelines: one HTML page that holds all it needs, its plotting script included."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from gapless.display import bytes_text
from gapless.errors import GaplessError
from gapless.lab.launch_facts import peer_lines_text
from gapless.lab.report.collected import TWO_NODES, Collected, Library
from gapless.lab.report.figures import COLOURS, figure
from gapless.lab.report.panels import Panel, panels, table_of
from gapless.lab.report.texts import (
    BASELINE,
    GUIDELINES,
    MARKS,
    PATTERNS,
    TESTS,
    Counts,
    Matrix,
    count,
    counts_text,
    data_text,
    interval_text,
    matrix,
    member_text,
    us_text,
)
from gapless.lab.run_file import Run
from gapless.lab.verdicts import Judged

# So many of the worst violations are listed for each library, without and with the layer.
WORST = 6
# With more plots than this, the tests start folded.
FOLDED_FROM = 24


def embedded(value: Any) -> Markup:
    """Return a value as JSON that is safe inside a script element, whatever text it holds."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


@dataclass(frozen=True)
class Card:
    """The headline of a library.

    Attributes
    ----------
    name, transport, mpi_library : str
        What it is.
    launches : int
        Launches that ended well.
    sides : list of (str, Counts)
        The counts of the guidelines without the baseline, native and with the layer.
    """

    name: str
    mpi_library: str
    transport: str
    launches: int
    sides: list[tuple[str, Counts]]


def _card(collected: Collected, library: Library) -> Card:
    planned = [*(one.row for one in collected.judged), *(row for _, row in collected.missing)]
    layers = sorted({row.layer for row in planned})
    sides = []
    for layer in layers:
        found = [
            one
            for one in collected.judged
            if one.mpi == library.label and one.row.layer == layer and one.row.guideline != BASELINE
        ]
        missing = sum(
            mpi == library.label and row.layer == layer and row.guideline != BASELINE for mpi, row in collected.missing
        )
        sides.append(("with Gapless" if layer else "native", count(found, missing)))
    told = str(library.facts.get("mpi_library", "")).splitlines()
    return Card(library.name, told[0] if told else "", library.transport, len(library.good_launches), sides)


def _worst(judged: Sequence[Judged], layer: bool) -> list[Judged]:
    """Return the worst violations of each library, the worst of all first; the baseline is no guideline."""
    violated = [
        one for one in judged if one.verdict == "violated" and one.row.layer == layer and one.row.guideline != BASELINE
    ]
    violated.sort(key=lambda one: -one.factor)
    seen: dict[str, int] = {}
    chosen = []
    for one in violated:
        seen[one.mpi] = seen.get(one.mpi, 0) + 1
        if seen[one.mpi] <= WORST:
            chosen.append(one)
    return chosen


def _all_violated(judged: Sequence[Judged], layer: bool) -> int:
    return count(one for one in judged if one.row.layer == layer and one.row.guideline != BASELINE).violated


def state(counts: Counts | None) -> str:
    """Return which verdict colours a cell of the matrix: the worst that it has."""
    if counts is None or counts.total == counts.missing:
        return "none"
    return "violated" if counts.violated else "undecided" if counts.undecided or counts.missing else "holds"


def _sections(shown: Sequence[Panel], of: Matrix) -> list[dict[str, Any]]:
    """Return the tests with their plots, grouped by pattern and size; plots are numbered as in the page's data."""
    made: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for number, panel in enumerate(shown):
        group = f"{PATTERNS.get(panel.pattern, panel.pattern)}, {bytes_text(panel.bytes)}"
        entry = {"number": number, "title": panel.title, "libraries": len(panel.libraries)}
        made.setdefault(panel.test, {}).setdefault(group, []).append(entry)
    return [
        {
            "test": test,
            "title": TESTS.get(test, ""),
            "guidelines": [guideline for at, guideline in of.places if at == test],
            "count": sum(map(len, groups.values())),
            "groups": [{"title": title, "panels": entries} for title, entries in groups.items()],
        }
        for test, groups in made.items()
    ]


def _data(collected: Collected, shown: Sequence[Panel], names: dict[str, str]) -> dict[str, Any]:
    """Return what the page's script draws and lists."""
    rows = [one.as_json() for one in collected.judged]
    columns = list(rows[0]) if rows else []
    return {
        "columns": columns,
        "rows": [[row[name] for name in columns] for row in rows],
        "panels": [_panel_data(panel, names) for panel in shown],
        "dark": {role: dark for role, (_, dark) in COLOURS.items()},
    }


def _panel_data(panel: Panel, names: dict[str, str]) -> dict[str, Any]:
    columns, cells = table_of(panel)
    return {"title": f"{panel.test} {panel.title}", "figure": figure(panel, names), "columns": columns, "cells": cells}


def flattened(record: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Return a nested record as names with dots and texts."""
    lines: list[tuple[str, str]] = []
    for name, value in record.items():
        if isinstance(value, Mapping):
            lines += flattened(value, f"{prefix}{name}.")
        elif value is not None:
            lines.append((f"{prefix}{name}", str(value)))
    return lines


def _record(run: Run) -> list[tuple[str, str]]:
    return flattened({name: value for name, value in run.environment.items() if name not in ("schema", "kind")})


def _problems(collected: Collected) -> dict[str, list[list[str]]]:
    """Return what is not in the tables of verdicts, and why."""
    label = {(id(library.run), library.mpi): library.label for library in collected.libraries}

    def named(run: Run, line: Mapping[str, Any]) -> str:
        mpi = line.get("mpi")
        return "every library" if mpi is None else label.get((id(run), mpi), str(mpi))

    # By how a launch ended. One with wrong data went to its end; what was wrong is among the errors.
    launches: dict[str, list[list[str]]] = {"failed": [], "cut": [], "interrupted": []}
    errors, refused = [], []
    for run in collected.runs:
        for line in run.launches:
            launches.get(line["status"], []).append(
                [named(run, line), str(line.get("launch", "")), f"{line.get('seconds', 0):.1f}",
                 str(line.get("reason", ""))]
            )  # fmt: skip
        errors += [
            [named(run, line), str(line.get("launch", "")), str(line.get("group", "")), str(line.get("member", "")),
             str(line.get("reason", ""))]
            for line in run.errors
        ]  # fmt: skip
        for line in run.refused:
            size = line.get("bytes")
            refused.append(
                [named(run, line), str(line.get("case") or line.get("group") or ""), str(line.get("pattern", "")),
                 bytes_text(size) if isinstance(size, int) else "", str(line.get("reason", ""))]
            )  # fmt: skip
    unique = [list(cells) for cells in dict.fromkeys(map(tuple, refused))]
    ended = [*launches["cut"], *launches["interrupted"]]
    return {"failed": launches["failed"], "ended": ended, "errors": errors, "refused": unique}


def _day(run: Run) -> str:
    told = str(run.environment.get("date", "on an unknown day"))
    return f"{told[:10]} {told[11:16]} UTC" if told.endswith("+00:00") else told


def _peer_lines(collected: Collected) -> list[str]:
    """Return, for each library whose launches say it, what storing into a line costs that a peer has read."""
    told = []
    for library in collected.libraries:
        lines = [line for line in library.run.launches if line["mpi"] == library.mpi]
        text = peer_lines_text(lines)
        told += [f"{library.name}: {text}"] if text else []
    return told


def _launches(collected: Collected) -> str:
    numbers = sorted({one.launches for one in collected.judged})
    if not numbers:
        return "no launch"
    return f"{numbers[0]} launches" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]} launches"


def render(collected: Collected) -> str:
    """Return the page.

    Parameters
    ----------
    collected : Collected
        One or several judged runs.
    """
    shown = panels(collected)
    names = {library.label: library.name for library in collected.libraries}
    of = matrix(collected.judged, collected.missing, [library.label for library in collected.libraries])
    return render_template(
        "guidelines.html.j2",
        collected,
        matrix=of,
        names=names,
        cards=[_card(collected, library) for library in collected.libraries],
        worst=[(layer, _all_violated(collected.judged, layer), _worst(collected.judged, layer)) for layer in of.layers],
        sections=_sections(shown, of),
        folded=len(shown) > FOLDED_FROM,
        carried=data_text(one.row for one in collected.judged),
        data=embedded(_data(collected, shown, names)),
    )


def page_environment() -> Environment:
    """Return where the pages' templates are."""
    return Environment(
        loader=PackageLoader("gapless.lab.report"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def render_template(name: str, collected: Collected, **more: Any) -> str:
    """Return a page: a template with what it asks for, and what the pages of all experiments show.

    Parameters
    ----------
    name : str
        The template.
    collected : Collected
        One or several judged runs.
    **more
        What this page alone shows.
    """
    environment = page_environment()
    environment.globals |= {
        "bytes_text": bytes_text, "counts_text": counts_text, "day": _day, "interval_text": interval_text,
        "member_text": member_text, "state": state, "us_text": us_text,
        "GUIDELINES": GUIDELINES, "MARKS": MARKS, "PATTERNS": PATTERNS, "TESTS": TESTS, "BASELINE": BASELINE,
    }  # fmt: skip
    return environment.get_template(name).render(
        collected=collected,
        problems=_problems(collected),
        records=[(str(run.path), _record(run)) for run in collected.runs],
        two_nodes=TWO_NODES if any(run.environment.get("two_nodes") for run in collected.runs) else "",
        launches=_launches(collected),
        peers=_peer_lines(collected),
        plotly=Markup(plotting_script()),
        **more,
    )


def plotting_script() -> str:
    """Return the script that draws, for a page that holds all it needs."""
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


def write_page(collected: Collected, path: Path) -> None:
    """Write the page of the guidelines."""
    write_text(path, render(collected))


def write_text(path: Path, page: str) -> None:
    """Write a report.

    Raises
    ------
    GaplessError
        If the file cannot be written.
    """
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise GaplessError(f"cannot write {path}: {error.strerror}", "choose another file with -o") from error
