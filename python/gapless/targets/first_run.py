"""Runs a library before anything is measured: whether two ranks start, where, and whether the layer works there."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gapless.doctor.probe import judge, left_alone, read_result, run_layer
from gapless.errors import GaplessError
from gapless.launch.launcher import launcher_position, recognise
from gapless.launch.layer import without_layer
from gapless.launch.process import Ended, run_watched
from gapless.targets.libraries import Library

TIMEOUT_S = 30


@dataclass(frozen=True)
class FirstRun:
    """What was seen.

    Attributes
    ----------
    hosts : tuple of str
        Where two ranks ran, each name once.
    mpi_library : str
        What the library calls itself.
    one_node : bool
        Whether MPI says that the two ranks share memory (MPI_Comm_split_type).
    layer : bool
        Whether the layer works; `reason` says why it does not.
    """

    hosts: tuple[str, ...]
    mpi_library: str
    one_node: bool
    layer: bool
    reason: str = ""


def run_again_if_lost(command: Sequence[str], environment: Mapping[str, str]) -> Ended:
    """Run a short command; once more if it does not end, or if the launcher dies of its own pipes.

    Open MPI 5's daemons sometimes wait for one another for ever when they start: 2 of 200 launches on two nodes of a
    busy machine did, without any program of ours. MPICH's launcher was once ended by SIGPIPE, before any rank began.
    """
    ended = run_watched(command, environment, TIMEOUT_S)
    again = ended.late or ended.status == -signal.SIGPIPE
    return run_watched(command, environment, TIMEOUT_S) if again else ended


def _under_layer(library: Library, environment: dict[str, str]) -> tuple[str, dict[str, Any] | None]:
    """Run the probe under the layer; return why the layer does not work ("" if it does), and the probe's line."""
    command = [*library.launch(2), *library.probe_command]
    kind = recognise(command[launcher_position(command)])
    ended, result, ranks = run_layer(command, kind, library.preload, environment, TIMEOUT_S)
    if ended.late:
        ended, result, ranks = run_layer(command, kind, library.preload, environment, TIMEOUT_S)
    verdict = judge(ended, result, left_alone(ranks), TIMEOUT_S)
    return verdict[0] if verdict else "", result


def _hosts(library: Library, environment: dict[str, str], name: str) -> tuple[str, ...]:
    """Ask two processes under the launcher for their host's name."""
    command = [*library.launch(2), "uname", "-n"]
    ended = run_again_if_lost(command, environment)
    rows = tuple(row.strip() for row in ended.output.splitlines() if row.strip())
    why = ended.failure(TIMEOUT_S) or (None if len(rows) >= 2 else f"{len(rows)} of 2 processes answered")
    if why:
        raise GaplessError(
            f"{name}: the launcher does not start two processes ({why})", f"try '{shlex.join(command)}' by hand"
        )
    return tuple(dict.fromkeys(rows))


def first_run(library: Library, name: str) -> FirstRun:
    """Start two ranks of a program that knows what must arrive, under the layer; two or three launches.

    Parameters
    ----------
    library : Library
        The library.
    name : str
        What the user calls it.

    Raises
    ------
    GaplessError
        If MPI itself does not work here, without the layer too.
    """
    environment = without_layer() | dict(library.settings)
    hosts = _hosts(library, environment, name)
    command = [*library.launch(2), *library.probe_command]
    reason = "" if library.backend.is_file() else f"the layer has no backend for its ABI ({library.abi}) here"
    if not reason:
        reason, result = _under_layer(library, environment)
        if not reason and result is not None:
            return FirstRun(hosts, result["library"].strip(), result["shared_memory"]["works"] is not None, True)
    plain = run_again_if_lost(command, environment)
    result = read_result(plain)
    why = plain.failure(TIMEOUT_S) or ("" if result else "the program printed no result")
    if why or result is None:
        raise GaplessError(
            f"{name}: two ranks do not work, without the layer too ({why})", f"try '{shlex.join(command)}' by hand"
        )
    return FirstRun(hosts, result["library"].strip(), result["shared_memory"]["works"] is not None, False, reason)
