"""The point-to-point table: its ratios, its verdicts, and what it says of rows that fail."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import sample_line
from gapless.p2p import P2pRow, p2p_rows, p2p_tsv, summarise

Lines = list[dict[str, Any]]
TIMES_US = {"pack": 150.0, "native": 300.0, "gapless": 105.0, "engine_pack": 20.0, "engine_unpack": 30.0}


def lines(times_us: dict[str, float], description: str = "basic", acts: bool | None = True) -> Lines:
    made = [sample_line("contiguous", "contiguous", 1, [50_000.0])]
    made += [sample_line(description, method, 1, [us * 1000]) for method, us in times_us.items()]
    made.append({"kind": "acts", "group": made[0]["group"], "description": description, "layer_acts": acts})
    return made


def row(**changed: float) -> P2pRow:
    found = p2p_rows("mpich", lines(TIMES_US | changed))
    assert len(found) == 1
    return found[0]


def test_the_ratios_are_to_the_parts_and_to_the_better_native_way() -> None:
    assert row().to_parts == pytest.approx(1.05)
    assert row().to_best == pytest.approx(0.7)
    assert row(native=100.0).to_best == pytest.approx(1.05)
    assert row().passes


@pytest.mark.parametrize(
    ("changed", "parts", "best"),
    [({"gapless": 111.0}, False, True), ({"native": 90.0}, True, False), ({"gapless": 160.0}, False, False)],
)
def test_a_row_fails_by_either(changed: dict[str, float], parts: bool, best: bool) -> None:
    found = row(**changed)
    assert (found.within_parts, found.within_best) == (parts, best)
    assert not found.passes


def test_guidelines_count_within_5_percent_and_only_where_the_layer_acts() -> None:
    other = TIMES_US | {"gapless": 112.0, "engine_pack": 40.0}
    both = lines(TIMES_US) + lines(other, "tiled_vector")
    found = {of.description: of for of in p2p_rows("mpich", both)}
    assert found["tiled_vector"].violated == {"GL4": pytest.approx(112 / 105)}
    assert not found["tiled_vector"].passes
    native = lines(TIMES_US, acts=False) + lines(other, "tiled_vector", acts=False)
    found = {of.description: of for of in p2p_rows("mpich", native)}
    assert found["tiled_vector"].passes
    assert [(of.acts, of.violated) for of in summarise(list(found.values()))] == [(0, {})]


def test_a_row_that_lacks_a_part_is_no_row() -> None:
    short = {method: us for method, us in TIMES_US.items() if method != "engine_unpack"}
    assert p2p_rows("mpich", lines(short)) == []


def test_the_file_has_a_line_for_every_row() -> None:
    heading, line = p2p_tsv([row(gapless=111.0)]).splitlines()
    cells = dict(zip(heading.split("\t"), line.split("\t"), strict=True))
    assert cells["name"] == "tiled/v1/A=2/basic/2560000"
    assert (cells["within_parts"], cells["within_best"], cells["acts"]) == ("no", "yes", "yes")
