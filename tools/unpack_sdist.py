#!/usr/bin/env python3
"""Unpacks an sdist into a folder and leaves alone what is there already and equal, so that little is compiled anew.

Usage: unpack_sdist.py SDIST FOLDER
All files of an sdist have one time: unpacked by tar they would look older than what was built from them.
"""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path


def unpack(sdist: Path, folder: Path) -> None:
    """Make the folder's files those below the sdist's only top folder, but for what builds keep in its `build`."""
    wanted: set[Path] = set()
    with tarfile.open(sdist) as archive:
        for member in archive:
            if not member.isfile():
                continue
            file = folder.joinpath(*Path(member.name).parts[1:])
            wanted.add(file)
            stream = archive.extractfile(member)
            assert stream is not None
            content = stream.read()
            if file.is_file() and file.read_bytes() == content:
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(member.mode)
    for file in folder.rglob("*"):
        if file.is_file() and file not in wanted and file.relative_to(folder).parts[0] != "build":
            file.unlink()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    unpack(Path(sys.argv[1]), Path(sys.argv[2]))
