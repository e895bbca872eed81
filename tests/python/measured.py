"""A short real run of `gapless measure EXPERIMENT` in the folder `run`: its rows, what is refused of it, its page."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from conftest import Command
from gapless.cli.main import main
from gapless.lab.experiment import stored_settings
from gapless.lab.run_file import read_run
from report_page import asks_nothing_of_the_network, data_of


def rows_measured(gapless: Command, *words: object, launches: int = 2) -> list[dict[str, Any]]:
    """Measure, and return the rows that are printed."""
    answer = gapless("measure", *words, "--launches", launches, "--json", "--out", "run")
    assert answer.returncode == 0, answer.stderr
    assert "samples in run" in answer.stderr
    return list(json.loads(answer.stdout))


def run_could_go_on(experiment: str, other: str, folder: Path) -> None:
    """Assert that a run's settings make its rows again, and that no other experiment or data goes on with it."""
    settings = stored_settings(folder)
    assert (settings.experiment, settings.plan().rows) == (experiment, read_run(folder).rows)
    refused_by(["measure", other, "--resume", str(folder)], f"'gapless measure {experiment} --resume {folder}'")
    refused_by(["measure", experiment, "--resume", str(folder), "--data", "constant"], "not with another --data")


def run_goes_on(gapless: Command, experiment: str, tmp_path: Path) -> None:
    """Assert that a run is begun once, and that --resume adds a launch."""
    again = gapless("measure", experiment, "--launches", 2, "--out", "run")
    assert again.returncode == 2 and "holds a run already" in again.stderr
    before = read_run(tmp_path / "run")
    more = gapless("measure", experiment, "--resume", "run", "--launches", len(before.launches) + 1)
    assert more.returncode == 0, more.stderr
    after = read_run(tmp_path / "run")
    assert (after.rows, len(after.launches)) == (before.rows, len(before.launches) + 1)


def page_of_run(gapless: Command, tmp_path: Path) -> str:
    """Return the page of the run, which holds all it needs; what the terminal shows beside it is in its lists."""
    answer = gapless("report", "run", "-o", "page.html")
    assert answer.returncode == 0, answer.stderr
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    asks_nothing_of_the_network(page)
    assert data_of(page)["panels"]
    return page


def printed_here(*words: object) -> tuple[int, str, str]:
    """Run a command that measures nothing within this process; return its exit status and what it printed."""
    out, told = io.StringIO(), io.StringIO()
    with patch("sys.argv", ["gapless", *map(str, words)]), redirect_stdout(out), redirect_stderr(told):
        try:
            main()
            status = 0
        except SystemExit as ended:
            status = int(ended.code or 0)
    return status, out.getvalue(), told.getvalue()


def refused_by(words: list[str], says: str) -> None:
    """Assert that the command refuses what it is given, with this text."""
    status, _, told = printed_here(*words)
    assert status == 2
    assert says in " ".join(told.split())
