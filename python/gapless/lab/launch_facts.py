"""What the lines of a measurement say of its launches: which data they sent, what lines cost that a peer read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gapless.errors import GaplessError
from gapless.lab.results import Line, of_kind

FRESH, CONSTANT = "fresh", "constant"
DATA = (FRESH, CONSTANT)
DATA_TEXTS = {
    FRESH: "fresh data (the sender writes them before each message, untimed)",
    CONSTANT: "constant data (never written again)",
}
# Where storing into a line that another core has read costs more than that [ns], the launch is slow: 27 in slow ones on
# the machine where it was found, 2 to 5 in others (docs/methods/pingpong.md).
SLOW_LINE_NS = 10.0


def data_of(lines: Iterable[Line]) -> str:
    """Return ``fresh`` or ``constant``: the data of all samples.

    Raises
    ------
    GaplessError
        If the samples are of both: their times are not comparable.
    """
    found = {line.get("data", CONSTANT) for line in of_kind(lines, "samples")}
    if len(found) > 1:
        raise GaplessError(
            "the samples are of fresh data and of constant data, whose times are not comparable",
            "keep each in a file of its own",
        )
    return str(found.pop()) if found else CONSTANT


def data_text(lines: Iterable[Line]) -> str:
    """Return what the messages carried, in words."""
    return DATA_TEXTS[data_of(lines)]


def _span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"


def peer_lines_text(lines: Iterable[Line]) -> str | None:
    """Return how the launches differ in what storing into a line costs that a peer has read; None if none says."""
    costs = [
        line["peer_line_ns"]
        for line in (record.get("facts", record) for record in lines if record["kind"] in ("facts", "launch"))
        if line.get("peer_line_ns")
    ]
    if not costs:
        return None
    slow = [of["plain"] for of in costs if of["plain"] > SLOW_LINE_NS]
    fast = [of["plain"] for of in costs if of["plain"] <= SLOW_LINE_NS]
    parts = [f"{_span(of)} ns in {len(of)} launch{'es' if len(of) > 1 else ''}" for of in (slow, fast) if of]
    past = _span([of["past"] for of in costs])
    return f"Storing into a line that a peer has read: {', '.join(parts)}; past the caches {past} ns"
