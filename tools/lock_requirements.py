#!/usr/bin/env python3
"""Write requirements.lock: all that pyproject.toml asks for, each package once, with its version and hashes.

    .venv/bin/python tools/lock_requirements.py                           # keeps the versions that are locked already
    .venv/bin/python tools/lock_requirements.py --upgrade-package NAME    # or --upgrade: all; uv's own options

The last line of an entry names the groups that need the package; `gapless` is the package itself. tools/locked.sh
prints the entries of one. Needs uv (`tools/bootstrap.sh --lint`); what installs from the lock needs pip alone.
"""  # noqa: D208

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[1]
LOCK = REPOSITORY / "requirements.lock"
HEADER = """\
# What pip installs here: versions and hashes of all files on PyPI, for Linux and Python 3.10 or newer, dependencies of
# dependencies included. tools/lock_requirements.py writes it from pyproject.toml; tools/locked.sh prints a group of it.
"""
SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))


def groups() -> dict[str, list[str]]:
    """Return the groups of pyproject.toml: the package's own dependencies, its extras, and those for a checkout."""
    project = SETTINGS["project"]
    return {"gapless": project["dependencies"], **project["optional-dependencies"], **SETTINGS["dependency-groups"]}


def resolve(requirements: Sequence[str], *options: str) -> list[str]:
    """Return the words that uv prints, the packages of a resolution among them."""
    command = [REPOSITORY / ".venv/bin/uv", "pip", "compile", "--universal", "--python-version", "3.10", *options]
    command += ["--quiet", "--no-python-downloads", "--no-header", "--no-annotate", "-"]
    wanted = "\n".join(requirements)
    return subprocess.run(
        command, cwd=REPOSITORY, input=wanted, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()


def pinned(head: str) -> str:
    """Return an entry's first line without what its marker says of every entry."""
    pin, _, marker = head.removesuffix(" \\").partition(" ; ")
    everywhere = SETTINGS["tool"]["uv"]["environments"][0].split(" and ")
    terms = [term for term in marker.split(" and ") if term and term not in everywhere]
    return pin + (f" ; {' and '.join(terms)}" if terms else "")


def main() -> None:
    """Lock."""
    needed = groups()
    with tempfile.NamedTemporaryFile("w+", suffix=".lock") as lock:
        lock.write(LOCK.read_text(encoding="utf-8"))
        lock.flush()
        resolve(sum(needed.values(), []), "--generate-hashes", "--output-file", lock.name, *sys.argv[1:])
        packages = {group: resolve(wanted, "--constraint", lock.name) for group, wanted in needed.items()}
        text = Path(lock.name).read_text(encoding="utf-8")
    rows = [HEADER]
    for head, hashes in re.findall(r"^(\S.*)((?:\n .*)*)", text, re.MULTILINE):
        users = [group for group, words in packages.items() if head.split()[0] in words]
        rows.append(f"{pinned(head)} \\{hashes}\n    # for {', '.join(users)}\n")
    LOCK.write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
