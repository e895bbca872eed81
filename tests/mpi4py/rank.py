"""What each rank runs: tests of mpi4py, one JSON line for each that starts and one for each that ends.

Started as ``rank.py SELECTION.json FOLDER``; the lines go to FOLDER/rank-<rank>.jsonl. Imports nothing of Gapless: what
the ranks load must be what mpi4py's own runner loads. The exit status says only that the tests were run to the end.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import re
import signal
import sys
import time
import unittest
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# A test may have several events (sub-tests, a failure and then an error in tearDown): the worst one is its outcome.
WORST_LAST = ("pass", "skip", "expected failure", "unexpected success", "fail", "error")


class Lines:
    """Appends JSON lines to a file, each in one write: a reader never sees half of one, even after a crash."""

    def __init__(self, path: Path) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def write(self, kind: str, **values: Any) -> None:
        """Write one line."""
        os.write(self.file, (json.dumps({"kind": kind, **values}) + "\n").encode())


class PairedCalls:
    """Reads how many calls of this rank went through shared memory, where the layer keeps its counts in a file."""

    def __init__(self) -> None:
        folder = os.environ.get("GAPLESS_RUN_DIR")
        self.path = next(Path(folder).glob(f"*.{os.getpid()}.counters"), None) if folder else None
        self.before = (0, 0)
        if self.path is not None:
            names = json.loads(self.path.read_bytes().partition(b"\n")[0])
            self.field = names["fields"].index("paired")
            self.messages = [bool(re.search("send|recv|start", name, re.IGNORECASE)) for name in names["procedures"]]

    def more(self) -> tuple[int, int]:
        """Return those since the last time: of messages from point to point, and collective calls."""
        if self.path is None:
            return 0, 0
        numbers = array("q", self.path.read_bytes().partition(b"\n")[2])
        calls = numbers[self.field :: len(numbers) // len(self.messages)]
        messages = sum(n for n, is_one in zip(calls, self.messages, strict=True) if is_one)
        now, before = (messages, sum(calls) - messages), self.before
        self.before = now
        return now[0] - before[0], now[1] - before[1]


class LineResult(unittest.TestResult):
    """Writes a line when a test starts and one when it has ended."""

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self.lines = lines
        self.paired_calls = PairedCalls()
        self.running = ""
        self.outcome, self.text, self.began = "", "", 0.0

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().startTest(test)
        self.running, self.outcome, self.text, self.began = test.id(), "pass", "", time.monotonic()
        self.lines.write("start", test=self.running)

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().stopTest(test)
        seconds = round(time.monotonic() - self.began, 3)
        self._write(self.running, self.outcome, seconds, self.text)
        self.running = ""

    def _write(self, test: str, outcome: str, seconds: float, text: str) -> None:
        paired = self.paired_calls.more()
        self.lines.write("outcome", test=test, outcome=outcome, seconds=seconds, text=text, paired=paired)

    def _saw(self, test: Any, outcome: str, text: str) -> None:
        if not self.running:  # setUpClass and its like are no tests, but what they say must not be lost
            self._write(test.id(), outcome, 0.0, text)
        elif WORST_LAST.index(outcome) > WORST_LAST.index(self.outcome):
            self.outcome, self.text = outcome, text

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        self._saw(test, "skip", reason)

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self._saw(test, "fail", self._exc_info_to_string(err, test))

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        self._saw(test, "error", self._exc_info_to_string(err, test))

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        if err is not None:
            outcome = "fail" if issubclass(err[0], test.failureException) else "error"
            self._saw(test, outcome, f"{subtest._subDescription()}: {self._exc_info_to_string(err, test)}")

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self._saw(test, "expected failure", "")

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        self._saw(test, "unexpected success", "")


def cases(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    """Yield the tests of a suite, in the order in which it runs them."""
    for member in suite:
        if isinstance(member, unittest.TestSuite):
            yield from cases(member)
        else:
            yield member


def main(selection_file: str, folder: str) -> None:
    """Run the selected tests of the selected modules, in order."""
    selection = json.loads(Path(selection_file).read_text(encoding="utf-8"))
    sys.dont_write_bytecode = True
    sys.path.insert(0, selection["folder"])
    # As mpi4py's own runner does: the suite then asks for no device.
    sys.modules["cupy"] = sys.modules["numba"] = None  # type: ignore[assignment]
    mpi = importlib.import_module("mpi4py.MPI")
    name = f"rank-{mpi.COMM_WORLD.Get_rank()}"
    lines = Lines(Path(folder) / f"{name}.jsonl")
    # Which rank crashed, and where; on SIGUSR2, where it hangs.
    fault = os.open(Path(folder) / f"{name}.fault", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
    faulthandler.enable(fault)
    faulthandler.register(signal.SIGUSR2, fault, all_threads=True)
    loader = unittest.TestLoader()
    only, without = set(selection["only"]), set(selection["without"])
    every = [case for module in selection["modules"] for case in cases(loader.loadTestsFromName(module))]
    chosen = [case for case in every if case.id() not in without and (not only or case.id() in only)]
    version = mpi.Get_library_version().strip("\0\n ").splitlines()[0]
    names = [case.id() for case in chosen]
    lines.write("plan", pid=os.getpid(), size=mpi.COMM_WORLD.Get_size(), library=version, tests=names)
    unittest.TestSuite(chosen).run(LineResult(lines))
    lines.write("end")


if __name__ == "__main__":
    main(*sys.argv[1:])
