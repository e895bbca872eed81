"""What pip installs is pinned by version and by hash, as far as pip can."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gapless.paths import REPOSITORY

LISTS = sorted(REPOSITORY.glob("requirements*.txt"))
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def entries(file: Path) -> list[str]:
    """Return the entries of a list, continuation lines and all."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()


@pytest.mark.parametrize("file", LISTS, ids=[file.stem for file in LISTS])
def test_every_package_is_pinned_by_version_and_hash(file: Path) -> None:
    assert entries(file)
    for entry in entries(file):
        pin, _, hashes = entry.partition(" --hash=sha256:")
        assert re.fullmatch(rf"{NAME.pattern}==[\w.]+( ; [^;]+)?", pin.strip()), entry
        assert re.fullmatch(r"[0-9a-f]{64}( +--hash=sha256:[0-9a-f]{64})*", hashes.strip()), pin


def test_whatever_installs_asks_for_the_hashes() -> None:
    for tool in sorted((REPOSITORY / "tools").glob("*.sh")):
        text = tool.read_text(encoding="utf-8").replace("\\\n", " ")
        for command in re.findall(r"^[^#\n]*\bpip\b.* (?:install|download) .*$", text, re.MULTILINE):
            lists = re.findall(r"requirements[\w-]*\.txt|\$requirements|\$1", command)
            assert lists, f"{tool.name} installs what is in no list: {command}"
            # One hash in a list makes pip ask for all; these two have had theirs from the beginning.
            assert "--require-hashes" in command or tool.name in ("fft.sh", "mpi4py.sh"), f"{tool.name}: {command}"


def test_what_builds_the_extension_is_pinned() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    requires = re.search(r"^requires = \[(.*?)\]$", text, re.MULTILINE | re.DOTALL)
    assert requires is not None
    assert all("==" in one for one in re.findall(r'"([^"]+)"', requires[1]))
