"""Files that are either written completely or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from gapless.errors import GaplessError


def write_whole(path: Path, text: str, option: str) -> None:
    """Write a file, or leave what was there: a reader never sees a part of it.

    Parameters
    ----------
    path : Path
        The file; a device or a pipe is written to, a link is followed.
    text : str
        What to write, as UTF-8.
    option : str
        The option that named the file, for the error.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_text(text, encoding="utf-8")
            return
        target = path.resolve()
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(name, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise GaplessError(f"cannot write {path}: {error.strerror}", f"choose another file with {option}") from error


def check_writable(path: Path, option: str) -> None:
    """Fail where `write_whole` would, before a program runs for hours; leaves nothing.

    Raises
    ------
    GaplessError
        If the file cannot be written.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.exists() and not path.is_file():
            return
        descriptor, name = tempfile.mkstemp(prefix=".gapless.", dir=path.resolve().parent)
        os.close(descriptor)
        os.unlink(name)
    except OSError as error:
        raise GaplessError(f"cannot write {path}: {error.strerror}", f"choose another file with {option}") from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
