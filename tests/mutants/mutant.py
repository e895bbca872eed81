"""What a mutant is: a fault planted in one source, and the programs that must notice it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

NOTHING: Mapping[str, str] = MappingProxyType({})


class Failure(Exception):
    """Nothing can be said about a mutant."""


class Check(NamedTuple):
    """A program that must notice a mutant: a CMake target and its arguments.

    With ranks it runs under mpiexec and the layer, and the fault is in the layer's backend; without, it is in the
    program itself. In its settings {source} is the repository.
    """

    target: str
    arguments: tuple[str, ...] = ()
    ranks: int = 0
    settings: Mapping[str, str] = NOTHING
    first: Mapping[str, str] = NOTHING
    """What rank 0 alone has besides."""
    layer_on_first: bool = False
    """The layer is under rank 0 only."""

    def under(self, settings: Mapping[str, str]) -> Check:
        """Return the same with more settings."""
        return self._replace(settings={**self.settings, **settings}) if settings else self

    def name(self) -> str:
        """Return how it is printed."""
        settings = [f"{name}={value}" for name, value in sorted(self.settings.items())]
        ranks = [f"on {self.ranks} ranks"] if self.ranks else []
        first = [f"with {name}={value} on rank 0" for name, value in self.first.items()]
        first += ["with the layer on rank 0 only"] if self.layer_on_first else []
        return " ".join([*settings, self.target, *self.arguments, *ranks, *first])


class Mutant(NamedTuple):
    """One planted fault: `before` stands exactly once in the source and becomes `after`.

    `file` is the end of the source's path below src, as short as it is unique. The checks run one after the other
    until one notices.
    """

    plants: str
    file: str
    before: str
    after: str
    environment: Mapping[str, str] = NOTHING
    noticed_by: tuple[Check, ...] = ()

    def checks(self) -> tuple[Check, ...]:
        """Return the programs with this mutant's settings."""
        return tuple(check.under(self.environment) for check in self.noticed_by)

    def planted(self, source: Path) -> tuple[Path, str]:
        """Return the file below a repository's src, as a path from there, and its text with the fault in it."""
        root = source / "src"
        name = Path(self.file).name
        found = [path for path in root.rglob(name) if f"/{path.relative_to(root)}".endswith(f"/{self.file}")]
        if len(found) != 1:
            raise Failure(f"{self.file} is the end of {len(found)} paths below src, not of one")
        text = found[0].read_text(encoding="utf-8")
        occurrences = text.count(self.before)
        if occurrences != 1 or self.before == self.after:
            raise Failure(f"{self.file} holds {occurrences} times, not once: {self.before}")
        return found[0].relative_to(root), text.replace(self.before, self.after)
