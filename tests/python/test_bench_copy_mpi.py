"""`gapless bench copy-mpi`: what its rows say, and one short run."""

import json
from pathlib import Path

import pytest
from gapless.bench.copy_mpi import pair_rows, pair_summary, vector_rows, vector_table
from gapless.cli.commands import app
from typer.testing import CliRunner


def pair(copy: float, sendrecv: float, through: float) -> dict:
    return {
        "kind": "samples", "from": "a", "to": "b", "bytes": 100,
        "copy_ns": [copy] * 3, "sendrecv_ns": [sendrecv] * 3, "through_ns": [through] * 3,
        "pack_ns": [0.25 * copy] * 3, "unpack_ns": [0.5 * copy] * 3,
    }  # fmt: skip


def test_a_gain_is_the_median_over_launches() -> None:
    (row,) = pair_rows("mpich", [pair(1.0, gain, 2 * gain) for gain in (2.0, 3.0, 1.5, 2.5, 9.0)])
    assert (row.to_sendrecv, row.sendrecv_low) == (2.5, 1.5)
    assert (row.to_pack, row.pack_low) == (5.0, 3.0)
    assert row.worst == 2.5
    assert row.ceiling == 5.0
    assert (row.sendrecv_high, row.pack_high) == (9.0, 18.0)
    assert pair_summary([row]).row_count == 1


def test_the_interval_of_a_gain_may_lie_below_the_aim() -> None:
    def lies_below(*gains: float) -> bool:
        (row,) = pair_rows("mpich", [pair(1.0, gain, 5.0) for gain in gains])
        assert row.worst < 1.3
        return row.lies_below

    assert lies_below(1.1, 1.2, 1.1, 1.2, 1.25)
    assert not lies_below(1.1, 1.2, 1.1, 1.2, 1.4)


def test_a_vector_is_judged_per_byte() -> None:
    line = {
        "kind": "vectors", "vector": "bounded", "length": 2, "bytes": 50, "plain_bytes": 100,
        "pack_ns": [6.0] * 3, "copy_ns": [5.0] * 3, "plain_pack_ns": [10.0] * 3, "plain_copy_ns": [10.0] * 3,
    }  # fmt: skip
    (row,) = vector_rows("mpich", [line])
    assert row.pack == pytest.approx(1.2)
    assert row.copy == pytest.approx(1.0)
    assert vector_table([row]).row_count == 1


def test_it_measures_pairs_and_vectors(tmp_path: Path) -> None:
    cases = ["--case", "tiled/v?/A=2", "--case", "vectors"]
    result = CliRunner().invoke(
        app, ["bench", "copy-mpi", *cases, "--sizes", "20000", "--launches", "1", "--repetitions", "2", "--json",
              "--tsv", str(tmp_path / "copy.tsv")],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert {(row["source"], row["destination"]) for row in answer["pairs"]} == {
        ("tiled/v1/A=2", "tiled/v2/A=2"),
        ("tiled/v2/A=2", "tiled/v1/A=2"),
    }
    assert {row["vector"] for row in answer["vectors"]} == {"bounded", "circular"}
    assert all(row["to_pack"] > 0 and row["to_sendrecv"] > 0 for row in answer["pairs"])
    written = {path.name: path.read_text(encoding="utf-8").splitlines() for path in tmp_path.iterdir()}
    assert {name: len(lines) for name, lines in written.items()} == {
        "copy.tsv": 1 + len(answer["pairs"]), "copy-vectors.tsv": 1 + len(answer["vectors"])
    }  # fmt: skip
