"""How Ninja builds a program: the recorded commands, and which objects a source goes into."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from mutant import Failure


class Compilation(NamedTuple):
    """One object: how it is compiled, and from which source."""

    command: str
    source: str


class Step(NamedTuple):
    """A link, or an archive."""

    command: str
    output: str


class Target(NamedTuple):
    """What a target is built by: its objects, and the steps that put them together, the last of which makes it."""

    objects: Mapping[str, Compilation]
    steps: tuple[Step, ...]

    def output(self) -> str:
        """Return the path of what is built, from the build folder."""
        return self.steps[-1].output


class BuildGraph:
    """A build folder of Ninja's in which the targets in question are built."""

    def __init__(self, build: Path, ninja: str, targets: Iterable[str]) -> None:
        """Read the commands of the targets, and what each object depends on."""
        self._build, self._ninja = build, ninja
        self.targets = {target: self._read_target(target) for target in targets}
        self._dependencies = self._read_dependencies()

    def objects_of(self, source: Path, target: str) -> dict[str, Compilation]:
        """Return the objects of a target that a source or a header goes into."""
        wanted = str(source.resolve())
        return {
            name: compilation
            for name, compilation in self.targets[target].objects.items()
            if wanted in self._dependencies.get(name, ())
        }

    def _ask(self, *words: str) -> str:
        done = subprocess.run(
            [self._ninja, "-C", str(self._build), "-t", *words], capture_output=True, text=True, errors="replace"
        )
        if done.returncode != 0:
            raise Failure(f"ninja -t {' '.join(words)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def _read_target(self, target: str) -> Target:
        objects, steps = {}, []
        for command in self._ask("commands", target).splitlines():
            if compiled := re.search(r" -o (\S+) -c (\S+)$", command):
                objects[compiled[1]] = Compilation(command, compiled[2])
            elif linked := re.search(r"^: && .* (?:-o|qc) (\S+) ", command):
                steps.append(Step(command, linked[1]))
        if not steps:
            raise Failure(f"ninja knows no link for {target}")
        return Target(objects, tuple(steps))

    def _read_dependencies(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        paths: set[str] = set()
        absolute: dict[str, str] = {}
        for line in self._ask("deps").splitlines():
            if line.startswith("    "):
                name = line[4:]
                if name not in absolute:
                    absolute[name] = str((self._build / name).resolve())
                paths.add(absolute[name])
            elif ": #deps" in line:
                paths = found.setdefault(line.partition(": #deps")[0], set())
        return found


def substituted(command: str, paths: Mapping[str, str]) -> str:
    """Return a command with words replaced."""
    return re.sub(r"\S+", lambda word: paths.get(word[0], word[0]), command)
