"""What a ping-pong says, in one sentence: what datatypes cost natively, with Gapless, and whether that is proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gapless.lab.better_of import SLOWER
from gapless.lab.cases import CONTIGUOUS, LOCAL, SMALL_BYTES
from gapless.lab.demo_messages import BASIC
from gapless.lab.guidelines import Medians, stands_against_best
from gapless.lab.results import Key, Line
from gapless.lab.statistics import of_equal_launches, ratio_interval

FASTER, UNDECIDED = "faster", "undecided"
LEVEL = 0.05  # how often the interval of the gain misses the truth


@dataclass(frozen=True)
class Story:
    """Messages of about one size, each as its usual datatype; ratios are geometric means over messages and launches.

    Attributes
    ----------
    messages, launches : int
        How many of each.
    least_bytes, most_bytes : int
        The payloads.
    native, gapless : float
        Times as ratios to sending the same bytes contiguously.
    local : float or None
        The same without shared memory; None where not all of the messages go through it.
    low, high : float
        The 95 % interval of how many times faster Gapless is than the native datatype; 0 and infinite after one launch.
    """

    messages: int
    launches: int
    least_bytes: int
    most_bytes: int
    native: float
    gapless: float
    low: float
    high: float
    local: float | None = None

    @property
    def gain(self) -> float:
        """How many times faster Gapless is than the native datatype; below 1, it is slower."""
        return self.native / self.gapless

    @property
    def verdict(self) -> str:
        """``faster`` or ``slower`` if the interval of the gain excludes 1, else ``undecided``."""
        if self.low > 1:
            return FASTER
        return SLOWER if self.high < 1 else UNDECIDED


def stories(lines: Sequence[Line]) -> list[Story]:
    """Return what large messages say, and what small ones do; without those that were not measured in all ways."""
    medians = Medians(lines)
    groups: dict[bool, list[tuple[int, np.ndarray]]] = {}
    local: dict[bool, list[float]] = {}
    for key, sets in medians.lines_by_key.items():
        if key != Key(key.group, BASIC, "gapless"):
            continue
        logs = medians.log_ratios(key.group, BASIC, "gapless", ("native", CONTIGUOUS))
        if logs.size:
            size = sets[0]["payload_bytes"]
            groups.setdefault(size <= SMALL_BYTES, []).append((size, logs))
            against = medians.log_ratios(key.group, BASIC, LOCAL, (CONTIGUOUS,))
            if against.size:
                local.setdefault(size <= SMALL_BYTES, []).append(float(against.mean()))
    return [_story(groups[small], local.get(small, [])) for small in (False, True) if small in groups]


def _story(messages: Sequence[tuple[int, np.ndarray]], local: Sequence[float]) -> Story:
    sizes = [size for size, _ in messages]
    # Launches that have every message: each gives one mean over all of them.
    launches = min(logs.shape[1] for _, logs in messages)
    to_native, to_contiguous = np.mean([logs[:, :launches] for _, logs in messages], axis=0)
    gain = of_equal_launches(-to_native)
    low, high = ratio_interval(gain, LEVEL)
    gapless = float(np.exp(to_contiguous.mean()))
    return Story(
        len(messages), launches, min(sizes), max(sizes),
        native=gapless * float(np.exp(gain.mean)), gapless=gapless, low=float(low), high=float(high),
        local=float(np.exp(np.mean(local))) if len(local) == len(messages) else None,
    )  # fmt: skip


def times_text(ratio: float) -> str:
    """Return a ratio as people say it: 1.02, 1.3, 12."""
    return f"{ratio:.2f}" if ratio < 1.095 else f"{ratio:.1f}" if ratio < 9.95 else f"{ratio:.0f}"


def size_text(count: int) -> str:
    """Return a number of bytes to two digits: 4.1 KB, 1 MB."""
    for unit, size in (("MB", 1_000_000), ("KB", 1000)):
        if count >= 0.995 * size:
            return f"{count / size:.2g} {unit}" if count < 99.5 * size else f"{count / size:.0f} {unit}"
    return f"{count} bytes"


def sizes_text(story: Story) -> str:
    """Return ``about 1 MB``, or ``130 KB to 1 MB``."""
    least, most = size_text(story.least_bytes), size_text(story.most_bytes)
    return f"about {most}" if story.most_bytes <= 1.1 * story.least_bytes else f"{least} to {most}"


def sentence(story: Story) -> str:
    """Return what is seen, true whether the layer gains, loses, or that is not decided."""
    cost = (
        f"Sending data with gaps as an MPI datatype takes {times_text(story.native)} times as long as sending the same "
        f"bytes contiguously; with Gapless it takes {times_text(story.gapless)} times as long"
        + (f" ({times_text(story.local)} without shared memory)" if story.local else "")
    )
    if story.launches < 2:
        return f"{cost}. A single launch proves nothing."
    if story.verdict == UNDECIDED:
        return (
            f"{cost}. Whether that is a difference, {story.launches} launches do not decide "
            f"(×{story.low:.2f} to ×{story.high:.2f})."
        )
    factor, low, high = story.gain, story.low, story.high
    if story.verdict == SLOWER:
        factor, low, high = 1 / factor, 1 / high, 1 / low
    interval = f"{times_text(low)} to {times_text(high)}"
    seen = f"Gapless is {times_text(factor)} times {story.verdict} here (95 % interval {interval})"
    return f"{cost}. {seen}."


def lost_sentence(lines: Sequence[Line]) -> str:
    """Return where Gapless is proved slower than the fastest of the other ways; empty without Gapless."""
    found = stands_against_best(lines)
    if not found:
        return ""
    against = "the fastest of datatype, MPI_Pack and local mode, by more than 5 %"
    lost = {name: stand for (name, _), stand in found.items() if stand.verdict == SLOWER}
    if not lost:
        return f"In none of {len(found)} cases is Gapless proved slower than {against}."
    worst = max(lost, key=lambda name: lost[name].ratio)
    return (
        f"In {len(lost)} of {len(found)} cases Gapless is proved slower than {against}; "
        f"at worst {times_text(lost[worst].ratio)} times: {worst}."
    )
