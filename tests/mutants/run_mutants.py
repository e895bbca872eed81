#!/usr/bin/env python3
"""Plants faults in the engine, the channels or the layer, one at a time, and checks that a program notices each.

Usage: run_mutants.py engine|fabric|layer --source REPOSITORY --build FOLDER --ninja NINJA --mpiexec MPIEXEC
                      [--only TEXT] [--part K/N] [--jobs N]
       run_mutants.py --check --source REPOSITORY

FOLDER is a build folder of Ninja's; nothing in it is changed. Of a mutant the objects are compiled that its source goes
into, beside the others, and linked with these. First the unchanged sources, compiled likewise, must pass. A mutant that
does not compile, whose piece of source is not found exactly once, or that survives, is a failure of this test.
--check only looks for the pieces. --part 2/3 tries the second, fifth, eighth ... of them (also by GAPLESS_PART,
for CI). Needs nothing but the Python standard library.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import mutants_alltoall
import mutants_engine
import mutants_fabric
import mutants_heap
import mutants_layer
import mutants_offers
import mutants_wire
from build_graph import BuildGraph, Compilation
from mutant import Check, Failure, Mutant
from workshop import BACKEND, FRONT, Ranks, Seconds, Settings, Workshop, affected, artifact

SETS = {
    "engine": [
        *mutants_engine.MUTANTS,
        *mutants_wire.MUTANTS,
        *mutants_offers.MUTANTS,
        *mutants_heap.HEAP,
        *mutants_alltoall.MUTANTS,
    ],
    "fabric": mutants_fabric.MUTANTS,
    "layer": mutants_layer.MUTANTS,
}

# A fault may make the program hang: that is noticed too. A slow machine is no fault: so many times as long as the
# unchanged program takes, and not less than this. Not ten times: one whose ranks had to wait for a core took 18 s once
# instead of one, and then each fault that hangs took three minutes.
LEAST_LIMIT_S, LIMIT_TIMES, FIRST_LIMIT_S = 12.0, 4.0, 600.0
SLOWEST = 5
# So many runs before the unchanged program is said to fail, or a fault to go unnoticed: an MPI library may fail by
# itself (ctest runs the same programs once each), and a fault that is a race need not show in a single run.
ATTEMPTS = 3


class Result(NamedTuple):
    """What became of one mutant."""

    mutant: Mutant
    failed: bool
    text: str
    seconds: Seconds


class Trial:
    """All mutants of one set."""

    def __init__(self, mutants: list[Mutant], settings: Settings, ninja: str, cores: int) -> None:
        """Build what the unchanged programs need."""
        self._mutants, self._settings, self._ranks = mutants, settings, Ranks(cores)
        checks = {check.name(): check for mutant in mutants for check in mutant.checks()}
        self._checks = list(checks.values())
        targets = {check.target for check in self._checks}
        if any(check.ranks for check in self._checks):
            targets |= {BACKEND, FRONT}
        build = [ninja, "-C", str(settings.build), *sorted(targets)]
        done = subprocess.run(build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        if done.returncode != 0:
            raise Failure(f"{' '.join(build)} failed:\n{done.stdout}")
        self._graph = BuildGraph(settings.build, ninja, targets)
        self._limits_s: dict[str, float] = {}

    def try_unchanged(self, pool: ThreadPoolExecutor) -> bool:
        """Compile all that any mutant changes as it is, and run all checks; print and return whether they pass."""
        workshop = Workshop("unchanged", self._settings, self._graph, self._ranks)
        changed: dict[str, dict[str, Compilation]] = {}
        for mutant in self._mutants:
            source = self._settings.source / "src" / mutant.planted(self._settings.source)[0]
            for check in mutant.checks():
                changed.setdefault(artifact(check), {}).update(affected(self._graph, source, check))

        def run(check: Check) -> tuple[str | None, float]:
            for attempt in range(1, ATTEMPTS + 1):
                started = time.monotonic()
                noticed = workshop.verdict(check, made[artifact(check)], FIRST_LIMIT_S)
                if noticed is None:
                    break
                print(f"unchanged sources, run {attempt} of {check.name()}: {noticed}", flush=True)
            return noticed, time.monotonic() - started

        try:
            # Those that take long first: sets of kernels.
            compilations = {name: one for objects in changed.values() for name, one in objects.items()}
            list(
                pool.map(
                    lambda item: workshop.compile(*item),
                    sorted(compilations.items(), key=lambda item: "kernel/" not in item[0]),
                )
            )
            made = {target: workshop.make(target, objects) for target, objects in changed.items()}
            passed = True
            for check, (noticed, seconds) in zip(self._checks, pool.map(run, self._checks), strict=True):
                self._limits_s[check.name()] = max(LEAST_LIMIT_S, LIMIT_TIMES * seconds)
                passed = passed and noticed is None
                word = "the unchanged sources pass" if noticed is None else f"FAILED: unchanged sources: {noticed}"
                print(f"{word} ({check.name()}, {seconds:.1f} s)", flush=True)
            return passed
        finally:
            workshop.close()

    def try_mutant(self, number: int) -> Result:
        """Plant one fault and run its checks until one notices."""
        mutant = self._mutants[number]
        workshop = Workshop(f"{number:03}", self._settings, self._graph, self._ranks)
        try:
            source = self._settings.source / "src" / workshop.plant(mutant)
            for _ in range(ATTEMPTS):
                for check in mutant.checks():
                    made = workshop.make(artifact(check), affected(self._graph, source, check))
                    if noticed := workshop.verdict(check, made, self._limits_s[check.name()]):
                        return Result(mutant, False, f"caught by {check.name()}: {noticed}", workshop.seconds)
            return Result(mutant, True, "SURVIVED", workshop.seconds)
        except Failure as failure:
            return Result(mutant, True, str(failure), workshop.seconds)
        finally:
            workshop.close()


class Progress:
    """One line on a terminal: how many are tried, and how long it takes."""

    def __init__(self, number: int) -> None:
        self._number, self._shown, self._start = number, sys.stderr.isatty(), time.monotonic()

    def say(self, done: int, failed: int) -> None:
        if self._shown:
            said = f"{done} of {self._number} tried, {failed} failed, {time.monotonic() - self._start:.0f} s"
            print(f"\r{said}\033[K", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def check_pieces(source: Path) -> int:
    """Look for the piece of every mutant; return how many are not there exactly once."""
    failures = 0
    for name, mutants in SETS.items():
        for mutant in mutants:
            try:
                mutant.planted(source)
                if not mutant.noticed_by:
                    raise Failure("no program is named that must notice it")
            except Failure as failure:
                failures += 1
                print(f"FAILED: {name}: {mutant.plants}\n    {failure}")
        print(f"{name}: {len(mutants)} mutants")
    return failures


def run(mutants: list[Mutant], settings: Settings, ninja: str, jobs: int) -> int:
    """Try the unchanged sources and every mutant; return the number of failures."""
    start = time.monotonic()
    results: list[Result] = []
    trial = Trial(mutants, settings, ninja, jobs)
    with ThreadPoolExecutor(jobs) as pool:
        if not trial.try_unchanged(pool):
            return 1
        progress = Progress(len(mutants))
        for result in pool.map(trial.try_mutant, range(len(mutants))):
            results.append(result)
            progress.clear()
            mutant, word = result.mutant, "FAILED" if result.failed else "ok"
            print(f"{word}: {mutant.plants} ({mutant.file}, {result.seconds.all():.1f} s)")
            print(f"    {result.text[: 2000 if result.failed else 160]}", flush=True)
            progress.say(len(results), sum(result.failed for result in results))
        progress.clear()
    print("slowest:")
    for result in sorted(results, key=lambda result: -result.seconds.all())[:SLOWEST]:
        seconds = result.seconds
        print(f"    {seconds.all():5.1f} s (compiling {seconds.compiling:.1f}, linking {seconds.linking:.1f}, running "
              f"{seconds.running:.1f}): {result.mutant.plants}")  # fmt: skip
    failures = sum(result.failed for result in results)
    whole = [sum(getattr(result.seconds, part) for result in results) for part in ("compiling", "linking", "running")]
    print(f"{len(results)} mutants, {len(results) - failures} caught, in {time.monotonic() - start:.0f} s on {jobs} "
          f"cores (compiling {whole[0]:.0f}, linking {whole[1]:.0f}, running {whole[2]:.0f})")  # fmt: skip
    return failures if results else 1


def part(text: str) -> tuple[int, int]:
    """Read K/N."""
    k, n = map(int, text.split("/"))
    if not 1 <= k <= n:
        raise ValueError
    return k, n


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", nargs="?", choices=sorted(SETS))
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, help="the build folder")
    parser.add_argument("--ninja", default="ninja")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--only", default="", help="mutants whose text or file contains this")
    parser.add_argument("--part", type=part, default=os.environ.get("GAPLESS_PART", "1/1"),
                        help="the K-th of N parts of them")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="as many mutants at once")
    parser.add_argument("--check", action="store_true", help="only look whether each piece of source is there")
    options = parser.parse_args()
    source = options.source.resolve()
    if options.check:
        return 1 if check_pieces(source) else 0
    if options.set is None or options.build is None:
        parser.error("a set of mutants and --build, or --check")
    build = options.build.resolve()
    folder = build / "tests/mutants" / f"work_{options.set}"
    chosen = [mutant for mutant in SETS[options.set] if options.only in mutant.plants or options.only in mutant.file]
    first, parts = options.part
    if parts > 1:
        print(f"part {first} of {parts} of {len(chosen)} mutants")
    chosen = chosen[first - 1 :: parts]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(f"FAILED: another run is at work in {folder}")
            return 1
        try:
            failures = run(chosen, Settings(source, build, folder, options.mpiexec), options.ninja, options.jobs)
        except Failure as failure:
            failures = 1
            print(f"FAILED: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
