"""A rank of PETSc's product of a sparse matrix (AIJ) with a dense one of many columns, which is checked exactly."""

import sys
import time

import numpy as np
import petsc4py
from report import report

folder, kind, rows, columns, repetitions = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
petsc4py.init([sys.argv[0]])
from petsc4py import PETSc  # noqa: E402  # PETSc begins with the import

# Entries are multiples of 1/64 and 1/256 of size 2 at most: sums of a few products are exact in any order.
SIDE = 1 << (rows.bit_length() // 2)


def neighbours(i):
    """Return the columns with entries: the five-point stencil of a grid, or seven, scattered in each fourth row."""
    if kind == "grid":
        return [i, (i + 1) % rows, (i - 1) % rows, (i + SIDE) % rows, (i - SIDE) % rows]
    return [np.where(i % 4 == 0, i * 2654435761 + 40503 * d * d + 977 * d, i + d) % rows for d in range(7)]


def left(i, j):
    """Return entries of the sparse matrix."""
    return 1.0 + ((i * 31 + j * 17) % 61) / 64


def right(i, j):
    """Return entries of the dense matrix."""
    return ((i * 7 + j * 13) % 251) / 256.0


def main():
    """Multiply, and report one sample a product."""
    comm = PETSc.COMM_WORLD
    A = PETSc.Mat().createAIJ([rows, rows], nnz=(7, 7), comm=comm)
    begin, end = A.getOwnershipRange()
    mine = np.arange(begin, end)
    near = neighbours(mine)
    for row in range(end - begin):
        for each in near:
            A.setValue(begin + row, each[row], left(begin + row, each[row]), PETSc.InsertMode.ADD_VALUES)
    A.assemble()
    B = PETSc.Mat().createDense([rows, columns], comm=comm)
    B.setUp()
    all_columns = np.arange(columns)[None, :]
    B.getDenseArray()[:] = right(mine[:, None], all_columns)
    B.assemble()
    C = A.matMult(B)
    samples = []
    for _ in range(repetitions):
        comm.barrier()
        began = time.perf_counter()
        A.matMult(B, C)
        samples.append(time.perf_counter() - began)
    found = np.array(C.getDenseArray())
    expected = sum(left(mine, each)[:, None] * right(each[:, None], all_columns) for each in near)
    report(folder, comm.rank, samples, [found], np.array_equal(found, expected))


main()
