"""All programs of `gapless bench programs`, by name."""

from __future__ import annotations

from gapless.bench.programs import mpi4py_fft, petsc, scalapack
from gapless.bench.programs.program import Program

PROGRAMS: dict[str, Program] = {
    program.name: program for program in (*mpi4py_fft.PROGRAMS, *scalapack.PROGRAMS, *petsc.PROGRAMS)
}
