"""A fragment in Fortran, with the module mpi_f08: a block construct."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gapless.lab.advice.fragment import (
    ADDRESS,
    COUNT,
    FIXED,
    HANDLE,
    INT,
    INTEGER,
    MOST_NUMBERS,
    Fragment,
    Kind,
    Loops,
    Numbers,
    Place,
)
from gapless.lab.advice.names import IN_FORTRAN

SUFFIXES = {COUNT: "_MPI_COUNT_KIND", ADDRESS: "_MPI_ADDRESS_KIND"}
LITERAL = re.compile(r"\b\d{10,}\b")


class InFortran(Fragment):
    """Statements of Fortran."""

    names = IN_FORTRAN
    types = {
        FIXED: "integer", INTEGER: "integer", COUNT: "integer(MPI_COUNT_KIND)", ADDRESS: "integer(MPI_ADDRESS_KIND)",
        HANDLE: "type(MPI_Datatype)",
    }  # fmt: skip
    comment = "! "
    indentation = "  "
    continuation = " &"

    def allocate(self, element: str, name: str, total: str) -> None:
        """Declare an array that the end of the block frees."""
        self.declarations.append(f"{element}, allocatable :: {name}(:)")
        self.say(f"allocate({name}({total}))")

    def fresh_list(self, name: str, numbers: Numbers, kind: Kind, meaning: str) -> str:
        """Make an array: a constructor has what is short or regular, and a comment names the rest."""
        name, element = self.unique(name), self.types.get(kind, kind)
        values = [self._literal(str(value), kind) for value in numbers.first[:MOST_NUMBERS]]
        if numbers.is_short and kind == HANDLE:
            self.declarations.append(f"{element} :: {name}({numbers.total})")
            self.say(f"{name} = [{', '.join(values) or 'MPI_Datatype ::'}]")
        elif numbers.is_short:
            listed = ", ".join(values)
            # Without it all would have to be of one kind.
            spelt = f"{element} :: " if not values or "_MPI_" in listed and kind != FIXED else ""
            self.declarations += self.wrapped(f"{element}, parameter :: {name}(*) = [{spelt}{listed}]")
        elif numbers.step is None:
            self.allocate(element, name, str(numbers.total))
            self.remark(f"{name}(i): {meaning}: {numbers.beginning}")
        elif numbers.step == 0:
            self.declarations.append(f"{element}, allocatable :: {name}(:)")
            self.say(f"allocate({name}({numbers.total}), source={values[0]})")
        else:
            self.declarations.append(f"{element}, allocatable :: {name}(:)")
            if "filling" not in self._taken:
                self.declare(COUNT, self.unique("filling"))
            value = self._literal(str(Place(((numbers.step, "filling"),), int(numbers.first[0]))), COUNT)
            self.say(f"{name} = [({value}, filling = 0, {numbers.total - 1})]")
        return name

    def _literal(self, value: int | str, kind: Kind) -> str:
        """Return a value; a number that is no default integer gets the kind's suffix."""
        suffix = SUFFIXES.get(kind, "")
        if isinstance(value, str):
            return LITERAL.sub(lambda match: match[0] + (suffix if int(match[0]) >= INT else ""), value)
        return f"{value}{suffix if kind != INTEGER or abs(value) >= INT else ''}"

    def integer(self, value: int, kind: Kind) -> str:
        """Return a number of the kind that the interface has."""
        return self._literal(value, kind)

    def call(self, procedure: str, *arguments: str, large: bool = False) -> None:
        """Call a procedure of MPI; the kinds of its arguments tell the large-count form."""
        plain = [argument.removeprefix("&") for argument in arguments]
        if large:
            plain = ["int(count, MPI_COUNT_KIND)" if argument == "count" else argument for argument in plain]
        self.say(f"call {procedure}({', '.join(plain)})")

    def zero(self, kind: Kind, name: str) -> None:
        """Declare a variable, and set it: an initial value would make it keep its last one."""
        self.declare(kind, name)
        self.say(f"{name} = 0")

    def by_rank(self, sending: Sequence[str], receiving: Sequence[str]) -> None:
        """Have the lower rank send and the higher receive."""
        self.declare(FIXED, "rank")
        self.call("MPI_Comm_rank", "comm", "rank")
        self.statements += ["if (rank < peer) then", *self.indented(sending), "else", *self.indented(receiving)]
        self.statements.append("end if")

    def product(self, name: str, factor: int, large: bool) -> str:
        """Declare `count` times a factor."""
        self.declare(COUNT if large else INTEGER, name)
        if large:
            self.say(f"{name} = {factor}_MPI_COUNT_KIND * count")
        else:
            self.say(f"{name} = {Place(((factor, 'count'),))}")
        return name

    def view(self, element: str, is_bytes: bool, span: int) -> str:
        """Return the buffer itself, or for bytes a pointer to it, which must have the attribute target."""
        if not is_bytes:
            self.declarations.insert(0, f"! buffer is an array of {element}")
            return "buffer"
        self.declarations.insert(0, "! buffer has the attribute target")
        self.declarations.append(f"{element}, pointer :: data(:)")
        self.say(f"call c_f_pointer(c_loc(buffer), data, [{self._literal(str(max(span, 1)), COUNT)}])")
        return "data"

    def index(self, *names: str) -> None:
        """Declare what counts loops and elements."""
        kind = COUNT if self.is_far else INTEGER
        self.declare(kind, *names)
        self.zero(kind, "n")

    def loop(self, variable: str, end: str, body: Loops) -> Loops:
        """Return a loop."""
        last = str(int(end) - 1) if end.isdigit() else f"{end} - 1"
        return Loops([f"do {variable} = 0, {self._literal(last, COUNT)}", *self.indented(body.lines), "end do"], 1)

    def element(self, array: str, index: str) -> str:
        """Return an element of an array."""
        return f"{array}({index} + 1)"

    def move(self, data: str, at: Place, length: int | str, packing: bool, is_bytes: bool) -> Loops:
        """Return the assignment of an element or of a section."""
        first = self._literal(str(at.moved(1)), COUNT)
        if length == 1:
            here, there = f"{data}({first})", "packed(n + 1)"
        else:
            end = at.moved(length) if isinstance(length, int) else at.along(1, length)
            here, there = f"{data}({first}:{self._literal(str(end), COUNT)})", f"packed(n + 1:n + {length})"
        pair = f"{there} = {here}" if packing else f"{here} = {there}"
        return Loops([*self.wrapped(pair), f"n = n + {length}"], 2)

    def text(self) -> str:
        """Return a block construct: what it uses, declarations, statements."""
        declared = (f"{kind} :: {', '.join(names)}" for kind, names in self.variables.items() if names)
        variables = [line for text in declared for line in self.wrapped(text)]
        inside = [*self.declarations, *variables, *self.statements, *self.freed]
        from_c = sorted(set(re.findall(r"\bc_\w+", "\n".join(inside))))
        used = ["use mpi_f08"]
        if from_c:
            used.append(f"use, intrinsic :: iso_c_binding, only: {', '.join(from_c)}")
        return "\n".join(["block", *self.indented([*used, *inside]), "end block", ""])
