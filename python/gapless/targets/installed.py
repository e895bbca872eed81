"""MPI libraries of this machine for the measuring programs that pip brought: no compiler, no checkout.

The programs were linked with a library of the same ABI; the loader finds the user's in its place.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gapless import doctor
from gapless.errors import GaplessError
from gapless.launch.installations import find_launcher, installations
from gapless.launch.launcher import Launcher
from gapless.launch.mpi_library import MPICH, OPEN_MPI, MpiLibrary, libraries_in, library_folders, mpi_library
from gapless.launch.rules import user_cache
from gapless.paths import INSTALLED, preload_object
from gapless.targets.libraries import INTEL_SETTINGS, NAMES, Library, open_mpi_options

# What the programs of an ABI ask the loader for.
SONAMES = {MPICH: "libmpi.so.12", OPEN_MPI: "libmpi.so.40"}
SEE = "'gapless doctor' shows what there is; 'pip install mpich' brings one"


@dataclass(frozen=True)
class InstalledLibrary(Library):
    """A library of this machine, and the programs that pip brought.

    Attributes
    ----------
    file : Path
        The library's shared object.
    """

    file: Path = Path()

    @property
    def probe_command(self) -> list[str]:
        """What two ranks run to tell whether MPI and the layer work."""
        rank = Path(doctor.__file__).with_name("rank.py")
        return [sys.executable, "-I", str(rank), str(self.file), str(INSTALLED / self.abi / "doctor_probe.so")]

    @property
    def preload(self) -> Path:
        """The layer's preload object."""
        return preload_object()

    @property
    def backend(self) -> Path:
        """The layer's backend for this library's ABI."""
        return self.preload.with_name(f"libgapless_be_{self.abi}.so")


def _prefix(library: MpiLibrary) -> Path:
    """Return where a library is installed: its programs are in ``bin`` there, its own file somewhere below ``lib``."""
    above = list(library.path.parents)[1:4]
    return next((folder for folder in above if (folder / "bin").is_dir()), above[0])


def _family(library: MpiLibrary) -> str:
    if library.abi == OPEN_MPI:
        return "openmpi"
    return "intel" if (_prefix(library) / "bin" / "impi_info").exists() else "mpich"


def _loader_path(library: MpiLibrary) -> str:
    """Return the LD_LIBRARY_PATH with which a program of the library's ABI loads this very file.

    Where the file has another name than programs ask for (Debian's libmpich.so.12), a link gives it that name.
    """
    folders, name = [library.path.parent], SONAMES[library.abi]
    if not (folders[0] / name).exists():
        links = user_cache() / "links" / str(library.path).strip("/").replace("/", "-")
        try:
            links.mkdir(parents=True, exist_ok=True)
            if not (links / name).exists():
                fresh = links / f".{name}.{os.getpid()}"
                fresh.symlink_to(library.path)
                fresh.replace(links / name)
        except OSError as error:
            raise GaplessError(
                f"cannot write to {links}: {error.strerror}", "set XDG_CACHE_HOME to a folder"
            ) from error
        folders.insert(0, links)
    return ":".join([*map(str, folders), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])


def library_of(found: MpiLibrary, launcher: Path | None) -> InstalledLibrary:
    """Return a library file of this machine as one that the measuring programs run on.

    Parameters
    ----------
    found : MpiLibrary
        The file.
    launcher : Path or None
        What starts its ranks; None if the user names that.
    """
    family, prefix = _family(found), _prefix(found)
    settings: Mapping[str, str] = {"LD_LIBRARY_PATH": _loader_path(found)}
    options: tuple[str, ...] = ()
    if family == "intel":
        settings = {**INTEL_SETTINGS, **settings}
    elif family == "openmpi":
        options = open_mpi_options()
    return InstalledLibrary(
        INSTALLED, prefix, family, found.abi, options, settings, (str(launcher), *options) if launcher else (),
        file=found.path,
    )  # fmt: skip


def _at(path: Path) -> tuple[MpiLibrary, Path | None]:
    """Return the library at a place that the user named, and its launcher: a prefix, or the library's own file."""
    if path.is_dir():
        among = [one for one in libraries_in(library_folders(path)) if one.abi in SONAMES]
    else:
        file = mpi_library(path)
        among = [file] if file and file.abi in SONAMES else []
    if not among:
        raise GaplessError(f"no MPI library is in {path}", f"name the prefix of one, or {', '.join(NAMES)}; {SEE}")
    library = among[0]
    kind = Launcher.OPEN_MPI if library.abi == OPEN_MPI else Launcher.HYDRA
    near = [folder / "bin" for folder in ([path] if path.is_dir() else []) + list(library.path.parents)[1:4]]
    return library, find_launcher(kind, near)


def installed_library(mpi: str | None = None) -> InstalledLibrary:
    """Find a library of this machine.

    Parameters
    ----------
    mpi : str, optional
        mpich, openmpi or intel: the first of that family; a prefix, or the path of a library file. Default: that whose
        launcher is the first on PATH, else that of this Python's environment, else the system's.

    Raises
    ------
    GaplessError
        If there is none, or none of its launchers is here.
    """
    if not (INSTALLED / "lab").is_dir():
        raise GaplessError(
            "this package was built without the measuring programs",
            "install a wheel, or build it where nlohmann_json and CLI11 are (Debian: nlohmann-json3-dev, libcli11-dev)",
        )
    if mpi is not None and mpi not in NAMES:
        library, launcher = _at(Path(mpi).expanduser())
        if launcher is None:
            raise GaplessError(
                f"no mpiexec that fits {library.path} is beside it or on PATH",
                "name it: --launcher '/path/to/mpiexec -n {ranks}'",
            )
        return library_of(library, launcher)
    for one in installations():
        if one.launcher and one.library.abi in SONAMES and mpi in (None, _family(one.library)):
            return library_of(one.library, one.launcher)
    raise GaplessError(
        f"no {mpi or 'MPI library'} with its mpiexec is found on this machine",
        f"install one, or name its prefix; {SEE}",
    )
