"""`gapless doctor`: does the layer work under each MPI library of this machine, told by running it."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gapless import __version__
from gapless.doctor import machine
from gapless.doctor.probe import Probed, probe
from gapless.errors import GaplessError
from gapless.launch.fronts import DEMANDS, front_object, fullest_front
from gapless.launch.installations import Installation, installations
from gapless.launch.mpi_library import LARGE_COUNT
from gapless.paths import preload_object

SCHEMA = 1


@dataclass(frozen=True)
class Diagnosis:
    """Everything that was found out."""

    libraries: list[tuple[Installation, Probed]]
    shared_memory: machine.Check
    shared_bytes: int
    free_bytes: int
    attach: machine.Check
    isa: dict[str, Any]
    preload: Path

    @property
    def works(self) -> bool:
        """Whether the layer works under a library at least, and under all that could be tried."""
        tried = [probed.works for _, probed in self.libraries if probed.works is not None]
        return bool(tried) and all(tried)

    def todo(self) -> list[str]:
        """Return what to do about each no, the libraries first."""
        lines = []
        for installation, probed in self.libraries:
            lines += [f"{installation.library.path}: {line}" for line in probed.todo]
        old = [str(i.library.path) for i, _ in self.libraries if not i.library.large_counts]
        if old:
            lines.append(
                f"{', '.join(old)}: no {LARGE_COUNT}: 'gapless run' takes the plain front there by itself; "
                "counts beyond 2147483647 need a library that has it, such as MPICH 4"
            )
        if not self.libraries:
            lines.append(
                "no MPI library was found: install one (python3 -m pip install mpich), put its mpiexec on PATH, "
                "or name where it is with --mpi PREFIX"
            )
        lines += [
            f"libgapless_preload_{name.value}.so is not built: run 'make build'"
            for name in DEMANDS
            if front_object(name) is None
        ]
        if self.shared_memory.todo:
            lines.append(f"shared memory: {self.shared_memory.todo}")
        if self.attach.works is False:
            lines.append(f"CMA: {self.attach.todo}")
        if os.environ.get("GAPLESS_DISABLE", "") not in ("", "0"):
            lines.append("GAPLESS_DISABLE is set in this shell, so no run is accelerated: unset GAPLESS_DISABLE")
        return lines

    def as_json(self) -> dict[str, Any]:
        """Return the diagnosis for scripts."""
        return {
            "schema": SCHEMA,
            "kind": "doctor",
            "gapless": __version__,
            "host": socket.gethostname(),
            "works": self.works,
            "preload": {name.value: str(path) if (path := front_object(name)) else None for name in DEMANDS},
            "isa": self.isa,
            "shared_memory": {
                "works": self.shared_memory.works,
                "reason": self.shared_memory.reason,
                "bytes": self.shared_bytes,
                "free_bytes": self.free_bytes,
            },
            "cma": {
                "works": self.attach.works,
                "reason": self.attach.reason,
                "ptrace_scope": machine.ptrace_scope(),
                "seccomp": machine.seccomp_mode(),
            },
            "libraries": [
                {
                    "path": str(installation.library.path),
                    "soname": installation.library.soname,
                    "abi": installation.library.abi,
                    "large_counts": installation.library.large_counts,
                    "launcher": str(installation.launcher) if installation.launcher else None,
                    **probed.as_json(),
                }
                for installation, probed in self.libraries
            ],
            "todo": self.todo(),
        }


def diagnose(named: Path | None, timeout_s: float, announce: Any = lambda text: None) -> Diagnosis:
    """Look at the machine, and run the layer under every MPI library found: seconds for each.

    Parameters
    ----------
    named : Path or None
        A prefix to look below besides those that are known.
    timeout_s : float
        How long a launch may take.
    announce : callable
        Called with the name of what is tried next.

    Raises
    ------
    GaplessError
        If the layer is not built, or if there is no MPI library below `named`.
    """
    front = preload_object()
    found = installations(os.environ, named)
    if named is not None and not any(named.expanduser().resolve() in i.library.path.parents for i in found):
        raise GaplessError(f"no MPI library is below {named}", "name the prefix that it was installed into")
    libraries = []
    for installation in found:
        announce(str(installation.library.path))
        libraries.append((installation, probe(installation, fullest_front([installation.library]).path, timeout_s)))
    announce("this machine")
    shared, size, free = machine.shared_memory()
    return Diagnosis(libraries, shared, size, free, machine.cross_memory_attach(), machine.instruction_sets(), front)


def write_json(diagnosis: Diagnosis) -> str:
    """Return the diagnosis as JSON text."""
    return json.dumps(diagnosis.as_json(), indent=1, ensure_ascii=False)


def broken(libraries: Sequence[tuple[Installation, Probed]]) -> int:
    """Return under how many libraries the layer was tried and does not work."""
    return sum(probed.works is False for _, probed in libraries)
