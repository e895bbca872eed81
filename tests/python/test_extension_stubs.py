"""What type checkers see is what the extension and the package have."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import extension_needed  # noqa: F401
import gapless
import pytest
from gapless.paths import REPOSITORY

PACKAGE = REPOSITORY / "python" / "gapless"
STUBGEN = """
import sys
import gapless.extension  # from the build folder, where no path leads
from nanobind.stubgen import main
main(["-q", "-m", "gapless._engine", "-o", sys.argv[1]])
"""


def test_the_extensions_stub_is_what_stubgen_writes(tmp_path: Path) -> None:
    written = tmp_path / "_engine.pyi"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "python")}
    subprocess.run([sys.executable, "-c", STUBGEN, str(written)], env=environment, check=True, timeout=60)
    assert written.read_text() == (PACKAGE / "_engine.pyi").read_text(), f"copy {written} to python/gapless"


def test_the_packages_stub_names_what_the_package_has() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text())
    named = {
        (alias.asname, node.module)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == alias.asname
    }
    assert named == {(name, f"gapless.{module}") for name, module in gapless._MODULE_OF.items()}
    assert {name for name, _ in named} == set(gapless.__all__) <= set(dir(gapless))
    for name in gapless.__all__:
        getattr(gapless, name)


def test_the_readmes_example_passes_a_type_checker(tmp_path: Path) -> None:
    written = re.findall(r"^    >>> (.*)$", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    program = REPOSITORY / "tests" / "python" / "readme_example.py"
    lines = [line.partition("  # noqa")[0] for line in program.read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines[2:] if line] == written, "make lint checks readme_example.py, not the README"
    pytest.importorskip("mypy", reason="mypy is not installed: tools/bootstrap.sh --lint installs it")
    for version in ("3.10", "3.12"):  # NumPy's stubs say only from 3.12 on that arrays are buffers
        told = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--python-version", version,
             "--cache-dir", str(tmp_path), str(program)],
            env={**os.environ, "MYPYPATH": str(REPOSITORY / "python")}, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert told.returncode == 0, told.stdout


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
