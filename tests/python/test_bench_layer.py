"""`gapless bench p2p`, `flat` and `types` on every library that is installed, as short as they go."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from conftest import VERSIONS, Command
from gapless.bench.flat import PAIRED, WAYS
from gapless.paths import Build


@pytest.mark.parametrize("reps", ["0", "9,0", "9,x"])
def test_p2p_refuses_what_measures_nothing(gapless: Command, reps: str, tmp_path: Path) -> None:
    answer = gapless("bench", "p2p", "--mpi", "mpich", "--reps", reps)
    assert answer.returncode != 0 and f"--reps: '{reps}'" in answer.stderr
    assert not (tmp_path / "results").exists()


def test_p2p_has_every_layout_and_description(gapless: Command, mpi: str, tmp_path: Path) -> None:
    options = ("--launches", 1, "--reps", "1,2", "--filter", "/A=10/3200", "--json", "--tsv", tmp_path / "rows.tsv")
    answer = gapless("bench", "p2p", "--mpi", mpi, *options)
    # One launch proves nothing against any row.
    assert answer.returncode == 0, answer.stderr
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


def test_p2p_measures_in_local_mode_too_what_is_paired(gapless: Command, mpi: str) -> None:
    options = ("--launches", 1, "--reps", "1,2", "--sizes", "3200,512000", "--filter", "tiled/v1/A=2/", "--json")
    answer = gapless("bench", "p2p", "--mpi", mpi, *options)
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert {row["size"]: row["is_paired"] for row in rows} == {3200: False, 512000: True}
    assert all((row["local_us"] is not None) == row["is_paired"] for row in rows)
    assert all(("paired_to_contiguous" in row["ratios"]) == row["is_paired"] for row in rows)


def test_names_of_libraries_with_commas_and_repeated() -> None:
    from gapless.cli.options import chosen_libraries, mpi_names

    assert mpi_names(None) == [] == mpi_names([",", ""])
    assert mpi_names(["mpich,openmpi", "intel"]) == ["mpich", "openmpi", "intel"]
    assert [library.name.partition("-")[0] for library in chosen_libraries(["openmpi,mpich"])] == ["openmpi", "mpich"]
    assert chosen_libraries(["mpich,all"]) == chosen_libraries(["all"])


@pytest.mark.alone
def test_p2p_of_both_ranks_at_once(gapless: Command) -> None:
    options = ("--mpi", "mpich,openmpi", "--calls", "waitall", "--layouts", "tests", "--filter", "tiled/v1/A=2/")
    answer = gapless("bench", "p2p", *options, "--launches", 1, "--reps", "1,1", "--sizes", "3200,512000", "--json")
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    assert {row["library"].partition("-")[0] for row in rows} == {"mpich", "openmpi"}
    # By hand they are packed as well; the parts of a message are those of a ping-pong.
    assert all(row["pattern"] == "waitall" and row["pack_us"] and row["engine_us"] is None for row in rows)
    assert any(row["is_paired"] for row in rows) and not all(row["is_paired"] for row in rows)


APPLICATIONS = ("--reps", "1,2", "--layouts", "applications,found", "--json")


def test_constant_data_have_no_cycle(gapless: Command, build: Build, tmp_path: Path) -> None:
    options = ("--launches", 2, "--data", "constant", "--filter", "WRF_x/4x4")
    answer = gapless("bench", "p2p", "--mpi", "mpich", *APPLICATIONS, *options)
    assert answer.returncode in (0, 1), answer.stderr
    rows = {row["name"]: row for row in json.loads(answer.stdout)}
    assert {"WRF_x/4x4/vec", "WRF_x/4x4/sa"} <= rows.keys()
    assert {(row["data"], row["cycle"]) for row in rows.values()} == {("constant", None)}
    assert facts_of_launches(tmp_path) == [(1, "constant"), (2, "constant")]


def facts_of_launches(folder: Path) -> list[tuple[int, str]]:
    """Return launch and data of each line of facts."""
    (file,) = (folder / "results").glob("*.jsonl")
    facts = [line for line in map(json.loads, file.read_text().splitlines()) if line["kind"] == "facts"]
    assert all(line["peer_line_ns"]["plain"] > 0 for line in facts)
    return [(line["launch"], line["data"]) for line in facts]


# One group each of small ones: arrays of NAS_MG and FFT2 take a gigabyte, and seconds to write.
@pytest.mark.parametrize(
    ("only", "names"),
    [
        ("WRF_x/4x4", {"WRF_x/4x4/vec", "WRF_x/4x4/sa"}),
        ("NAS_MG_y/34", {"NAS_MG_y/34/vector"}),
        ("LAMMPS_atomic/114", {"LAMMPS_atomic/114/struct"}),
        ("SPECFEM3D_mt/6400", {"SPECFEM3D_mt/6400/vector"}),
        ("blocks/40B/4096", {"blocks/40B/4096/vector"}),
    ],
)
def test_p2p_sends_applications(gapless: Command, mpi: str, tmp_path: Path, only: str, names: set[str]) -> None:
    """Types that differ at the two ends, lists, and MPI_Pack of both: proved on both ranks before they are timed."""
    answer = gapless("bench", "p2p", "--mpi", mpi, *APPLICATIONS, "--launches", 1, "--data", "fresh", "--filter", only)
    assert answer.returncode in (0, 1), answer.stderr
    rows = {row["name"]: row for row in json.loads(answer.stdout)}
    assert rows.keys() == names
    assert all(row["data"] == "fresh" and row["cycle"] is not None for row in rows.values())
    recorded = [json.loads(line) for line in next((tmp_path / "results").glob("*.jsonl")).read_text().splitlines()]
    assert facts_of_launches(tmp_path) == [(1, "fresh")]
    types = {line["description"]: line["type"] for line in recorded if line.get("group") == only}
    if only == "LAMMPS_atomic/114":
        assert rows["LAMMPS_atomic/114/struct"]["payload_bytes"] == 5472
    if only == "SPECFEM3D_mt/6400":
        assert types["vector"].endswith(" -> contiguous(19200, float)")


def test_memory_is_flat_and_the_layer_acts(gapless: Command, mpi: str) -> None:
    answer = gapless("bench", "flat", "--mpi", mpi, "--messages", 4000, "--json")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    rows = json.loads(answer.stdout)
    assert {(row["way"], row["layer"]) for row in rows} == set(product(WAYS, (False, True)))
    for row in rows:
        if not row["layer"]:
            assert row["accelerated"] is row["paired"] is None
        elif row["way"].startswith(PAIRED):
            # Every send and every receive of both ranks, but the first ones, before it is known which memory is shared.
            assert row["paired"] > 1.9 * row["messages"]
        else:
            assert (row["accelerated"], row["paired"]) == (2 * row["messages"], 0)
