"""Whether the extension is there; where it could not be built, the tests that need it say why, and fail in CI."""

from __future__ import annotations

import os
import re

import pytest
from gapless.paths import build_folder


def why_missing() -> str:
    """Return why this build has no extension, as CMake said, or nothing."""
    try:
        cache = (build_folder() / "CMakeCache.txt").read_text(encoding="utf-8")
    except OSError:
        return ""
    found = re.search(r"^GAPLESS_EXTENSION_MISSING:INTERNAL=(.*)$", cache, re.MULTILINE)
    return found[1] if found else ""


def need_extension() -> None:
    """Skip the module if this machine cannot build the extension and is not CI; raise what import says otherwise."""
    try:
        import gapless.extension  # noqa: F401
    except ImportError:
        reason = why_missing()
        if reason and not os.environ.get("CI"):
            pytest.skip(f"no extension: {reason}", allow_module_level=True)
        raise


need_extension()
