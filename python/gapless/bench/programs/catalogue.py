"""All programs of `gapless bench programs`, by name."""

from __future__ import annotations

from gapless.bench.programs import cp2k, mpi4py_fft, petsc, scalapack
from gapless.bench.programs.program import Program

PROGRAMS: dict[str, Program] = {
    program.name: program for program in (*mpi4py_fft.PROGRAMS, *scalapack.PROGRAMS, *petsc.PROGRAMS, *cp2k.PROGRAMS)
}
