"""Loads the compiled extension `gapless._engine`: beside this file where pip put it, else from the build folder."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from types import ModuleType
from typing import TYPE_CHECKING

from gapless.paths import build_folder, is_installed

NAME = "gapless._engine"


def _load() -> ModuleType:
    if NAME in sys.modules:
        return sys.modules[NAME]
    if is_installed():
        return importlib.import_module(NAME)
    folder = build_folder() / "python"
    for suffix in EXTENSION_SUFFIXES:
        path = folder / f"_engine{suffix}"
        if path.is_file():
            spec = importlib.util.spec_from_file_location(NAME, path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            sys.modules[NAME] = module
            return module
    raise ImportError(
        f"the extension gapless._engine is neither beside {__file__} nor, for this Python, in {folder}: "
        "run 'pip install .' or 'make build' in the Gapless folder",
        name=NAME,
    )


if TYPE_CHECKING:
    from gapless import _engine as engine
else:
    engine = _load()

__all__ = ["engine"]
