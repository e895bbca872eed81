"""What each rank of `tools/profile_agrees.py` runs: transforms of mpi4py-fft that time their own redistributions.

Prints one line of JSON a rank: the seconds that this rank was in mpi4py-fft's redistributions, by its own clock.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT

n, repetitions = int(sys.argv[1]), int(sys.argv[2])
plan = PFFT(MPI.COMM_WORLD, (n, n, n), dtype=np.complex128, grid=(-1,), planner_effort="FFTW_ESTIMATE")
spent = 0.0


def timed(move):  # noqa: ANN001, ANN201
    """Return the same redistribution, on the clock."""

    def act(*arrays: object) -> None:
        global spent  # noqa: PLW0603
        begin = time.perf_counter()
        move(*arrays)
        spent += time.perf_counter() - begin

    return act


moves = [(timed(of.forward), timed(of.backward)) for of in plan.transfer]
serial = plan.xfftn
for _ in range(repetitions):
    for i, (forward, _) in enumerate(moves):
        forward(serial[i].forward.output_array, serial[i + 1].forward.input_array)
    for i, (_, backward) in reversed(list(enumerate(moves))):
        backward(serial[i + 1].forward.input_array, serial[i].forward.output_array)
# By one rank: what several print at once, a launcher may mix.
every = MPI.COMM_WORLD.gather({"rank": MPI.COMM_WORLD.Get_rank(), "spent_s": spent})
for one in every or ():
    print(json.dumps(one))
