"""The point-to-point table: its ratios, what is proved of its rows, and what it says of rows that fail."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from conftest import sample_line
from gapless.bench.p2p import P2pRow, p2p_rows
from gapless.bench.p2p_tables import modes_table, p2p_table, p2p_tsv, summarise
from rich.console import Console

Lines = list[dict[str, Any]]
TIMES_US = {"pack": 150.0, "native": 300.0, "gapless": 105.0, "engine_pack": 20.0, "engine_unpack": 30.0}
# Launches differ by a percent or two, methods a little apart from one another.
LAUNCHES = (1.0, 1.01, 0.99, 1.02, 1.0)


def lines(
    times_us: dict[str, float], description: str = "basic", acts: bool | None = True, launches: int = 5, **changed: Any
) -> Lines:
    made = []
    for launch, (drift, noise) in enumerate(zip(LAUNCHES, reversed(LAUNCHES), strict=True)):
        if launch == launches:
            break
        made.append(sample_line("contiguous", "contiguous", launch, [50_000.0 * drift]))
        for method, us in times_us.items():
            ns = us * 1000 * (noise if method == "gapless" else drift)
            made.append(sample_line(description, method, launch, [ns]))
    made = [line | changed for line in made]
    made.append({"kind": "acts", "group": made[0]["group"], "description": description, "layer_acts": acts})
    return made


def row(launches: int = 5, **changed: float) -> P2pRow:
    found = p2p_rows("mpich", lines(TIMES_US | changed, launches=launches))
    assert len(found) == 1
    return found[0]


def test_the_ratios_are_to_the_parts_and_to_the_better_native_way() -> None:
    assert row().to_parts == pytest.approx(1.05)
    assert row().to_best == pytest.approx(0.7, rel=1e-3)
    assert row(native=100.0).to_best == pytest.approx(1.05, rel=1e-3)
    assert row().passes


@pytest.mark.parametrize(
    ("changed", "beyond_parts", "lost"),
    [({"gapless": 125.0}, True, False), ({"native": 80.0}, False, True), ({"gapless": 180.0}, True, True)],
)
def test_a_row_fails_by_either(changed: dict[str, float], beyond_parts: bool, lost: bool) -> None:
    found = row(**changed)
    assert (found.beyond_parts, found.lost) == (beyond_parts, lost)
    assert not found.passes


def test_nothing_is_proved_by_what_is_too_close_or_measured_once() -> None:
    close = row(native=99.0)
    assert close.to_best > 1.05
    assert (close.best.verdict, close.passes) == ("undecided", True)
    once = row(launches=1, native=80.0)
    assert (once.best.verdict, once.passes) == ("undecided", True)
    (summary,) = summarise([once])
    assert "; 1 launch proves nothing" in str(summary)


def test_guidelines_count_within_5_percent_and_only_where_the_layer_acts() -> None:
    other = TIMES_US | {"gapless": 125.0, "engine_pack": 40.0}
    both = lines(TIMES_US) + lines(other, "tiled_vector")
    found = {of.description: of for of in p2p_rows("mpich", both)}
    assert found["tiled_vector"].violated == {"GL4": pytest.approx(125 / 105)}
    assert not found["tiled_vector"].passes
    native = lines(TIMES_US, acts=False) + lines(other, "tiled_vector", acts=False)
    found = {of.description: of for of in p2p_rows("mpich", native)}
    assert found["tiled_vector"].passes
    assert [(of.acts, of.violated) for of in summarise(list(found.values()))] == [(0, {})]


def test_a_row_that_lacks_a_part_is_no_row() -> None:
    short = {method: us for method, us in TIMES_US.items() if method != "engine_unpack"}
    assert p2p_rows("mpich", lines(short)) == []


APPLICATION = {"group": "WRF_x/2x2", "family": "applications", "layout": "WRF_x", "variant": 0, "A": 0}


def test_applications_need_no_parts_and_have_names_of_their_own() -> None:
    few = {method: us for method, us in TIMES_US.items() if not method.startswith("engine")}
    (found,) = p2p_rows("mpich", lines(few | {"native": 80.0}, "vec", data="fresh", **APPLICATION))
    assert (found.name, found.to_parts, found.data, found.acts) == ("WRF_x/2x2/vec", None, "fresh", True)
    (summary,) = summarise([found])
    assert summary.name == "applications"
    assert summary.slower == ["WRF_x/2x2/vec"]
    assert "\n  proved slower: WRF_x/2x2/vec" in str(summary)


def test_the_whole_cycle_is_judged_beside() -> None:
    few = {method: us for method, us in TIMES_US.items() if not method.startswith("engine")}
    fresh = [
        line | {"cycle_samples": [ns + (100_000 if line["method"] == "gapless" else 0) for ns in line["samples"]]}
        if "samples" in line
        else line
        for line in lines(few, "vec", data="fresh", **APPLICATION)
    ]
    (found,) = p2p_rows("mpich", fresh)
    assert found.cycle is not None
    assert found.cycle.ratio == pytest.approx(205 / 150, rel=1e-2)
    assert (found.best.verdict, found.cycle.verdict, found.passes) == ("not slower", "slower", True)
    assert "the writing included, proved slower: 1" in str(summarise([found])[0])


def test_a_paired_row_competes_with_local_mode_too() -> None:
    found = row(local=90.0)
    assert (found.is_paired, found.lost, found.passes) == (True, True, False)
    assert found.to_best == pytest.approx(105 / 90, rel=1e-3)
    ratios = {name: of.ratio for name, of in found.ratios.items()}
    assert ratios == pytest.approx(
        {"local_to_native": 0.3, "local_to_contiguous": 1.8, "paired_to_native": 0.35, "paired_to_contiguous": 2.1,
         "paired_to_local": 105 / 90}, rel=0.02,
    )  # fmt: skip
    of = found.ratios["paired_to_local"]
    assert of.low < of.ratio < of.high
    assert summarise([found])[0].paired == 1
    assert row(local=110.0).passes


def test_what_is_not_paired_is_as_local_and_has_no_ratios_of_its_own() -> None:
    found = row()
    assert (found.is_paired, sorted(found.ratios)) == (False, ["local_to_contiguous", "local_to_native"])
    heading, *cells = (line.split("\t") for line in p2p_tsv([found, row(local=90.0)]).splitlines())
    unpaired, paired = (dict(zip(heading, of, strict=True)) for of in cells)
    assert [unpaired[name] for name in ("local_us", "paired", "paired_to_native")] == ["105", "as local", "-"]
    assert [paired[name] for name in ("gapless_us", "local_us", "paired")] == ["105", "90", "yes"]
    assert float(paired["paired_to_native_low"]) < 0.35 < float(paired["paired_to_native_high"])


def test_the_tables_say_as_local_and_keep_paired_messages_apart() -> None:
    out = io.StringIO()
    console = Console(file=out, width=250)
    rows = [row(), row(local=90.0)]
    console.print(p2p_table("rows", rows))
    console.print(modes_table("modes", rows))
    lines = [re.split(" {2,}", line.strip()) for line in out.getvalue().splitlines()]
    assert [cells[4:8] for cells in lines if cells[0] == "tiled/v1/A=2/basic"] == [
        ["105", "0.35 (0.35 - 0.35)", "2.10 (2.08 - 2.12)", "as local"], ["90", "0.30 (0.30 - 0.30)",
         "1.80 (1.80 - 1.80)", "105"],
    ]  # fmt: skip
    assert [cells[3:] for cells in lines if cells[0] == "2.56 MB"] == [
        ["0.35", "2.10", "as local", "2.10 - 2.10", "-", "-", "-", "-", "0", "1"],
        ["0.30", "1.80", "0.35", "2.10", "2.10 - 2.10", "-", "1.17", "0", "1", "1", "1"],
    ]


def test_the_file_has_a_line_for_every_row() -> None:
    heading, line = p2p_tsv([row(gapless=125.0)]).splitlines()
    cells = dict(zip(heading.split("\t"), line.split("\t"), strict=True))
    assert cells["name"] == "tiled/v1/A=2/basic/2560000"
    assert (cells["beyond_parts"], cells["best"], cells["acts"]) == ("yes", "not slower", "yes")
    assert (cells["data"], cells["launches"], cells["cycle"]) == ("constant", "5", "-")
