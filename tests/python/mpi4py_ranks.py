"""Runs a program of this folder on the real mpi4py, on any of the MPI libraries that are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gapless.paths import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "mpi4py"))
from libraries import SUITE, libraries  # noqa: E402

HERE = Path(__file__).parent
# What a library calls itself, by its name in tests/mpi4py.
MARKS = {"mpich": "MPICH", "openmpi": "Open MPI", "impi": "Intel"}


def run_ranks(name: str, ranks: int, program: str, layer: bool = False) -> str:
    """Return what the ranks print, which must succeed; skip where the library or mpi4py is not installed, but in CI."""
    library = libraries()[name]
    needed = [library.prefix / "lib" / library.soname, SUITE / "lib" / "mpi4py"]
    missing = [str(path) for path in needed if not path.exists()]
    if missing and not os.environ.get("CI"):
        pytest.skip(f"not installed: {', '.join(missing)} (make test installs it)")
    environment = {**os.environ, **library.environment(spawn=False)}
    environment["PYTHONPATH"] = f"{REPOSITORY / 'python'}:{HERE}:{environment['PYTHONPATH']}"
    command = library.command(ranks, [sys.executable, str(HERE / program)])
    if layer:
        command = [sys.executable, "-m", "gapless", "run", "--", *command]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout
