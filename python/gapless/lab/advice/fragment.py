"""A fragment of a program while it is written: its declarations, then its statements; what C and Fortran share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap

from gapless.lab.advice.names import Names

MOST_NUMBERS = 8  # that are written out; of a longer list so many are named in a comment
INT = 2**31
WIDTH = 100  # of a line; a constructor's arguments go on below it

Value = int | str
# int, count and address are MPI's kinds of arguments; `fixed` is an int in the large-count procedures, too.
Kind = str
FIXED, INTEGER, COUNT, ADDRESS, HANDLE = "fixed", "int", "count", "address", "handle"


def fits(value: Value) -> bool:
    """Say whether a number can be an int."""
    return isinstance(value, str) or -INT <= value < INT


@dataclass(frozen=True)
class Numbers:
    """A list, of which only the beginning need be known.

    Attributes
    ----------
    total : int
        How long it is.
    first : sequence of int or str
        All, or at least the first eight.
    step : int, optional
        What each is more than the one before, if that is the same along the whole list.
    """

    total: int
    first: Sequence[Value]
    step: int | None = None

    @classmethod
    def of(cls, values: Sequence[Value]) -> Numbers:
        """Return a list that is known as a whole."""
        if all(value == values[0] for value in values):
            return cls(len(values), values, 0)
        if all(isinstance(value, int) for value in values):
            step = int(values[1]) - int(values[0])
            if all(int(b) - int(a) == step for a, b in zip(values, values[1:], strict=False)):
                return cls(len(values), values, step)
        return cls(len(values), values)

    @property
    def is_short(self) -> bool:
        """Whether all are written out."""
        return self.total <= MOST_NUMBERS

    @property
    def beginning(self) -> str:
        """The first few, for a comment."""
        return f"{', '.join(map(str, self.first[:MOST_NUMBERS]))}, ... ({self.total} in all)"


@dataclass(frozen=True)
class Place:
    """Where an element is: a sum of variables times factors, and a constant."""

    terms: tuple[tuple[int, str], ...] = ()
    constant: int = 0

    def moved(self, by: int) -> Place:
        """Return the place so many elements further."""
        return Place(self.terms, self.constant + by)

    def along(self, factor: int, variable: str) -> Place:
        """Return the place a variable times a factor further."""
        return Place((*self.terms, (factor, variable)), self.constant)

    def __str__(self) -> str:
        """Return for example `30 * i - 2 * j + 7`."""
        text = ""
        for factor, variable in (*self.terms, (self.constant, "")):
            if factor == 0 and (text or variable):
                continue
            size = str(abs(factor)) if not variable else variable if abs(factor) == 1 else f"{abs(factor)} * {variable}"
            sign = "-" if factor < 0 else "+"
            text += f" {sign} {size}" if text else size if factor >= 0 else f"-{size}"
        return text or "0"


@dataclass
class Loops:
    """Statements that are one behind the other, and how many of them there are: a loop is one."""

    lines: list[str] = field(default_factory=list)
    statements: int = 0

    def add(self, other: Loops) -> None:
        """Go on with other statements."""
        self.lines += other.lines
        self.statements += other.statements


class Fragment(ABC):
    """What a language writes differently. Lines are kept without the indentation of the whole."""

    names: Names
    types: dict[Kind, str]
    comment: str  # how one begins
    indentation: str
    continuation: str  # at the end of a line that goes on
    first_index: int  # of an array

    def __init__(self) -> None:
        self.is_far = False  # whether places of elements need more than an int
        self.declarations: list[str] = []
        self.variables: dict[str, list[str]] = {}  # of each type
        self.statements: list[str] = []
        self.freed: list[str] = []  # statements at the very end
        self._taken: set[str] = set()

    def unique(self, name: str) -> str:
        """Return a name that nothing else has: lengths, lengths_2."""
        found, number = name, 1
        while found in self._taken:
            number += 1
            found = f"{name}_{number}"
        self._taken.add(found)
        return found

    def remark(self, text: str) -> None:
        """Add a comment."""
        self.statements += [self.comment + line for line in wrap(text, WIDTH - len(self.comment))]

    def say(self, text: str) -> None:
        """Add a statement, in several lines if it is long."""
        self.statements += self.wrapped(text)

    def wrapped(self, text: str) -> list[str]:
        """Return a line, broken behind commas if it is long, or else at other signs."""
        lines = []
        inner = self.indentation
        while len(text) > WIDTH:
            begin = max(len(inner), text.find("::"))
            places = (text.rfind(sign, begin + 1, WIDTH) + len(sign) - 1 for sign in (", ", " = ", " + "))
            at = next((place for place in places if place > begin), None)
            if at is None:
                break
            lines.append(text[:at] + self.continuation)
            text = inner + text[at + 1 :]
        return [*lines, text]

    def indented(self, lines: Sequence[str]) -> list[str]:
        """Return lines one step to the right."""
        return [self.indentation + line for line in lines]

    def declare(self, kind: Kind, *variables: str) -> None:
        """Declare variables."""
        self.variables.setdefault(self.types.get(kind, kind), []).extend(variables)

    @abstractmethod
    def allocate(self, element: str, name: str, total: str) -> None:
        """Declare an array of so many elements, make it, and free it at the end."""

    @abstractmethod
    def fresh_list(self, name: str, numbers: Numbers, kind: Kind, meaning: str) -> str:
        """Make an array that holds numbers or handles, and return its name."""

    @abstractmethod
    def integer(self, value: int, kind: Kind) -> str:
        """Return a number as an argument of that kind."""

    @abstractmethod
    def call(self, procedure: str, *arguments: str, large: bool = False) -> None:
        """Call a procedure of MPI; `&name` is an argument that it sets."""

    @abstractmethod
    def zero(self, kind: Kind, name: str) -> None:
        """Declare a variable that is 0."""

    @abstractmethod
    def by_rank(self, sending: Sequence[str], receiving: Sequence[str]) -> None:
        """Have the lower rank send and the higher receive."""

    @abstractmethod
    def product(self, name: str, factor: int, large: bool) -> str:
        """Declare `count` times a factor, and return its name."""

    @abstractmethod
    def view(self, element: str, is_bytes: bool, span: int) -> str:
        """Return the name of the buffer as an array of that element; `span` counts its elements from the first on."""

    @abstractmethod
    def index(self, *names: str) -> None:
        """Declare what counts loops and elements."""

    @abstractmethod
    def loop(self, variable: str, end: str, body: Loops) -> Loops:
        """Return a loop from 0 to before an end."""

    @abstractmethod
    def element(self, array: str, index: str) -> str:
        """Return an element of an array, from 0 on."""

    @abstractmethod
    def move(self, data: str, at: Place, length: int | str, packing: bool, is_bytes: bool) -> Loops:
        """Return what moves `length` elements from `data` to the next of `packed`, or back."""

    @abstractmethod
    def text(self) -> str:
        """Return the fragment."""

    def captured(self, *calls: tuple[str, Sequence[str], bool]) -> list[str]:
        """Return the lines of calls instead of adding them."""
        before, self.statements = self.statements, []
        for procedure, arguments, large in calls:
            self.call(procedure, *arguments, large=large)
        lines, self.statements = self.statements, before
        return lines
