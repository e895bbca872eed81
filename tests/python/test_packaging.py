"""What lies in packaging/ for other people's tools: linted or parsed by them, and its commands are those that exist."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from gapless.cli.commands import app

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"


def parsed(words: list[str]) -> Any:
    """Parse the words of a `gapless` command as the command itself does, without running it."""
    command: Any = typer.main.get_command(app)
    name, context = "gapless", None
    while True:
        context = command.make_context(name, words, parent=context)
        if not hasattr(command, "resolve_command"):
            return context
        name, command, words = command.resolve_command(context, context._protected_args + context.args)


def commands(node: object) -> Iterator[str]:
    """Yield each shell line that runs gapless, wherever in a file of YAML it stands."""
    if isinstance(node, dict):
        for value in node.values():
            yield from commands(value)
    elif isinstance(node, list):
        for value in node:
            yield from commands(value)
    elif isinstance(node, str):
        for line in node.splitlines():
            if line.strip().startswith("$GAPLESS "):
                yield line.strip()


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_the_jobs_for_other_projects_run_commands_that_exist(name: str) -> None:
    """Every line of gapless is parsed by gapless; what measures, compares and reports is among them."""
    file = yaml.safe_load((PACKAGING / "ci" / name).read_text(encoding="utf-8"))
    run = []
    for line in commands(file):
        words = shlex.split(re.split(r"\||>", line)[0].replace("$PWD", "/tmp"))[1:]
        run.append(parsed(words).info_name)
    assert {"guidelines", "report", "compare"} <= set(run)


def test_an_option_that_does_not_exist_is_noticed() -> None:
    """The check above would see a renamed option."""
    with pytest.raises(Exception, match="No such option"):
        parsed(["compare", "a", "b", "--formatted", "json"])


def test_the_container_recipe_is_clean() -> None:
    """Hadolint, which comes with the tests, has nothing to say."""
    linter = Path(sys.executable).with_name("hadolint")
    done = subprocess.run([linter, PACKAGING / "docker" / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_spack_reads_the_recipe() -> None:
    """Spack itself, where it is installed; elsewhere the recipe is at least Python, and of CMake's version."""
    recipe = PACKAGING / "spack" / "packages" / "gapless" / "package.py"
    text = recipe.read_text(encoding="utf-8")
    compile(text, str(recipe), "exec")
    version = re.search(r"^project\(gapless VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert version and f'version("{version[1]}")' in text
    if shutil.which("spack"):
        command = ["spack", "-C", str(PACKAGING / "spack"), "spec", "gapless"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
