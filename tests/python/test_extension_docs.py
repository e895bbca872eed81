"""The Python of the docs prints what the docs say."""

from __future__ import annotations

import doctest
from pathlib import Path

import extension_needed  # noqa: F401
import gapless
import gapless.arrays
import gapless.datatype
import pytest

FLAGS = doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", ["README.md", "docs/python.md"])
def test_documents(repository: Path, name: str) -> None:
    failed, ran = doctest.testfile(str(repository / name), module_relative=False, optionflags=FLAGS)
    assert ran > 0 and failed == 0


@pytest.mark.parametrize("module", [gapless, gapless.datatype, gapless.arrays])
def test_docstrings(module: object) -> None:
    failed, ran = doctest.testmod(module, optionflags=FLAGS)  # type: ignore[arg-type]
    assert ran > 0 and failed == 0
