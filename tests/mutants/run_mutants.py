#!/usr/bin/env python3
"""Plants faults in the engine, one at a time, and checks that random types, or pairs of them, notice each.

Usage: run_mutants.py --source REPOSITORY --build FOLDER [--only TEXT] [-- CMAKE_ARGUMENT...]
Works on a copy of the sources below FOLDER. First the unchanged engine must pass. A mutant that does not compile,
whose piece of source is not found exactly once, or that survives, is a failure of this test.
Needs nothing but the Python standard library.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from mutants import MUTANTS, Mutant

# A fault may make the program hang: that is noticed too. A slow machine is no fault: so many times as long as the
# unchanged engine takes, and not less than a minute.
LEAST_LIMIT_S, LIMIT_TIMES, FIRST_LIMIT_S = 60.0, 5.0, 600.0
COPIED = ("src", "include", "cmake", "tests/support", "tests/property")


class Failure(Exception):
    """The test cannot say anything about a mutant."""


class Workshop:
    """A copy of the engine that may be broken, and its build."""

    def __init__(self, source: Path, folder: Path, cmake_arguments: list[str]) -> None:
        """Copy the sources and configure."""
        self.copy, self.build = folder / "copy", folder / "build"
        self.limit_s = FIRST_LIMIT_S
        for name in COPIED:
            self._sync(source / name, self.copy / name)
        self._write(self.copy / "CMakeLists.txt", (source / "tests/mutants/project.cmake").read_text(encoding="utf-8"))
        self._run(["cmake", "-S", str(self.copy), "-B", str(self.build), *cmake_arguments])

    def make(self, noticed_by: tuple[str, ...]) -> None:
        """Build a program with the sources as they are now."""
        self._run(["cmake", "--build", str(self.build), "--target", noticed_by[0]])

    def verdict(self, noticed_by: tuple[str, ...], environment: Mapping[str, str]) -> str | None:
        """Run a program with these settings; return how it failed, or None if it passed."""
        command = [str(self.build / "tests/property" / noticed_by[0]), *noticed_by[1:]]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=self.limit_s, errors="replace",
                env=os.environ | environment,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return f"hung for {self.limit_s:.0f} s"
        if done.returncode == 0:
            return None
        if done.returncode < 0:
            return f"ended by signal {-done.returncode}"
        found = re.search(r"^FAILED: (.*)$", done.stdout, re.MULTILINE)
        return found[1] if found else f"exit status {done.returncode}"

    def try_mutant(self, mutant: Mutant) -> str | None:
        """Plant one fault; return how it was noticed, or None if it was not. The source is whole again afterwards."""
        path = self.copy / mutant.file
        original = path.read_text(encoding="utf-8")
        occurrences = original.count(mutant.before)
        if occurrences != 1:
            raise Failure(f"{mutant.file} holds {occurrences} times, not once: {mutant.before}")
        try:
            self._write(path, original.replace(mutant.before, mutant.after))
            self.make(mutant.noticed_by)
            return self.verdict(mutant.noticed_by, mutant.environment)
        finally:
            self._write(path, original)

    def _sync(self, source: Path, copy: Path) -> None:
        """Make `copy` equal to `source`, touching only files that differ, so that a second run builds little."""
        wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
        if copy.exists():
            for path in [path for path in copy.rglob("*") if path.is_file()]:
                if path.relative_to(copy) not in wanted:
                    path.unlink()
        for name in sorted(wanted):
            if not (copy / name).exists() or (copy / name).read_bytes() != (source / name).read_bytes():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source / name, copy / name)

    @staticmethod
    def _write(path: Path, text: str) -> None:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")

    @staticmethod
    def _run(command: list[str]) -> None:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)} failed:\n{done.stdout}")


def run(source: Path, folder: Path, only: str, cmake_arguments: list[str]) -> int:
    """Try the unchanged engine and every mutant; return the number of failures."""
    workshop = Workshop(source, folder, cmake_arguments)
    chosen = [mutant for mutant in MUTANTS if only in mutant.plants or only in mutant.file]
    slowest_s = 0.0
    ways = {(mutant.noticed_by, tuple(sorted(mutant.environment.items()))) for mutant in chosen}
    for noticed_by, environment in sorted(ways):
        workshop.make(noticed_by)
        settings = " ".join([*(f"{name}={value}" for name, value in environment), *noticed_by])
        workshop.limit_s, start = FIRST_LIMIT_S, time.monotonic()
        noticed = workshop.verdict(noticed_by, dict(environment))
        slowest_s = max(slowest_s, time.monotonic() - start)
        if noticed is not None:
            print(f"FAILED: the unchanged engine does not pass ({settings}): {noticed}")
            return 1
        print(f"the unchanged engine passes ({settings})", flush=True)
    workshop.limit_s = max(LEAST_LIMIT_S, LIMIT_TIMES * slowest_s)
    failures = 0
    for mutant in chosen:
        start = time.monotonic()
        try:
            noticed = workshop.try_mutant(mutant)
            failed, text = noticed is None, f"caught: {noticed}" if noticed else "SURVIVED"
        except Failure as failure:
            failed, text = True, str(failure)
        failures += failed
        print(f"{'FAILED' if failed else 'ok'}: {mutant.plants} ({mutant.file}, {time.monotonic() - start:.1f} s)\n"
              f"    {text[:2000] if failed else text[:160]}", flush=True)  # fmt: skip
    print(f"{len(chosen)} mutants, {len(chosen) - failures} caught")
    return failures if chosen else 1


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--only", default="", help="mutants whose text or file contains this")
    parser.add_argument("cmake_arguments", nargs="*", help="handed to cmake, behind --")
    arguments = parser.parse_args()
    try:
        return 1 if run(arguments.source.resolve(), arguments.build, arguments.only, arguments.cmake_arguments) else 0
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
