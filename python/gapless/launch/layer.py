"""Puts the layer into the environment of the ranks and of nothing else, in the way that each launcher wants it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gapless.launch.launcher import (
    Launcher,
    assigned,
    hydra_settings,
    launcher_position,
    program_position,
    split_programs,
)
from gapless.launch.preloadable import preloadable

OPEN_MPI_LIST = "mca_base_env_list"
SECRETS = ("GAPLESS_ROLL_CALL",)
"""Settings that stand on no command line, which all users of a machine can read: launchers pass them on by name."""


@dataclass(frozen=True)
class Launch:
    """A command and the environment to start it with."""

    command: list[str]
    environment: dict[str, str]


def without_layer() -> dict[str, str]:
    """Return our environment without what would change a measurement: the layer's settings and its preload."""
    return {
        name: value for name, value in os.environ.items() if name != "LD_PRELOAD" and not name.startswith("GAPLESS_")
    }


def joined_preload(ours: str, theirs: str | None) -> str:
    """Return an LD_PRELOAD value that keeps what the user already preloads, after the layer."""
    return f"{preloadable(ours)}:{theirs}" if theirs else preloadable(ours)


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
        What the command starts with, behind wrappers such as ``env`` and ``timeout``.
    """
    at = launcher_position(command)
    before, name = list(command[:at]), command[at]
    seen = {**environment, **assigned(before)}
    everything = {name: value for name, value in seen.items() if name.startswith("GAPLESS_")} | dict(settings)
    values = {name: None if name in SECRETS else value for name, value in everything.items()}
    started_with = {**environment, **settings}
    joined = joined_preload(preload, seen.get("LD_PRELOAD"))
    if launcher is Launcher.ENVIRONMENT:
        before = [f"LD_PRELOAD={joined}" if word.startswith("LD_PRELOAD=") else word for word in before]
        return Launch([*before, *command[at:]], {**started_with, "LD_PRELOAD": joined})
    parts = split_programs(command[at + 1 :], launcher)
    if launcher is Launcher.HYDRA:
        parts = _hydra(parts, preload, joined, values)
    elif launcher is Launcher.SLURM:
        parts = [_slurm(part, preload, joined, values, seen.get("SLURM_EXPORT_ENV")) for part in parts]
    elif _open_mpi_uses_list(parts, seen):
        parts = [_open_mpi_list_option(part, joined, values) for part in parts]
        variable = f"OMPI_MCA_{OPEN_MPI_LIST}"
        theirs = seen.get(variable)
        started_with[variable] = (f"{theirs};" if theirs else "") + _open_mpi_list(joined, values)
        before = [word for word in before if not word.startswith(f"{variable}=")]
    else:
        parts = [_open_mpi(part, preload, joined, values) for part in parts]
    words: list[str] = []
    for part in parts:
        words += [":", *part] if words else part
    return Launch([*before, name, *words], started_with)


def _hydra(parts: list[list[str]], preload: str, joined: str, values: Mapping[str, str | None]) -> list[list[str]]:
    """Set the variables for all programs; put the layer before what the user preloads (a later option replaces ours).

    What is secret is in the launcher's own environment, all of which ranks get unless the user lists what they get.
    Intel MPI drops -genv where a program has -envnone or -envlist, but not -env.
    """
    everything = {"LD_PRELOAD": joined} | {name: value for name, value in values.items() if value is not None}
    secrets = [name for name, value in values.items() if value is None]
    result = []
    for part in parts:
        program = program_position(part, Launcher.HYDRA)
        options, rest = part[:program], part[program:]
        settings = hydra_settings(options)
        for one in settings:
            if one.name == "LD_PRELOAD":
                value = joined_preload(preload, one.value)
                options[one.at] = f"LD_PRELOAD={value}" if one.in_one_word else value
        for i in range(len(options) - 1):
            if options[i].lstrip("-") in ("genvlist", "envlist"):
                options[i + 1] = ",".join([options[i + 1], *secrets])
        if any(option.lstrip("-") in ("envnone", "envlist") for option in options):
            present = {one.name for one in settings if not one.everywhere}
            absent = [(name, value) for name, value in everything.items() if name not in present]
            options[:0] = [word for name, value in absent for word in ("-env", name, value)]
        result.append([*options, *rest])
    common = [word for name, value in everything.items() for word in ("-genv", name, value)]
    return [[*common, *result[0]], *result[1:]]


def _open_mpi(part: list[str], preload: str, joined: str, values: Mapping[str, str | None]) -> list[str]:
    """Set the variables for one program: Open MPI 4 forgets them at the next colon."""
    program = program_position(part, Launcher.OPEN_MPI)
    options, rest = part[:program], part[program:]
    present = False
    for i in range(len(options) - 1):
        if options[i] in ("-x", "--x") and options[i + 1].split("=", 1)[0] == "LD_PRELOAD":
            _, given, theirs = options[i + 1].partition("=")
            options[i + 1] = f"LD_PRELOAD={joined_preload(preload, theirs) if given else joined}"
            present = True
    ours = [] if present else ["-x", f"LD_PRELOAD={joined}"]
    for name, value in values.items():
        ours += ["-x", _assignment(name, value)]
    return [*ours, *options, *rest]


def _open_mpi_uses_list(parts: Sequence[Sequence[str]], environment: Mapping[str, str]) -> bool:
    """Say whether -x cannot be used: Open MPI 4 refuses it beside the list, and drops it before a file of programs."""
    if f"OMPI_MCA_{OPEN_MPI_LIST}" in environment:
        return True
    options = [word for part in parts for word in part[: program_position(part, Launcher.OPEN_MPI)]]
    return any(word == OPEN_MPI_LIST or word.lstrip("-") == "app" for word in options)


def _assignment(name: str, value: str | None) -> str:
    """Return what sets a variable; by its name alone, a launcher takes it from its own environment."""
    return name if value is None else f"{name}={value}"


def _open_mpi_list(joined: str, values: Mapping[str, str | None]) -> str:
    return ";".join(_assignment(name, value) for name, value in {"LD_PRELOAD": joined, **values}.items())


def _open_mpi_list_option(part: list[str], joined: str, values: Mapping[str, str | None]) -> list[str]:
    """Extend the list where it is an option, which wins over the environment."""
    result = list(part)
    for i in range(program_position(part, Launcher.OPEN_MPI) - 1):
        if result[i] == OPEN_MPI_LIST:
            result[i + 1] = f"{result[i + 1]};{_open_mpi_list(joined, values)}"
    return result


def _slurm(
    part: list[str], preload: str, joined: str, values: Mapping[str, str | None], inherited: str | None
) -> list[str]:
    """Name the variables in --export; what the user exports stays. An export of NONE or NIL becomes one of ours only.

    A value with a comma is quoted, as srun asks for.
    """
    program = program_position(part, Launcher.SLURM)
    options, rest = part[:program], part[program:]
    exported, kept = inherited or "ALL", []
    words = iter(options)
    for option in words:
        if option.startswith("--export="):
            exported = option.partition("=")[2]
        elif option == "--export":
            exported = next(words, exported)
        else:
            kept.append(option)
    theirs = [] if exported.upper() in ("NONE", "NIL") else exported.split(",")
    for tool in [item for item in theirs if item.startswith("LD_PRELOAD=")]:
        theirs.remove(tool)
        joined = joined_preload(preload, tool.partition("=")[2])
    ours = [
        f"{name}='{value}'" if value is not None and "," in value else _assignment(name, value)
        for name, value in {"LD_PRELOAD": joined, **values}.items()
    ]
    return [f"--export={','.join([*theirs, *ours])}", *kept, *rest]
