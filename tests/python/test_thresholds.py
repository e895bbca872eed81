"""The layer's rule: found again in made-up measurements that were made by one, and written only from kept results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gapless.errors import GaplessError
from gapless.thresholds import ANY_LENGTH, COMPARISONS, Cell, Limits, as_json, fit, fits_of, write_rules


class SomeLibrary:
    """As much of a library as a kept result names."""

    name = "openmpi"


def cells(smallest: int, longest: int, gain: float = 0.5, loss: float = 1.5) -> list[Cell]:
    """Packing gains between two limits and loses outside of them."""
    made = []
    for size in (256, 1024, 4096, 65536):
        for run in (8, 512, 8192):
            ratio = gain if size >= smallest and run <= longest else loss
            made.append(Cell(size, run, 1, 1.0, dict.fromkeys(COMPARISONS, ratio)))
    return made


@pytest.mark.parametrize(("smallest", "longest"), [(1024, 512), (4096, 8), (65536, 512), (1024, 8)])
def test_the_limits_are_found_again(smallest: int, longest: int) -> None:
    found = fit(cells(smallest, longest), "rule", list(COMPARISONS))
    assert found.limits == Limits(smallest, longest)
    assert found.regret == pytest.approx(1)
    assert found.worst == pytest.approx(1)
    assert found.always > 1.1
    assert found.never > 1.1


def test_a_limit_that_earns_nothing_is_not_set() -> None:
    found = fit(cells(0, 8192), "rule", ["both"])
    assert found.limits == Limits(0, ANY_LENGTH)
    # Two thousandths are noise.
    almost = fit(cells(1024, 8192, loss=1.002), "rule", ["both"])
    assert almost.limits == Limits(0, ANY_LENGTH)


def test_where_packing_never_gains_nothing_is_packed() -> None:
    assert fit(cells(ANY_LENGTH, 8), "rule", ["both"]).limits.smallest_bytes == ANY_LENGTH


def test_the_worst_cell_is_named() -> None:
    made = [*cells(1024, 8192), Cell(65536, 8192, 2, 1.0, dict.fromkeys(COMPARISONS, 3.0))]
    found = fit(made, "rule", ["both"])
    assert found.worst == pytest.approx(3)
    assert found.worst_cell == "65536 bytes in runs of 8192"


def test_no_rule_without_measurements() -> None:
    with pytest.raises(GaplessError, match="no thresholds without measurements"):
        fit([], "rule", ["both"])


def test_the_table_is_written_from_what_is_kept(tmp_path: Path) -> None:
    made = cells(1024, 512)
    kept = as_json(SomeLibrary(), {"date": "2026-01-02T03:04:05"}, "Open MPI v5", 5, made, fits_of(made))  # type: ignore[arg-type]
    (tmp_path / "openmpi.json").write_text(json.dumps(kept))
    write_rules(tmp_path, tmp_path / "rules.def")
    text = (tmp_path / "rules.def").read_text()
    assert (
        'GAPLESS_RULE("Open MPI", GAPLESS_LIMITS(1024, 512), GAPLESS_LIMITS(1024, 512), GAPLESS_LIMITS(0, kAnyLength))'
        in text
    )
    assert "// Open MPI v5: gapless bench thresholds --mpi openmpi --launches 5, 2026-01-02" in text
    assert "MPICH" not in text
    assert text.rstrip().splitlines()[-1].startswith("GAPLESS_RULE(nullptr")
