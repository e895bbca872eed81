"""Chooses the preload object: the fullest one of whose procedures every MPI library has all.

A front that defines MPI_Send_c over a library that has none is a trap: mpi4py asks for the procedure through a weak
symbol, finds it, and calls it. The plain front is right everywhere, but calls to procedures that it lacks stay the
library's own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from gapless.errors import GaplessError
from gapless.launch.launcher import Launcher, launcher_position, launcher_prefixes, launchers_on_path, ranks_programs
from gapless.launch.loader import cached_libraries, library_path, loaded_files
from gapless.launch.mpi_library import (
    LARGE_COUNT,
    OPEN_MPI,
    MpiLibrary,
    libraries_in,
    libraries_of,
    library_folders,
    looks_like_mpi,
)
from gapless.paths import other_preload_object, preload_object


class FrontName(str, Enum):
    """What the user may ask for; the fronts are named by the MPI version of their procedures."""

    AUTO = "auto"
    PLAIN = "plain"
    MPI_40 = "40"
    LARGE_COUNT = "lc"
    LARGE_COUNT_41 = "lc41"


# The fullest first, with the procedures that a library must have. The plain front asks for nothing.
DEMANDS: dict[FrontName, tuple[str, ...]] = {
    FrontName.LARGE_COUNT_41: ("MPI_Request_get_status_all", LARGE_COUNT, "MPI_Session_init"),
    FrontName.LARGE_COUNT: (LARGE_COUNT, "MPI_Session_init"),
    FrontName.MPI_40: ("MPI_Session_init",),
    FrontName.PLAIN: (),
}


def front_object(name: FrontName) -> Path | None:
    """Return a front's file, or None if it is not built (the plain one must be)."""
    if name is FrontName.PLAIN:
        return preload_object()
    return other_preload_object(f"libgapless_preload_{name.value}.so")


@dataclass(frozen=True)
class Front:
    """The chosen preload object, and why it was chosen."""

    name: str
    path: Path
    reason: str
    libraries: tuple[Path, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Return the record of the choice."""
        libraries = [str(library) for library in self.libraries]
        return {"name": self.name, "path": str(self.path), "reason": self.reason, "libraries": libraries}


def _serves(launcher: Launcher, library: MpiLibrary) -> bool:
    """Say whether ranks under a launcher may use a library that merely lies beside it."""
    if launcher is Launcher.OPEN_MPI:
        return library.abi == OPEN_MPI
    return launcher is not Launcher.HYDRA or library.abi != OPEN_MPI


def _library_folders_at(launcher: Path) -> list[Path]:
    return [folder for prefix in launcher_prefixes(launcher) for folder in library_folders(prefix)]


def candidate_libraries(command: Sequence[str], launcher: Launcher, environment: Mapping[str, str]) -> list[MpiLibrary]:
    """Return the MPI libraries that the ranks of a command may load.

    Those that the programs are linked with, and those that lie at the launcher. For programs that open MPI late
    (scripts, Python), also those on LD_LIBRARY_PATH; and where the launcher does not tell which, all of the system and
    of every launcher on PATH, which a script may start.

    Parameters
    ----------
    command : sequence of str
        The user's command.
    launcher : Launcher
        What it starts with.
    environment : mapping
        What it is started with.
    """
    found: dict[Path, MpiLibrary] = {}

    def add(libraries: Sequence[MpiLibrary]) -> bool:
        found.update({library.path: library for library in libraries})
        return bool(libraries)

    programs = ranks_programs(command, launcher, environment)
    every_program_linked = bool(programs)
    late = library_path(environment)
    for program in programs:
        linked = loaded_files(program.path, program.environment, looks_like_mpi)
        if add(libraries_of(linked)):
            continue
        every_program_linked = False
        late += library_path(program.environment)
        # Python's packages of MPI libraries install into the prefix of the interpreter.
        late += library_folders(program.path.parent.parent) if program.path.name.startswith("python") else []
        named = program.environment.get("MPI4PY_LIBMPI")
        add(libraries_of([Path(named)] if named else []))
    known_launcher = launcher in (Launcher.HYDRA, Launcher.OPEN_MPI)
    if known_launcher:
        word = shutil.which(command[launcher_position(command)])
        late += _library_folders_at(Path(word)) if word else []
    if known_launcher or not every_program_linked:
        add([library for library in libraries_in(late) if _serves(launcher, library)])
    if not known_launcher and not every_program_linked:
        add(libraries_of(file for files in cached_libraries().values() for file in files))
        for path in launchers_on_path(environment):
            add(libraries_in(_library_folders_at(path)))
    return list(found.values())


def choose_front(
    wanted: FrontName,
    command: Sequence[str],
    launcher: Launcher,
    environment: Mapping[str, str] = os.environ,
) -> Front:
    """Choose the preload object for a command.

    Parameters
    ----------
    wanted : FrontName
        What the user asked for.
    command, launcher, environment
        As `candidate_libraries` wants them.

    Raises
    ------
    GaplessError
        If the front that the user asked for is not built.
    """
    if wanted is not FrontName.AUTO:
        asked = front_object(wanted)
        if asked is None:
            raise GaplessError(f"the front {wanted.value} is not built", "run 'make build', or drop --front")
        return Front(wanted.value, asked, "as asked")
    libraries = candidate_libraries(command, launcher, environment)
    if not libraries:
        return Front("plain", preload_object(), "no MPI library was found to look at")
    return fullest_front(libraries)


def fullest_front(libraries: Sequence[MpiLibrary]) -> Front:
    """Return the fullest front that is built and of whose procedures all the given libraries have all."""
    paths = tuple(library.path for library in libraries)
    sonames = ", ".join(sorted({library.soname for library in libraries}))
    obstacle = ""
    for name, demands in DEMANDS.items():
        lacks = [
            f"{lib.soname} has no {demand}" for demand in demands for lib in libraries if demand not in lib.markers
        ]
        path = None if lacks else front_object(name)
        if path is not None:
            has = f"{sonames} {'has' if len(libraries) == 1 else 'have'} {demands[0]}" if demands else ""
            return Front(name.value, path, obstacle or has, paths)
        obstacle = lacks[0] if lacks else f"the front {name.value} is not built"
    raise AssertionError("the plain front asks for nothing")
