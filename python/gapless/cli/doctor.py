"""`gapless doctor`: what the shell sees of it."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Annotated

import typer


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else to stdout.")] = False,
    mpi: Annotated[
        Path | None, typer.Option("--mpi", metavar="PREFIX", help="Look below this MPI installation too.")
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", min=1, help="How long one launch may take.")
    ] = 60,
) -> None:
    """Say under which MPI libraries of this machine the layer works, and what to do where not.

    [bold]Examples:[/bold]

    gapless doctor

    gapless doctor --mpi /opt/mpich-5 --json > doctor.json

    Looks for libraries beside every mpiexec and mpirun on PATH, in I_MPI_ROOT,
    LD_LIBRARY_PATH, the folders of Debian's packages, and this project's .venv.
    Under each one, two ranks run a small program with the layer: it works if
    calls were accelerated and the right data arrived. Nothing is changed.

    _c: the library has the large-count procedures of MPI 4. CMA: a rank may
    read another's memory (process_vm_readv). A dash: it could not be tried.

    The exit status is 0 if the layer works under a library at least, and under
    every one that could be tried; else 1.
    """
    from gapless.display import console
    from gapless.doctor.diagnosis import diagnose, write_json
    from gapless.doctor.tables import print_diagnosis

    # Ended from outside, we end our children first, as with Ctrl-C.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with console(stderr=True).status("gapless: looking for MPI libraries") as status:
        diagnosis = diagnose(mpi, timeout, lambda text: status.update(f"gapless: trying {text}"))
    if json:
        print(write_json(diagnosis))
    else:
        print_diagnosis(console(), diagnosis)
    raise typer.Exit(0 if diagnosis.works else 1)
