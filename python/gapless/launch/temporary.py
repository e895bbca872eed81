"""Temporary folders that do not stay: not even where we are killed, for then the next run of ours removes them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from gapless.deferred_signals import deferred_signals

HELD = ".held"
OLD_S = 7 * 24 * 3600


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[str]:
    """Give a folder that lasts as long as the ``with`` block, and remove what earlier ones of that name left.

    Whoever uses a folder holds a lock on a file in it, which the kernel takes back however we end.

    Parameters
    ----------
    prefix : str
        How its name begins: gapless-..., and nothing that others use.
    """
    sweep(prefix)
    stack = contextlib.ExitStack()
    try:
        with deferred_signals():
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=prefix))
            with contextlib.suppress(OSError):
                stack.enter_context(_hold(Path(folder)))
        yield folder
    finally:
        with deferred_signals():
            stack.close()


def sweep(prefix: str) -> None:
    """Remove the folders of that name that nobody holds, and those of versions that held none after a week."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            found = folder.lstat()
            is_ours = found.st_uid == os.geteuid() and stat.S_ISDIR(found.st_mode)
            if is_ours and _is_free(folder, time.time() - found.st_mtime):
                shutil.rmtree(folder, ignore_errors=True)


def _hold(folder: Path) -> IO[str]:
    """Lock the file before it has its name: whoever finds it finds it locked."""
    file = (folder / f"{HELD}.new").open("x")
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    (folder / f"{HELD}.new").rename(folder / HELD)
    return file


def _is_free(folder: Path, age_s: float) -> bool:
    try:
        with (folder / HELD).open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except FileNotFoundError:
        return age_s > OLD_S
    except OSError:
        return False
