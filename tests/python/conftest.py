"""What several tests share: the command, the build, and small result files made by code."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from forked_command import FOR_THE_LOADER, ForkedCommand
from gapless.errors import GaplessError
from gapless.paths import REPOSITORY, Build
from gapless.targets.libraries import NAMES, find_library

# A shell that starts a job in the background has it ignore SIGINT, and all that the job starts: the tests of Ctrl-C
# would then wait for nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Rules that a developer measured on this machine decide nothing here, and nobody is told to measure some: there is no
# such folder. What pip keeps stays where it is.
os.environ.setdefault("PIP_CACHE_DIR", str(Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "pip"))
os.environ["XDG_CACHE_HOME"] = "/dev/null/none"


def first_in_make_test(values: Iterable[Any]) -> list[Any]:
    """Return the values of a parameter: `make test` takes the first, `make test-all` the others."""
    first, *others = values
    return [first, *(pytest.param(value, marks=pytest.mark.long) for value in others)]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of each long test's variants keep the K-th of N parts, where GAPLESS_PART=K/N is set; at least one."""
    number, _, parts = os.environ.get("GAPLESS_PART", "1/1").partition("/")
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("long"):
            tests[item.nodeid.partition("[")[0]].append(item)
    left_out = set[pytest.Item]()
    for variants in tests.values():
        step = min(int(parts), len(variants))
        left_out.update(set(variants) - set(variants[(int(number) - 1) % step :: step]))
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


Lines = list[dict[str, Any]]
# What a library calls itself, by our name for it.
VERSIONS = {"mpich": "MPICH", "openmpi": "Open MPI", "intel": "Intel(R) MPI"}
MEDIANS_US = {
    ("contiguous", "contiguous"): 100.0,
    ("manual", "manual"): 150.0,
    ("basic", "pack"): 200.0,
    ("basic", "native"): 340.0,
    ("basic", "gapless"): 190.0,
    ("contiguous_subtype", "pack"): 205.0,
    ("contiguous_subtype", "native"): 660.0,
    ("contiguous_subtype", "gapless"): 192.0,
    ("tiled_vector", "pack"): 1500.0,
    ("tiled_vector", "native"): 3300.0,
    ("tiled_vector", "gapless"): 195.0,
}


def sample_line(description: str, method: str, launch: int, samples_ns: list[float]) -> dict[str, Any]:
    """Return a line as the lab prints it."""
    return {
        "schema": 1,
        "kind": "samples",
        "experiment": "pingpong",
        "launch": launch,
        "group": "tiled/v1/A=2/2560000",
        "layout": "tiled",
        "variant": 1,
        "A": 2,
        "bytes": 2560000,
        "payload_bytes": 2560000,
        "description": description,
        "type": "vector(320000, 2, 4, int32)",
        "method": method,
        "unit": "ns",
        "metric": "half_round_trip",
        "samples": samples_ns,
        "verified": True,
        "tests": ["ET1"],
        "mpi_library": "MPICH Version: 5.0.2",
        "layer_present": True,
        "ranks": 2,
        "hosts": ["here"],
    }


def halo_line(n: int, layer: bool, launch: int, total_s: float, exchange_s: float, checksum: str) -> dict[str, Any]:
    """Return a line as the demo records it."""
    times = {"total_s": total_s, "exchange_s": exchange_s}
    run = {"n": n, "iterations": 10, "ranks": 2, "checksum": checksum, "sum": 1.0, **times}
    return {"schema": 1, "kind": "halo", "launch": launch, "layer": layer, **run}


@pytest.fixture
def recorded() -> Lines:
    """Three launches of one group, one of them disturbed, and a halo exchange that Gapless makes twice as fast."""
    lines: Lines = [{"schema": 1, "kind": "environment", "cpu": "a <processor>", "date": "today"}]
    for launch, disturbance in ((1, 1.0), (2, 7.0), (3, 1.0)):
        for (description, method), us in MEDIANS_US.items():
            ns = us * 1000 * disturbance
            lines.append(sample_line(description, method, launch, [ns * 0.9, ns, ns * 40]))
    for layer, total_s, exchange_s in ((False, 0.4, 0.2), (True, 0.3, 0.1)):
        lines.append(halo_line(2048, layer, 1, total_s, exchange_s, "00ff"))
    lines.append({"schema": 1, "kind": "skipped", "group": "tiled/v1/A=1000/3200", "reason": "does not fit"})
    return lines


@pytest.fixture(scope="session")
def build() -> Build:
    """The release build; its MPI-dependent tests are skipped only if it was configured without an MPI."""
    try:
        found = Build.find()
    except GaplessError as error:
        pytest.fail(f"the end-to-end tests need a build: {error}")
    cache = (found.folder / "CMakeCache.txt").read_text(encoding="utf-8")
    if re.search(r"^GAPLESS_MPI(CH)?_INCLUDE:PATH=.*-NOTFOUND$", cache, re.MULTILINE):
        pytest.skip("the build has no MPI")
    return found


@pytest.fixture(params=first_in_make_test(NAMES))
def mpi(request: pytest.FixtureRequest, build: Build) -> str:
    """Return the name of a library; skipped where it is not installed."""
    try:
        find_library(request.param)
    except GaplessError as error:
        pytest.skip(str(error))
    return str(request.param)


Command = Callable[..., "subprocess.CompletedProcess[str]"]
TIMEOUT_S = 300


@pytest.fixture(scope="session")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkedCommand]:
    """Return the command, imported once."""
    command = ForkedCommand(tmp_path_factory.mktemp("command"))
    yield command
    command.close()


# What Open MPI's launcher says, before any program has begun, where one that was killed (killed.py) left its folder in
# /tmp, and its process's number comes again.
CANNOT_LISTEN = "The PMIx server's listener thread failed"


@pytest.fixture
def gapless(tmp_path: Path, forked: ForkedCommand) -> Command:
    """Run the `gapless` command in an empty folder, in a process of its own."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        done = once(*arguments, **environment)
        return once(*arguments, **environment) if CANNOT_LISTEN in done.stdout + done.stderr else done

    def once(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {k: v for k, v in os.environ.items() if k == "GAPLESS_BUILD_DIR" or not k.startswith("GAPLESS_")}
        words = list(map(str, arguments))
        if not any(name.startswith(FOR_THE_LOADER) for name in environment):
            return forked.run(words, tmp_path, clean | environment, TIMEOUT_S)
        return subprocess.run(
            [sys.executable, "-m", "gapless", *words],
            cwd=tmp_path,
            env=clean | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    return run


Compiler = Callable[..., Path]


@pytest.fixture(scope="session")
def compile_c(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compiler]:
    """Compile a C program, against the build's MPI unless told otherwise."""
    folder = tmp_path_factory.mktemp("programs")

    def compile_program(name: str, source: str, *options: str, mpi: bool = True) -> Path:
        program = folder / name
        (folder / f"{name}.c").write_text(source, encoding="utf-8")
        root = build.mpi_root
        with_mpi = [f"-I{root}/include", f"-L{root}/lib", f"-Wl,-rpath,{root}/lib", "-lmpi"] if mpi else []
        compiler = os.environ.get("CC", "cc")
        command = [compiler, str(folder / f"{name}.c"), "-o", str(program), *options, *with_mpi]
        subprocess.run(command, check=True, timeout=60)
        return program

    yield compile_program


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


def calls_in_table(printed: str) -> dict[str, list[str]]:
    """Return calls, accelerated calls and bytes of each procedure in the table of `--stats`, not in those below it."""
    rows: dict[str, list[str]] = {}
    for words in map(str.split, printed.splitlines()):
        if words and words[0].startswith("MPI_"):
            rows.setdefault(words[0], words[1:4])
    return rows
