"""The 23 layouts, the expectation tests made of them, own pairs, and the plans: what they say, and what they refuse."""

from __future__ import annotations

import json
from dataclasses import replace
from math import prod
from pathlib import Path

import pytest
from conftest import Command
from gapless.engine import explain_type
from gapless.errors import GaplessError
from gapless.lab.catalogue import TESTS, basic_parameters
from gapless.lab.experiment import changed, experiment_of
from gapless.lab.jobs import group_json
from gapless.lab.layouts.dynamic import contiguous_subtype
from gapless.lab.layouts.layout import LAYOUTS, Parameters, Refused, find_layout
from gapless.lab.layouts.notation import BASES, numbers
from gapless.lab.own import parse_pair, read_pairs
from gapless.lab.plan import Plan, Selection, plan_of
from gapless.lab.settings import PRESETS

INT = BASES["int"]
# One set of parameters for each layout, small enough for the engine to draw.
PARAMETERS = {
    "basetype": {}, "contig_type": {}, "tiled": {"A": 3, "B": 5}, "tiled_vector": {"A": 3, "B": 5},
    "block": {"A": 2, "B1": 3, "B2": 5}, "block_indexed": {"A": 2, "B1": 3, "B2": 5},
    "bucket": {"A1": 1, "A2": 3, "B": 4},
    "alternating": {"A1": 1, "A2": 3, "B1": 3, "B2": 5}, "alternating_aligned": {"A1": 1, "A2": 3, "B1": 3, "B2": 5},
    "alternating_indexed": {"A1": 1, "A2": 3, "B1": 3, "B2": 5},
    "tiled_heterogeneous": {"A": 2, "B": 2}, "tiled_struct": {"A": 3, "B": 5, "S1": 2, "S2": 3},
    "alternating_indexed_fixed": {"A1": 1, "A2": 3, "B": 6, "S": 4},
    "contig_alternating_indexed_fixed": {"A1": 1, "A2": 3, "B": 6, "S": 4},
    "vector_tiled": {"A": 3, "B": 5, "S": 2}, "alternating_repeated": {"A1": 1, "A2": 3, "B": 3},
    "alternating_struct": {"A1": 1, "A2": 3, "B": 3}, "rowcol_full_indexed": {"A": 5},
    "rowcol_contiguous_and_indexed": {"A": 5}, "rowcol_struct": {"A": 5}, "blocks": {"A": 3, "B": 4, "l": 7},
    "tiled_struct_indexed_all": {"A": 3, "B": 5}, "tiled_struct_indexed_Sblocks": {"A": 3, "B": 5, "S": 2},
}  # fmt: skip


def test_there_are_23_layouts_each_with_parameters_here() -> None:
    find_layout("tiled")
    assert len(LAYOUTS) == 23
    assert set(PARAMETERS) == set(LAYOUTS)


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
@pytest.mark.parametrize("name", PARAMETERS)
def test_a_layout_carries_exactly_n_elements(name: str, base: object) -> None:
    layout, parameters = find_layout(name), Parameters(PARAMETERS[name])
    if name == "tiled_heterogeneous":
        base = BASES["byte"]
    for units in (2, 5):
        n = max(units, layout.units(parameters)) * layout.unit(parameters)
        message = layout.message(parameters, n, base)
        assert explain_type(message.type)["size"] * message.count == n * base.bytes
        assert layout.dynamic <= (message.count == 1)


def test_type_maps_are_those_of_the_paper() -> None:
    def memory(name: str, n: int) -> str:
        message = find_layout(name).message(Parameters(PARAMETERS[name]), n, BASES["byte"])
        drawn = explain_type(message.type, message.count)
        drawn_bytes = ["."] * drawn["memory_bytes"]
        for at, length, _ in drawn["memory"]:
            at -= drawn["memory_from"]
            drawn_bytes[at : at + length] = "x" * length
        return "".join(drawn_bytes)

    assert memory("tiled", 6) == "xxx..xxx"
    assert memory("block", 4) == "xx.xx"
    assert memory("bucket", 4) == "x...xxx"
    assert memory("alternating", 8) == "x..xxx..x..xxx"
    assert memory("alternating_repeated", 8) == memory("alternating_struct", 8) == "x..xxxx..xxx"
    assert memory("alternating_indexed_fixed", 12) == "x..xxxx..xxxx..xxx"
    assert memory("rowcol_struct", 8) == "xxxxxx....x....x"
    assert memory("tiled_struct_indexed_all", 9) == memory("tiled", 9)
    assert memory("tiled_struct_indexed_Sblocks", 18) == memory("tiled", 18)


def test_what_is_no_whole_number_of_units_is_refused_with_the_numbers() -> None:
    with pytest.raises(Refused, match="whole units of 3 elements, at least 1: 7 elements do not make it"):
        find_layout("tiled").message(Parameters(A=3, B=5), 7, INT)
    with pytest.raises(Refused, match="needs A <= B"):
        find_layout("tiled").message(Parameters(A=5, B=3), 10, INT)
    with pytest.raises(Refused, match="has the parameters A, B"):
        find_layout("tiled").message(Parameters(A=5), 10, INT)
    with pytest.raises(Refused, match="rowcol_struct"):
        find_layout("rowcol_struct").message(Parameters(A=5), 5, INT)
    with pytest.raises(Refused, match="no layout is called"):
        find_layout("tilde")
    inside = contiguous_subtype("tiled", Parameters(A=3, B=5), 9, INT)
    assert (inside.count, inside.type) == (1, "contiguous(3, resized(0, 20, contiguous(3, int32)))")


def test_variants_are_those_of_the_papers_table() -> None:
    assert basic_parameters("alternating", 2, 10) == {"A1": 5, "A2": 15, "B1": 20, "B2": 40}
    assert basic_parameters("bucket", 1, 10) == {"A1": 9, "A2": 11, "B": 12}
    assert basic_parameters("block", 2, 10) == {"A": 10, "B1": 20, "B2": 40}


def test_lists_are_written_short() -> None:
    assert numbers([2] * 1000) == "[2*1000]"
    assert numbers(range(0, 100, 10)) == "[0..90:10]"
    assert numbers([1, 3]) == "[1, 3]"


@pytest.fixture(scope="module")
def whole() -> Plan:
    """Everything that the tests ask for."""
    return plan_of(Selection(tests=list(TESTS)))


def test_every_group_has_one_payload_of_whole_units(whole: Plan) -> None:
    sizes = {row.group: row.payload_bytes for row in whole.rows}
    for group in whole.groups:
        payload, (dense, _) = sizes[group.id], group.messages["contiguous"]
        assert dense.count * group.place.base.bytes == payload
        # Test 7's rounding and the like lose whole units, never more than half of what was asked for.
        assert group.place.bytes / 2 < payload <= group.place.bytes
        assert set(group.members.values()) == set(group.messages)


def test_every_test_pattern_and_size_of_the_tables_is_there(whole: Plan) -> None:
    found = {(row.test, row.pattern, row.bytes, row.A) for row in whole.rows}
    refused = {(line["case"].split("/")[2], line["bytes"], line["pattern"]) for line in whole.refused}
    for test in TESTS.values():
        for pattern in test.patterns:
            for size in test.sizes:
                for a in test.blocks:
                    assert (test.name, pattern, size, a) in found or (f"A={a}", size, pattern) in refused
    assert {row.guideline for row in whole.rows} == {
        "baseline", "alignment", "GL1", "GL2", "GL3", "GL2+GL3", "GL4"
    }  # fmt: skip
    assert len({row.key for row in whole.rows}) == len(whole.rows)


def test_degenerate_combinations_are_refused_with_the_reason(whole: Plan) -> None:
    refused = {(line["case"], line["bytes"]): line["reason"] for line in whole.refused}
    assert "1000 elements are the smallest" in refused["tiled/v1/A=1000/tiled", 3200]
    assert ("row_column/v1/A=10000/full_indexed", 400) in refused
    assert ("tiled/v1/A=100/tiled_struct_11", 2000) not in refused


def test_the_layer_is_compared_with_itself_and_with_the_librarys_own_packing(whole: Plan) -> None:
    for row in whole.rows:
        assert row.compared.endswith(":gapless" if row.layer else ":native")
        method = row.reference.rpartition(":")[2]
        if row.test == "ET3":
            assert method in ("pack", "pack_send", "unpack_receive")
            assert row.pattern == "pingpong" or method == "pack"
        elif row.reference != "contiguous:native":
            assert method == row.compared.rpartition(":")[2]


def test_planted_slowdowns_hit_everything_but_contiguous_messages() -> None:
    settings = changed(PRESETS["quick"], plant=1.3)
    for group in settings.plan().groups:
        job = group_json(group, settings, layer=True)
        spared = [member["name"] for member in job["members"] if not member["plant"]]
        assert spared[0] == "contiguous:native"
        assert all("_twin:" in name for name in spared[1:])
    rows = [row for row in settings.plan().rows if row.test == "plant"]
    assert rows
    for row in rows:
        assert row.reference.replace("_twin", "") == row.compared
        assert row.reference_type == row.compared_type


def test_settings_survive_the_run_file() -> None:
    pairs = [parse_pair("mine: 4 x vector(8, 1, 2, int32) ~ vector(32, 1, 2, int32)")]
    for preset in PRESETS.values():
        settings = changed(preset, pairs=pairs, budget_s=10.0)
        assert experiment_of(json.loads(json.dumps(settings.as_json()))) == settings


def test_the_paper_preset_has_the_papers_repetitions() -> None:
    paper = PRESETS["paper"]
    found = {}
    for group in paper.plan().groups:
        reps = paper.repetitions(group.place, len(group.members))
        assert reps["min"] == reps["max"]
        assert reps["inner"] == 1
        found[group.place.pattern, group.place.bytes] = reps["min"]
    assert found["pingpong", 2_560_000] == 100
    assert found["bcast", 3200] == 100
    assert found["allgather", 64_000] == 50
    assert found["bcast", 2_560_000] == 20
    assert paper.launches == 5


def test_own_pairs_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pairs.toml"
    path.write_text(
        '[[pair]]\nname = "column"\ncompared = "vector(100, 1, 64, double)"\npatterns = ["pingpong", "bcast"]\n'
        '[[pair]]\ncompared = "2 x int32"\nreference = "int64"\nexpectation = "similar"\n'
    )
    plan = changed(PRESETS["quick"], tests=[], pairs=read_pairs(path), layer=False).plan()
    own = [row for row in plan.rows if row.test == "own"]
    assert [(row.case, row.pattern, row.payload_bytes, row.expectation) for row in own] == [
        ("column", "pingpong", 800, "not slower"), ("column", "bcast", 800, "not slower"),
        ("2 x int32", "pingpong", 8, "similar"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("vector(100, 1, 64, double)", "compares nothing"),
        ("vector(100, 1, 64, doubl) <= contiguous", "did you mean 'double'"),
        ("2 x int32 <= int32", "8 bytes against 4"),
        ("0 x int32 <= contiguous", "0 bytes against 0"),
        ("<= contiguous", "a type is missing"),
    ],
)
def test_own_pairs_that_are_none(text: str, complaint: str, gapless: Command) -> None:
    answer = gapless("measure", "guidelines", "--list", "--pair", text)
    assert answer.returncode == 2
    assert complaint in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ("", r"no \[\[pair\]\]"),
        ("[[pair]]\nreference = 'int32'\n", "'compared' is missing"),
        ("[[pair]]\ncompared = 'int32'\nwidth = 3\n", "unknown key 'width'"),
        ("[[pair]]\ncompared = 'int32'\npatterns = ['gather']\n", "no pattern is called 'gather'"),
        ("[[pair]\n", "is no TOML file"),
    ],
)
def test_broken_files_of_pairs(toml: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.toml"
    path.write_text(toml)
    with pytest.raises(GaplessError, match=complaint):
        read_pairs(path)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--preset", "fast"], "no preset is called 'fast'"),
        (["--tests", "ET12"], "there is no 'ET12'"),
        (["--base", "quad"], "there is no 'quad'"),
        (["-A", "2,x"], "no list of positive numbers"),
        (["--budget", "soon"], "that is no time"),
    ],
)
def test_wrong_options_say_what_there_is(arguments: list[str], complaint: str, gapless: Command) -> None:
    answer = gapless("measure", "guidelines", "--list", *arguments)
    assert answer.returncode == 2
    assert complaint in answer.stderr


def test_any_block_size_may_be_asked_for_and_what_does_not_fit_says_why(gapless: Command) -> None:
    answer = gapless("measure", "guidelines", "--list", "--tests", "ET6", "-A", "7,900000")
    assert "tiled/v1/A=7/tiled_vector" in answer.stdout
    assert "900000 elements are the smallest" in answer.stdout


def test_the_list_names_every_row(gapless: Command) -> None:
    answer = gapless("measure", "guidelines", "--list", "--preset", "quick", "--tests", "ET6", "-A", "2")
    rows = [line.split("\t") for line in answer.stdout.splitlines()]
    assert rows[0][0] == "test"
    assert len(rows) - 1 == prod([1, 2, 2])  # one comparison, two sizes, native and with the layer


def test_against_local_compares_each_message_of_the_layer_that_may_be_paired() -> None:
    chosen = Selection(
        tests=("ET1", "ET3"), patterns=("pingpong",), blocks=(2,), sizes=(3200, 64000), against_local=True
    )
    plan = plan_of(chosen)
    rows = [row for row in plan.rows if row.test == "layer"]
    typed = {(row.group, row.compared) for row in plan.rows if row.test != "layer" and row.layer and row.bytes > 3200}
    assert typed == {(row.group, row.compared) for row in rows} and len(rows) == len(typed)
    assert {(row.guideline, row.compared.rpartition(":")[2]) for row in rows} == {("local", "gapless")}
    assert all(row.reference == row.compared.replace(":gapless", ":local") for row in rows)


def test_against_native_compares_each_message_of_the_layer_once_with_both_ways_without_it() -> None:
    chosen = Selection(tests=("ET1", "ET3"), patterns=("bcast", "allgather"), blocks=(2, 10), against_native=True)
    plan = plan_of(chosen)
    rows = [row for row in plan.rows if row.test == "layer"]
    without = plan_of(replace(chosen, against_native=False))
    typed = {(row.group, row.compared) for row in without.rows if row.layer}
    assert len(rows) == 2 * len(typed), "one row for each way"
    for guideline, method in (("native", "native"), ("packed", "pack")):
        mine = [row for row in rows if row.guideline == guideline]
        assert {(row.group, row.compared) for row in mine} == typed
        for row in mine:
            message, _, sent = row.compared.rpartition(":")
            assert sent == "gapless" and row.reference == f"{message}:{method}" and row.layer
    members = {group.id: group.members for group in plan.groups}
    assert all(row.reference in members[row.group] for row in rows)
    assert [row.key for row in plan.rows if row.test != "layer"] == [row.key for row in without.rows]
