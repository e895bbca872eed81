"""What the demo says in a sentence, true whether the layer gains, loses, or that is not decided; its page, its line."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from conftest import sample_line
from gapless.datatype import as_datatype
from gapless.display import OneLine
from gapless.lab.cases import Case, Repeated, Samples, job
from gapless.lab.cases import sample_line as one_way
from gapless.lab.demo_messages import MESSAGES, METHODS, QUICK_MESSAGES, short
from gapless.lab.guidelines import rows_of
from gapless.lab.halo import HaloRow
from gapless.lab.report.demo_page import figures, halo_sentence, render
from gapless.lab.report.story import lost_sentence, sentence, stories
from gapless.lab.report.tables import pingpong_cells, pingpong_columns

Lines = list[dict[str, Any]]
# Launches differ by a percent or two, ways a little apart from one another.
DRIFT = (1.0, 1.02, 0.99, 1.01, 1.0)


def lines(native: float, gapless: float, pack: float = 9.0, launches: int = 5, size: int = 1_000_000) -> Lines:
    """Return two messages, whose times are these multiples of a contiguous send."""
    made: Lines = []
    for launch in range(launches):
        for layout in ("columns", "particles"):
            ratios = {"contiguous": 1.0, "pack": pack, "native": native, "gapless": gapless}
            for method, ratio in ratios.items():
                # Contiguous and native go with one drift, Gapless with another.
                drift = DRIFT[launch] if method != "gapless" else DRIFT[-1 - launch]
                description = "contiguous" if method == "contiguous" else "basic"
                line = sample_line(description, method, launch, [100_000.0 * ratio * drift])
                named = {"group": f"{layout}/{size}", "layout": layout, "words": f"some {layout}"}
                made.append(line | named | {"bytes": size, "payload_bytes": size})
    return made


def with_local(of: Lines, local: float) -> Lines:
    """Return the same, and each message in local mode too."""
    contiguous = [line for line in of if line["method"] == "contiguous"]
    return of + [
        line | {"description": "basic", "method": "local", "samples": [local * ns for ns in line["samples"]]}
        for line in contiguous
    ]


def said(of: Lines) -> str:
    (story,) = stories(of)
    return sentence(story)


def test_a_gain_is_said_with_its_interval() -> None:
    (story,) = stories(lines(native=8.0, gapless=2.0))
    assert (story.verdict, story.messages, story.launches) == ("faster", 2, 5)
    assert story.gain == pytest.approx(4.0, rel=0.01)
    assert 3.8 < story.low < story.gain < story.high < 4.2
    text = sentence(story)
    assert re.search(r"takes 8\.0 times .* with Gapless it takes 2\.0 times as long\.", text)
    assert "Gapless is 4.0 times faster here" in text


def test_a_loss_is_said_as_plainly() -> None:
    text = said(lines(native=1.2, gapless=1.8))
    assert "Gapless is 1.5 times slower here (95 % interval 1.5 to 1.5)" in text
    assert "faster" not in text


def test_what_is_too_close_is_undecided() -> None:
    text = said(lines(native=2.0, gapless=1.99))
    assert "Whether that is a difference, 5 launches do not decide (×1.00 to ×1.01)" in text
    assert "faster" not in text
    assert "slower" not in text


def test_one_launch_proves_nothing_however_great_the_ratio() -> None:
    (story,) = stories(lines(native=50.0, gapless=1.0, launches=1))
    assert story.verdict == "undecided"
    assert "A single launch proves nothing." in sentence(story)


def test_large_and_small_messages_are_told_apart_and_large_ones_come_first() -> None:
    large, small = stories(lines(8.0, 2.0, size=4096) + lines(4.0, 3.0))
    assert (large.most_bytes, small.most_bytes) == (1_000_000, 4096)
    assert (round(large.native), round(small.native)) == (4, 8)


def test_where_the_layer_loses_against_the_better_way_is_named() -> None:
    assert lost_sentence(lines(8.0, 2.0)).startswith("In none of 2 cases is Gapless proved slower")
    lost = lost_sentence(lines(native=8.0, gapless=2.0, pack=1.5))
    assert "In 2 of 2 cases Gapless is proved slower" in lost
    assert re.search(r"at worst 1\.3 times: some (columns|particles)\.", lost)
    assert lost_sentence([line for line in lines(8.0, 2.0) if line["method"] != "gapless"]) == ""


def test_what_shared_memory_adds_is_said_where_all_messages_go_through_it() -> None:
    paired = with_local(lines(native=8.0, gapless=2.0), local=3.0)
    assert "with Gapless it takes 2.0 times as long (3.0 without shared memory)." in said(paired)
    some = [line for line in paired if line["layout"] == "columns" or line["method"] != "local"]
    assert "without shared memory" not in said(some)
    columns = ["message", "what is sent", "contig. µs", "MPI_Pack", "datatype", "local", "+ Gapless"]
    assert pingpong_columns(rows_of(some)) == columns
    assert {tuple(cells[5:]) for cells in pingpong_cells(rows_of(some))} == {("3.00", "2.00"), ("2.00", "as local")}


def test_local_mode_is_one_of_the_other_ways() -> None:
    lost = lost_sentence(with_local(lines(native=8.0, gapless=2.0), local=1.5))
    assert lost.startswith("In 2 of 2 cases Gapless is proved slower than the fastest of datatype, MPI_Pack and local")


def test_only_what_is_paired_is_sent_in_local_mode_too() -> None:
    messages = [{"name": name} for name in ("payload", "a", "b")]
    case = Case({"group": "g"}, messages, {}, {}, paired={"b"})
    assert list(case.members(["contiguous", "gapless"])) == ["contiguous", "a:gapless", "b:gapless", "b:local"]
    assert list(case.members(["native"])) == ["a:native", "b:native"]


def halo(plain_ms: float, gapless_ms: float) -> HaloRow:
    return HaloRow(64, 10, 3, 2 * plain_ms, plain_ms + gapless_ms, plain_ms, gapless_ms, True, "00")


def test_the_halo_exchange_is_said_whichever_way_it_went() -> None:
    assert "its exchange is 2.00 times faster (the whole program ×1.33)" in halo_sentence([halo(2.0, 1.0)])
    assert "its exchange is 1.25 times slower" in halo_sentence([halo(4.0, 5.0)])
    assert "its exchange is as fast" in halo_sentence([halo(4.0, 4.001)])


def test_the_page_opens_with_the_figure_and_the_sentence() -> None:
    page = render(lines(native=8.0, gapless=2.0))
    opening = page[page.index("<h1>") : page.index("<details>")]
    assert opening.index("<b>8.0×</b>natively") < opening.index("<b>2.0×</b>with Gapless")
    assert "Gapless is 4.0 times faster here" in opening
    assert "some columns" in opening
    lost = render(lines(native=1.2, gapless=1.8))
    assert "Gapless is 1.5 times slower here" in lost[: lost.index("<details>")]


def test_the_page_says_how_often_it_was_measured() -> None:
    page = " ".join(render(lines(8.0, 2.0)).split())
    assert "in each of 5 every message was sent 1 times in every way" in page


def test_dots_lie_where_their_ratios_are() -> None:
    (figure,) = figures(rows_of(lines(native=16.0, gapless=4.0)))
    dot = figure.dots[0]
    ticks = dict(figure.ticks)
    assert 0 < figure.one_at == ticks["1×"] < dot.gapless_at < dot.native_at < 100
    # The axis is logarithmic: from 1 to 4 is as far as from 4 to 16.
    assert dot.gapless_at - figure.one_at == pytest.approx(dot.native_at - dot.gapless_at, abs=0.1)
    assert ticks["10×"] - ticks["5×"] == pytest.approx(ticks["2×"] - ticks["1×"], abs=0.1)
    below = figures(rows_of(lines(native=2.0, gapless=0.5)))[0]
    assert 0 < below.dots[0].gapless_at < below.one_at


def test_the_tables_say_what_is_sent_in_words_before_anything_else() -> None:
    rows = rows_of(lines(8.0, 2.0))
    assert pingpong_columns(rows) == ["message", "what is sent", "contig. µs", "MPI_Pack", "datatype", "+ Gapless"]
    assert {cells[1] for cells in pingpong_cells(rows)} == {"some columns", "some particles"}


@pytest.mark.parametrize(
    ("layout", "variant", "a", "words"),
    [
        ("tiled", 1, 2, "every second 8-byte block of an array"),
        ("tiled", 1, 10, "40-byte blocks of an array, 8 bytes apart"),
        ("tiled", 2, 10, "every third 40-byte block of an array"),
        ("block", 2, 10, "40-byte blocks, 40 and 120 bytes apart"),
        ("bucket", 1, 10, "blocks of 36 and 44 bytes, evenly spaced"),
        ("bucket", 2, 10, "blocks of 20 and 60 bytes, evenly spaced"),
        ("alternating", 1, 2, "blocks of 4 and 12 bytes, 8 bytes apart"),
        ("row_column", 1, 2, "row column"),
    ],
)
def test_layouts_of_the_expectation_tests_have_words_too(layout: str, variant: int, a: int, words: str) -> None:
    named = {"group": "g", "layout": layout, "variant": variant, "A": a}
    of = [sample_line("basic", "native", 1, [2.0]) | named, sample_line("contiguous", "contiguous", 1, [1.0]) | named]
    (cells,) = pingpong_cells(rows_of(of))
    assert (cells[1], cells[-1]) == (words, f"{layout} {variant}, A = {a}")


class Terminal(io.StringIO):
    """A file that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def advance(out: io.StringIO) -> str:
    with OneLine("measuring", out) as line:
        for step in range(229):
            line.now(step / 228, f"step {step}")
    return out.getvalue()


def test_progress_is_one_line_of_a_terminal_that_is_gone_at_the_end() -> None:
    text = advance(Terminal())
    assert "\n" not in text
    assert "measuring, 50%: step 114" in text
    assert text.endswith("\r\033[K")


def test_progress_is_four_lines_elsewhere() -> None:
    assert advance(io.StringIO()) == "".join(f"gapless: measuring, {share} %\n" for share in (25, 50, 75, 100))


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.group)
def test_all_descriptions_of_a_message_carry_its_bytes(message: Any) -> None:
    for text in message.types.values():
        assert as_datatype(text).size == message.bytes
    assert message.bytes % as_datatype(message.contiguous).size == 0


def test_a_job_has_every_message_once_and_contiguous_data_in_each() -> None:
    repeated = Repeated(METHODS, Samples(5, 15, 1000), Samples(20, 60, 1000), shuffled=True)
    cases = [message.case for message in MESSAGES]
    made = job(cases, repeated, 3)
    assert sorted(group["id"] for group in made["groups"]) == sorted(message.group for message in MESSAGES)
    for group in made["groups"]:
        assert [one["method"] for one in group["members"]][0] == "native"
        assert {one["method"] for one in group["members"]} == {"native", "pack", "gapless"}
        assert {one["message"] for one in group["members"]} == {one["name"] for one in group["messages"]}
        assert group["data"] == "fresh"
    assert [g["id"] for g in made["groups"]] != [g["id"] for g in job(cases, repeated, 4)["groups"]]


FACTS = {"mpi_library": "MPICH", "layer_present": True, "ranks": 2, "hosts": ["here"]}


def test_a_sample_is_half_of_a_round_trip_and_its_type_is_short() -> None:
    timed = {
        "member": "basic:gapless",
        "metric": "round_trip",
        "samples": [8.0, 6.0],
        "cycle_samples": [10.0],
        "data": "fresh",
        "verified": True,
    }
    line = one_way(timed, MESSAGES[4].case, METHODS, 2, FACTS)
    assert (line["samples"], line["cycle_samples"], line["launch"]) == ([4.0, 3.0], [5.0], 2)
    assert (line["description"], line["method"]) == ("basic", "gapless")
    assert line["type"] == "hindexed_block(1, [21845 numbers], contiguous(6, double))"
    assert len(json.dumps(line)) < 1000
    assert short("vector(2, 1, 2, double)") == "vector(2, 1, 2, double)"
    assert all(message in MESSAGES or message.bytes < 2**20 for message in QUICK_MESSAGES)


def test_what_sends_nothing_is_a_call_and_loops_by_hand_are_those_of_the_first_description() -> None:
    messages = [
        {"name": name, "count": 1, "type": "int32", "layout": name} for name in ("payload", "basic", "contiguous")
    ]
    told = {"group": "g", "payload_bytes": 4}
    case = Case(told, messages, {"payload": "int32", "basic": "x", "contiguous": "y"}, {"basic": ["ET1"]})
    methods = ("contiguous", "manual", "gapless", "engine_pack")
    (group,) = job(
        [case, Case({"group": "none"}, [], {}, {}, ["too large"])], Repeated(methods, Samples(1, 2), Samples(3, 4)), 1
    )["groups"]
    assert [(of["name"], of["message"], of["method"]) for of in group["members"]] == [
        ("contiguous", "payload", "native"), ("manual", "basic", "manual"), ("basic:gapless", "basic", "gapless"),
        ("basic:engine_pack", "basic", "engine_pack"), ("contiguous:gapless", "contiguous", "gapless"),
        ("contiguous:engine_pack", "contiguous", "engine_pack"),
    ]  # fmt: skip
    assert (group["reps"]["min"], group["reps"]["max"], group["reps"]["inner"]) == (3, 4, 10)
    timed = {"samples": [8.0], "data": "fresh", "verified": True}
    packed = one_way(timed | {"member": "basic:engine_pack", "metric": "call"}, case, methods, 1, FACTS)
    assert (packed["metric"], packed["samples"], packed["tests"]) == ("call", [8.0], ["ET1"])
    manual = one_way(timed | {"member": "manual", "metric": "round_trip"}, case, methods, 1, FACTS)
    assert (manual["metric"], manual["samples"], manual["type"], manual["tests"]) == (
        "half_round_trip", [4.0], "int32", [],
    )  # fmt: skip
