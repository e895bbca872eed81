"""The settings: every environment variable that Gapless reads, for the man pages and docs/settings.md.

tests/python/test_manual.py holds this table against the sources, so that it cannot lack one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reader(Enum):
    """Who reads a setting."""

    ENGINE = "the engine, in every program that uses it"
    LAYER = "the layer, in every process of an MPI program under it"
    COMMAND = "the command"


@dataclass(frozen=True)
class Variable:
    """One setting.

    Attributes
    ----------
    name : str
        The environment variable.
    values : str
        What it may be set to.
    default : str
        What holds where it is not set.
    reader : Reader
        Who reads it.
    meaning : str
        What it does.
    """

    name: str
    values: str
    default: str
    reader: Reader
    meaning: str


VARIABLES = (
    Variable(
        "GAPLESS_ISA", "baseline, avx2, avx512, neon", "the best that the machine runs", Reader.ENGINE,
        "Take the kernels for this instruction set, if the machine runs it.",
    ),
    Variable(
        "GAPLESS_NT_BYTES", "BYTES", "the size of the last cache, 64M at most", Reader.ENGINE,
        "A message that touches more is written past the caches.",
    ),
    Variable(
        "GAPLESS_DISABLE", "1", "0", Reader.LAYER, "Switch the layer off: every call goes straight to the MPI library.",
    ),
    Variable(
        "GAPLESS_STATS", "1, json:FILE", "0", Reader.LAYER,
        "Count calls, and say at the end what was accelerated, what was declined, and why: as a table on standard "
        "error, or as one line of JSON a process, appended to FILE.",
    ),
    Variable("GAPLESS_LOG", "1, FILE", "0", Reader.LAYER, "Log each decision, to standard error or to FILE."),
    Variable(
        "GAPLESS_COLLECTIVES", "0", "1", Reader.LAYER,
        "Leave collective calls to the MPI library, but for the w-versions. The same in all processes.",
    ),
    Variable(
        "GAPLESS_EVERYWHERE", "1", "0", Reader.LAYER,
        "Your word that all processes of a job on several nodes have the layer: then collective calls are accelerated "
        "there too. If one has not, the program hangs in MPI_Init. The same in all processes.",
    ),
    Variable(
        "GAPLESS_RESERVE_BYTES", "BYTES", "16G", Reader.LAYER,
        "Address space, not memory, that each process sets aside for collective calls. The same in all processes.",
    ),
    Variable(
        "GAPLESS_POOL_BYTES", "BYTES", "1G", Reader.LAYER,
        "How much memory for packed messages a process keeps; a message for which there is none stays native.",
    ),
    Variable(
        "GAPLESS_SMALLEST_BYTES", "BYTES", "as measured on the MPI library", Reader.LAYER,
        "Messages below this size stay native.",
    ),
    Variable(
        "GAPLESS_LONGEST_RUN", "BYTES", "as measured on the MPI library", Reader.LAYER,
        "Messages whose runs are longer on average stay native.",
    ),
    Variable(
        "GAPLESS_FORCE", "1", "0", Reader.LAYER,
        "Convert whatever can be converted, also what gains nothing: for tests.",
    ),
    Variable(
        "GAPLESS_RUN_DIR", "FOLDER", "set by gapless run", Reader.LAYER,
        "Where each process tells the command that started it what became of it. Not for users.",
    ),
    Variable(
        "GAPLESS_BUILD_DIR", "FOLDER", "build/release of the checkout", Reader.COMMAND,
        "The build folder whose layer, programs and engine are used.",
    ),
    Variable(
        "GAPLESS_LIBDIR", "FOLDER", "that of the build, or of the installation", Reader.COMMAND,
        "Where libgapless.so and the layer's preload objects lie, as after cmake --install.",
    ),
)  # fmt: skip

BYTES = "BYTES is a number, with K, M or G behind it for powers of 1024."
SWITCH = "A switch is on if it is set, and neither empty nor 0."


def variables_of(*readers: Reader) -> list[Variable]:
    """Return the settings that any of these reads, in the table's order."""
    return [variable for variable in VARIABLES if variable.reader in readers]


def as_markdown() -> str:
    """Return docs/settings.md."""
    lines = [
        "# Settings", "",
        "Every environment variable that Gapless reads.", f"{SWITCH} {BYTES}",
        "", "`python -m gapless.manual --settings docs/settings.md` writes this page.",
    ]  # fmt: skip
    for reader in Reader:
        lines += ["", f"## Read by {reader.value}", "", "| setting | values | default | |", "|---|---|---|---|"]
        lines += [f"| `{of.name}` | {of.values} | {of.default} | {of.meaning} |" for of in variables_of(reader)]
    return "\n".join(lines) + "\n"
