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

sys.path.insert(0, str(REPOSITORY / "tests" / "mpi4py"))
from libraries import libraries  # noqa: E402

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", first_in_make_test(["mpich", "openmpi", "impi"]))
def test_types_there_and_back(name: str) -> None:
    library = libraries()[name]
    needed = [library.prefix / "lib" / library.soname, REPOSITORY / ".venv" / "rivals" / "mpi4py" / "lib" / "mpi4py"]
    missing = [str(path) for path in needed if not path.exists()]
    if missing and not os.environ.get("CI"):
        pytest.skip(f"not installed: {', '.join(missing)} (make test installs it)")
    environment = {**os.environ, **library.environment(spawn=False)}
    environment["PYTHONPATH"] = f"{REPOSITORY / 'python'}:{HERE}:{environment['PYTHONPATH']}"
    command = library.command(1, [sys.executable, str(HERE / "rank_mpi4py.py")])
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    marks = {"mpich": "MPICH", "openmpi": "Open MPI", "impi": "Intel"}
    assert "types and random ones on" in answer.stdout and marks[name] in answer.stdout


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
