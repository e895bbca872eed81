"""A record of the machine and the software that a measurement ran on."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import socket
import subprocess
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path

from gapless import __version__
from gapless.errors import GaplessError
from gapless.lab.results import SCHEMA, Line
from gapless.launch.processor import cpu_model
from gapless.paths import REPOSITORY, Build, is_installed


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _caches() -> dict[str, str]:
    caches = {}
    for index in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, kind, size = (_read(index / name) for name in ("level", "type", "size"))
        if level and kind and size:
            caches[f"L{level} {kind.lower()}"] = size
    return caches


def _git(*arguments: str) -> str | None:
    if is_installed():
        return None  # a repository around it is not ours
    try:
        answer = subprocess.run(["git", "-C", str(REPOSITORY), *arguments], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def _versions() -> dict[str, str]:
    found = {}
    for name in ("mpich", "numpy", "scipy", "plotly"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def environment_line(build: Build, command: str) -> Line:
    """Return the record: what a reader needs to judge, or to repeat, a measurement.

    Parameters
    ----------
    build : Build
        The build that is measured.
    command : str
        The command that measures.
    """
    frequency = Path("/sys/devices/system/cpu/cpu0/cpufreq")
    return {
        "schema": SCHEMA,
        "kind": "environment",
        "command": command,
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "cpu": cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "caches": _caches(),
        "kernel": platform.release(),
        "governor": _read(frequency / "scaling_governor"),
        "congestion": _read(Path("/proc/sys/net/ipv4/tcp_congestion_control")),
        "load": os.getloadavg()[0],
        "mpi_root": str(build.mpi_root),
        "build": str(build.folder),
        "versions": {"gapless": __version__, "python": platform.python_version(), **_versions()},
        "commit": _git("rev-parse", "HEAD"),
        "changed_files": bool(_git("status", "--porcelain")),
    }


def require_same(folder: Path, begun: Line, libraries: Mapping[str, Line]) -> None:
    """Raise GaplessError if the run there was begun on other libraries, or on another machine.

    Parameters
    ----------
    folder : Path
        The run's.
    begun : dict
        Its environment record.
    libraries : mapping
        Name to facts of what would be measured now.
    """
    began = {name: facts.get("mpi_library") for name, facts in begun["libraries"].items()}
    found = {name: facts.get("mpi_library") for name, facts in libraries.items()}
    if began != found:
        raise GaplessError(f"{folder} was begun on {began}, and this is {found}", "begin a new run in another folder")
    if begun.get("host") != socket.gethostname():
        raise GaplessError(f"{folder} was begun on {begun.get('host')}", "begin a new run in another folder")
