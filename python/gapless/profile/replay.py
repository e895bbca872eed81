"""What is found out about a layout when the program has ended: its runs, and what packing it takes on this machine."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import islice

import numpy as np

from gapless.profile.profile import Layout, Profile

MOST_RUNS = 1_000_000  # counted one by one
MOST_BYTES = 1 << 30  # of memory that a message spans
EACH_S = 0.03  # for packing, and for unpacking, of one message size
ALL_S = 5.0  # for all of them together
FEWEST = 3


def run_lengths(layout: Layout) -> list[tuple[int, int, int]]:
    """Return how many runs of one element have which length, in powers of two: (from, to, runs); empty if too many."""
    from gapless.datatype import Datatype

    if not layout.whole or layout.runs > MOST_RUNS or layout.size == 0:
        return []
    bins: Counter[int] = Counter()
    for _, length in islice(Datatype(layout.type).iov(1), MOST_RUNS):
        bins[length.bit_length() - 1] += 1
    return [(1 << k, (2 << k) - 1, n) for k, n in sorted(bins.items())]


def pack_times(layout: Layout, count: int) -> dict[str, float] | None:
    """Measure what the engine takes to pack, and to unpack, a message whose memory is in the caches if it fits [ns].

    Returns
    -------
    dict or None
        The medians ``pack_ns`` and ``unpack_ns``, and ``bytes``;
        None for one that is contiguous, whose type is abridged, or that is too large.
    """
    from gapless.datatype import Datatype

    span = layout.true_extent + abs(layout.extent) * (count - 1)
    nbytes = layout.size * count
    if not layout.whole or layout.contiguous or count < 1 or nbytes == 0 or span > MOST_BYTES:
        return None
    of = Datatype(layout.type).commit()
    offset = -min(layout.true_lb, layout.true_lb + layout.extent * (count - 1))
    memory, packed = np.ones(span, np.uint8), np.ones(nbytes, np.uint8)
    return {
        "bytes": nbytes,
        "pack_ns": max(0.0, _median_ns(lambda: of.pack_into(memory, packed, count, offset=offset)) - _call_ns()),
        "unpack_ns": max(0.0, _median_ns(lambda: of.unpack(packed, memory, count, offset=offset)) - _call_ns()),
    }


@cache
def _call_ns() -> float:
    """Measure what Python's call takes of it, by the smallest message."""
    from gapless.datatype import Datatype

    of = Datatype("byte").commit()
    memory, packed = np.ones(1, np.uint8), np.ones(1, np.uint8)
    return _median_ns(lambda: of.pack_into(memory, packed, 1, offset=0))


def _median_ns(act: Callable[[], object]) -> float:
    act()
    samples, end = [], time.perf_counter() + EACH_S
    while len(samples) < FEWEST or (time.perf_counter() < end and len(samples) < 1000):
        begin = time.perf_counter_ns()
        act()
        samples.append(time.perf_counter_ns() - begin)
    return float(np.median(samples))


def replay(profile: Profile) -> int:
    """Fill in what can be found out offline, the layouts with the most time first; return how many messages are left.

    Cost: a second for some ten sizes of messages, `ALL_S` at most.
    """
    end, left = time.perf_counter() + ALL_S, 0
    for layout in profile.sorted_layouts:
        counts = Counter()
        for message in profile.of(layout.type):
            counts[message.key.count] += message.calls
        if time.perf_counter() < end:
            layout.histogram = run_lengths(layout)
        for count, calls in counts.most_common():
            times = pack_times(layout, count) if time.perf_counter() < end else None
            if times is None:
                left += calls
            else:
                layout.pack[count] = times
    return left
