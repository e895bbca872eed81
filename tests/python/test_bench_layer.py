"""`gapless bench p2p`, `thresholds`, `flat` and `types` on every library that is installed, as short as they go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from gapless.errors import GaplessError
from gapless.libraries import NAMES, find_library
from gapless.paths import Build

VERSIONS = {"mpich": "MPICH", "openmpi": "Open MPI", "intel": "Intel(R) MPI"}


@pytest.fixture(params=NAMES)
def mpi(request: pytest.FixtureRequest, build: Build) -> str:
    """Return the name of a library; skipped where it is not installed."""
    try:
        find_library(request.param)
    except GaplessError as error:
        pytest.skip(str(error))
    return str(request.param)


def test_p2p_has_every_layout_and_description(gapless: Command, mpi: str, tmp_path: Path) -> None:
    options = ("--launches", 1, "--reps", "1,2", "--filter", "/A=10/3200", "--json", "--tsv", tmp_path / "rows.tsv")
    answer = gapless("bench", "p2p", "--mpi", mpi, *options)
    # Two samples say nothing of speed: whether all rows pass is not asked here.
    assert answer.returncode in (0, 1), answer.stderr
    rows = json.loads(answer.stdout)
    found = {(row["layout"], row["variant"]): set() for row in rows}
    for row in rows:
        found[row["layout"], row["variant"]].add(row["description"])
    plain = {"basic", "contiguous_subtype"}
    assert found == {
        ("tiled", 1): plain | {"tiled_struct_11", "tiled_struct_23", "tiled_vector", "vector_tiled"},
        ("tiled", 2): plain,
        ("block", 1): plain | {"block_indexed"},
        ("block", 2): plain,
        ("bucket", 1): plain,
        ("bucket", 2): plain,
        ("alternating", 1): plain | {"alternating_indexed"},
        ("alternating", 2): plain,
        ("repeated", 1): plain | {"alternating_struct"},
        ("heterogeneous", 1): {"basic"},
        ("row_column", 1): {"basic", "row_column_indexed", "row_column_fully_indexed"},
    }
    assert len({row["acts"] for row in rows} - {True, False}) == 0
    assert len((tmp_path / "rows.tsv").read_text().splitlines()) == 1 + len(rows)
    recorded = next((tmp_path / "results").glob("*.jsonl")).read_text().splitlines()
    libraries = {json.loads(line).get("mpi_library") for line in recorded} - {None}
    assert len(libraries) == 1
    assert VERSIONS[mpi] in libraries.pop()


def test_thresholds_pack_whatever_the_rule_says(gapless: Command, mpi: str) -> None:
    options = ("--launches", 1, "--reps", "1,2", "--size", 4096, "--block", 2, "--json")
    answer = gapless("bench", "thresholds", "--mpi", mpi, *options)
    assert answer.returncode == 0, answer.stderr
    (kept,) = json.loads(answer.stdout)
    assert VERSIONS[mpi] in kept["version"]
    assert {cell["variant"] for cell in kept["cells"]} == {1, 2}
    assert [found["comparison"] for found in kept["fits"]][0] == "rule"


def test_memory_is_flat_and_the_layer_acts(gapless: Command, mpi: str) -> None:
    answer = gapless("bench", "flat", "--mpi", mpi, "--messages", 4000, "--json")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    rows = json.loads(answer.stdout)
    assert {(row["way"], row["layer"]) for row in rows} == {
        (way, layer) for way in ("blocking", "nonblocking", "types") for layer in (False, True)
    }
    # Every send and every receive of both ranks.
    assert all(row["accelerated"] == 2 * row["messages"] for row in rows if row["layer"])
    assert all(row["accelerated"] is None for row in rows if not row["layer"])
