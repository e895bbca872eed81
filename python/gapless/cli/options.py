"""Options that several commands have, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
        help="mpich, openmpi, intel, all, or the prefix of an MPI; may be repeated (default: the MPI of the build).",
    ),
]
LaunchesOption = Annotated[int, typer.Option(min=1, help="Independent launches of each library: the replicates.")]
FilterOption = Annotated[str, typer.Option("--filter", help="Only groups whose name contains this text.")]
TwoNodesOption = Annotated[
    bool, typer.Option("--two-nodes", help="Ranks in two network namespaces of this machine, over TCP (needs root).")
]


class Data(str, Enum):
    """Whether the sender writes its data before each message."""

    FRESH = "fresh"
    CONSTANT = "constant"


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


def chosen_libraries(mpi: list[str] | None) -> list[Library]:
    """Return the libraries of the --mpi options."""
    from gapless.targets.libraries import find_library, libraries

    return libraries(None) if mpi and "all" in mpi else [find_library(name) for name in mpi or ["mpich"]]


def case_arguments(case: Sequence[str] | None = None, sizes: str | None = None, quick: bool = False) -> list[str]:
    """Return the arguments by which the programs of bench/engine choose these cases."""
    arguments = [word for pattern in case or [] for word in ("--case", pattern)]
    return arguments + (["--bytes", sizes] if sizes else []) + (["--quick"] if quick else [])
