"""A rank of a Poisson solver by shenfun: Legendre between two walls, Fourier in the other two directions."""

import sys
import time

import numpy as np
import sympy
from mpi4py import MPI
from report import report
from shenfun import (
    Array,
    Function,
    FunctionSpace,
    TensorProductSpace,
    TestFunction,
    TrialFunction,
    div,
    grad,
    inner,
    la,
)
from shenfun.config import config

SHAPE, REPETITIONS, ALLOWED_ERROR = (64, 96, 96), 10, 1e-9


def main(folder):
    """Solve for a known solution, forth and back, and report one sample a solution."""
    comm = MPI.COMM_WORLD
    # Plans that FFTW measures differ from launch to launch, and so would the last bits of what they compute.
    for settings in config["fftw"].values():
        settings["planner_effort"] = "FFTW_ESTIMATE"
    x, y, z = sympy.symbols("x,y,z", real=True)
    solution = (sympy.cos(4 * y) + sympy.sin(2 * z)) * (1 - x**2) * sympy.cos(sympy.pi * x)
    walls = FunctionSpace(SHAPE[0], "Legendre", bc=(0, 0))
    spaces = (walls, FunctionSpace(SHAPE[1], "F", dtype="D"), FunctionSpace(SHAPE[2], "F", dtype="d"))
    space = TensorProductSpace(comm, spaces, axes=(0, 1, 2))
    test, trial = TestFunction(space), TrialFunction(space)
    source = sum(solution.diff(axis, 2) for axis in (x, y, z))
    right, expected = Array(space, buffer=source), Array(space, buffer=solution)
    solver = la.SolverGeneric1ND(inner(test, div(grad(trial))))
    samples = []
    for _ in range(REPETITIONS):
        comm.Barrier()
        began = time.perf_counter()
        found_hat = solver(inner(test, right, output_array=Function(space)), Function(space))
        found = found_hat.backward()
        samples.append(time.perf_counter() - began)
    error = comm.allreduce(float(np.max(np.abs(np.asarray(found) - np.asarray(expected)))), op=MPI.MAX)
    report(folder, comm.Get_rank(), samples, [np.asarray(found_hat), np.asarray(found)], error <= ALLOWED_ERROR)


main(sys.argv[1])
