"""Builds the programs of a mutant beside an unchanged build, one object and one link, and runs them."""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from build_graph import BuildGraph, Compilation, substituted
from mutant import Check, Failure, Mutant

# The layer of MPICH's ABI: where a check has ranks, the fault is in this.
BACKEND, FRONT = "gapless_be_mpich", "gapless_preload_lc41"
SKIPPED = 77
KERNELS = re.compile(r"/kernel/(\w+)/kernels\.cpp$")
# Several sources that CMake has compiled as one, and what it includes.
UNIT = re.compile(r"/Unity/unity_\d+_cxx\.cxx$")
INCLUDED = re.compile(r'(?<=^#include ")[^"]+', re.MULTILINE)


class Settings(NamedTuple):
    """What all workshops share."""

    source: Path
    build: Path
    folder: Path
    mpiexec: str


class Seconds:
    """Where the time goes."""

    def __init__(self) -> None:
        self.compiling = self.linking = self.running = 0.0

    def all(self) -> float:
        return self.compiling + self.linking + self.running


class Ranks:
    """Lets as many ranks run at once as there are cores, and at least one program."""

    def __init__(self, cores: int) -> None:
        self._cores, self._used, self._changed = cores, 0, threading.Condition()

    def take(self, n: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._used == 0 or self._used + n <= self._cores)
            self._used += n

    def give(self, n: int) -> None:
        with self._changed:
            self._used -= n
            self._changed.notify_all()


def planted_isa() -> str:
    """Return the set of kernels that faults are planted in: the best one here that takes nothing from another.

    AVX-512's takes passes of AVX2's, and machines that run it run AVX2's as well. What it has of its own is tried by no
    planted fault.
    """
    if platform.machine() in ("aarch64", "arm64"):
        return "neon"
    try:
        flags = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("flags")[2].partition("\n")[0].split())
    except OSError:
        flags = set()
    return "avx2" if "avx2" in flags else "baseline"


class Workshop:
    """A place of its own for one mutant at a time, or for the unchanged sources."""

    def __init__(self, name: str, settings: Settings, graph: BuildGraph, ranks: Ranks) -> None:
        self.seconds = Seconds()
        self._settings, self._graph, self._ranks = settings, graph, ranks
        self._place = settings.folder / name
        self._overlay = self._place / "src"
        shutil.rmtree(self._place, ignore_errors=True)
        self._overlay.mkdir(parents=True)

    def close(self) -> None:
        """Remove all that was made."""
        shutil.rmtree(self._place, ignore_errors=True)

    def plant(self, mutant: Mutant) -> Path:
        """Write the changed source, which the compiler meets before the unchanged one; return its path below src."""
        path, text = mutant.planted(self._settings.source)
        (self._overlay / path).parent.mkdir(parents=True)
        (self._overlay / path).write_text(text, encoding="utf-8")
        return path

    def make(self, target: str, objects: Mapping[str, Compilation]) -> Path:
        """Compile these objects of a target and link it with them; return its path."""
        replaced = {name: str(self.compile(name, compilation)) for name, compilation in objects.items()}
        if not replaced:
            raise Failure(f"no object of {target} depends on the changed source")
        started = time.monotonic()
        for step in self._graph.targets[target].steps:
            if not any(word in replaced for word in step.command.split()):
                continue
            made = self._place / "out" / step.output
            made.parent.mkdir(parents=True, exist_ok=True)
            replaced[step.output] = str(made)
            # Nobody debugs it.
            self._run(substituted(step.command, replaced).replace(" -o ", " -Wl,-S -o "))
            self._name_for_loader(step.command, made)
        made = self._place / "out" / self._graph.targets[target].output()
        if target == BACKEND:
            # The front looks for the backend beside itself.
            shutil.copyfile(self._settings.build / self._graph.targets[FRONT].output(), self._front(made))
        self.seconds.linking += time.monotonic() - started
        return made

    def compile(self, name: str, compilation: Compilation) -> Path:
        """Compile one object as it is recorded, but faster and without warnings."""
        made = self._place / "out" / name
        if made.exists():
            return made
        started = time.monotonic()
        made.parent.mkdir(parents=True, exist_ok=True)
        source = self._source_of(compilation, made)
        command = re.sub(r" -MD -MT \S+ -MF \S+", "", compilation.command)
        command = substituted(command, {name: str(made), compilation.source: source})
        # Kernels are templates over many widths: unoptimised they take a quarter of the time.
        level = "-O0" if KERNELS.search(compilation.source) else "-O1"
        self._run(re.sub(r" -I", f" -I{self._overlay} -I", command, count=1) + f" -w -g0 {level}")
        self.seconds.compiling += time.monotonic() - started
        return made

    def _source_of(self, compilation: Compilation, made: Path) -> str:
        """Return what to compile: the changed source, or a unit that includes it in place of the unchanged one."""
        if not UNIT.search(compilation.source):
            return self._changed(compilation.source)
        unit = made.with_suffix("")
        text = Path(compilation.source).read_text(encoding="utf-8")
        unit.write_text(INCLUDED.sub(lambda name: self._changed(name[0]), text), encoding="utf-8")
        return str(unit)

    def _changed(self, source: str) -> str:
        """Return the path of the changed source, if it is this one."""
        changed = self._overlay / os.path.relpath(source, self._settings.source / "src")
        return str(changed) if changed.exists() else source

    def verdict(self, check: Check, made: Path, limit_s: float) -> str | None:
        """Run a check with what was made; return how it failed, or None if it passed."""
        started = time.monotonic()
        environment = {**os.environ, **check.settings}
        if check.ranks == 0:
            environment.setdefault("GAPLESS_ISA", planted_isa())
            environment["LD_LIBRARY_PATH"] = f"{self._place}/out/src"
            command = [str(made), *check.arguments]
        else:
            (self._place / "run").mkdir(exist_ok=True)
            command = self._launch(check, self._front(made))
        self._ranks.take(check.ranks)
        try:
            return _run_until_noticed(command, environment, limit_s)
        finally:
            self._ranks.give(check.ranks)
            self.seconds.running += time.monotonic() - started

    def _front(self, backend: Path) -> Path:
        return backend.parent / Path(self._graph.targets[FRONT].output()).name

    def _launch(self, check: Check, front: Path) -> list[str]:
        program = str(self._settings.build / self._graph.targets[check.target].output())
        settings = {"GAPLESS_STATS": "1", "GAPLESS_RUN_DIR": f"{self._place}/run", "GAPLESS_ISA": planted_isa()}
        settings |= check.settings
        settings = {name: value.format(source=self._settings.source) for name, value in settings.items()}
        layer = {"LD_PRELOAD": str(front)}
        words = [program, *check.arguments]
        if not check.first and not check.layer_on_first:
            everywhere = [word for pair in (settings | layer).items() for word in ("-genv", *pair)]
            return [self._settings.mpiexec, "-n", str(check.ranks), *everywhere, *words]
        # Rank 0 has an environment of its own.
        own = [f"{name}={value}" for name, value in (settings | layer | check.first).items()]
        others = [] if check.layer_on_first else [f"{name}={value}" for name, value in (settings | layer).items()]
        return [self._settings.mpiexec, "-n", "1", "env", *own, *words, ":",
                "-n", str(check.ranks - 1), "env", *others, *words]  # fmt: skip

    def _name_for_loader(self, command: str, made: Path) -> None:
        soname = re.search(r"-Wl,-soname,(\S+)", command)
        if soname is not None and soname[1] != made.name:
            (made.parent / soname[1]).symlink_to(made.name)

    def _run(self, command: str) -> None:
        done = subprocess.run(
            command, shell=True, cwd=self._settings.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace",
        )  # fmt: skip
        if done.returncode != 0:
            raise Failure(f"{done.stdout[:1000]}\nof {command}")


def artifact(check: Check) -> str:
    """Return the target that a check's fault is linked into."""
    return BACKEND if check.ranks else check.target


def affected(graph: BuildGraph, source: Path, check: Check) -> dict[str, Compilation]:
    """Return the objects that a change of a source changes, as far as the check runs them.

    Each set of kernels takes as long to compile as all the rest: of these only the one that is in force.
    """
    isa = check.settings.get("GAPLESS_ISA", planted_isa())
    objects = graph.objects_of(source, artifact(check))
    kernels = {name: KERNELS.search(compilation.source) for name, compilation in objects.items()}
    return {name: objects[name] for name, found in kernels.items() if found is None or found[1] == isa}


def _run_until_noticed(command: list[str], environment: Mapping[str, str], limit_s: float) -> str | None:
    """Run a program; end it at its first finding, or when its time is over."""
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", start_new_session=True,
    ) as process:  # fmt: skip
        late = threading.Event()

        def end() -> None:
            late.set()
            _end(process)

        clock = threading.Timer(limit_s, end)
        clock.start()
        lines: list[str] = []
        try:
            assert process.stdout is not None
            for line in process.stdout:
                lines.append(line.rstrip())
                if line.startswith("FAILED: "):
                    _end(process)
                    return line.removeprefix("FAILED: ").rstrip()
            code = process.wait()
        finally:
            clock.cancel()
    if late.is_set():
        return f"hung for {limit_s:.0f} s"
    if code == 0:
        return None
    if code == SKIPPED:
        raise Failure("skipped: " + " ".join(lines))
    said = next((line for line in lines if line.strip()), "")
    return f"ended by signal {-code}" if code < 0 else f"exit status {code}: {said}"


def _end(process: subprocess.Popen[str]) -> None:
    """End a program and all that it started: mpiexec ends its ranks itself if it is asked to."""
    for kind, patience_s in ((signal.SIGTERM, 3.0), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, kind)
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            pass
        return
