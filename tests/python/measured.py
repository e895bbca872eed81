"""A short real run of `gapless measure EXPERIMENT` in the folder `run`: its rows, what is refused of it, its page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conftest import Command
from gapless.lab.run_file import read_run
from report_page import asks_nothing_of_the_network, data_of


def rows_measured(gapless: Command, *words: object, launches: int = 2) -> list[dict[str, Any]]:
    """Measure, and return the rows that are printed."""
    answer = gapless("measure", *words, "--launches", launches, "--json", "--out", "run")
    assert answer.returncode == 0, answer.stderr
    assert "samples in run" in answer.stderr
    return list(json.loads(answer.stdout))


def run_goes_on(gapless: Command, experiment: str, other: str, tmp_path: Path) -> None:
    """Assert that a run is begun once, that --resume adds launches, and by no other experiment."""
    again = gapless("measure", experiment, "--launches", 2, "--out", "run")
    assert again.returncode == 2 and "holds a run already" in again.stderr
    before = read_run(tmp_path / "run")
    more = gapless("measure", experiment, "--resume", "run", "--launches", len(before.launches) + 1)
    assert more.returncode == 0, more.stderr
    after = read_run(tmp_path / "run")
    assert (after.rows, len(after.launches)) == (before.rows, len(before.launches) + 1)
    wrong = gapless("measure", other, "--resume", "run")
    assert wrong.returncode == 2 and f"'gapless measure {experiment} --resume run'" in wrong.stderr
    changed = gapless("measure", experiment, "--resume", "run", "--data", "constant")
    assert changed.returncode == 2 and "not with another --data" in changed.stderr


def page_of_run(gapless: Command, tmp_path: Path) -> str:
    """Return the page of the run, which holds all it needs; what the terminal shows beside it is in its lists."""
    answer = gapless("report", "run", "-o", "page.html")
    assert answer.returncode == 0, answer.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    asks_nothing_of_the_network(page)
    assert data_of(page)["panels"]
    return page


def refused_by(gapless: Command, words: list[str], says: str) -> None:
    """Assert that a command is refused as it was given, with this text."""
    answer = gapless(*words)
    assert answer.returncode == 2, answer.stdout + answer.stderr
    assert says in " ".join(answer.stderr.split()) and "Traceback" not in answer.stderr
