"""Options that several commands have, and what becomes of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gapless.targets.libraries import Library

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]
TsvOption = Annotated[Path | None, typer.Option("--tsv", help="Also write every row there, tab-separated.")]

# Of what measures MPI libraries.
MpiOption = Annotated[
    list[str] | None,
    typer.Option(
        "--mpi",
        metavar="NAME",
        help="mpich, openmpi, intel, all, or the prefix of an MPI; with commas, or repeated (default: the MPI of the "
        "build).",
    ),
]
LaunchesOption = Annotated[int, typer.Option(min=1, help="Independent launches of each library: the replicates.")]
FilterOption = Annotated[str, typer.Option("--filter", help="Only groups whose name contains this text.")]
LauncherOption = Annotated[
    str | None, typer.Option(metavar="COMMAND", help="Instead of the library's mpiexec, e.g. 'srun -n {ranks}'.")
]
EagerOption = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Raise the libraries' limit up to which a message is sent before it is received: 1M.",
    ),
]
TwoNodesOption = Annotated[
    bool, typer.Option("--two-nodes", help="Ranks in two network namespaces of this machine, over TCP (needs root).")
]


class Data(str, Enum):
    """Whether the sender writes its data before each message."""

    FRESH = "fresh"
    CONSTANT = "constant"


class Calls(str, Enum):
    """What both ranks do with their messages."""

    PINGPONG = "pingpong"
    WAITALL = "waitall"
    SENDRECV = "sendrecv"


# Fresh unless told otherwise: programs rewrite what they send.
DataOption = Annotated[
    Data, typer.Option("--data", help="fresh: the sender writes its data before each message; constant: never again.")
]

# Of what runs over the cases of bench/engine.
CaseOption = Annotated[
    list[str] | None, typer.Option("--case", metavar="GLOB", help="Only such cases, e.g. 'tiled/v1/*'; repeatable.")
]
SizesOption = Annotated[
    str | None, typer.Option("--sizes", metavar="LIST", help="Payloads in bytes, e.g. 32768,2560000.")
]
QuickOption = Annotated[bool, typer.Option("--quick", help="A third of the cases, 32 KB and 2.56 MB.")]
BuildOption = Annotated[Path | None, typer.Option("--mpi", metavar="PREFIX", help="Use the build for the MPI there.")]


class Row:
    """An option in the table of a command that has many."""

    def __init__(self, name: str, kind: Any, default: Any, help: str, *flags: str, **settings: Any) -> None:
        self.name, self.default = name, default
        self.flag = flags[0] if flags else "--" + name.replace("_", "-")
        self.annotation = Annotated[
            kind | None if default is None else kind, typer.Option(*flags, help=help, **settings)
        ]

    @classmethod
    def of(cls, name: str, annotation: Any, default: Any) -> Row:
        """Return the row of an option that other commands have, too."""
        row = cls(name, bool, default, "")
        row.annotation = annotation
        return row


def with_options(table: Sequence[Row]) -> Callable[[Callable[[SimpleNamespace], None]], Callable[..., None]]:
    """Make a command that has these options out of a function of what was given for them."""

    def decorate(function: Callable[[SimpleNamespace], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            function(SimpleNamespace(**given))

        parameters = [
            inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=row.default, annotation=row.annotation)
            for row in table
        ]
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {row.name: row.annotation for row in table}
        return command

    return decorate


def mpi_names(mpi: list[str] | None) -> list[str]:
    """Return what the --mpi options name: each may name several, with commas."""
    return [name for names in mpi or () for name in names.split(",") if name]


def chosen_libraries(mpi: list[str] | None) -> list[Library]:
    """Return the libraries of the --mpi options."""
    from gapless.targets.libraries import find_library, libraries

    names = mpi_names(mpi)
    return libraries(None) if "all" in names else [find_library(name) for name in names or [None]]


def case_arguments(case: Sequence[str] | None = None, sizes: str | None = None, quick: bool = False) -> list[str]:
    """Return the arguments by which the programs of bench/engine choose these cases."""
    arguments = [word for pattern in case or [] for word in ("--case", pattern)]
    return arguments + (["--bytes", sizes] if sizes else []) + (["--quick"] if quick else [])
