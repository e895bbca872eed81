"""What type checkers see is what the extension and the package have."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import extension_needed  # noqa: F401
import gapless
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


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
