"""What each rank of `gapless bench fft` runs: one 3-D transform of mpi4py-fft, proved and timed; imports no Gapless.

Started by the launcher as ``python -m gapless.bench.fft_rank --shape 64,64,64 ...``; rank 0 prints one line of JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT

GRIDS = {"slab": (-1,), "pencil": (2, -1)}
DTYPES = {"complex": np.complex128, "real": np.float64}


def _scrambled(index: np.ndarray) -> np.ndarray:
    """Return doubles in [-0.5, 0.5), one for each number: the finaliser of splitmix64, exact on every machine."""
    z = index.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53 - 0.5


def values(shape: tuple[int, ...], part: tuple[slice, ...], dtype: type) -> np.ndarray:
    """Return a part of the input: every element's value follows from its place in the whole, whoever holds it."""
    places = np.ogrid[part]
    index = np.zeros([len(range(*piece.indices(n))) for piece, n in zip(part, shape, strict=True)], np.uint64)
    for axis, place in enumerate(places):
        index += place.astype(np.uint64) * np.uint64(math.prod(shape[axis + 1 :]))
    if dtype is np.float64:
        return _scrambled(index)
    return _scrambled(2 * index) + 1j * _scrambled(2 * index + np.uint64(1))


def _meet(comm: MPI.Comm) -> None:
    """Wait for all ranks by one-byte messages, so that no collective of the library or the layer is in the way."""
    rank, size, step = comm.Get_rank(), comm.Get_size(), 1
    out, into = bytearray(1), bytearray(1)
    while step < size:
        comm.Sendrecv([out, MPI.BYTE], (rank + step) % size, 0, [into, MPI.BYTE], (rank - step) % size, 0)
        step *= 2


def _spent(comm: MPI.Comm, work: Callable[[], object]) -> int:
    """Return for how many nanoseconds this rank was at a piece of work that all began together."""
    _meet(comm)
    began = time.perf_counter_ns()
    work()
    return time.perf_counter_ns() - began


class Subject:
    """One transform: its plan, its redistributions, and the arrays that they move."""

    def __init__(self, shape: tuple[int, ...], grid: str, kind: str) -> None:
        self.comm = MPI.COMM_WORLD.Dup()
        self.shape, self.dtype = shape, DTYPES[kind]
        # Plans that FFTW measures differ from launch to launch, and so would the last bits of what they compute.
        self.plan = PFFT(
            MPI.COMM_WORLD, shape, dtype=self.dtype, grid=GRIDS[grid], collapse=True, planner_effort="FFTW_ESTIMATE"
        )
        self.input = values(shape, self.plan.local_slice(False), self.dtype)
        self.spectrum = np.zeros(self.plan.shape(True), self.plan.dtype(True))
        self.restored = np.zeros_like(self.input)
        serial = self.plan.xfftn
        self.legs = [
            (transfer, serial[i].forward.output_array, serial[i + 1].forward.input_array)
            for i, transfer in enumerate(self.plan.transfer)
        ]

    def forward(self) -> None:
        """Transform the input."""
        self.plan.forward(self.input, self.spectrum)

    def backward(self) -> None:
        """Transform back."""
        self.plan.backward(self.spectrum, self.restored)

    def redistribute_forward(self) -> None:
        """Do what the forward transform does between its serial transforms, and no more."""
        for transfer, before, after in self.legs:
            transfer.forward(before, after)

    def redistribute_backward(self) -> None:
        """Do the same on the way back."""
        for transfer, before, after in reversed(self.legs):
            transfer.backward(after, before)

    def redistribution_digest(self) -> str:
        """Return the hash of what every redistribution makes of numbers that tell rank and place, there and back."""
        digest = hashlib.sha256()
        for transfer, before, after in self.legs:
            for source, target, move in ((before, after, transfer.forward), (after, before, transfer.backward)):
                first = self.comm.Get_rank() << 40
                source[...] = _scrambled(np.arange(first, first + source.size)).reshape(source.shape)
                target.fill(0)
                move(source, target)
                digest.update(np.ascontiguousarray(target))
        return digest.hexdigest()

    def reference_error(self) -> float:
        """Return how far the spectrum is from NumPy's of the whole input, to which every rank comes on its own."""
        whole = values(self.shape, tuple(slice(0, n) for n in self.shape), self.dtype)
        spectrum = np.fft.fftn(whole) if self.dtype is np.complex128 else np.fft.rfftn(whole)
        wanted = spectrum[self.plan.local_slice(True)] / math.prod(self.shape)
        return float(np.abs(self.spectrum - wanted).max() / np.abs(spectrum).max() * math.prod(self.shape))


def measure(subject: Subject, repetitions: int, reference: bool) -> dict[str, Any]:
    """Prove and time a transform; rank 0 gets the whole answer."""
    comm = subject.comm
    kept = subject.input.copy()
    digests = {"redistribution": subject.redistribution_digest()}
    subject.forward()
    digests["spectrum"] = hashlib.sha256(subject.spectrum).hexdigest()
    wrong = subject.reference_error() if reference else None
    subject.backward()
    digests["restored"] = hashlib.sha256(subject.restored).hexdigest()
    error = float(np.abs(subject.restored - kept).max())

    samples: dict[str, list[int]] = {"redistribution": [], "transform": []}
    for repetition in range(repetitions + 1):
        spent = {
            "redistribution": [_spent(comm, subject.redistribute_forward), _spent(comm, subject.redistribute_backward)],
            "transform": [_spent(comm, subject.forward), _spent(comm, subject.backward)],
        }
        for name, legs in spent.items() if repetition else ():
            samples[name] += legs
    # What was timed must be what was proved.
    digests["last"] = hashlib.sha256(subject.restored).hexdigest()

    gathered = comm.gather((digests, error, wrong, samples))
    if gathered is None:
        return {}
    all_digests, errors, references, times = (list(of) for of in zip(*gathered, strict=True))
    slowest = {name: [max(of) for of in zip(*(rank[name] for rank in times), strict=True)] for name in samples}
    return {
        "digests": all_digests,
        "error": max(errors),
        "reference_error": max(references) if reference else None,
        # A pair, there and back: the sum of two legs, each of the slowest rank.
        "samples_ns": {name: [a + b for a, b in zip(of[::2], of[1::2], strict=True)] for name, of in slowest.items()},
        "redistributions": len(subject.legs),
        "local_shape": list(subject.input.shape),
    }


def main() -> None:
    """Read the arguments, measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", required=True, help="three numbers with commas")
    parser.add_argument("--grid", required=True, choices=GRIDS)
    parser.add_argument("--input", required=True, choices=DTYPES)
    parser.add_argument("--repetitions", type=int, required=True)
    parser.add_argument("--reference", action="store_true", help="compare with NumPy's transform of the whole, too")
    arguments = parser.parse_args()
    shape = tuple(int(word) for word in arguments.shape.split(","))
    subject = Subject(shape, arguments.grid, arguments.input)
    answer = measure(subject, arguments.repetitions, arguments.reference)
    if MPI.COMM_WORLD.Get_rank() == 0:
        about = {"ranks": MPI.COMM_WORLD.Get_size(), "mpi_library": MPI.Get_library_version().splitlines()[0].strip()}
        print(json.dumps(answer | about), flush=True)
    subject.plan.destroy()
    subject.comm.Free()


if __name__ == "__main__":
    main()
