"""`gapless measure vector`: what is planned, what is said of made-up points, and a short real run, advised from."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import advice_holds
import pytest
from conftest import Command
from gapless.lab.plan import Group
from gapless.lab.report.collected import collect
from gapless.lab.run_file import CONTIGUOUS_MEMBER
from gapless.lab.vector.settings import PRESETS, VectorSettings
from gapless.lab.vector.story import BY_HAND, DIRECT, LAYER, PACKED, REPORT, STEADY, sentences, tables
from gapless.lab.ways.points import points_of
from gapless.paths import Build
from measured import page_of_run, printed_here, refused_by, rows_measured, run_could_go_on
from synthetic import planned_run, wobble

COUNTS = (16, 128, 1000, 1024, 1025, 8192)
Us = Callable[[int, str], float]


def said(us: Us, first: float = 0.0, **changes: object) -> list[str]:
    """Return the sentences on blocks of 8 bytes of which ways take so long by their number [us]."""
    settings = VectorSettings(**{"lengths": (8,), "counts": COUNTS, **changes})  # type: ignore[arg-type]

    def wobbling(group: Group, member: str, launch: int) -> float:
        return us(group.place.bytes // 8, member) * wobble(f"{member} {group.id}", launch, 0.003)

    return sentences(points_of(planned_run(settings, wobbling, 6, lambda _, ns: {"first": ns * first})))


def test_a_group_for_each_length_and_number_of_blocks() -> None:
    plan = VectorSettings(lengths=(8, 512), counts=(16, 1024), most_bytes=1 << 16).plan()
    assert [group.id for group in plan.groups] == ["16 x 8 B", "1024 x 8 B", "16 x 512 B"]
    assert [line["case"] for line in plan.refused] == ["1024 x 512 B"]
    message, _ = plan.groups[2].messages["vector"]
    assert (message.count, message.type) == (1, "vector(16, 64, 128, double)")
    assert plan.groups[0].more == {
        f"vector:{method}+{what}": {"method": method, f"fresh_{what}": True}
        for what in ("buffer", "type") for method in ("native", "pack", "gapless")
    }  # fmt: skip
    (steady,) = VectorSettings(lengths=(8,), counts=(16,), reuse=("same",), layer=False).plan().groups
    assert list(steady.members) == [CONTIGUOUS_MEMBER, BY_HAND, DIRECT, PACKED]


def test_blocks_around_1024_are_in_every_preset_but_the_papers() -> None:
    for name in ("quick", "standard"):
        assert {1023, 1024, 1025} <= set(PRESETS[name].counts)
    assert PRESETS["paper"].lengths == (64, 4096) and PRESETS["paper"].launches == 5


@pytest.mark.parametrize(
    ("us", "told"),
    [
        # Packing wins from 1000 blocks on; between 128 and 1000 nobody is proved to.
        (lambda n, way: {DIRECT: {16: 10, 128: 20}.get(n, 25), PACKED: {16: 20}.get(n, 20)}.get(way, 9),
         "faster is the direct send from 16 on, MPI_Pack from 1000 on [blocks]"),
        (lambda n, way: {DIRECT: 10, PACKED: 30}.get(way, 9), "faster is the direct send from 16 on [blocks]"),
        (lambda n, way: 10, "faster is not decided anywhere [blocks]"),
        (lambda n, way: {DIRECT: 30 if n in (128, 1000) else 10, PACKED: 20}.get(way, 9),
         "faster is the direct send from 16 on, MPI_Pack from 128 on, the direct send from 1024 on [blocks]"),
    ],
    ids=["crossover", "direct", "alike", "twice"],
)  # fmt: skip
def test_the_crossover(us: Us, told: str) -> None:
    assert said(us)[0] == f"mpich, blocks of 8 B: {told}"


def test_the_jump_beyond_1024_blocks() -> None:
    # A block takes 10 ns up to 1024, natively 30 beyond.
    def us(n: int, way: str) -> float:
        return n * (0.03 if n > 1024 and way == DIRECT else 0.01)

    (told,) = [text for text in said(us) if "beyond" in text]
    assert told.startswith("mpich, blocks of 8 B: beyond 1024 blocks each takes 3.")
    assert told.endswith("times as long natively as just below")
    # One number of blocks is not the other: that 1025 take more than 1024 is no jump; nor are there always both sides.
    for quiet in (said(lambda n, _: n * 0.01), said(us, counts=(16, 128, 1024)), said(us, counts=(1025, 8192))):
        assert not [text for text in quiet if "beyond" in text]


def test_what_another_type_or_buffer_costs_and_the_first_message() -> None:
    def us(_: int, way: str) -> float:
        fresh = {"+type": 3, "+buffer": 1.5}.get(way[way.find("+") :] if "+" in way else "", 1)
        return 10.0 * fresh * (0.5 if way.startswith(LAYER) else 1)

    told = said(us, first=7.0)
    assert (
        "mpich: another type for each round trip costs 3.00 natively and 3.00 with Gapless times the same again"
        in (told[1])
    )
    assert "another buffer for each message costs 1.50 natively and 1.50" in told[2]
    assert (
        told[3]
        == "mpich: the first message of a group takes 7.0 natively and 7.0 with Gapless times as long as later ones "
        "(means)"
    )
    without = said(us, reuse=("same",), layer=False)
    assert len(without) == 1


def test_the_table_and_the_plots() -> None:
    run = planned_run(
        VectorSettings(lengths=(8, 64), counts=(16, 128)), lambda _, way, __: 20.0 if way == PACKED else 10
    )
    (told,) = tables(points_of(run))
    assert [cells[:2] for cells in told.cells] == [["8 B", "16"], ["8 B", "128"], ["64 B", "16"], ["64 B", "128"]]
    by_name = dict(zip(told.columns, told.cells[0], strict=True))
    assert (by_name["vector"], by_name["MPI_Pack, MPI_Unpack"]) == ("1.00", "2.00")
    assert by_name["fastest without Gapless"].endswith(" (not decided)")
    page = REPORT.render(collect([run]))
    assert page.count("data-panel=") == 4 and "Blocks of 64 B, a fresh type or buffer for each message" in page


def test_a_short_run_and_how_often_an_advice_from_it_is_right(
    gapless: Command, build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = rows_measured(gapless, "vector", "--preset", "quick", "--lengths", "8,64", "--counts", "16", "--reuse",
                         "same,type")  # fmt: skip
    ways = {row["way"] for row in rows}
    assert len(rows) == 2 * len(ways) == 2 * (2 + 2 * 3)
    assert {"vector + Gapless, type made anew", "MPI_Pack, MPI_Unpack, type made anew"} <= ways
    assert [(row["group"], row["blocks"], row["block_bytes"]) for row in rows if row["way"] == "array"] == [
        ("16 x 8 B", 16, 8), ("16 x 64 B", 16, 64)]  # fmt: skip
    assert "Blocks of a vector" in page_of_run(gapless, tmp_path)
    advice = printed_here("advise", "vector(16, 1, 2, double)", "--from", tmp_path / "run", "--language", "none")
    assert advice[1].startswith("mpich, 128 bytes in runs of 8: ") and "16 x 8 B/vector" in advice[1]
    monkeypatch.setattr(sys, "argv", ["advice_holds.py", str(tmp_path / "run")])
    advice_holds.main()
    heading, *tried = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert (heading[0], [line[0] for line in tried]) == ("held out", ["the row and its group", "half of the launches"])
    assert all(int(decided) >= int(advised) >= int(right) for _, decided, advised, right, *_ in tried)
    run_could_go_on("vector", "creation", tmp_path / "run")


def test_what_would_be_measured_is_listed() -> None:
    status, rows, told = printed_here("measure", "vector", "--preset", "quick", "--lengths", "4096", "--list")
    assert status == 0, told
    assert "slow-down\t16 x 4096 B/vector:native+type\tpingpong\t65536" in rows
    assert "refused\t-\t8192 x 4096 B" in rows
    assert len(rows.splitlines()) == 1 + 5 * (len(STEADY) + 6) + 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--lengths", "12"], "--lengths 12: a double has 8 bytes: name multiples of 8"),
        (["--reuse", "nothing"], "--reuse: there is no 'nothing': there are same, buffer, type"),
        (["--counts", "0"], "--counts 0: that is no list of positive numbers"),
        (["--lengths", "4096", "--counts", "65536"], "longer than 8388608 bytes): see 'gapless measure vector --list'"),
    ],
)
def test_what_cannot_be_measured(words: list[str], says: str) -> None:
    refused_by(["measure", "vector", *words], says)
