"""The settings: every environment variable that Gapless reads, for the man pages and docs/settings.md.

tests/python/test_manual.py holds this table against the sources, so that it cannot lack one.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from gapless.errors import GaplessError

PREFIX = "GAPLESS_"


class Reader(Enum):
    """Who reads a setting."""

    ENGINE = "the engine, in every program that uses it"
    LAYER = "the layer, in every process of an MPI program under it"
    LIBRARY = "libgapless_mpi, in every MPI program that calls it"
    FABRIC = "libgapless_fabric, when a channel is opened"
    COMMAND = "the command"


@dataclass(frozen=True)
class Variable:
    """One setting.

    Attributes
    ----------
    name : str
        The environment variable.
    values : str
        What it may be set to: words, BYTES, ``json:FILE``, or other capitals for any text. Where 0 or 1 is among
        them, both are.
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

    @property
    def known(self) -> list[str]:
        """What it may be set to, one by one."""
        listed = self.values.split(", ")
        return ["0", "1", *(one for one in listed if one not in "01")] if {"0", "1"} & set(listed) else listed

    def knows(self, value: str) -> bool:
        """Say whether it may be set to a value; an empty one is none."""
        return not value or any(_fits(value, one) for one in self.known)


def _fits(value: str, known: str) -> bool:
    """Say whether a value is what `values` names, as base/settings.hpp reads it."""
    if known == "BYTES":
        match = re.fullmatch(r"\s*\+?(\d+)([KMG]?)", value, re.IGNORECASE)
        return match is not None and int(match[1]) << " KMG".index(match[2].upper() or " ") * 10 < 1 << 63
    if known.partition("/")[0].isupper():  # FILE, FOLDER, or what gapless run itself sets
        return True
    return value.startswith("json:") if known == "json:FILE" else value == known


VARIABLES = (
    Variable(
        "GAPLESS_ALLTOALL", "model, library, own", "model", Reader.LAYER,
        "Who runs MPI_Alltoall, MPI_Alltoall_init and MPI_Alltoallv_init (docs/alltoall.md): whoever is faster by what "
        "was measured and by the model, the MPI library, or Gapless. The same in all processes.",
    ),
    Variable(
        "GAPLESS_ALLTOALL_FILE", "FILE", "what gapless tune kept for this machine, if gapless run starts the program",
        Reader.LIBRARY,
        "The numbers of the all-to-all model (docs/alltoallv.md); several files with colons between, of which the "
        "first that exists counts. Rank 0 of a communicator reads it.",
    ),
    Variable(
        "GAPLESS_FABRIC_MEETING", "HOST:PORT", "none", Reader.FABRIC,
        "Where rank 0 listens until all processes of the job have come, if the program does not say.",
    ),
    Variable(
        "GAPLESS_JOB_SECRET", "TEXT", "none", Reader.FABRIC,
        "What the processes of a job prove themselves by, if the program does not say. The same in all processes.",
    ),
    Variable(
        "GAPLESS_FABRIC_PROVIDER", "NAME", "the first of cxi, efa, psm3, verbs, tcp that is there", Reader.FABRIC,
        "libfabric's provider, also shm, if the program does not say. The same in all processes.",
    ),
    Variable(
        "GAPLESS_FABRIC_DOMAIN", "NAME", "the first one", Reader.FABRIC,
        "libfabric's domain, such as mlx5_0, if the program does not say.",
    ),
    Variable(
        "GAPLESS_FABRIC_WAY", "adaptive, host, lists, segments", "adaptive", Reader.FABRIC,
        "How messages beyond eager ones go, if the program does not say (docs/fabric.md). The same in all processes.",
    ),
    Variable(
        "GAPLESS_FABRIC_EAGER", "BYTES", "8136", Reader.FABRIC,
        "A message up to this size is sent with its first frame.",
    ),
    Variable("GAPLESS_FABRIC_PART", "BYTES", "128K", Reader.FABRIC, "The buffers of a receiver's ring, each."),
    Variable("GAPLESS_FABRIC_PARTS", "NUMBER", "4", Reader.FABRIC, "How many buffers a ring has: 1 to 64."),
    Variable(
        "GAPLESS_FABRIC_TARGETS", "NUMBER", "16", Reader.FABRIC,
        "How many messages a process receives at a time: 1 to 64. Others wait.",
    ),
    Variable(
        "GAPLESS_FABRIC_CHARGE", "NS,NS_PER_PAGE", "0,0", Reader.FABRIC,
        "A stated cost of each registration of memory, to study what others pay where the provider has none.",
    ),
    Variable(
        "GAPLESS_FABRIC_CACHE", "0", "1", Reader.FABRIC,
        "Forget a registration with its message, to study what it costs.",
    ),
    Variable(
        "GAPLESS_RSH", "COMMAND", "ssh", Reader.COMMAND,
        "What starts a process on a host for gapless measure fabric --hosts: it is given the host and a command.",
    ),
    Variable(
        "GAPLESS_FABRIC_LIBRARY", "FILE", "beside the package, or installed", Reader.COMMAND,
        "The libgapless_fabric that gapless.channel loads.",
    ),
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
        "error, or as one line of JSON a process, appended to FILE. A process that ends without MPI_Finalize says "
        "nothing; under 'gapless run' its counts are kept all the same.",
    ),
    Variable(
        "GAPLESS_PROFILE", "native, accelerated", "set by gapless profile", Reader.LAYER,
        "Watch: note each call, and how long it takes, in files of GAPLESS_RUN_DIR. With 'native' the layer does "
        "nothing else. The same in all processes. Not for users.",
    ),
    Variable("GAPLESS_LOG", "1, FILE", "0", Reader.LAYER, "Log each decision, to standard error or to FILE."),
    Variable(
        "GAPLESS_COLLECTIVES", "0", "1", Reader.LAYER,
        "Leave collective calls to the MPI library, but for the w-versions. The same in all processes.",
    ),
    Variable(
        "GAPLESS_EVERYWHERE", "1", "0", Reader.LAYER,
        "Your word that all processes of a job on several nodes have the layer, where gapless run cannot find out: "
        "then collective calls are accelerated there too. If one has not, the program hangs in MPI_Init. The same in "
        "all processes.",
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
        "GAPLESS_PAIRED", "0", "1", Reader.LAYER,
        "Nothing goes from process to process of a node through memory that they share. The same in all processes.",
    ),
    Variable(
        "GAPLESS_PAIRED_MESSAGES", "0", "1", Reader.LAYER,
        "Only collective operations go through that memory, no messages from point to point. Same in all processes.",
    ),
    Variable(
        "GAPLESS_PAIRED_BYTES", "BYTES", "1G", Reader.LAYER,
        "How much memory all processes of a node may use together for that; a message for which there is none goes "
        "through the library. What the process says that speaks for its node is in force.",
    ),
    Variable(
        "GAPLESS_SMALLEST_PAIRED", "BYTES",
        "16K; 512K of MPI_Bcast and MPI_Scatter(v), of the latter never on Intel MPI; of messages from point to point "
        "as the rules say; the least under GAPLESS_FORCE",
        Reader.LAYER,
        "Messages below this size go through the library, not through shared memory; in place of the rules. The same "
        "in all processes.",
    ),
    Variable(
        "GAPLESS_WAY", "host, kernel, entries, direct, adaptive", "adaptive", Reader.LAYER,
        "How a message goes between two processes of a node that are both waiting for it: packed into shared memory "
        "(host), or read by its receiver out of the sender's memory, close runs at once (kernel) or each by itself "
        "(entries), or copied by loads and stores (direct) where both have mapped it (MPI_Win_allocate_shared, "
        "MPI_Alloc_mem). What cannot go that way goes by host. adaptive: whichever is fastest.",
    ),
    Variable(
        "GAPLESS_ALLOC_MEM", "auto, shared, library", "auto", Reader.LAYER,
        "What MPI_Alloc_mem hands out, 64 KiB or more of it: memory that the other processes of the node can map, so "
        "that messages in it are copied once (shared), or the library's (library). auto: shared, unless the "
        "library's memory has huge pages here, and shared memory none.",
    ),
    Variable(
        "GAPLESS_RULES", "FILE, FOLDER", "what gapless tune kept for this machine, if gapless run starts the program",
        Reader.LAYER,
        "Measured rules (docs/tuning.md): a file, or a folder of files named by library; several with colons "
        "between, of which the first that has one for the library counts. The same in all processes.",
    ),
    Variable(
        "GAPLESS_SMALLEST_BYTES", "BYTES", "as the rules say", Reader.LAYER,
        "Messages below this size stay native; in place of the rules.",
    ),
    Variable(
        "GAPLESS_LONGEST_RUN", "BYTES", "as the rules say", Reader.LAYER,
        "Messages whose runs are longer on average stay native; in place of the rules.",
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
        "GAPLESS_ROLL_CALL", "PORT/GREETING/SECRET/ADDRESS,...", "set by gapless run", Reader.LAYER,
        "Where the nodes of a job tell the command that started it who is there, so that collective calls are "
        "accelerated over several nodes too. It passes through the environment and never stands on a command line. Not "
        "for users.",
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
UNKNOWN = (
    "The command refuses a value that is none of these, and a name that is close to one of these. A user's program "
    "goes on: the default is in force there, and `gapless_type_explain`, GAPLESS_LOG and GAPLESS_STATS say so."
)


def variables_of(*readers: Reader) -> list[Variable]:
    """Return the settings that any of these reads, in the table's order."""
    return [variable for variable in VARIABLES if variable.reader in readers]


def check_settings(environment: Mapping[str, str]) -> None:
    """Refuse settings that would silently do nothing, or something else.

    A name that no setting has is refused if it is close to one; otherwise it is somebody else's.

    Parameters
    ----------
    environment : mapping
        What a command, or the ranks that it starts, are started with.

    Raises
    ------
    GaplessError
        Naming each such setting with what is known.
    """
    known = {variable.name.removeprefix(PREFIX): variable for variable in VARIABLES}
    wrong, remedies = [], []
    for name, value in environment.items():
        if not name.startswith(PREFIX):
            continue
        variable = known.get(name.removeprefix(PREFIX))
        close = difflib.get_close_matches(name.removeprefix(PREFIX).upper(), known, n=1, cutoff=0.8)
        if variable is None and close:
            wrong.append(f"there is no setting {name}")
            remedies.append(f"did you mean {PREFIX}{close[0]}?")
        elif variable is not None and not variable.knows(value):
            wrong.append(f"{name}={value} is not known")
            remedies.append(f"set {name} to {_alternatives(variable.known)}, or unset it")
    if wrong:
        raise GaplessError("; ".join(wrong), "; ".join(remedies))


def _alternatives(known: list[str]) -> str:
    words = [one.replace("BYTES", "a number of bytes (with K, M or G behind it or not)") for one in known]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def as_markdown() -> str:
    """Return docs/settings.md."""
    lines = [
        "# Settings", "",
        "Every environment variable that Gapless reads.", f"{SWITCH} {BYTES}",
        UNKNOWN, "", "`python -m gapless.cli.manual --settings docs/settings.md` writes this page.",
    ]  # fmt: skip
    for reader in Reader:
        lines += ["", f"## Read by {reader.value}", "", "| setting | values | default | |", "|---|---|---|---|"]
        lines += [f"| `{of.name}` | {of.values} | {of.default} | {of.meaning} |" for of in variables_of(reader)]
    return "\n".join(lines) + "\n"
