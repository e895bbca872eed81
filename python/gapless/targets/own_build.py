"""Compiles the lab's programs against an MPI that is not ours, once: later calls find them in build/own/KEY."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from gapless.errors import GaplessError
from gapless.paths import REPOSITORY, build_folder

OWN = REPOSITORY / "build" / "own"
# As cmake's release preset has them. The C++ bindings of old MPI headers would ask for a library of their own.
OPTIONS = ("-std=c++20", "-O2", "-DNDEBUG", "-DOMPI_SKIP_MPICXX=1", "-DMPICH_SKIP_MPICXX=1")
# Of the loops that stand for those of applications, which are C.
C_OPTIONS = ("-std=c11", "-O3")
HEADER_FOLDERS = ("src", "include", "lab", "tests")
# Programs of one file.
SINGLE = ("lab/doctor_probe",)
DEPENDENCIES = ("nlohmann_json", "CLI11")


def compiler() -> list[str]:
    """Return the C++ compiler: CXX, or g++."""
    return os.environ.get("CXX", "g++").split()


def c_compiler() -> list[str]:
    """Return the C compiler: CC, or gcc."""
    return os.environ.get("CC", "gcc").split()


def sources_of(program: str) -> list[Path]:
    """Return the sources of a program of the lab: those that its file SOURCES lists, or the one that it has."""
    listed = REPOSITORY / program / "SOURCES"
    if listed.is_file():
        names = [row.split("#")[0].strip() for row in listed.read_text(encoding="utf-8").splitlines()]
        return [REPOSITORY / name for name in names if name]
    if program in SINGLE:
        return [REPOSITORY / f"{program}.cpp"]
    raise GaplessError(f"{program} cannot be compiled for another MPI", "name mpich, openmpi or intel")


def _dependency_folders() -> list[Path]:
    """Return the include folders of the C++ libraries that cmake found, where the compiler does not look itself."""
    try:
        cache = (build_folder() / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except OSError:
        cache = ""
    found = []
    for name in DEPENDENCIES:
        match = re.search(rf"^{name}_DIR:PATH=(.+)$", cache, re.MULTILINE)
        above = list(Path(match[1]).parents) if match else []
        found += [folder / "include" for folder in above if (folder / "include").is_dir()][:1]
        # What cmake fetched because the system had none.
        found += sorted((build_folder() / "_deps").glob(f"{name.lower()}-src/include"))
    return list(dict.fromkeys(folder for folder in found if folder != Path("/usr/include")))


def engine_archive() -> Path:
    """Return the engine as an archive."""
    path = build_folder() / "src" / "libgapless_engine.a"
    if not path.is_file():
        raise GaplessError(f"{path} is not there", "run 'make build' first")
    return path


def _state(file: Path) -> str:
    """Return what tells that a file was replaced."""
    real = file.resolve()
    try:
        status = real.stat()
    except OSError:
        return f"{real} is missing"
    return f"{real} {status.st_size} {status.st_mtime_ns}"


@dataclass(frozen=True)
class OwnBuild:
    """How programs are compiled against one MPI.

    Attributes
    ----------
    compile_flags, link_flags : tuple of str
        What the MPI's compiler wrapper adds.
    depends : tuple of Path
        Files of the MPI: when one is replaced, programs are compiled again.
    say : callable
        Called before a compilation.
    """

    compile_flags: tuple[str, ...]
    link_flags: tuple[str, ...]
    depends: tuple[Path, ...]
    say: Callable[[str], None]

    def key(self, program: str) -> str:
        """Return what names the program as it would be compiled now."""
        told = hashlib.sha256()

        def add(texts: Iterable[str]) -> None:
            told.update("\0".join(texts).encode() + b"\1")

        for words in ([*compiler(), *OPTIONS], [*c_compiler(), *C_OPTIONS]):
            add([program, *words, shutil.which(words[0]) or ""])
        add(self.compile_flags)
        add(self.link_flags)
        add(_state(file) for file in (*self.depends, engine_archive()))
        folders = [REPOSITORY / name for name in HEADER_FOLDERS]
        headers = [
            file for folder in folders for suffix in ("h", "hpp", "inc", "def") for file in folder.rglob(f"*.{suffix}")
        ]
        for file in [*sources_of(program), *sorted(headers)]:
            told.update(str(file.relative_to(REPOSITORY)).encode() + b"\0" + file.read_bytes() + b"\1")
        return told.hexdigest()[:16]

    def program(self, program: str) -> Path:
        """Return a program of the lab, compiled if it is not there yet."""
        folder = OWN / self.key(program)
        path = folder / Path(program).name
        if not path.is_file():
            self.say(f"compiling {program} (kept in {folder})")
            self._compile(program, path)
        return path

    def _compile(self, program: str, path: Path) -> None:
        sources = sources_of(program)
        # Compiled beside its place and moved there whole: another command may look for it at the same time.
        work = path.parent.with_name(f".{path.parent.name}.{os.getpid()}")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        log = OWN / f"{path.parent.name}.log"
        log.unlink(missing_ok=True)
        folders = [REPOSITORY / "src", REPOSITORY / "include", REPOSITORY, REPOSITORY / "tests", *_dependency_folders()]
        include = [f"-I{folder}" for folder in folders]
        objects = [work / f"{i}.o" for i in range(len(sources))]
        commands = [
            [*c_compiler(), *C_OPTIONS, "-c", str(source), "-o", str(made)]
            if source.suffix == ".c"
            else [*compiler(), *OPTIONS, *include, *self.compile_flags, "-c", str(source), "-o", str(made)]
            for source, made in zip(sources, objects, strict=True)
        ]
        link = [
            *compiler(),
            *map(str, objects),
            str(engine_archive()),
            "-o",
            str(work / path.name),
            *self.link_flags,
            "-ldl",
        ]
        try:
            with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
                list(workers.map(lambda command: _run(command, log), commands))
            _run(link, log)
            for made in objects:
                made.unlink()
            try:
                work.rename(path.parent)
            except OSError:
                if not path.is_file():
                    raise
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _run(command: Sequence[str], log: Path) -> None:
    """Run the compiler; what it complains of goes into the log."""
    try:
        answer = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise GaplessError(
            f"the compiler {command[0]} cannot be started ({error.strerror})", "name one with CXX"
        ) from error
    if answer.returncode == 0:
        return
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{' '.join(command)}\n{answer.stdout}{answer.stderr}\n")
    rows = [row.strip() for row in answer.stderr.splitlines() if row.strip()]
    first = next(
        (row for row in rows if "error" in row or "undefined reference" in row), rows[0] if rows else "no message"
    )
    raise GaplessError(
        f"the lab does not compile against this MPI ({first[:300]}; all of it is in {log})",
        "check that the MPI's headers and libraries are complete, and its --mpi path",
    )
