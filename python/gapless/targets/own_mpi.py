"""An MPI that the user names by its compiler wrapper, /path/to/mpicc: its flags, its library file, its launcher."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gapless.errors import GaplessError
from gapless.launch.installations import find_launcher
from gapless.launch.launcher import Launcher
from gapless.launch.mpi_library import OPEN_MPI, MpiLibrary, mpi_library
from gapless.paths import Build
from gapless.targets.libraries import INTEL_SETTINGS, Library, is_intel, open_mpi_options
from gapless.targets.own_build import OwnBuild

TIMEOUT_S = 30
# Open MPI's wrappers answer the first two, those of MPICH and its descendants the third.
COMPILE, LINK, SHOW = "-showme:compile", "-showme:link", "-show"
SYSTEM_FOLDERS = ("/usr/local/lib", "/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib")


@dataclass(frozen=True)
class Flags:
    """What a compiler wrapper adds to the compiler's command."""

    compile: tuple[str, ...]
    link: tuple[str, ...]


@dataclass(frozen=True)
class OwnLibrary(Library):
    """An MPI library for which the lab's programs are compiled on demand.

    Attributes
    ----------
    mpicc : Path
        The compiler wrapper.
    build : OwnBuild
        How programs are compiled; always given.
    file : Path or None
        The library's shared object.
    """

    mpicc: Path = Path()
    build: OwnBuild | None = None
    file: Path | None = None

    def program(self, relative: str) -> Path:
        """Return a program of the lab, compiled if need be; what is no program of the lab is the build's."""
        if Path(relative).parts[0] == "lab" and self.build is not None:
            return self.build.program(relative)
        return super().program(relative)

    @property
    def probe_command(self) -> list[str]:
        """What two ranks run to tell whether MPI and the layer work."""
        return [str(self.program("lab/doctor_probe"))]


def _ask(mpicc: Path, question: str, environment: Mapping[str, str]) -> tuple[list[str] | None, str]:
    """Return a wrapper's answer as words, or None and why there is none."""
    try:
        answer = subprocess.run(
            [str(mpicc), question], capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False,
            stdin=subprocess.DEVNULL, env=dict(environment),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"no answer within {TIMEOUT_S} s"
    except OSError as error:
        return None, error.strerror or str(error)
    if answer.returncode != 0 or not answer.stdout.strip():
        rows = [row.strip() for row in (answer.stderr + answer.stdout).splitlines() if row.strip()]
        return None, f"exit status {answer.returncode}" + (f", {rows[-1][:200]}" if rows else ", no output")
    return shlex.split(answer.stdout.strip().splitlines()[-1]), ""


def _names_library(flags: Sequence[str]) -> bool:
    return any(word.startswith("-l") or word.endswith((".so", ".a")) for word in flags)


def wrapper_flags(mpicc: Path, environment: Mapping[str, str] = os.environ) -> Flags:
    """Ask a compiler wrapper for its flags.

    Parameters
    ----------
    mpicc : Path
        The wrapper.
    environment : mapping
        What it is started with.

    Raises
    ------
    GaplessError
        If it does not answer, or if it names no MPI library.
    """
    compiling, _ = _ask(mpicc, COMPILE, environment)
    linking, _ = _ask(mpicc, LINK, environment) if compiling else (None, "")
    if compiling and linking and _names_library(linking):
        return Flags(tuple(compiling), tuple(linking))
    words, why = _ask(mpicc, SHOW, environment)
    if not words:
        raise GaplessError(
            f"{mpicc} does not tell its flags ({SHOW}: {why})", "name a working mpicc of MPICH, Intel MPI or Open MPI"
        )
    # The first word is the C compiler; a compiler takes link options when it only compiles, and is silent about -L, -l.
    flags = words[1:]
    if not _names_library(flags):
        raise GaplessError(f"{mpicc} {SHOW} names no library", "name the compiler wrapper of an MPI, not a compiler")
    return Flags(tuple(_compile_flags(flags)), tuple(flags))


def _compile_flags(flags: Sequence[str]) -> Iterator[str]:
    """Yield what a compiler needs of flags to compile and link; a folder may be a word of its own behind its option."""
    words = iter(flags)
    for word in words:
        if word in ("-I", "-D", "-isystem"):
            yield from (word, next(words, ""))
        elif word.startswith(("-I", "-D", "-isystem", "-pthread")):
            yield word


def _shared_objects(file: Path) -> list[Path]:
    """Return a file that the linker is given, or those that it names if it is a linker script, as in MPICH's wheel."""
    with file.open("rb") as opened:
        start = opened.read(4096)
    if start.startswith(b"\x7fELF"):
        return [file]
    words = re.findall(r"[^\s(),]+\.so[.\d]*", start.decode("utf-8", "replace"))
    return [file.parent / word for word in words if (file.parent / word).is_file()]


def linked_library(flags: Flags) -> MpiLibrary | None:
    """Return the MPI library that the flags link a program with, or None if no shared one is found."""
    folders = [Path(word[2:]) for word in flags.link if word.startswith("-L")]
    folders += [Path(folder) for folder in SYSTEM_FOLDERS]
    names = [word[2:] for word in flags.link if word.startswith("-l") and "mpi" in word]
    candidates = [[folder / f"lib{name}.so" for folder in folders] for name in names]
    candidates += [[Path(word)] for word in flags.link if ".so" in word and not word.startswith("-")]
    for places in candidates:
        file = next((place for place in places if place.is_file()), None)
        found = [mpi_library(one) for one in _shared_objects(file)] if file else []
        if found and found[0] is not None:
            return found[0]
    return None


def surroundings(mpicc: Path) -> dict[str, str]:
    """Return the environment in which a wrapper works: Intel's wants I_MPI_ROOT, which its setvars.sh sets."""
    root = mpicc.parent.parent
    if is_intel(root) and "I_MPI_ROOT" not in os.environ:
        return {**os.environ, "I_MPI_ROOT": str(root)}
    return dict(os.environ)


def own_library(mpicc: Path, launcher: bool, say: Callable[[str], None]) -> OwnLibrary:
    """Return the library of a compiler wrapper.

    Parameters
    ----------
    mpicc : Path
        The wrapper.
    launcher : bool
        Whether the user names the launcher; otherwise it is looked for beside the wrapper, then on PATH.
    say : callable
        Called before a program is compiled.

    Raises
    ------
    GaplessError
        If the wrapper gives no flags, or if there is no launcher that fits the library.
    """
    mpicc = mpicc.expanduser().absolute()
    if not os.access(mpicc, os.X_OK):
        raise GaplessError(f"{mpicc} is no program", "name the compiler wrapper of an MPI: --mpi /path/to/mpicc")
    flags = wrapper_flags(mpicc, surroundings(mpicc))
    library = linked_library(flags)
    abi = library.abi if library else "unknown"
    kind = Launcher.OPEN_MPI if abi == OPEN_MPI else Launcher.HYDRA
    found = None if launcher else find_launcher(kind, [mpicc.parent])
    if found is None and not launcher:
        raise GaplessError(
            f"no mpiexec that fits {mpicc} is beside it or on PATH", "name it: --launcher '/path/to/mpiexec -n {ranks}'"
        )
    # The program's own path wins over LD_LIBRARY_PATH: what is measured is the library that was asked for. What that
    # one needs is found when it is loaded; the linker may look in other places, and find other versions.
    place = [f"-Wl,-rpath,{library.path.parent}", "-Wl,--disable-new-dtags"] if library else []
    place.append("-Wl,--allow-shlib-undefined")
    build = OwnBuild(flags.compile, (*flags.link, *place), tuple([mpicc] + ([library.path] if library else [])), say)
    options = open_mpi_options() if kind is Launcher.OPEN_MPI else ()
    environment = dict(INTEL_SETTINGS) if is_intel(mpicc.parent.parent) else {}
    return OwnLibrary(
        folder=Build.find().folder, mpi_root=mpicc.parent.parent, name="own", abi=abi, environment=environment,
        launcher=(str(found), *options) if found else (), mpicc=mpicc, build=build,
        file=library.path if library else None,
    )  # fmt: skip
