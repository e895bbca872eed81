"""What is told from the files that ranks leave behind."""

from __future__ import annotations

import io
import json
from pathlib import Path

from gapless.launch.counters import as_json, counter_table, total
from gapless.launch.reach import Rank, expected_ranks, likely_causes, reached_line, read_ranks
from rich.console import Console


def rank(world_rank: int, world_size: int, **stats: object) -> Rank:
    return Rank(world_rank, world_size, "MPICH Version:      5.0.2", {"procedures": stats})


def test_files_are_read_and_one_cut_off_by_a_crash_still_counts(tmp_path: Path) -> None:
    whole = {"schema": 1, "world_rank": 1, "world_size": 2, "library": "MPICH Version:      5.0.2\nMPICH Date: x"}
    (tmp_path / "a.1.json").write_text(json.dumps(whole))
    (tmp_path / "a.2.json").write_text('{"schema":1,"wor')
    ranks = read_ranks(tmp_path)
    assert [r.world_rank for r in ranks] == [1, -1]
    assert ranks[0].library == "MPICH Version:      5.0.2"


def test_reached_line() -> None:
    assert reached_line([rank(0, 2), rank(1, 2)]) == "the layer reached 2 of 2 ranks (MPICH 5.0.2)"
    assert reached_line([rank(1, 2)]).startswith("the layer reached 1 of 2 ranks (MPICH 5.0.2); ranks on other nodes")


def test_two_worlds_of_one_command_are_told_apart() -> None:
    assert expected_ranks([rank(0, 2), rank(1, 2), rank(0, 2), rank(1, 2), rank(0, 3)]) == 7


def test_counts_are_summed_over_ranks() -> None:
    one = {"calls": 3, "accelerated": 1, "bytes": 100, "declined": {"small": 2, "contiguous": 0}}
    totals = total([rank(0, 2, MPI_Send=one), rank(1, 2, MPI_Send=one, MPI_Recv={"calls": 1})])
    assert (totals["MPI_Send"].calls, totals["MPI_Send"].accelerated, totals["MPI_Send"].bytes) == (6, 2, 200)
    assert totals["MPI_Send"].declined == {"small": 4}
    assert totals["MPI_Recv"].calls == 1


def shown(*ranks: Rank) -> str:
    out = io.StringIO()
    Console(file=out, width=200).print(counter_table(total(ranks)))
    return out.getvalue()


def test_times_are_summed_where_there_are_any() -> None:
    timed = {"calls": 1, "accelerated": 1, "bytes": 8, "pack_ns": 1_500_000, "unpack_ns": 0}
    old = {"calls": 1, "accelerated": 1, "bytes": 8}
    totals = total([rank(0, 2, MPI_Send=timed, MPI_Recv=old), rank(1, 2, MPI_Send=timed, MPI_Recv=old)])
    assert (totals["MPI_Send"].pack_ns, totals["MPI_Send"].unpack_ns) == (3_000_000, 0)
    assert (totals["MPI_Recv"].pack_ns, totals["MPI_Recv"].unpack_ns) == (None, None)
    assert as_json(totals) == {
        "MPI_Recv": {"calls": 2, "accelerated": 2, "bytes": 16, "declined": {}},
        "MPI_Send": {
            "calls": 2, "accelerated": 2, "bytes": 16, "pack_ns": 3_000_000, "unpack_ns": 0, "declined": {},
        },
    }  # fmt: skip
    table = shown(rank(0, 1, MPI_Send=timed, MPI_Recv=old))
    rows = {words[0]: words for words in map(str.split, table.splitlines()) if words}
    assert rows["MPI_Send"] == ["MPI_Send", "1", "1", "8", "1.500", "0.000", "-"]
    assert rows["MPI_Recv"] == ["MPI_Recv", "1", "1", "8", "-", "-", "-"]


def test_a_setuid_program_is_the_certain_cause(tmp_path: Path) -> None:
    program = tmp_path / "app"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o4755)
    assert likely_causes(program) == [likely_causes(program)[0]]
    assert "setuid" in likely_causes(program)[0]


def test_without_a_certain_cause_all_likely_ones_are_named() -> None:
    causes = " ".join(likely_causes(None))
    assert "MPI_Init" in causes
    assert "static" in causes
    assert "environment" in causes or "LD_PRELOAD" in causes


def test_a_library_without_a_backend_is_the_certain_cause(tmp_path: Path) -> None:
    entry = {"world_rank": -1, "world_size": 0, "library": "Open MPI v5.0.11, package: x", "native": "no backend"}
    (tmp_path / "a.1.json").write_text(json.dumps(entry))
    causes = likely_causes(None, read_ranks(tmp_path))
    assert causes == ["Open MPI v5.0.11: no backend; every call went straight to the library"]
