"""The MPI libraries that the layer is measured on: their programs, their launchers, and the environment they want."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gapless.compiled import is_compilable
from gapless.errors import GaplessError
from gapless.paths import REPOSITORY, Build, build_folder, uses_installed
from gapless.targets.rivals import INSTALLED

NAMES = ("mpich", "openmpi", "intel")
PREFIXES = {"openmpi": INSTALLED / "openmpi", "intel": INSTALLED / "impi"}
RANKS = "{ranks}"
# Unbound, as the others are; within one node, as rivals.py has it.
INTEL_SETTINGS = {"I_MPI_FABRICS": "shm", "I_MPI_PIN": "off"}


@dataclass(frozen=True)
class Library(Build):
    """A build, and one of the MPI libraries that its programs run on.

    Attributes
    ----------
    name : str
        mpich, openmpi or intel; the family, where the user named a prefix.
    abi : str
        Which of the built programs run on it: mpich or openmpi.
    options : tuple of str
        Of the launcher.
    environment : mapping
        What the launcher and the ranks need.
    launcher : tuple of str
        The words that start ranks, `{ranks}` where their number goes (without it, ``-n`` and the number follow). Empty:
        the library's own mpiexec with `options`.
    namespace : Path, optional
        The network namespace of the launcher, if it is not ours.
    """

    name: str = "mpich"
    abi: str = "mpich"
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    launcher: tuple[str, ...] = ()
    namespace: Path | None = None

    def program(self, relative: str) -> Path:
        """Return a built program; ``lab/exchange`` is ``lab/openmpi/exchange`` for Open MPI."""
        path = Path(relative)
        if self.abi != "mpich" and path.parts[0] in ("lab", "bench", "tests", "examples"):
            own = str(path.parent / self.abi / path.name)
            if self._has(own) or not self._has(relative):
                return super().program(own)
        return super().program(relative)

    def _has(self, relative: str) -> bool:
        return (self.folder / relative).exists() or is_compilable(self.folder, relative)

    @property
    def probe_command(self) -> list[str]:
        """What two ranks run to tell whether MPI and the layer work."""
        return [str(super().program(f"lab/{self.abi}/doctor_probe"))]

    @property
    def backend(self) -> Path:
        """The layer's backend for this library's ABI, if it is built."""
        return build_folder() / "src" / "preload" / f"libgapless_be_{self.abi}.so"

    @property
    def settings(self) -> Mapping[str, str]:
        """What the environment must say for this MPI."""
        return self.environment

    @property
    def network(self) -> Path | None:
        """Where the ranks can reach us."""
        return self.namespace

    @property
    def mpiexec(self) -> Path:
        """What starts the ranks."""
        return Path(self.launcher[0]) if self.launcher else super().mpiexec

    def launch(self, ranks: int) -> list[str]:
        """Return how a command begins that starts so many ranks."""
        words = self.launcher or (str(self.mpiexec), *self.options)
        replaced = [word.replace(RANKS, str(ranks)) for word in words]
        return replaced if any(RANKS in word for word in words) else [*replaced, "-n", str(ranks)]


def open_mpi_options() -> tuple[str, ...]:
    """Return what Open MPI's launcher is told, to be like the others: unbound, on few cores too, and as root."""
    root = ("--allow-run-as-root",) if os.geteuid() == 0 else ()
    return (*root, "--oversubscribe", "--bind-to", "none")


def intel_fabric(prefix: Path) -> dict[str, str]:
    """Return where Intel MPI finds libfabric: tools/rivals.sh installs it without one, and MPICH's wheel has one."""
    if any(list(prefix.glob(f"{place}/**/libfabric.so*")) for place in ("lib", "libfabric", "opt/mpi/libfabric")):
        return {}
    wheel = REPOSITORY / ".venv" / "lib" / "mpich" / "libfabric.so.1"
    return {"I_MPI_OFI_LIBRARY": str(wheel)} if wheel.is_file() else {}


def is_intel(prefix: Path) -> bool:
    """Say whether the MPI below a prefix is Intel's."""
    return (prefix / "bin" / "impi_info").exists()


def _family(prefix: Path) -> str:
    """Return whose MPI lies below a prefix."""
    if not (prefix / "bin").is_dir():
        raise GaplessError(f"no MPI in {prefix}", f"name a prefix with bin/mpiexec, or one of {', '.join(NAMES)}")
    if any((prefix / "bin" / tool).exists() for tool in ("ompi_info", "prterun", "orterun")):
        return "openmpi"
    return "intel" if is_intel(prefix) else "mpich"


def find_library(mpi: str | None = None) -> Library:
    """Find a library by name, or by the prefix that it was installed into, and the build whose programs it runs.

    Parameters
    ----------
    mpi : str, optional
        mpich (default: the one that was built for), openmpi, intel, or a prefix. Where pip brought the programs: any
        library of this machine (`installed_library`).
    """
    if uses_installed():
        from gapless.targets.installed import installed_library  # which needs what is here

        return installed_library(mpi)
    build = Build.find()
    if mpi in (None, "mpich"):
        return Library(build.folder, build.mpi_root)
    prefix = PREFIXES.get(mpi, Path(mpi).expanduser())
    if mpi in PREFIXES and not prefix.is_dir():
        raise GaplessError(f"{mpi} is not installed", "run tools/rivals.sh")
    prefix = prefix.resolve()
    family = _family(prefix)
    if family == "openmpi":
        environment = {"OPAL_PREFIX": str(prefix)}
        return Library(build.folder, prefix, "openmpi", "openmpi", open_mpi_options(), environment)
    # The programs are linked with the build's own MPICH: the path of another one takes its place.
    environment = {"LD_LIBRARY_PATH": str(prefix / "lib")}
    if family == "intel":
        environment |= INTEL_SETTINGS
    elif prefix == build.mpi_root.resolve():
        environment = {}
    return Library(build.folder, prefix, family, "mpich", (), environment)


def build_for_prefix(prefix: Path | None) -> Build:
    """Return the build for an MPI, in a checkout one that was made for this prefix and no other."""
    return find_library(str(prefix) if prefix else None) if uses_installed() else Build.find(prefix)


def libraries(chosen: list[str] | None) -> list[Library]:
    """Return the chosen libraries, or all that are installed."""
    if chosen:
        return [find_library(mpi) for mpi in chosen]
    found = []
    for name in NAMES:
        try:
            found.append(find_library(name))
        except GaplessError:
            continue
    return found
