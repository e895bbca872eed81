"""gapless.mpi on the real mpi4py, with and without the layer, on every MPI library that is installed."""

from __future__ import annotations

import pytest
from conftest import first_in_make_test
from mpi4py_ranks import MARKS, run_ranks


@pytest.mark.parametrize("layer", [False, True])
@pytest.mark.parametrize("name", first_in_make_test(["openmpi", "mpich", "impi"]))
def test_functions_on_mpi4pys_handles(name: str, layer: bool) -> None:
    printed = run_ranks(name, 3, "rank_mpi_handles.py", layer)
    assert printed.count(f"passed on {MARKS[name]}") == 1
