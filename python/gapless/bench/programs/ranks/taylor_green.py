"""A rank of a Navier-Stokes solver on mpi4py-fft: the vortex of Taylor and Green in a box, 4th-order Runge-Kutta.

Box, viscosity and the energy at t = 0.1 are those of `spectral_dns_solver.py` of mpi4py-fft's repository, which its
releases do not hold.
"""

import sys
import time

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray
from report import report

LENGTHS = np.array([2, 4, 4]) * np.pi
VISCOSITY, STEP, STEPS = 0.000625, 0.02, 5
ENERGY, DIGITS = 0.124953117517, 7


def main(folder, points):
    """Solve, and report one sample a time step."""
    comm, shape = MPI.COMM_WORLD, (points, points, points)
    # Plans that FFTW measures differ from launch to launch, and so would the last bits of what they compute.
    plan = PFFT(comm, shape, dtype=np.float64, planner_effort="FFTW_ESTIMATE")
    u, vorticity = newDistArray(plan, False, rank=1), newDistArray(plan, False, rank=1)
    u_hat, curl_hat, slope = (newDistArray(plan, True, rank=1) for _ in range(3))
    places = [L / n * np.arange(n) for L, n in zip(LENGTHS, shape, strict=True)]
    x, y, z = np.ix_(*(place[part] for place, part in zip(places, plan.local_slice(False), strict=True)))
    waves = [np.fft.fftfreq(n, 1 / n) for n in shape[:2]] + [np.fft.rfftfreq(shape[2], 1 / shape[2])]
    waves = [2 * np.pi / L * wave for L, wave in zip(LENGTHS, waves, strict=True)]
    k = np.ix_(*(wave[part] for wave, part in zip(waves, plan.local_slice(True), strict=True)))
    squared = k[0] ** 2 + k[1] ** 2 + k[2] ** 2
    inverse = 1 / np.where(squared == 0, 1, squared)

    def transform(each, source, target):
        for i in range(3):
            each(source[i], target[i])

    def change():
        """Return du/dt in Fourier space: the rotational form, made free of divergence, and viscosity."""
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            curl_hat[i] = 1j * (k[a] * u_hat[b] - k[b] * u_hat[a])
        transform(plan.backward, u_hat, u)
        transform(plan.backward, curl_hat, vorticity)
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            plan.forward(u[a] * vorticity[b] - u[b] * vorticity[a], slope[i])
        pressure = (k[0] * slope[0] + k[1] * slope[1] + k[2] * slope[2]) * inverse
        for i in range(3):
            slope[i] -= pressure * k[i] + VISCOSITY * squared * u_hat[i]
        return slope

    u[0] = np.sin(x) * np.cos(y) * np.cos(z)
    u[1] = -np.cos(x) * np.sin(y) * np.cos(z)
    u[2] = 0
    transform(plan.forward, u, u_hat)
    samples = []
    for _ in range(STEPS):
        comm.Barrier()
        began = time.perf_counter()
        before, after = u_hat.copy(), u_hat.copy()
        for weight, reach in ((1 / 6, 1 / 2), (1 / 3, 1 / 2), (1 / 3, 1), (1 / 6, 0)):
            after += weight * STEP * change()
            u_hat[:] = before + reach * STEP * slope
        u_hat[:] = after
        samples.append(time.perf_counter() - began)
    transform(plan.backward, u_hat, u)
    energy = comm.allreduce(float(np.sum(np.asarray(u) ** 2))) / points**3 / 2
    report(folder, comm.Get_rank(), samples, [np.asarray(u_hat), np.asarray(u)], round(energy - ENERGY, DIGITS) == 0)


main(sys.argv[1], int(sys.argv[2]))
