"""What the ways to send a message are called, and their colours."""

from __future__ import annotations

from gapless.lab.report.figures import COLOURS as SHARED
from gapless.lab.report.plots import LIBRARIES
from gapless.lab.run_file import CONTIGUOUS_MEMBER

# Method to its name, in which {} is the message's.
METHODS = {
    "native": "{}", "gapless": "{} + Gapless", "hand_c": "copy by hand", "manual": "copy by hand",
    "pack": "MPI_Pack, MPI_Unpack", "pack_send": "MPI_Pack", "pack_element": "MPI_Pack of each number",
    "buffered": "MPI_Bsend", "put": "MPI_Put and fences", "persistent": "persistent",
    "engine_send": "engine and send", "fabric": "{} by libfabric",
}  # fmt: skip
# The layer's fixed ways between two processes of a node.
FIXED = ("host", "kernel", "entries", "direct")
# Those of a channel, beside host.
CHANNEL = ("lists", "segments")
SUFFIXES = {"": "", "+layer": " + Gapless", "+type": ", type made anew", "+buffer": ", another buffer"} | {
    f"+{way}": f", {way}" for way in (*FIXED, *CHANNEL)
}
COLOURS = {
    "contiguous": SHARED["contiguous"], "native": SHARED["native"], "gapless": SHARED["gapless"],
    "pack": SHARED["pack"], "pack_send": SHARED["pack"], "hand_c": ("#009E73", "#00B386"),
    "manual": ("#009E73", "#00B386"), "pack_element": ("#8C564B", "#B07A6C"), "buffered": ("#CC79A7", "#CC79A7"),
    "put": ("#6A3D9A", "#B794E6"), "persistent": ("#B8860B", "#D9A520"), "engine_send": ("#56B4E9", "#2F8FD0"),
    "host": ("#009E73", "#00B386"), "kernel": ("#E69F00", "#E69F00"), "entries": ("#8C564B", "#B07A6C"),
    "direct": ("#CC79A7", "#CC79A7"), "lists": ("#E69F00", "#E69F00"), "segments": ("#8C564B", "#B07A6C"),
    "fabric": ("#D55E00", "#E8743B"),
} | LIBRARIES  # fmt: skip
DASHES = ("solid", "dot", "dash", "longdash")


def parts(member: str) -> tuple[str, str, str]:
    """Return the message, the method and the suffix of a member.

    Examples
    --------
    >>> parts("vector:persistent+layer")
    ('vector', 'persistent', '+layer')
    """
    message, _, way = member.partition(":")
    method, plus, suffix = way.partition("+")
    return message, method, plus + suffix


def way_text(member: str) -> str:
    """Return what a member is called.

    Examples
    --------
    >>> way_text("vector:gapless"), way_text("vector:native+type")
    ('vector + Gapless', 'vector, type made anew')
    """
    if member == CONTIGUOUS_MEMBER:
        return "array"
    message, method, suffix = parts(member)
    return METHODS[method].format(message) + SUFFIXES[suffix]


def role(member: str) -> str:
    """Return which colour a member has."""
    _, method, suffix = parts(member)
    if suffix[1:] in (*FIXED, *CHANNEL):
        return suffix[1:]
    return "contiguous" if member == CONTIGUOUS_MEMBER else "gapless" if suffix == "+layer" else method
