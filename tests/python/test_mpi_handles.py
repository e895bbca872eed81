"""gapless.mpi on the real mpi4py, with and without the layer, on every MPI library that is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import first_in_make_test
from gapless.paths import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "mpi4py"))
from libraries import libraries  # noqa: E402

HERE = Path(__file__).parent
MARKS = {"mpich": "MPICH", "openmpi": "Open MPI", "impi": "Intel"}


@pytest.mark.parametrize("layer", [False, True])
@pytest.mark.parametrize("name", first_in_make_test(["openmpi", "mpich", "impi"]))
def test_functions_on_mpi4pys_handles(name: str, layer: bool) -> None:
    library = libraries()[name]
    needed = [library.prefix / "lib" / library.soname, REPOSITORY / ".venv" / "rivals" / "mpi4py" / "lib" / "mpi4py"]
    missing = [str(path) for path in needed if not path.exists()]
    if missing and not os.environ.get("CI"):
        pytest.skip(f"not installed: {', '.join(missing)} (make test installs it)")
    environment = {**os.environ, **library.environment(spawn=False)}
    environment["PYTHONPATH"] = f"{REPOSITORY / 'python'}:{HERE}:{environment['PYTHONPATH']}"
    command = library.command(3, [sys.executable, str(HERE / "rank_mpi_handles.py")])
    if layer:
        command = [sys.executable, "-m", "gapless", "run", "--", *command]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert answer.stdout.count(f"passed on {MARKS[name]}") == 1
