"""Programs under the layer on each MPI library, without `gapless run`: for tests of how processes find each other."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Compiler
from gapless.errors import GaplessError
from gapless.launch.fronts import FrontName, choose_front
from gapless.launch.launcher import recognise
from gapless.launch.layer import Launch, put_under, without_layer
from gapless.targets.libraries import NAMES, Library, find_library

LOGS = {"GAPLESS_LOG": "1"}
TIMEOUT_S = 60


@dataclass(frozen=True)
class Layered:
    """A library, and how programs are compiled for it."""

    library: Library
    compile_c: Compiler
    plain: bool = True
    """By the front that fits every library; or by the one that `gapless run` takes."""

    def program(self, name: str, source: str) -> Path:
        """Compile a program in C."""
        if self.library.abi == "mpich":
            return self.compile_c(name, source)
        prefix = self.library.mpi_root
        link = [f"-I{prefix}/include", f"{prefix}/lib/libmpi.so.40", f"-Wl,-rpath,{prefix}/lib"]
        return self.compile_c(f"{name}_{self.library.name}", source, *link, mpi=False)

    def launch(self, ranks: int, command: Sequence[object], settings: Mapping[str, str]) -> Launch:
        """Return the command that runs a program under the layer."""
        launched = [*self.library.launch(ranks), *map(str, command)]
        environment, launcher = without_layer() | dict(self.library.settings), recognise(launched[0])
        name = FrontName.PLAIN if self.plain else FrontName.AUTO
        front = choose_front(name, launched, launcher, environment).path
        return put_under(launched, str(front), settings, environment, launcher)

    def run(
        self,
        ranks: int,
        command: Sequence[object],
        settings: Mapping[str, str] | None = None,
        first: Sequence[str] = (),
    ) -> subprocess.CompletedProcess[str]:
        """Run a program to its end; `first`: words before the launcher."""
        launch = self.launch(ranks, command, LOGS if settings is None else settings)
        return subprocess.run(
            [*first, *launch.command], env=launch.environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=TIMEOUT_S, check=False,
        )  # fmt: skip


def find_layered(name: str, compile_c: Compiler) -> Layered:
    """Find a library, or skip the test."""
    try:
        library = find_library(name)
    except GaplessError as error:
        pytest.skip(str(error))
    if not (library.folder / f"src/preload/libgapless_be_{library.abi}.so").is_file():
        pytest.skip(f"the build has no backend for {library.abi}")
    return Layered(library, compile_c)


def needs_namespaces() -> None:
    """Skip the test where no namespace can be made."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-mn", "true"], capture_output=True).returncode != 0:
        pytest.skip("namespaces take root and the right to make them")


__all__ = ["NAMES", "Layered", "find_layered", "needs_namespaces"]


def ways_counted(stats: Path) -> dict[str, int]:
    """Return what the processes of a run have counted of the ways, together, in the file of GAPLESS_STATS."""
    counts: dict[str, int] = {}
    for line in stats.read_text().splitlines():
        for name, n in json.loads(line)["stats"]["shared_memory"].get("ways", {}).items():
            counts[name] = counts.get(name, 0) + n
    return counts
