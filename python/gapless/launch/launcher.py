"""Reads a command as its launcher would: which launcher it is, what it starts, and with which settings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path


class Launcher(Enum):
    """How a launcher is told which environment its ranks get."""

    HYDRA = "hydra"
    OPEN_MPI = "openmpi"
    SLURM = "slurm"
    ENVIRONMENT = "environment"


LAUNCHER_NAMES = ("mpiexec", "mpirun", "orterun", "prterun")
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")


@dataclass(frozen=True)
class Wrapper:
    """A command that starts the command behind its own words."""

    valued: tuple[str, ...] = ()  # options whose value is the next word
    words: int = 0  # words of its own behind the options


WRAPPERS = {
    "catchsegv": Wrapper(),
    "chrt": Wrapper(("-T", "--sched-runtime", "-P", "--sched-period", "-D", "--sched-deadline"), words=1),
    "env": Wrapper(("-u", "--unset", "-C", "--chdir")),
    "flock": Wrapper(("-w", "--wait", "--timeout", "-E", "--conflict-exit-code"), words=1),
    "ionice": Wrapper(("-c", "--class", "-n", "--classdata")),
    "nice": Wrapper(("-n", "--adjustment")),
    "nohup": Wrapper(),
    "numactl": Wrapper((
        "-i", "--interleave", "-w", "--weighted-interleave", "-p", "--preferred", "-P", "--preferred-many", "-m",
        "--membind", "-N", "--cpunodebind", "-C", "--physcpubind",
    )),
    "prlimit": Wrapper(),
    "setsid": Wrapper(),
    "stdbuf": Wrapper(("-i", "--input", "-o", "--output", "-e", "--error")),
    "strace": Wrapper((
        "-a", "-b", "-e", "-E", "-I", "-o", "-O", "-P", "-s", "-S", "-u", "-U", "-X", "--trace", "--output", "--env",
    )),
    "taskset": Wrapper(words=1),
    "time": Wrapper(("-f", "--format", "-o", "--output")),
    "timeout": Wrapper(("-k", "--kill-after", "-s", "--signal"), words=1),
    "unbuffer": Wrapper(),
}  # fmt: skip


@lru_cache(maxsize=64)
def launcher_version(program: str) -> str:
    """Return what ``program --version`` prints, or an empty text if it prints nothing within ten seconds."""
    try:
        answer = subprocess.run(
            [program, "--version"], capture_output=True, text=True, errors="replace", timeout=10, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout + answer.stderr


def recognise(program: str, version: Callable[[str], str] = launcher_version) -> Launcher:
    """Say which launcher a program is.

    Parameters
    ----------
    program : str
        The launcher's word of the user's command.
    version : callable
        Returns what ``program --version`` prints; asked only if the name is a launcher's.
    """
    name = Path(program).name
    if name == "srun":
        return Launcher.SLURM
    stem = name.split(".")[0]
    if stem not in LAUNCHER_NAMES or shutil.which(program) is None:
        return Launcher.ENVIRONMENT
    text = version(program)
    if "Open MPI" in text or "OpenRTE" in text or "PRRTE" in text or stem in ("orterun", "prterun"):
        return Launcher.OPEN_MPI
    # mpiexec.gforker knows no --version; the usage that it prints instead names the option.
    if "HYDRA" in text or "Intel(R) MPI Library" in text or "-genv" in text:
        return Launcher.HYDRA
    return Launcher.ENVIRONMENT


def launcher_of(command: Sequence[str], environment: Mapping[str, str]) -> Launcher:
    """Return the launcher that a command starts with, found as the words before it will find it: ``env PATH=…``."""
    at = launcher_position(command)
    path = {**environment, **assigned(command[:at])}.get("PATH")
    return recognise(shutil.which(command[at], path=path) or command[at])


def launchers_on_path(environment: Mapping[str, str]) -> list[Path]:
    """Return the launchers in all folders of PATH, under every name that MPI installations and Debian give them."""
    found = []
    for folder in environment.get("PATH", os.defpath).split(":"):
        try:
            names = sorted(os.listdir(folder or "."))
        except OSError:
            continue
        files = [Path(folder) / name for name in names if name.split(".")[0] in LAUNCHER_NAMES]
        found += [file for file in files if file.is_file() and os.access(file, os.X_OK)]
    return found


def launcher_prefixes(path: Path) -> list[Path]:
    """Return where the MPI of a launcher may be installed: above the file, and above what a link leads to."""
    return list(dict.fromkeys(file.parent.parent for file in (path.absolute(), path.resolve())))


def launcher_position(command: Sequence[str]) -> int:
    """Return which word of a command is the launcher's, behind ``env A=b``, ``timeout 60`` and their like."""
    at = 0
    while at < len(command):
        name = Path(command[at]).name
        wrapper = WRAPPERS.get(name)
        if wrapper is None:
            return at
        at += 1
        while at < len(command) and command[at].startswith("-"):
            at += 2 if command[at] in wrapper.valued else 1
        at += wrapper.words
        while name == "env" and at < len(command) and ASSIGNMENT.match(command[at]):
            at += 1
    return 0


def assigned(words: Sequence[str]) -> dict[str, str]:
    """Return the variables that wrapper words like ``env A=b`` set."""
    return dict(word.split("=", 1) for word in words if ASSIGNMENT.match(word))  # type: ignore[misc]


def split_programs(words: Sequence[str], launcher: Launcher) -> list[list[str]]:
    """Split the words behind a launcher's name where it starts another program: at each colon that stands alone."""
    if launcher is Launcher.ENVIRONMENT:
        return [list(words)]
    parts: list[list[str]] = [[]]
    for word in words:
        if word == ":":
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


# Options whose values may be executable files or variables, with how many words they take; not the program.
VALUES = {
    Launcher.HYDRA: {
        "genv": 2, "env": 2, "genvlist": 1, "envlist": 1, "launcher": 1, "launcher-exec": 1, "bootstrap": 1,
        "bootstrap-exec": 1, "gtool": 1, "f": 1, "machinefile": 1, "hostfile": 1, "configfile": 1, "wdir": 1, "path": 1,
    },
    Launcher.OPEN_MPI: {
        "x": 1, "mca": 2, "gmca": 2, "prtemca": 2, "gprtemca": 2, "pmixmca": 2, "gpmixmca": 2, "launch-agent": 1,
        "hostfile": 1, "machinefile": 1, "default-hostfile": 1, "rankfile": 1, "rf": 1, "app": 1, "prefix": 1,
        "wdir": 1, "wd": 1, "path": 1,
    },
    Launcher.SLURM: {"export": 1, "chdir": 1, "D": 1, "task-prolog": 1, "task-epilog": 1, "prolog": 1, "epilog": 1},
    Launcher.ENVIRONMENT: {},
}  # fmt: skip


HYDRA_SETS = ("genv", "env")  # for all programs, for one; the next two words, or one: NAME=VALUE


@dataclass(frozen=True)
class HydraSetting:
    """A variable that an option of Hydra sets: the word with its value, and whether the name is in that word too."""

    name: str
    value: str
    everywhere: bool
    at: int
    in_one_word: bool


def hydra_settings(options: Sequence[str]) -> list[HydraSetting]:
    """Return the variables that options of Hydra's mpiexec set, in their order."""
    result = []
    at = 0
    while at + 1 < len(options):
        option, everywhere = options[at].lstrip("-"), options[at].lstrip("-") == "genv"
        at += 1
        if option not in HYDRA_SETS:
            continue
        name, given_here, value = options[at].partition("=")
        if given_here:
            result.append(HydraSetting(name, value, everywhere, at, in_one_word=True))
        elif at + 1 < len(options):
            at += 1
            result.append(HydraSetting(name, options[at], everywhere, at, in_one_word=False))
        at += 1
    return result


def program_position(words: Sequence[str], launcher: Launcher) -> int:
    """Return which word is the program: the first that is an executable file (all words are options if none is)."""
    at = 0
    while at < len(words):
        found = shutil.which(words[at])
        if found and os.path.isfile(found):
            return at
        option = words[at].lstrip("-") if words[at].startswith("-") else ""
        if launcher is Launcher.HYDRA and option in HYDRA_SETS and "=" in "".join(words[at + 1 : at + 2]):
            at += 2
        else:
            at += 1 + VALUES[launcher].get(option, 0)
    return len(words)


@dataclass(frozen=True)
class RanksProgram:
    """One program that ranks run, and the variables that the launcher's options set for it."""

    path: Path
    environment: dict[str, str]


def ranks_programs(
    command: Sequence[str], launcher: Launcher, environment: Mapping[str, str] | None = None
) -> list[RanksProgram]:
    """Return the programs that the ranks run, as far as they can be told from the command.

    Parameters
    ----------
    command : sequence of str
        The user's command.
    launcher : Launcher
        What it starts with.
    environment : mapping, optional
        What the command is started with.
    """
    at = launcher_position(command)
    seen = {**(environment or {}), **assigned(command[:at])}
    words = command[at:] if launcher is Launcher.ENVIRONMENT else command[at + 1 :]
    programs, common = [], {}
    for part in split_programs(words, launcher):
        position = program_position(part, launcher)
        common |= {name: value for name, value, everywhere in given(part[:position], launcher) if everywhere}
        own = {name: value for name, value, _ in given(part[:position], launcher)}
        rest = part[position:]
        inner = launcher_position(rest)
        found = shutil.which(rest[inner]) if rest else None
        if found:
            programs.append(RanksProgram(Path(found), {**seen, **common, **own, **assigned(rest[:inner])}))
    return programs


def given(options: Sequence[str], launcher: Launcher) -> list[tuple[str, str, bool]]:
    """Return the variables that launcher options set: name, value, and whether for all programs of the command."""
    if launcher is Launcher.HYDRA:
        return [(one.name, one.value, one.everywhere) for one in hydra_settings(options)]
    result = []
    for i, word in enumerate(options):
        option = word.lstrip("-")
        if launcher is Launcher.OPEN_MPI and option == "x" and i + 1 < len(options) and "=" in options[i + 1]:
            name, _, value = options[i + 1].partition("=")
            result.append((name, value, False))
    return result
