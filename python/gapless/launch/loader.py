"""Which library files a program will load: the dynamic loader's search, without running the program."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from gapless.launch.elf import Elf, read_elf

DEFAULT_FOLDERS = (Path("/lib"), Path("/usr/lib"), Path("/lib64"), Path("/usr/lib64"))


@lru_cache(maxsize=1)
def cached_libraries() -> dict[str, list[Path]]:
    """Return what the loader's cache knows of the system: names and their files."""
    known: dict[str, list[Path]] = {}
    for program in ("/sbin/ldconfig", "ldconfig"):
        try:
            answer = subprocess.run(
                [program, "-p"], capture_output=True, text=True, errors="replace", timeout=10, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        for name, file in re.findall(r"^\s+(\S+) \(.*\) => (.+)$", answer.stdout, re.MULTILINE):
            known.setdefault(name, []).append(Path(file))
        return known
    return known


def library_path(environment: Mapping[str, str]) -> list[Path]:
    """Return the folders of LD_LIBRARY_PATH."""
    return [Path(text) for text in re.split("[:;]", environment.get("LD_LIBRARY_PATH", "")) if text]


def path_to(file: Path, names: Iterable[str], links: Path) -> str:
    """Return the LD_LIBRARY_PATH under which a program that asks for these names loads this very file.

    Parameters
    ----------
    file : Path
        The library.
    names : iterable of str
        Where it is called otherwise (Debian's libmpich.so.12 for libmpi.so.12), a link gives it that name.
    links : Path
        The folder for such links, made if there is one.

    Raises
    ------
    OSError
        If a link cannot be made.
    """
    for name in names:
        if not (file.parent / name).exists() and not (links / name).exists():
            links.mkdir(parents=True, exist_ok=True)
            # Made beside its place: others may look for it at the same time.
            fresh = links / f".{name}.{os.getpid()}"
            fresh.symlink_to(file)
            fresh.replace(links / name)
    return ":".join(filter(None, [str(links), str(file.parent), os.environ.get("LD_LIBRARY_PATH", "")]))


def _folders(texts: tuple[str, ...], origin: Path) -> list[Path]:
    """Return search folders with $ORIGIN replaced; one that needs another of the loader's tokens is left out."""
    replaced = [text.replace("${ORIGIN}", str(origin)).replace("$ORIGIN", str(origin)) for text in texts]
    return [Path(text) for text in replaced if "$" not in text]


def _find(name: str, folders: list[Path], machine: int) -> tuple[Path, Elf] | None:
    candidates = [Path(name)] if "/" in name else [*(folder / name for folder in folders)]
    if "/" not in name:
        candidates += [*cached_libraries().get(name, []), *(folder / name for folder in DEFAULT_FOLDERS)]
    for candidate in candidates:
        elf = read_elf(candidate)
        if elf is not None and elf.machine == machine:
            return candidate, elf
    return None


def loaded_files(
    program: Path, environment: Mapping[str, str], wanted: Callable[[str], bool] = lambda name: True
) -> list[Path]:
    """Return the files that the loader will load for a program, as far as they are found, breadth first.

    Parameters
    ----------
    program : Path
        An ELF file; for anything else (a script) the list is empty.
    environment : mapping
        What the program is started with: LD_LIBRARY_PATH counts.
    wanted : callable
        Whether a library of this name belongs into the answer; all are searched all the same.
    """
    elf = read_elf(program.resolve())
    if elf is None:
        return []
    listed = library_path(environment)
    found: dict[str, Path] = {}
    # A file's RPATH also serves what its libraries need, unless they have a RUNPATH; a RUNPATH serves only its own.
    queue: list[tuple[Path, Elf, list[Path]]] = [(program.resolve(), elf, [])]
    while queue:
        path, current, inherited = queue.pop(0)
        rpath = [*_folders(current.rpath, path.parent), *inherited] if not current.runpath else []
        search = [*rpath, *listed, *_folders(current.runpath, path.parent)]
        for name in current.needed:
            if name in found:
                continue
            file = _find(name, search, elf.machine)
            if file is not None:
                found[name] = file[0]
                queue.append((*file, [*_folders(current.rpath, path.parent), *inherited]))
    return [path for name, path in found.items() if wanted(name)]
