"""The algorithms, what a member of a group is called, and its colour.

A member is ``WAY:METHOD+SUFFIX``: the way is the MPI library's call, ``model``, ``messages`` (persistent messages to
all), or an algorithm's name, with ``/types`` or ``/staged`` where its messages are to be made by datatypes or packed;
the method says whether the layer is on.
"""

from __future__ import annotations

from gapless.lab.ways.names import parts

# As GAPLESS_Alltoall_algorithm lists them, but for the MPI library's own (a test compares them).
REGULAR = (
    "basic", "basic-indexed", "modified", "modified-indexed", "zero-copy", "zero-copy-blocks", "least-slots",
    "pairwise", "spread-out",
)  # fmt: skip
IRREGULAR = ("zero-copy", "two-phase", "padded", "spread-out", "pairwise")
# Those that forward blocks, in a logarithm of rounds; those that never copy one within a process.
BRUCK = REGULAR[:7]
ZERO_COPY = ("zero-copy", "zero-copy-blocks", "least-slots")
MODEL, MESSAGES = "model", "messages"
LIBRARY, LIBRARY_V = "MPI_Alltoall", "MPI_Alltoallv"
PERSISTENT, TYPES = "+persistent", "+types"
NATIVE, LAYER = "native", "gapless"

_SUFFIXES = {"": "", PERSISTENT: ", persistent", TYPES: ", making types alone"}
_METHODS = {NATIVE: "", LAYER: " + Gapless"}

COLOURS = {
    LIBRARY: ("#555555", "#bbbbbb"), LIBRARY_V: ("#999999", "#888888"), MODEL: ("#0072B2", "#56B4E9"),
    "basic": ("#D55E00", "#E8743B"), "basic-indexed": ("#E69F00", "#E69F00"), "modified": ("#8C564B", "#B07A6C"),
    "modified-indexed": ("#C49C94", "#C49C94"), "zero-copy": ("#009E73", "#00B386"),
    "zero-copy-blocks": ("#66C2A5", "#66C2A5"), "least-slots": ("#6A3D9A", "#B794E6"),
    "pairwise": ("#CC79A7", "#CC79A7"), "spread-out": ("#F0A3C8", "#F0A3C8"), "two-phase": ("#B8860B", "#D9A520"),
    "padded": ("#1B7837", "#5AAE61"), MESSAGES: ("#222222", "#dddddd"),
}  # fmt: skip


def member_of(way: str, suffix: str = "", layer: bool = False) -> str:
    """Return a member's name.

    Examples
    --------
    >>> member_of("zero-copy/types", PERSISTENT)
    'zero-copy/types:native+persistent'
    """
    return f"{way}:{LAYER if layer else NATIVE}{suffix}"


def role(member: str) -> str:
    """Return which colour a member has: that of its algorithm, however it is run."""
    return parts(member)[0].partition("/")[0]


def way_text(member: str) -> str:
    """Return what a member is called.

    Examples
    --------
    >>> way_text("MPI_Alltoall:native+persistent"), way_text("zero-copy/types:gapless")
    ('MPI_Alltoall_init', 'zero-copy by types + Gapless')
    """
    way, method, suffix = parts(member)
    if way in (LIBRARY, LIBRARY_V) and suffix == PERSISTENT:
        return f"{way}_init{_METHODS[method]}"
    if way == MESSAGES:
        return "persistent messages alone"
    name, _, how = way.partition("/")
    return name + (f" by {how}" if how == "types" else f", {how}" if how else "") + _METHODS[method] + _SUFFIXES[suffix]
