"""`--eager` and what lab/exchange finds of it: real libraries, asked up to which size a send ends by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import first_in_make_test
from gapless.errors import GaplessError
from gapless.lab.programs import json_lines, mpi_command
from gapless.targets.chosen import targets
from gapless.targets.eager import MOST_BYTES, eager_bytes

RAISED = 300_000
GROUP = {
    "id": "one", "pattern": "pingpong", "reps": {"min": 1, "max": 1},
    "messages": [{"name": "m", "count": 1, "type": "int32", "layout": "m"}],
    "members": [{"name": "m:native", "message": "m", "method": "native"}],
}  # fmt: skip


def found(name: str, eager: int, folder: Path) -> int:
    """Return the limit that the lab finds on a library [bytes]."""
    job = folder / "job.json"
    job.write_text(json.dumps({"schema": 1, "seed": 1, "eager_limit": True, "groups": [GROUP]}))
    with targets(name, None, False, lambda _: None, eager) as (target,):
        command = mpi_command(target.library, "lab/exchange", ["--job", str(job)], 2)
        lines = list(json_lines(target.library, command, layer=False))
    (limit,) = [line for line in lines if line["kind"] == "eager_limit"]
    assert 0 <= limit["bytes"] <= limit["most"]
    return int(limit["bytes"])


# It is found by patience: a send that has not ended after 20 ms is taken for one that waits for its receive.
@pytest.mark.alone
@pytest.mark.parametrize("name", first_in_make_test(["openmpi", "mpich"]))
def test_the_limit_is_found_and_can_be_raised(name: str, tmp_path: Path) -> None:
    # Open MPI says what it is by default: 4096 with its own header.
    assert 1000 < found(name, 0, tmp_path) < 10_000
    assert RAISED <= found(name, RAISED, tmp_path) < 2 * RAISED


@pytest.mark.parametrize("text", ["", "0", "x", "-4", "1G", "1.5M", "17M"])
def test_no_size(text: str) -> None:
    with pytest.raises(GaplessError, match="--eager"):
        eager_bytes(text)


def test_sizes() -> None:
    assert [eager_bytes(text) for text in (None, "100", "64K", "1M", "2 MiB")] == [0, 100, 65536, 1 << 20, 2 << 20]
    assert eager_bytes("16M") == MOST_BYTES
