"""Why the layer left a message to the library: the names of its counters in words, and what a user can do."""

from __future__ import annotations

from typing import NamedTuple


class Reason(NamedTuple):
    """A reason in words, and a remedy; empty where there is none, or nothing to remedy."""

    why: str
    remedy: str = ""
    has_nothing_to_do: bool = False
    """Whether there was nothing for the layer to do."""


REASONS = {
    "contiguous": Reason("nothing to gain", has_nothing_to_do=True),
    "zero": Reason("no data", has_nothing_to_do=True),
    "arguments": Reason("arguments that the library refuses", has_nothing_to_do=True),
    "proc_null": Reason("to or from MPI_PROC_NULL", has_nothing_to_do=True),
    "off": Reason("switched off (GAPLESS_Switch or a setting)", "leave the layer on"),
    "unregistered": Reason("pair types, or types that were not committed"),
    "combiner": Reason("a kind of type that the layer does not decode"),
    "large": Reason("more bytes than the library can count", "use a library with MPI_Send_c (MPI 4.0)"),
    "device": Reason("memory of an accelerator"),
    "buffer": Reason("a null buffer"),
    "small": Reason(
        "by the measured rules the library copies such blocks as fast",
        "'gapless tune' measures rules for this machine; GAPLESS_FORCE=1 shows what packing them would cost",
    ),
    "first": Reason(
        "a new type for each small message: looking it up costs what packing gains",
        "make types once, not for each message: from the second message of a type on it is packed",
    ),
    "staging": Reason("no memory for packed bytes within the cap", "raise GAPLESS_POOL_BYTES"),
    "completion": Reason("completed by procedures that the layer does not serve", "use MPI_Wait and its like"),
    "overlap": Reason("packed bytes inside the data"),
    "unproved": Reason(
        "collective, and not all processes are known to have the layer",
        "start the job by one 'gapless run'; GAPLESS_LOG=1 says what is missing",
    ),
    "library": Reason("something that this library does right only on the program's own buffers"),
    "file_view": Reason("a file with another data representation"),
    "others": Reason("another process of the call could not do its part", "GAPLESS_STATS=1 shows on which one"),
}


def reason_of(name: str) -> Reason:
    """Return the reason with the name of a counter; one of another version of the layer is its name."""
    return REASONS.get(name, Reason(name))
