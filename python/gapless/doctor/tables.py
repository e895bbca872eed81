"""The diagnosis on a terminal: a table of libraries, one of the machine, and what to do."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gapless.display import plain_table
from gapless.doctor.diagnosis import Diagnosis, broken
from gapless.doctor.machine import Check
from gapless.doctor.probe import Probed
from gapless.launch.installations import Installation
from gapless.launch.numbers import numbers_in_words
from gapless.launch.rules import machine_name


def mark(value: bool | None) -> str:
    """Return yes, no, or a dash for what could not be tried."""
    return {True: "[green]yes[/green]", False: "[red]no[/red]", None: "-"}[value]


def _found(finding: dict[str, Any] | None) -> str:
    return mark(finding["works"] if finding else None)


def library_table(libraries: list[tuple[Installation, Probed]]) -> Table:
    """Render what was found of each library."""
    columns = ["", "MPI library", "ABI", "layer works", "collectives", "_c", "shared memory", "CMA"]
    table = plain_table("MPI libraries, each tried on 2 ranks", columns, left=3)
    for number, (installation, probed) in enumerate(libraries, start=1):
        library = installation.library
        name = probed.version.partition(",")[0].replace(" for Linux* OS", "") or library.soname
        abi = library.abi + (f" {probed.abi_version}" if probed.abi_version else "")
        table.add_row(
            f"{number}", escape(name), abi, mark(probed.works), _found(probed.collectives),
            mark(library.large_counts), _found(probed.shared_memory), _found(probed.cma),
        )  # fmt: skip
    return table


def file_lines(libraries: list[tuple[Installation, Probed]]) -> list[str]:
    """Return the files of each row of the table: paths are too long for a column."""
    lines = []
    for number, (installation, probed) in enumerate(libraries, start=1):
        told = f" ({probed.launcher_version})" if probed.launcher_version else ""
        starts = f", started by {installation.launcher}{told}" if installation.launcher else ", no mpiexec"
        lines.append(f"{number}  {installation.library.path}{starts}")
        if probed.works:
            refused = f"refused: {probed.rules_refused}" if probed.rules_refused else ""
            lines.append(
                f"   rules: {probed.rules or refused or f'built-in ones; gapless tune measures {machine_name()}'}"
            )
        if probed.paired:
            why = f"no: {probed.paired['reason']}" if probed.paired["reason"] else "yes"
            lines.append(f"   paired, through memory that processes share: {why}")
    return lines


def _line(name: str, check: Check, more: str = "") -> str:
    told = ", ".join(filter(None, [more, check.reason]))
    return f"{name:<16}{mark(check.works)}" + (f"  {escape(told)}" if told else "")


def print_diagnosis(out: Console, diagnosis: Diagnosis) -> None:
    """Print everything, each no with what to do about it."""

    def say(text: str) -> None:
        out.print(text, soft_wrap=True)

    if diagnosis.libraries:
        out.print(library_table(diagnosis.libraries))
        for line in file_lines(diagnosis.libraries):
            out.print(line, soft_wrap=True, markup=False)
        out.print()
    isa = diagnosis.isa
    say("[bold]This machine[/bold]")
    used = f"{isa['used']} is used" if isa["used"] else "which are used is not known (there is no libgapless.so to ask)"
    say(f"{'instructions':<16}{used}; {escape(isa['cpu'])} has {', '.join(isa['has'])}")
    size = f"{diagnosis.free_bytes / 2**30:.3g} of {diagnosis.shared_bytes / 2**30:.3g} GiB free in /dev/shm"
    say(_line("shared memory", diagnosis.shared_memory, size))
    say(_line("CMA", diagnosis.attach, "process_vm_readv between two processes"))
    out.print(f"{'all-to-all':<16}the model's numbers: {numbers_in_words()}", soft_wrap=True, markup=False)
    todo = diagnosis.todo()
    if todo:
        say("\n[bold]What to do[/bold]")
        for line in todo:
            out.print(f"- {line}", soft_wrap=True, markup=False)
    working = sum(probed.works is True for _, probed in diagnosis.libraries)
    failing = broken(diagnosis.libraries)
    untried = len(diagnosis.libraries) - working - failing
    rest = (f", {failing} do not work" if failing else "") + (f", {untried} could not be tried" if untried else "")
    say(f"\ngapless: the layer works under {working} of {len(diagnosis.libraries)} MPI libraries{rest}")
