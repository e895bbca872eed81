"""A path that may stand in LD_PRELOAD: the loader splits the variable at blanks and colons, and replaces dollars."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from gapless.errors import GaplessError

SPLITS = frozenset(" \t\n:;$")  # and semicolons, which part the variables in Open MPI's list of them


@lru_cache(maxsize=16)
def preloadable(path: str) -> str:
    """Return the path, or where it has such a character, that of a link to it, which lasts as long as this process.

    Parameters
    ----------
    path : str
        A preload object.

    Raises
    ------
    GaplessError
        If there is no folder for the link.
    """
    if SPLITS.isdisjoint(path):
        return path
    for parent in dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm")):
        if not SPLITS.isdisjoint(parent) or not os.access(parent, os.W_OK | os.X_OK):
            continue
        folder = tempfile.mkdtemp(prefix="gapless-link-", dir=parent)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        link = Path(folder) / Path(path).name
        if not SPLITS.isdisjoint(link.name):
            link = link.with_name("layer.so")
        link.symlink_to(path)
        return str(link)
    raise GaplessError(
        f"the layer lies in {Path(path).parent}: a blank, colon, semicolon or dollar is none for LD_PRELOAD",
        "set TMPDIR to a folder without one that can be written to, for a link to it, or install the layer elsewhere",
    )
