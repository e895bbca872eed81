"""Runs the layer under one MPI library: two ranks of a program that knows what must arrive."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gapless.launch.elf import read_elf
from gapless.launch.installations import Installation
from gapless.launch.launcher import Launcher, launcher_version
from gapless.launch.layer import put_under
from gapless.launch.loader import path_to
from gapless.launch.mpi_library import MpiLibrary, looks_like_mpi
from gapless.launch.process import Ended, run_watched
from gapless.launch.reach import Rank, read_ranks, unshared
from gapless.launch.rules import rules_setting
from gapless.launch.temporary import temporary_folder
from gapless.paths import INSTALLED, build_folder, uses_installed

PROGRAM = "doctor_probe"
BUILD_AGAIN = "run 'make build', and look for this ABI in what it prints (a package of pip's: install it again)"
VERSION_TIMEOUT_S = 20
ASK_VERSION = """
import ctypes, json, sys
library = ctypes.CDLL(sys.argv[1])
text, length = ctypes.create_string_buffer(1 << 16), ctypes.c_int()
library.MPI_Get_library_version(text, ctypes.byref(length))
major, minor = ctypes.c_int(-1), ctypes.c_int(-1)
if hasattr(library, "MPI_Abi_get_version"):
    library.MPI_Abi_get_version(ctypes.byref(major), ctypes.byref(minor))
print(json.dumps({"version": text.value.decode("utf-8", "replace"), "abi_version": [major.value, minor.value]}))
"""


@dataclass
class Probed:
    """What was seen of a library. `works` is None if it could not be tried; `reason` says why it is not True."""

    version: str = ""
    abi_version: str | None = None
    launcher_version: str = ""
    front: str = ""
    command: list[str] = field(default_factory=list)
    works: bool | None = None
    reason: str = ""
    accelerated: int = 0
    collectives: dict[str, Any] | None = None
    paired: dict[str, Any] | None = None
    shared_memory: dict[str, Any] | None = None
    cma: dict[str, Any] | None = None
    rules: str = ""  # the file of measured rules that was in force
    rules_refused: str = ""  # one that was not, and why
    todo: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the fields for scripts."""
        return asdict(self)


def first_line(text: str) -> str:
    """Return a version's first line, in single spaces, without the name of the field."""
    line = next((row for row in text.splitlines() if row.strip()), "")
    return " ".join(line.replace("Version:", " ").split())


def probe_program(abi: str) -> Path | None:
    """Return the program that is run under libraries of an ABI, or None if it is not built for that one.

    Where pip put it, it is an object that a Python loads: it was built without a library to link it with.
    """
    path = INSTALLED / abi / f"{PROGRAM}.so" if uses_installed() else build_folder() / "lab" / abi / PROGRAM
    return path if path.is_file() else None


def _rank_command(program: Path, library: MpiLibrary) -> list[str]:
    """Return what each rank executes."""
    if program.suffix != ".so":
        return [str(program)]
    return [sys.executable, "-I", str(Path(__file__).with_name("rank.py")), str(library.path), str(program)]


def _environment() -> dict[str, str]:
    """Return the user's environment, without what would change the outcome: the layer's settings and its preload."""
    return {
        name: value for name, value in os.environ.items() if name != "LD_PRELOAD" and not name.startswith("GAPLESS_")
    }


def _library_path(library: MpiLibrary, program: Path | None, links: Path) -> str:
    """Return the LD_LIBRARY_PATH under which a program loads this very library."""
    elf = read_elf(program) if program else None
    return path_to(library.path, filter(looks_like_mpi, elf.needed if elf else ()), links)


def _ask_version(library: MpiLibrary, environment: dict[str, str], probed: Probed) -> None:
    """Ask the library for its version in a child: one that crashes is a finding."""
    ended = run_watched([sys.executable, "-I", "-c", ASK_VERSION, str(library.path)], environment, VERSION_TIMEOUT_S)
    why = ended.failure(VERSION_TIMEOUT_S)
    if why is None:
        try:
            answer = json.loads(ended.output.splitlines()[-1])
            probed.version = first_line(answer["version"])
            major, minor = answer["abi_version"]
        except (ValueError, KeyError, IndexError):
            why = "no answer"
        else:
            probed.abi_version = f"{major}.{minor}" if major > 0 else None
            return
    loading = next((row.strip() for row in reversed(ended.errors.splitlines()) if row.strip()), why)
    probed.works, probed.reason = False, f"MPI_Get_library_version: {loading if ended.status == 1 else why}"
    probed.todo.append("the library cannot be loaded: install it again, or take its folder off the search paths")


def launch_command(launcher: Path, kind: Launcher, program: Sequence[str]) -> list[str]:
    """Return the command that runs two ranks anywhere: also as root, and on a machine with one processor."""
    options = ["-n", "2"]
    if kind is Launcher.OPEN_MPI:
        options += ["--oversubscribe", "--bind-to", "none"]
        options += ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return [str(launcher), *options, *program]


def read_result(ended: Ended) -> dict[str, Any] | None:
    """Return the line of the program among what the launcher prints besides."""
    for row in ended.output.splitlines():
        start = row.find('{"schema"')
        if start >= 0:
            try:
                return dict(json.loads(row[start:]))
            except ValueError:
                return None
    return None


def run_layer(
    command: Sequence[str], kind: Launcher, front: Path, environment: dict[str, str], timeout_s: float
) -> tuple[Ended, dict[str, Any] | None, list[Rank]]:
    """Run the program under the layer; return how it ended, its line, and what the ranks reported."""
    with temporary_folder("gapless-doctor-") as folder:
        settings = {"GAPLESS_RUN_DIR": folder, "GAPLESS_STATS": "1", "GAPLESS_FORCE": "1"} | rules_setting()
        launch = put_under(command, str(front), settings, environment, kind)
        ended = run_watched(launch.command, launch.environment, timeout_s)
        ranks = read_ranks(Path(folder))
    return ended, read_result(ended), ranks


def left_alone(ranks: Sequence[Rank]) -> str:
    """Return why the layer left ranks alone, if it did."""
    return next((rank.native for rank in ranks if rank.native), "")


def judge(
    ended: Ended, result: dict[str, Any] | None, native: str, timeout_s: float, version: str | None = None
) -> tuple[str, str] | None:
    """Return why the layer does not work and what to do about it, or None if it works; a version must be the ranks'."""
    report = "report this with the output of 'gapless doctor --json'; until then, run with GAPLESS_DISABLE=1"
    failure = ended.failure(timeout_s)
    if result is None:
        return failure or "the program printed no result", report
    if version is not None and first_line(result["library"]) != version:
        return f"the program loaded {first_line(result['library'])} instead", "unset LD_LIBRARY_PATH and try again"
    if not result["layer"]:
        return "the layer was not loaded into the ranks", "let the launcher pass LD_PRELOAD on to the ranks"
    if not result["verified"]:
        return "wrong data arrived", report
    if native:
        return native, BUILD_AGAIN
    if int(result["accelerated"]) == 0:
        return "no call was accelerated", report
    return (failure, report) if failure else None


def pairing(ranks: Sequence[Rank]) -> dict[str, Any] | None:
    """Return whether the broadcast went through memory that the processes share, and why not; None if no rank said."""
    told = [rank for rank in ranks if rank.stats]
    if not told:
        return None
    works = all(rank.stats.get("procedures", {}).get("MPI_Bcast", {}).get("paired") for rank in told)
    why = "; ".join(unshared(told)) or "the processes share memory, but no call was paired"
    return {"works": works, "reason": "" if works else why}


def probe(installation: Installation, front: Path, timeout_s: float) -> Probed:
    """Look at one library and run the layer under it: two launches at most.

    Parameters
    ----------
    installation : Installation
        The library and its launcher.
    front : Path
        The preload object.
    timeout_s : float
        How long a launch may take.
    """
    library, launcher = installation.library, installation.launcher
    probed = Probed(front=str(front))
    program = probe_program(library.abi)
    with temporary_folder("gapless-doctor-") as links:
        environment = _environment() | {"LD_LIBRARY_PATH": _library_path(library, program, Path(links))}
        _ask_version(library, environment, probed)
        if launcher is not None:
            probed.launcher_version = first_line(_told_version(launcher))
        if probed.works is False:
            return probed
        if launcher is None:
            probed.reason = "no mpiexec"
            probed.todo.append("no mpiexec is beside it or on PATH: install the launcher too, or name its --mpi PREFIX")
            return probed
        if program is None:
            probed.reason = f"{PROGRAM} is not built for the {library.abi} ABI"
            probed.todo.append(f"{probed.reason}: {BUILD_AGAIN}")
            return probed
        probed.command = launch_command(launcher, installation.kind, _rank_command(program, library))
        ended, result, ranks = run_layer(probed.command, installation.kind, front, environment, timeout_s)
        verdict = judge(ended, result, left_alone(ranks), timeout_s, probed.version)
        probed.rules = next((rank.rules for rank in ranks if rank.rules), "")
        probed.rules_refused = next((rank.rules_refused for rank in ranks if rank.rules_refused), "")
        if probed.rules_refused:
            probed.todo.append(f"rules refused: {probed.rules_refused}: run 'gapless tune' again, or remove the file")
        if result is not None:
            probed.accelerated = int(result["accelerated"])
            probed.collectives, probed.paired = result["collectives"], pairing(ranks)
            probed.shared_memory, probed.cma = result["shared_memory"], result["cma"]
        probed.works = verdict is None
        if verdict is None:
            return probed
        probed.reason, remedy = verdict
        if result is None:
            plain = run_watched(probed.command, environment, timeout_s)
            why = plain.failure(timeout_s)
            if why is not None:
                probed.reason = f"MPI itself fails here, without the layer too: {why}"
                remedy = f"repair the MPI first: try '{' '.join(probed.command)}' by hand"
        probed.todo.append(f"{probed.reason}: {remedy}")
    return probed


def _told_version(launcher: Path) -> str:
    """Return the line of ``--version`` that holds the number: Hydra's comes second."""
    text = launcher_version(str(launcher))
    rows = [row for row in text.splitlines() if row.strip()]
    if rows and rows[0].startswith("HYDRA"):
        number = next((row.partition(":")[2].strip() for row in rows if row.strip().startswith("Version:")), "")
        return f"Hydra {number}".strip()
    return rows[0].partition(" Build ")[0] if rows else ""
