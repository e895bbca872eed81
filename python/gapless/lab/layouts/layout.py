"""The 23 layouts of MPI-Datatybe: each says n elements of a base type in one MPI description.

Source: Carpen-Amarie, Hunold and Träff, *MPI Derived Datatypes: Performance Expectations and Status Quo* (2016), and
the program published with it. Parameters count elements of the base type. A static layout is a small type, sent many
at a time; a dynamic one is a single type for all n elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gapless.lab.layouts.notation import Base


class Refused(Exception):
    """Parameters that make no comparable message; the text is the reason."""


class Parameters(dict[str, int]):
    """The parameters of a layout by name, for example ``p.A``."""

    __getattr__ = dict.__getitem__

    def __str__(self) -> str:
        """Return for example ``A=2,B=4``."""
        return ",".join(f"{name}={value}" for name, value in self.items())


@dataclass(frozen=True)
class Message:
    """So many of a type, in the notation; `more`: what else the job file says of it."""

    count: int
    type: str
    more: Mapping[str, Any] = field(default_factory=dict, hash=False, kw_only=True)


Count = Callable[[Any], int]
Rule = Callable[[Any], bool]


@dataclass(frozen=True)
class Layout:
    """One of the 23 ways to describe a layout.

    Attributes
    ----------
    name : str
        Its name on the command line of MPI-Datatybe.
    parameters : tuple of str
        The names of its parameters.
    paper : str
        Its name in the paper, or empty for one that only the program has.
    unit : callable
        Of the parameters: n must be a multiple of this [elements].
    units : callable
        Of the parameters: the fewest units that make the type.
    rule, rule_text : callable, str
        What the parameters must satisfy.
    write : callable
        Of parameters, n and base type: the message.
    """

    name: str
    parameters: tuple[str, ...]
    paper: str
    unit: Count
    units: Count
    rule: Rule
    rule_text: str
    write: Callable[[Any, int, Base], Message]
    dynamic: bool

    def check(self, parameters: Parameters) -> None:
        """Refuse parameters that MPI-Datatybe's layout does not allow."""
        if set(parameters) != set(self.parameters):
            raise Refused(f"{self.name} has the parameters {', '.join(self.parameters) or 'none'}, not {parameters}")
        if any(value < 1 for value in parameters.values()):
            raise Refused(f"{self.name}: {parameters}: parameters are positive")
        if not self.rule(parameters):
            raise Refused(f"{self.name} needs {self.rule_text}, not {parameters}")

    def fewest(self, parameters: Parameters) -> int:
        """Return how many elements the smallest message has."""
        return self.unit(parameters) * self.units(parameters)

    def message(self, parameters: Parameters, n: int, base: Base) -> Message:
        """Return the message of exactly n elements.

        Raises
        ------
        Refused
            If the parameters are not allowed, or n elements are not whole units of it.
        """
        self.check(parameters)
        if n < self.fewest(parameters) or n % self.unit(parameters):
            raise Refused(
                f"{self.name} of {parameters} has whole units of {self.unit(parameters)} elements, at least "
                f"{self.units(parameters)}: {n} elements do not make it"
            )
        return self.write(parameters, n, base)


LAYOUTS: dict[str, Layout] = {}


def _one(_: Any) -> int:
    return 1


def layout(
    name: str, parameters: str, paper: str, unit: Count, rule: Rule, rule_text: str, *, units: Count = _one,
    dynamic: bool = False,
) -> Callable[[Callable[[Any, int, Base], Message]], Callable[[Any, int, Base], Message]]:  # fmt: skip
    """Make a layout known under its name."""

    def register(write: Callable[[Any, int, Base], Message]) -> Callable[[Any, int, Base], Message]:
        LAYOUTS[name] = Layout(name, tuple(parameters.split()), paper, unit, units, rule, rule_text, write, dynamic)
        return write

    return register


def find_layout(name: str) -> Layout:
    """Return a layout by its name."""
    # The modules that write the layouts fill the table when they are read.
    from gapless.lab.layouts import dynamic, static

    _ = static, dynamic
    if name not in LAYOUTS:
        raise Refused(f"no layout is called {name}: there are {', '.join(LAYOUTS)}")
    return LAYOUTS[name]
