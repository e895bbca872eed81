"""`gapless measure creation`: what is planned, from when a type pays on made-up points, and a short real run."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path

import gapless as gapless_package
import pytest
from conftest import Command
from gapless.lab.creation.settings import CONSTRUCTORS, CONTIGUOUS_TYPE, PRESETS, CreationSettings
from gapless.lab.creation.story import REPORT, Pays, once_ns, pays, sentences, tables
from gapless.lab.plan import Group
from gapless.lab.report.collected import collect
from gapless.lab.results import of_kind, read
from gapless.lab.run_file import CONTIGUOUS_MEMBER, NAME
from gapless.lab.ways.points import Point, points_of
from gapless.paths import Build
from measured import page_of_run, printed_here, refused_by, rows_measured, run_could_go_on
from report_page import data_of
from synthetic import planned_run, wobble

VECTOR = CreationSettings(constructors=("vector",), counts=(100,))
NATIVE, LAYER, BY_HAND = "vector:native", "vector:gapless", "vector:hand_c"
ONCE = {"create": [1000.0], "commit": [500.0], "free": [500.0]}  # 2 us together


def point_of(vector_us: float, hand_us: float = 10.0, launches: int = 6, spread: float = 0.0) -> Point:
    """Return the point of a vector that takes 2 us to make, of messages that take so long."""
    us = {CONTIGUOUS_MEMBER: 5.0, BY_HAND: hand_us, NATIVE: vector_us}

    def wobbling(_: Group, member: str, launch: int) -> float:
        return us.get(member, 7.0) * wobble(member, launch, spread)

    typed = {"phases": ONCE, "first": 1.0, "first_type": {"create": 9000.0, "commit": 0.0, "free": 10.0}}
    (point,) = points_of(planned_run(VECTOR, wobbling, launches, lambda way, _: {} if way == BY_HAND else typed))
    return point


def test_every_constructor_describes_every_second_double() -> None:
    for count in (10, 100):
        runs = {name: list(gapless_package.Datatype(text(count)).iov()) for name, text in CONSTRUCTORS.items()}
        assert all(of == [(16 * i, 8) for i in range(count)] for of in runs.values())
        assert {name: text(10).partition("(")[0] for name, text in CONSTRUCTORS.items()}.items() >= {
            name: name for name in CONSTRUCTORS if name not in ("resized", "nested")}.items()  # fmt: skip


def test_a_group_for_each_number_of_blocks() -> None:
    first, second = CreationSettings(constructors=("struct", "dup"), counts=(10, 100)).plan().groups
    assert (first.id, second.place.bytes, first.options["phases"]) == ("10 blocks", 800, True)
    assert list(first.members) == [
        CONTIGUOUS_MEMBER, "struct:hand_c",
        *(f"{name}:{way}" for name in (CONTIGUOUS_TYPE, "struct", "dup") for way in ("native", "gapless")),
    ]  # fmt: skip
    assert {count for settings in PRESETS.values() for count in settings.counts} <= {10, 100, 1000, 10_000}


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (Pays(3.2, 3.2, 3.2), "4"), (Pays(3.2, 2.5, 7.1), "4 (3 - 8)"), (Pays(0.01, 0, 0.02), "1"),
        (Pays(3.2, 2.5, inf), "not decided"), (Pays(inf, 9.0, inf), "not decided"), (Pays(inf, inf, inf), "never"),
    ],
)  # fmt: skip
def test_when_a_type_pays_as_text(of: Pays, text: str) -> None:
    assert of.text == text


def test_when_a_type_pays() -> None:
    # Of 2 us that it takes to make, each message saves 0.5.
    found = pays(point_of(9.5), NATIVE)
    assert found is not None and found.text == "4"
    assert (found.messages, found.low, found.high) == pytest.approx((4, 4, 4))
    never, unsure, single = (pays(point, NATIVE) for point in (
        point_of(11.0, spread=0.01), point_of(9.9, spread=0.1), point_of(20.0, launches=1)))  # fmt: skip
    assert never is not None and (never.text, never.low) == ("never", inf)
    assert unsure is not None and unsure.text == "not decided"
    assert single is not None and single.text == "not decided", "one launch proves nothing"


def test_what_was_not_measured_pays_nothing() -> None:
    point = point_of(9.5)
    assert pays(point, "vector:pack") is None
    del point.phases[NATIVE]["free"]
    assert once_ns(point, NATIVE) is None and pays(point, NATIVE) is None
    del point.times[BY_HAND]
    assert pays(point, LAYER) is None


def test_the_sentences_and_the_table() -> None:
    point = point_of(9.5)
    point.phases[NATIVE]["create"] = 3000.0
    told = sentences([point])
    assert told[0] == (
        "mpich, 100 blocks, natively: making, committing and freeing takes 2 µs (contiguous type) to 4 µs (vector)"
    )
    assert told[2:] == [
        "mpich, 100 blocks, natively: a vector beats copying by hand from message 8 on",
        "mpich, 100 blocks, with Gapless: a vector beats copying by hand from message 1 on",
    ]
    (table,) = tables([point])
    cells = [dict(zip(table.columns, cells, strict=True)) for cells in table.cells]
    native = next(row for row in cells if row["type"] == "vector")
    assert [native[name] for name in ("create", "commit", "free", "first create", "message", "pays from")] == [
        "3", "0.5", "0.5", "9", "9.5", "8"]  # fmt: skip


def test_a_plot_for_each_constructor() -> None:
    settings = CreationSettings(constructors=("struct", "dup"), counts=(10, 100))
    run = planned_run(settings, lambda *_: 1.0, 2, lambda *_: {"phases": ONCE})
    page = REPORT.render(collect([run]))
    panels = data_of(page)["panels"]
    assert [panel["title"] for panel in panels] == [
        f"{name}: constructing, committing and freeing" for name in (CONTIGUOUS_TYPE, "struct", "dup")
    ]
    # Natively and with the layer, each at two numbers of blocks.
    assert all([trace["y"] for trace in panel["figure"]["data"]] == [[2, 2], [2, 2]] for panel in panels)


def test_a_short_run_makes_every_type(gapless: Command, build: Build, tmp_path: Path) -> None:
    rows = rows_measured(gapless, "creation", "--preset", "quick", "--counts", "10")
    assert len(rows) == 2 + 2 * (1 + len(CONSTRUCTORS))
    for row in rows:
        if row["way"] not in ("array", "copy by hand"):
            assert row["create_us"] > 0 and row["free_us"] > 0 and row["first_create_us"] > 0
    samples = of_kind(read(tmp_path / "run" / NAME), "samples")
    assert all(line["verified"] for line in samples)
    assert "What making a datatype costs" in page_of_run(gapless, tmp_path)
    run_could_go_on("creation", "schemes", tmp_path / "run")


def test_what_would_be_measured_is_listed() -> None:
    status, rows, told = printed_here(
        "measure", "creation", "--preset", "quick", "--constructors", "struct", "--no-layer", "--list"
    )
    assert status == 0, told
    assert "creation\tslow-down\t10000 blocks/struct:native" in rows
    assert "9 rows, 12 members in 3 groups; 0 refused" in told


def test_settings_are_changed_by_the_command_line_alone() -> None:
    assert replace(PRESETS["quick"], counts=(10,)).plan().rows[0].case == "10 blocks/vector:hand_c"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--counts", "15"], "--counts 15: the nested type has blocks of ten: name multiples of ten"),
        (["--constructors", "cube"], "--constructors: there is no 'cube': there are vector, hvector, indexed"),
        (["--preset", "paper"], "no preset is called 'paper': there are quick, standard"),
    ],
)
def test_what_cannot_be_measured(words: list[str], says: str) -> None:
    refused_by(["measure", "creation", *words], says)
