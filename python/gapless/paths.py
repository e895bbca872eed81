"""Where the built pieces are: the layer, the lab, the examples, and the MPI that they were built for."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gapless.compiled import compile_program, is_compilable, ninja
from gapless.errors import GaplessError

REPOSITORY = Path(__file__).resolve().parents[2]
PRELOAD_NAME = "libgapless_preload.so"
ENGINE_NAME = "libgapless.so"
# Where the package was installed by pip: the layer, the doctor's programs in a folder for each ABI, and the measuring
# programs in folders as those of a build.
INSTALLED = Path(__file__).parent / "lib"
# What pip does not bring: the programs of `gapless bench`, and what a checkout's tools install.
NOT_IN_PIP = "not part of what 'pip install' brings (the engine, the layer, and what measures with them)"
AFTER_PIP = (
    "run 'make build ALL=1' in a checkout of Gapless, and then its .venv/bin/gapless, or this command with "
    "GAPLESS_BUILD_DIR=CHECKOUT/build/release"
)


def _cached_mpi_root(build: Path) -> Path | None:
    """Return the MPI prefix that a build folder was configured for."""
    try:
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    match = re.search(r"^GAPLESS_MPI_ROOT:\w+=(.*)$", cache, re.MULTILINE)
    return Path(match[1]) if match else None


@dataclass(frozen=True)
class Build:
    """One build folder and the MPI prefix it was configured for."""

    folder: Path
    mpi_root: Path

    @classmethod
    def find(cls, mpi: Path | None = None) -> Build:
        """Find the build for an MPI prefix (default: build/release, for the MPI in .venv).

        The environment variable GAPLESS_BUILD_DIR names another build folder.

        Parameters
        ----------
        mpi : Path, optional
            The prefix that the MPI was installed into.
        """
        named = os.environ.get("GAPLESS_BUILD_DIR")
        if mpi is None:
            folder = Path(named) if named else REPOSITORY / "build" / "release"
            root = _cached_mpi_root(folder)
            if root is None:
                if uses_installed():
                    raise GaplessError(f"what this command runs is {NOT_IN_PIP}", AFTER_PIP)
                raise GaplessError(f"nothing is built in {folder}", "run 'make build' in the Gapless folder first")
            return cls(folder, root)
        wanted = mpi.expanduser().resolve()
        folders = [Path(named)] if named else sorted((REPOSITORY / "build").glob("release*"))
        for folder in folders:
            root = _cached_mpi_root(folder)
            if root is not None and root.resolve() == wanted:
                return cls(folder, root)
        raise GaplessError(f"nothing is built for the MPI in {mpi}", f"run 'make build MPI={mpi}' first")

    def program(self, relative: str) -> Path:
        """Return a program, for example ``lab/exchange``; in a checkout it is compiled if need be.

        A folder that GAPLESS_BUILD_DIR names is the user's, and stays as it is.
        """
        path = self.folder / relative
        if not os.access(path, os.X_OK):
            if self.folder == INSTALLED:
                raise GaplessError(f"{relative} is {NOT_IN_PIP}", AFTER_PIP)
            if not is_compilable(self.folder, relative):
                raise GaplessError(
                    f"{path} is not there", "run 'make build' and look for a skipped part in what it prints"
                )
            if os.environ.get("GAPLESS_BUILD_DIR"):
                raise GaplessError(f"{path} is not built", f"run '{' '.join(ninja(self.folder, relative))}'")
            compile_program(self.folder, relative)
        return path

    def require(self, *programs: str) -> None:
        """Fail early unless the layer, the launcher and these programs are all there."""
        _ = self.preload, self.mpiexec
        for program in programs:
            self.program(program)

    @property
    def settings(self) -> Mapping[str, str]:
        """What the environment must say for this MPI's programs and launcher; nothing for the build's own."""
        return {}

    @property
    def network(self) -> Path | None:
        """The network namespace in which ranks can reach us; None: our own."""
        return None

    def launch(self, ranks: int) -> list[str]:
        """Return how a command begins that starts so many ranks."""
        return [str(self.mpiexec), "-n", str(ranks)]

    @property
    def mpiexec(self) -> Path:
        """The launcher of the MPI that this build is for."""
        for name in ("mpiexec.hydra", "mpiexec"):
            path = self.mpi_root / "bin" / name
            if os.access(path, os.X_OK):
                return path
        raise GaplessError(f"no mpiexec in {self.mpi_root}/bin", "name the prefix of a complete MPI with --mpi")

    @property
    def preload(self) -> Path:
        """The layer's preload object in this build folder."""
        return self.program(f"src/preload/{PRELOAD_NAME}")


def is_installed() -> bool:
    """Say whether pip put this package here, with the extension beside it: then there is no checkout around it."""
    return any(Path(__file__).parent.glob("_engine.*so"))


def uses_installed() -> bool:
    """Say whether what pip put here is used; GAPLESS_BUILD_DIR leads to a checkout's build instead."""
    return is_installed() and not os.environ.get("GAPLESS_BUILD_DIR")


def build_folder() -> Path:
    """Return the build folder: the one that GAPLESS_BUILD_DIR names, or build/release of this checkout."""
    return Path(os.environ.get("GAPLESS_BUILD_DIR") or REPOSITORY / "build" / "release")


def _built_library(name: str, folder: str, what: str) -> Path:
    """Return a library: from the folder that GAPLESS_LIBDIR names, where pip put it, or from this checkout's build."""
    libdir = os.environ.get("GAPLESS_LIBDIR")
    if libdir:
        path = Path(libdir) / name
        if path.is_file():
            return path.resolve()
        raise GaplessError(f"GAPLESS_LIBDIR={libdir} holds no {name}", "correct it, or unset it")
    path = (INSTALLED if uses_installed() else build_folder() / folder) / name
    if path.is_file():
        return path.resolve()
    if uses_installed():
        raise GaplessError(f"{what} ({name}) is not in {INSTALLED}", "install the package again")
    raise GaplessError(
        f"{what} ({name}) is not in {path.parent}",
        "run 'make build' in the Gapless folder, or name the folder it is in with GAPLESS_LIBDIR",
    )


def preload_object() -> Path:
    """Return the layer's preload object."""
    return _built_library(PRELOAD_NAME, "src/preload", "the layer")


def other_preload_object(name: str) -> Path | None:
    """Return one of the layer's other preload objects, by its file's name, if it is built."""
    try:
        return _built_library(name, "src/preload", "the layer")
    except GaplessError:
        return None


def engine_library() -> Path:
    """Return the engine's shared library."""
    return _built_library(ENGINE_NAME, "src", "the engine")
