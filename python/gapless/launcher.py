"""Puts the layer into the environment of the ranks, in the way that each launcher wants it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Launcher(Enum):
    """How a launcher is told which environment its ranks get."""

    HYDRA = "hydra"
    OPEN_MPI = "openmpi"
    ENVIRONMENT = "environment"


LAUNCHER_NAMES = ("mpiexec", "mpirun", "orterun", "prterun")


def launcher_version(program: str) -> str:
    """Return what ``program --version`` prints, or an empty text if it prints nothing within ten seconds."""
    try:
        answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout + answer.stderr


def recognise(program: str, version: Callable[[str], str] = launcher_version) -> Launcher:
    """Say which launcher a command starts with.

    Parameters
    ----------
    program : str
        The first word of the user's command.
    version : callable
        Returns what ``program --version`` prints; asked only if the name is a launcher's.
    """
    name = Path(program).name
    if name.split(".")[0] not in LAUNCHER_NAMES or shutil.which(program) is None:
        return Launcher.ENVIRONMENT
    text = version(program)
    if "Open MPI" in text or "OpenRTE" in text or "PRRTE" in text:
        return Launcher.OPEN_MPI
    if "HYDRA" in text or "Intel(R) MPI Library" in text:
        return Launcher.HYDRA
    return Launcher.ENVIRONMENT


def joined_preload(ours: str, theirs: str | None) -> str:
    """Return an LD_PRELOAD value that keeps what the user already preloads, after the layer."""
    return f"{ours}:{theirs}" if theirs else ours


@dataclass(frozen=True)
class Launch:
    """A command and the environment to start it with."""

    command: list[str]
    environment: dict[str, str]


def put_under(
    command: Sequence[str],
    preload: str,
    settings: Mapping[str, str],
    environment: Mapping[str, str],
    launcher: Launcher,
) -> Launch:
    """Rewrite a command so that its ranks load the layer and see its settings.

    Parameters
    ----------
    command : sequence of str
        The user's command.
    preload : str
        The path of the preload object.
    settings : mapping
        The layer's settings for this run (GAPLESS_*); those already in the environment are passed on too.
    environment : mapping
        The environment that the user started us with.
    launcher : Launcher
        What the command starts with.
    """
    values = {name: value for name, value in environment.items() if name.startswith("GAPLESS_")} | dict(settings)
    preload = joined_preload(preload, environment.get("LD_PRELOAD"))
    started_with = {**environment, **settings}
    if launcher is Launcher.ENVIRONMENT:
        return Launch(list(command), {**started_with, "LD_PRELOAD": preload})
    if launcher is Launcher.HYDRA:
        rest = _prefix_hydra_preload(command[1:], preload)
        options = ["-genv", "LD_PRELOAD", preload]
        for name, value in values.items():
            options += ["-genv", name, value]
    else:
        rest, present = _prefix_open_mpi_preload(command[1:], preload)
        options = [] if present else ["-x", f"LD_PRELOAD={preload}"]
        for name, value in values.items():
            options += ["-x", f"{name}={value}"]
    return Launch([command[0], *options, *rest], started_with)


def _prefix_hydra_preload(arguments: Sequence[str], preload: str) -> list[str]:
    """Put the layer before what the user preloads with -genv or -env (a later option would replace ours)."""
    result = list(arguments)
    for i in range(len(result) - 2):
        if result[i] in ("-genv", "-env", "--genv", "--env") and result[i + 1] == "LD_PRELOAD":
            result[i + 2] = joined_preload(preload, result[i + 2])
    return result


def _prefix_open_mpi_preload(arguments: Sequence[str], preload: str) -> tuple[list[str], bool]:
    """Put the layer before what the user preloads with -x; say whether there was such an option."""
    result, present = list(arguments), False
    for i in range(len(result) - 1):
        if result[i] in ("-x", "--x") and result[i + 1].split("=", 1)[0] == "LD_PRELOAD":
            _, _, theirs = result[i + 1].partition("=")
            result[i + 1] = f"LD_PRELOAD={joined_preload(preload, theirs)}"
            present = True
    return result, present


def ranks_program(command: Sequence[str], launcher: Launcher) -> Path | None:
    """Return the program that the ranks run, if it can be told: the first word that is an executable file.

    Parameters
    ----------
    command : sequence of str
        The user's command.
    launcher : Launcher
        What it starts with; a launcher's own name is skipped.
    """
    words = command if launcher is Launcher.ENVIRONMENT else command[1:]
    for word in words:
        found = shutil.which(word)
        if found and os.path.isfile(found):
            return Path(found)
    return None
