"""from_mpi4py and to_mpi4py on the real mpi4py, on every MPI library that is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import extension_needed  # noqa: F401
import gapless
import pytest
from conftest import first_in_make_test
from gapless.notation import fold
from gapless.paths import REPOSITORY
from mpi4py_ranks import MARKS, run_ranks


@pytest.mark.parametrize("name", first_in_make_test(["mpich", "openmpi", "impi"]))
def test_types_there_and_back(name: str) -> None:
    printed = run_ranks(name, 1, "rank_mpi4py.py")
    assert "types and random ones on" in printed and MARKS[name] in printed


def test_without_mpi4py_the_rest_works(tmp_path: Path) -> None:
    code = "import gapless; print(gapless.double.size); gapless.to_mpi4py(gapless.double)"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "python")}
    answer = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert answer.stdout == "8\n"
    assert "No module named 'mpi4py'" in answer.stderr


def test_canonical_text_is_folded_innermost_first() -> None:
    said: list[tuple[str, list[object]]] = []

    def build(name: str, arguments: list[object]) -> str:
        said.append((name, arguments))
        return f"<{name}>"

    text = "struct([(1, -8, vector(2, 1, 3, 2int)), (2, 0, darray(2, 0, [8], [cyclic(3)], [2], Fortran, byte))])"
    assert fold(str(gapless.Datatype(text)), build) == "<struct>"
    assert said == [
        ("2int", []),
        ("vector", [2, 1, 3, "<2int>"]),
        ("byte", []),
        ("darray", [2, 0, [8], [("cyclic", 3)], [2], "Fortran", "<byte>"]),
        ("struct", [[(1, -8, "<vector>"), (2, 0, "<darray>")]]),
    ]
    deep = gapless.Datatype("dup(" * 900 + "byte" + ")" * 900)
    assert fold(str(deep), lambda name, arguments: 1 + sum(arguments)) == 901
