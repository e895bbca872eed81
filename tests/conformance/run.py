"""Runs the conformance set under the layer and says which procedure of the table it never accelerated.

run.py [--library NAME]... [--all] [--few | --long | --seeds FIRST:COUNT] [--case TEXT]...
       [--build FOLDER [--emulator COMMAND]]

Every library that is asked for and not installed is printed as skipped, with the reason. Fails if a case fails, or if a
procedure of src/mpi/abi/procedures.def that the library has shows accelerated = 0 over all cases, or one that may be
paired shows paired = 0.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import compile as compiling  # noqa: E402
from cases import CASES, FORTRAN_CASES, Case  # noqa: E402
from gapless.launch.fronts import fullest_front  # noqa: E402
from gapless.launch.launcher import Launcher  # noqa: E402
from gapless.launch.layer import Launch, put_under  # noqa: E402
from gapless.launch.loader import cached_libraries  # noqa: E402
from gapless.launch.mpi_library import mpi_library  # noqa: E402
from libraries import LIBRARIES, ROOT, WHEELS, Library, environment, lacking  # noqa: E402

SKIPPED = 77
# Those whose blocks and messages go through the memory that the processes of a node share.
PAIRED = [
    f"MPI_{name}"
    for name in (
        *("Alltoallw", "Alltoallv", "Alltoall", "Neighbor_alltoallw", "Neighbor_alltoallv"),
        *("Neighbor_alltoall", "Neighbor_allgather", "Neighbor_allgatherv"),
        *("Bcast", "Gather", "Scatter", "Gatherv", "Scatterv", "Allgather", "Allgatherv"),
        *("Send", "Rsend", "Isend", "Irsend", "Sendrecv", "Sendrecv_replace"),
        *("Recv", "Irecv", "Recv_init", "Isendrecv", "Isendrecv_replace"),
    )
]


def procedures() -> list[str]:
    """Return the procedures of the table that the layer can accelerate."""
    table = (ROOT / "src/mpi/abi/procedures.def").read_text()
    names = []
    for kind, name in re.findall(r"^GAPLESS_(COUNTED|PLAIN)\((\w+),", table, re.MULTILINE):
        names.append(f"MPI_{name}")
        if kind == "COUNTED":
            names.append(f"MPI_{name}_c")
    return names


class Run:
    """All cases on one library."""

    def __init__(self, library: Library, build: Path, emulator: tuple[str, ...] = ()) -> None:
        self.library = library
        self.build = build
        self.emulator = emulator
        self.environment = environment(library)
        self.lacks = lacking(library, procedures()) | set(library.broken)
        self.accelerated: Counter[str] = Counter()
        self.paired: Counter[str] = Counter()
        self.failures: list[str] = []
        self.tried = 0

    def front(self) -> Path:
        """Return the preload object that `gapless run` would take."""
        os.environ["GAPLESS_LIBDIR"] = str(self.build / "src/preload")
        name = self.library.shared_object
        library = mpi_library(Path(name) if "/" in name else Path(cached_libraries()[name][0]))
        assert library is not None, self.library.shared_object
        return fullest_front([library]).path

    def program(self, case: Case) -> Path:
        """Return the case's program, compiled if CMake does not do so."""
        folder = self.build / "tests/conformance" / self.library.abi
        if case.program.startswith("fortran_"):
            own = self.build / "tests/conformance" / self.library.name
            return compiling.fortran_program(self.library, case.program.removeprefix("fortran_"), own, self.environment)
        if self.library.compiler:
            return compiling.cpp_program(self.library, case.program, folder, self.environment)
        return folder / case.program

    def launch(self, case: Case, program: Path, folder: str) -> subprocess.CompletedProcess[str]:
        """Run the case; its statistics are in the folder afterwards."""
        settings = {
            "GAPLESS_STATS": "1",
            "GAPLESS_RUN_DIR": folder,
            "GAPLESS_SMALLEST_BYTES": "0",  # pack all that gains or loses: what is slower is not the question
            "CONFORMANCE_LACKS": ",".join(sorted(self.lacks)),
        } | case.settings
        start = [self.library.launcher, *self.library.options]
        words = [*self.emulator, str(program), *case.arguments]
        first = ["env", *(f"{name}={value}" for name, value in case.first.items()), *words]
        apart = case.layer_on_first or case.first
        command = [*start, "-n", str(case.ranks), *words]
        launcher = Launcher.OPEN_MPI if self.library.is_open_mpi() else Launcher.HYDRA
        preload = str(self.front())
        if case.tool:
            tool = str(program.parent / "tool.so")
            preload, behind = (preload, tool) if case.tool == "after" else (tool, preload)
            given = ["-x", f"LD_PRELOAD={behind}"] if self.library.is_open_mpi() else ["-genv", "LD_PRELOAD", behind]
            command[len(start) : len(start)] = given
        if case.layer_on_first:
            # An environment of its own for rank 0, by a program that every launcher starts alike.
            values = {**settings, "LD_PRELOAD": preload}
            first[1:1] = [f"{name}={value}" for name, value in values.items()]
        if apart:
            command = [*start, "-n", "1", *first, ":", "-n", str(case.ranks - 1), *words]
        if case.layer_on_first:
            launch = Launch(command, self.environment)
        else:
            launch = put_under(command, preload, settings, self.environment, launcher)
        return subprocess.run(
            launch.command,
            env=launch.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=case.timeout_s,
            check=False,
        )

    def collect(self, folder: str) -> int:
        """Add up what the ranks counted; return the calls that were paired."""
        before = self.paired.total()
        for file in Path(folder).glob("*.json"):
            stats = json.loads(file.read_text()).get("stats", {})
            for procedure, counters in stats.get("procedures", {}).items():
                self.accelerated[procedure] += counters["accelerated"]
                self.paired[procedure] += counters.get("paired", 0)
        return self.paired.total() - before

    def case(self, case: Case) -> None:
        """Run one case and print one line."""
        self.tried += 1
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="gapless-conformance-") as folder:
            try:
                answer = self.launch(case, self.program(case), folder)
                text, code = (answer.stdout + answer.stderr).strip(), answer.returncode
            except compiling.CompilationFailed as failure:
                text, code = str(failure), -1
            except subprocess.TimeoutExpired as late:
                said = [(part or b"").decode(errors="replace") for part in (late.stdout, late.stderr)]
                text, code = f"no end after {case.timeout_s} s; until then it said: {''.join(said) or 'nothing'}", -1
            paired = self.collect(folder)
        seconds = f"{time.monotonic() - started:.1f} s"
        name = f"{self.library.name}: {case.name()}"
        # Open MPI's launcher turns the programs' code into its own.
        if re.search(r"^skipped: ", text, re.MULTILINE) and code != 0:
            reason = next(line for line in text.splitlines() if line.startswith("skipped: "))
            print(f"{name}: {reason}", flush=True)
        elif code in case.exit_codes and not case.is_paired_enough(paired):
            self.failures.append(case.name())
            print(f"{name}: FAILED: {paired} calls were paired ({seconds})", flush=True)
        elif code in case.exit_codes and case.expects in text:
            print(f"{name}: {text.splitlines()[0] if text else 'passed'} ({seconds})", flush=True)
        else:
            self.failures.append(case.name())
            print(f"{name}: FAILED with {code} ({seconds})\n{text[-4000:]}", flush=True)

    def never_accelerated(self) -> list[str]:
        """Return the procedures that the library has and the layer never accelerated."""
        return [name for name in procedures() if name not in self.lacks and self.accelerated[name] == 0]

    def never_paired(self) -> list[str]:
        """Return the procedures that could be paired and never were."""
        return [name for name in PAIRED if name not in self.lacks and self.paired[name] == 0]


def run_library(library: Library, options: argparse.Namespace) -> bool:
    """Run all cases on a library; return whether all went well."""
    if missing := library.missing():
        print(f"{library.name}: skipped: {missing}")
        return not options.seeds
    run = Run(library, options.build, tuple(shlex.split(options.emulator)))
    if run.lacks:
        print(f"{library.name}: skipped: not in the library: {', '.join(sorted(run.lacks - set(library.broken)))}")
    if library.broken:
        print(f"{library.name}: skipped: broken in the library itself: {', '.join(library.broken)}")
    fortran = [case for case in FORTRAN_CASES if case.program.removeprefix("fortran_") in library.fortran_flavours]
    for case in (*CASES, *fortran):
        if (case.is_long and not options.long) or (case.is_second and options.few):
            continue
        if options.case and not any(text in case.name() for text in options.case):
            continue
        if case.only and case.only not in library.name:
            continue
        if reason := library.broken_cases.get(case.name()):
            print(f"{library.name}: {case.name()}: skipped: without the layer, {reason}")
            continue
        if case in FORTRAN_CASES and (missing := library.missing_fortran()):
            print(f"{library.name}: {case.name()}: skipped: {missing}")
            continue
        if options.seeds:
            drawn = case.of_seeds(*options.seeds)
            if drawn is not None:
                run.case(drawn)
            continue
        run.case(case.few() if options.few else case)
    for failure in run.failures:
        print(f"{library.name}: failed: {failure}")
    if options.seeds and not run.tried:
        print(f"{library.name}: no such random programs")
        return False
    if options.case or options.seeds:
        return not run.failures
    never = run.never_accelerated()
    for name in never:
        print(f"{library.name}: {name}: accelerated = 0")
    unpaired = run.never_paired()
    for name in unpaired:
        print(f"{library.name}: {name}: paired = 0")
    covered = len(procedures()) - len(run.lacks) - len(never)
    print(f"{library.name}: {covered} procedures accelerated, {len(never)} never, {len(run.failures)} cases failed")
    return not run.failures and not never and not unpaired


def seeds(text: str) -> tuple[int, int]:
    """Read FIRST:COUNT."""
    first, count = map(int, text.split(":"))
    if first < 0 or count < 1:
        raise ValueError
    return first, count


def main() -> int:
    """Parse the command line and run."""
    names = [library.name for library in LIBRARIES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", action="append", choices=names, help="run on this library (may be repeated)")
    parser.add_argument("--all", action="store_true", help=f"run on all libraries, not only on {', '.join(WHEELS)}")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--few", action="store_true", help="draw a quarter of the seeds, and leave out the second cases of a kind"
    )
    which.add_argument("--long", action="store_true", help="run the long and the large cases too")
    which.add_argument(
        "--seeds", type=seeds, metavar="FIRST:COUNT", help="run random programs alone: these, not those of the cases"
    )
    parser.add_argument(
        "--case", action="append", help="run only the cases whose name contains this text (may be repeated)"
    )
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="CMake's build folder")
    parser.add_argument(
        "--emulator", default="", help="command that runs the folder's programs, which are for another machine"
    )
    options = parser.parse_args()
    options.build = options.build.resolve()
    wanted = options.library or (names if options.all else WHEELS)
    results = [run_library(library, options) for library in LIBRARIES if library.name in wanted]
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
