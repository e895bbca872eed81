"""What the tests of the installation share: running commands, and a freshly installed prefix that was moved."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, folder: Path | None = None, **variables: str) -> str:
    """Run a command with additional environment variables, show it if it fails, and return its output."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=folder, env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"install: status {done.returncode}: {' '.join(words)}\n{done.stdout}")
    return done.stdout


def installed(cmake: str, build: Path, work: Path, *components: str) -> Path:
    """Install a build, or components of it, into a new prefix below `work`, move that, and return where it is."""
    for options in [("--component", component) for component in components] or [()]:
        run(cmake, "--install", build, "--prefix", work / "first", *options)
    return (work / "first").rename(work / "moved")


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
