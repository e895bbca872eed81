"""A fragment in C99."""

from __future__ import annotations

from collections.abc import Sequence

from gapless.lab.advice.fragment import ADDRESS, COUNT, FIXED, HANDLE, INTEGER, Fragment, Kind, Loops, Numbers, Place
from gapless.lab.advice.names import IN_C


class InC(Fragment):
    """Statements of C."""

    names = IN_C
    types = {FIXED: "int", INTEGER: "int", COUNT: "MPI_Count", ADDRESS: "MPI_Aint", HANDLE: "MPI_Datatype"}
    comment = "// "
    indentation = "    "
    continuation = ""

    @property
    def _index(self) -> str:
        return self.types[COUNT if self.is_far else INTEGER]

    def allocate(self, element: str, name: str, total: str) -> None:
        """Declare a pointer to memory that is freed at the end."""
        self.say(f"{element} *{name} = malloc({total} * sizeof *{name});")
        self.freed.append(f"free({name});")

    def fresh_list(self, name: str, numbers: Numbers, kind: Kind, meaning: str) -> str:
        """Make an array: its initialiser has what is short, a loop what is regular, and a comment names the rest."""
        name, element = self.unique(name), self.types.get(kind, kind)
        if numbers.is_short:
            self.say(f"{element} {name}[] = {{{', '.join(map(str, numbers.first)) or '0'}}};")
            return name
        self.allocate(element, name, str(numbers.total))
        if numbers.step is None:
            self.remark(f"{name}[i]: {meaning}: {numbers.beginning}")
        else:
            value: object = numbers.first[0]
            if isinstance(value, int) and numbers.step:
                cast = "" if element == "int" else f"({element})"
                value = Place(((numbers.step, f"{cast}i"),), value)
            self.say(f"for (int i = 0; i < {numbers.total}; ++i) {name}[i] = {value};")
        return name

    def integer(self, value: int, kind: Kind) -> str:
        """Return a number, which C converts."""
        return str(value)

    def call(self, procedure: str, *arguments: str, large: bool = False) -> None:
        """Call a procedure of MPI, or its large-count form."""
        self.say(f"{procedure}{'_c' if large else ''}({', '.join(arguments)});")

    def zero(self, kind: Kind, name: str) -> None:
        """Declare a variable that is 0."""
        self.declare(kind, f"{name} = 0")

    def by_rank(self, sending: Sequence[str], receiving: Sequence[str]) -> None:
        """Have the lower rank send and the higher receive."""
        self.declare(FIXED, "rank")
        self.call("MPI_Comm_rank", "comm", "&rank")
        here, there = self.indented(sending), self.indented(receiving)
        if len(here) == len(there) == 1:
            self.statements += ["if (rank < peer)", *here, "else", *there]
        else:
            self.statements += ["if (rank < peer) {", *here, "} else {", *there, "}"]

    def product(self, name: str, factor: int, large: bool) -> str:
        """Declare `count` times a factor."""
        kind = COUNT if large else INTEGER
        self.declare(kind, f"{name} = {'(MPI_Count)' if large else ''}{Place(((factor, 'count'),))}")
        return name

    def view(self, element: str, is_bytes: bool, span: int) -> str:
        """Declare a pointer to the first element."""
        self.declarations.append(f"{element} *data = buffer;")
        return "data"

    def index(self, *names: str) -> None:
        """Declare what counts packed elements; a loop declares its own variable."""
        self.zero(self._index, "n")

    def loop(self, variable: str, end: str, body: Loops) -> Loops:
        """Return a loop, with braces where it needs them."""
        head = f"for ({self._index} {variable} = 0; {variable} < {end}; ++{variable})"
        if body.statements == 1:
            return Loops([head, *self.indented(body.lines)], 1)
        return Loops([head + " {", *self.indented(body.lines), "}"], 1)

    def element(self, array: str, index: str) -> str:
        """Return an element of an array."""
        return f"{array}[{index}]"

    def move(self, data: str, at: Place, length: int | str, packing: bool, is_bytes: bool) -> Loops:
        """Return a memcpy of bytes, an assignment of one element, or a loop of them."""
        if is_bytes:
            here, there = f"{data} + {at}".removesuffix(" + 0"), "packed + n"
            pair = f"{there}, {here}" if packing else f"{here}, {there}"
            return Loops([f"memcpy({pair}, {length});", f"n += {length};"], 2)
        place = at if length == 1 else at.along(1, "e")
        here, there = f"{data}[{place}]", "packed[n++]"
        one = Loops([f"{there} = {here};" if packing else f"{here} = {there};"], 1)
        return one if length == 1 else self.loop("e", str(length), one)

    def text(self) -> str:
        """Return declarations and statements."""
        variables = [
            line for kind, names in self.variables.items() for line in self.wrapped(f"{kind} {', '.join(names)};")
        ]
        return "\n".join([*self.declarations, *variables, *self.statements, *self.freed, ""])
