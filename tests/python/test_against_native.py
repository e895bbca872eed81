"""The table of the layer against calls without it: from a run whose ratios and verdicts are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import synthetic_run
from against_native import main, report, size_text
from gapless.errors import GaplessError
from gapless.lab.plan import Selection, plan_of
from gapless.lab.report.collected import collect
from gapless.lab.results import Line
from gapless.lab.run_file import run_of

LAYOUTS = 4
PLACES = [("bcast", 3200), ("bcast", 2560000), ("allgather", 3200), ("allgather", 2560000)]


def time_us(mpi: str, pattern: str, member: str) -> float:
    """Return a time with a known ratio to each other: packed and native are fast and slow, the layer in between."""
    message, _, method = member.partition(":")
    if mpi == "intel" and pattern == "allgather" and method == "gapless":
        return 48.0
    if method == "gapless":
        return 10.0 if message == "tiled" else 40.0
    return {"pack": 30.0, "native": 10.0 if message == "contiguous" else 40.0}[method]


def lines(against_native: bool = True, libraries: tuple[str, ...] = ("mpich", "intel")) -> list[Line]:
    plan = plan_of(
        Selection(
            tests=("ET1", "ET3"), patterns=("bcast", "allgather"), blocks=(2,), sizes=(3200, 2560000), variants=(1,),
            only="v1/A=2/[tba]*", against_native=against_native,
        )
    )  # fmt: skip
    # The descriptions of ET3 that ET1 lacks would be cells of their own weight.
    rows = [row for row in plan.rows if row.compared.partition(":")[0] == row.layout]
    random = np.random.default_rng(1)
    made = [synthetic_run.environment(dict.fromkeys(libraries, "1"))]
    made[0]["tolerance"] = 0.05
    made += [row.as_json() for row in rows]
    members = dict.fromkeys(
        (row.group, row.pattern, member) for row in rows for member in (row.compared, row.reference)
    )
    for mpi in libraries:
        for launch in range(1, 7):
            for group, pattern, member in members:
                ns = 1000 * time_us(mpi, pattern, member) * random.normal(1, 1e-4)
                made.append(
                    {"schema": 1, "kind": "samples", "group": group, "member": member, "samples": [ns] * 3, "mpi": mpi,
                     "launch": launch}
                )  # fmt: skip
            made.append({"schema": 1, "kind": "launch", "mpi": mpi, "launch": launch, "status": "ok"})
    return made


@pytest.fixture(scope="module")
def printed() -> list[str]:
    return report(collect([run_of(lines(), Path("made"))])).splitlines()


def test_the_table_has_the_means_and_ends_of_known_ratios(printed: list[str]) -> None:
    assert printed[:2] == ["| | message | A | MPICH | Intel MPI |", "|---|---|---|---|---|"]
    fast = "0.71 (0.25 - 1.00)"  # one layout of four takes a quarter: the fourth root
    assert printed[2:7] == [
        f"| bcast | 3200 B | 2 | {fast} | {fast} |",
        f"| bcast | 2.56 MB | 2 | {fast} | {fast} |",
        f"| allgather | 3200 B | 2 | {fast} | 1.20 (1.20 - 1.20) |",
        f"| allgather | 2.56 MB | 2 | {fast} | 1.20 (1.20 - 1.20) |",
        "",
    ]


def test_what_is_slower_in_the_mean_is_listed(printed: list[str]) -> None:
    at = printed.index("Slower by more than 5 % in the mean:")
    assert printed[at + 2 : at + 5] == [
        "* Intel MPI, allgather, 3200 B, A = 2: 1.20 (1.20 - 1.20), +8 us; proved for 4 of 4",
        "* Intel MPI, allgather, 2.56 MB, A = 2: 1.20 (1.20 - 1.20), +8 us; proved for 4 of 4",
        "",
    ]


def test_the_verdicts_are_counted(printed: list[str]) -> None:
    messages = 2 * len(PLACES) * LAYOUTS
    # Against packing 40 us lose to 30, 10 us do not; on Intel all allgathers lose.
    slow = 6 * (LAYOUTS - 1) + 2 * LAYOUTS
    assert printed[-4:] == [
        f"* against the native type: {messages - 2 * LAYOUTS} of {messages} hold, 0 undecided, {2 * LAYOUTS} violated",
        f"* against MPI_Pack + call + MPI_Unpack: {messages - slow} of {messages} hold, 0 undecided, {slow} violated",
        f"* GL2 and GL3 under the layer: {messages - slow} of {messages} hold, 0 undecided, {slow} violated",
        f"* GL2 and GL3 natively: 0 of {messages} hold, 0 undecided, {messages} violated",
    ]


def test_a_library_of_two_runs_has_two_columns_and_what_failed_is_told() -> None:
    runs = [run_of(lines(libraries=("mpich",)), Path(name) / "run.jsonl") for name in ("a", "b")]
    del runs[1].samples["mpich", runs[1].rows[0].group]
    text = report(collect(runs)).splitlines()
    assert text[0] == "| | message | A | mpich @ a | mpich @ b |"
    assert "no launch got there: " in text[-1]


def test_a_run_without_such_rows_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = lines(against_native=False)
    with pytest.raises(GaplessError, match="--against-native"):
        report(collect([run_of(plain, Path("made"))]))
    assert main([str(synthetic_run.write(tmp_path, plain))]) == 2
    assert "compares nothing with the calls without the layer" in capsys.readouterr().err
    assert main([str(synthetic_run.write(tmp_path, lines()).parent)]) == 0
    assert capsys.readouterr().out.startswith("| | message |")


def test_sizes_as_people_say_them() -> None:
    assert [size_text(n) for n in (3200, 64000, 640000, 2560000)] == ["3200 B", "64 KB", "640 KB", "2.56 MB"]
