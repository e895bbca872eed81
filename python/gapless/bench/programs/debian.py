"""Debian's packages, unpacked below build/programs/debian without root, and the two MPI libraries among them."""

from __future__ import annotations

import os
from pathlib import Path

from gapless.errors import GaplessError
from gapless.paths import REPOSITORY, Build
from gapless.targets.libraries import Library, open_mpi_options
from gapless.targets.on_demand import Say, run_tool

TREE = REPOSITORY / "build" / "programs" / "debian"
MPICH, OPEN_MPI = "debian-mpich", "debian-openmpi"
LIBRARIES = (MPICH, OPEN_MPI)


def install_debian(say: Say) -> None:
    """Download and unpack the packages unless they are there.

    Raises
    ------
    GaplessError
        If this is no Debian, or the packages cannot be had.
    """
    if not list(TREE.glob(".stamp-*")):
        say(f"Debian's packages are not there: unpacking them into {TREE} (tools/programs.sh debian), some 90 MB")
    run_tool(
        [str(REPOSITORY / "tools" / "programs.sh"), "debian"],
        REPOSITORY / "build" / "install-programs-debian.log",
        "fetching Debian's packages",
        "try 'tools/programs.sh debian' on Debian 12 with a network; 'apt-get update' (as root) renews its lists",
    )


def _folder(pattern: str) -> Path:
    """Return a folder of the tree whose name has the machine or a version in it."""
    found = sorted(TREE.glob(pattern))
    if not found:
        raise GaplessError(f"{TREE} holds no {pattern}", "remove that folder: the next run fetches it again")
    return found[-1]


def _library_path() -> str:
    """Return where the tree has libraries; Debian's alternatives are links that only an installation makes."""
    system = _folder("usr/lib/*-linux-gnu")
    folders = [system, *(system / name for name in ("blas", "lapack", "openmpi/lib")), TREE / "lib" / system.name]
    return os.pathsep.join(str(folder) for folder in folders)


def debian_library(name: str) -> Library:
    """Return one of Debian's MPI libraries in the tree."""
    build, settings = Build.find(), {"LD_LIBRARY_PATH": _library_path()}
    programs = TREE / "usr" / "bin"
    if name == MPICH:
        return Library(build.folder, TREE / "usr", name, "mpich", (), settings, (str(programs / "mpiexec.mpich"),))
    system = _folder("usr/lib/*-linux-gnu")
    moved = {
        "PREFIX": TREE / "usr", "BINDIR": programs, "LIBDIR": system / "openmpi" / "lib",
        "PKGLIBDIR": system / "openmpi" / "lib" / "openmpi3", "DATADIR": TREE / "usr" / "share",
        "PKGDATADIR": TREE / "usr" / "share" / "openmpi", "SYSCONFDIR": TREE / "etc" / "openmpi",
    }  # fmt: skip
    settings |= {f"OPAL_{what}": str(path) for what, path in moved.items()}
    # Within one node, and silent on the drivers of networks that are not here.
    settings |= {"OMPI_MCA_btl": "^ofi,openib,usnic", "OMPI_MCA_mca_base_component_show_load_errors": "0"}
    words = (str(programs / "mpirun.openmpi"), *open_mpi_options())
    return Library(build.folder, TREE / "usr", name, "openmpi", (), settings, words)


def tests_folder(library: Library) -> Path:
    """Return where ScaLAPACK's testers for a library are."""
    return _folder(f"usr/lib/*-linux-gnu/scalapack/{library.abi}-tests")


def petsc_python_path() -> str:
    """Return where Debian's Python finds petsc4py and NumPy."""
    folders = [_folder("usr/lib/petscdir/*/*-real/lib/python3/dist-packages"), TREE / "usr/lib/python3/dist-packages"]
    return os.pathsep.join(str(folder) for folder in folders)
