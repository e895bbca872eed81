"""Where straight transfers by lists should overtake packing: from costs that are measured without a charge.

host = a + b bytes + packing, lists = a' + b' bytes + c runs + registrations / reuse: least squares on the odd
launches without a charge, of buffers that are used most often; then asked of every reuse and charge, and compared with
the even launches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.optimize import nnls

from gapless.lab.fabric.facts import Facts, total
from gapless.lab.fabric.settings import member, reuse_of
from gapless.lab.ways.points import Point

HOST, LISTS = member("host"), member("lists")
FEWEST = 4
PAGE = 4096


@dataclass(frozen=True)
class Model:
    """Costs [ns].

    Attributes
    ----------
    host : tuple of float
        Of a message and of each byte, beside packing and unpacking.
    lists : tuple of float
        Of a message, of each byte, and of each run.
    points : int
        From how many messages they were found.
    """

    host: tuple[float, float]
    lists: tuple[float, float, float]
    points: int

    def host_ns(self, size: int, pack_ns: float) -> float:
        """Return what a message by way of buffers takes."""
        return self.host[0] + self.host[1] * size + pack_ns

    def lists_ns(self, size: int, runs: int, registering_ns: float) -> float:
        """Return what a message straight from memory to memory takes."""
        return self.lists[0] + self.lists[1] * size + self.lists[2] * runs + registering_ns


def _mean(point: Point, way: str, odd: bool) -> float | None:
    values = [log(ns) for launch, ns in point.times.get(way, {}).items() if launch % 2 == odd]
    return float(np.exp(np.mean(values))) if values else None


def _fit(rows: list[tuple[float, ...]], times: list[float], known: list[float]) -> list[float]:
    """Return costs that are not negative, beside what is known of each time; errors relative to the times count."""
    weights = 1 / np.array(times)
    rest = np.maximum(np.array(times) - np.array(known), 0)
    found, _ = nnls(np.array(rows) * weights[:, None], rest * weights)
    return [float(cost) for cost in found]


def model_of(points: Sequence[Point], facts: Facts) -> Model | None:
    """Return the costs that a provider's points say; None if there are too few without a charge."""
    free = [point for point in points if facts.charge(point.mpi) == (0, 0) and reuse_of(point.name)]
    most = max((reuse_of(point.name) for point in free), default=0)
    host_times: list[float] = []
    lists_times: list[float] = []
    packing: list[float] = []
    host_rows: list[tuple[float, ...]] = []
    lists_rows: list[tuple[float, ...]] = []
    for point in free:
        pack = facts.pack_ns(point.name)
        host, lists = _mean(point, HOST, True), _mean(point, LISTS, True)
        if reuse_of(point.name) != most or pack is None or host is None or lists is None:
            continue
        host_rows.append((1.0, float(point.bytes)))
        packing.append(pack)
        host_times.append(host)
        lists_rows.append((1.0, float(point.bytes), float(point.blocks)))
        lists_times.append(lists)
    if len(host_times) < FEWEST:
        return None
    a, b = _fit(host_rows, host_times, packing)
    begin, byte, run = _fit(lists_rows, lists_times, [0.0] * len(lists_times))
    return Model((a, b), (begin, byte, run), len(host_times))


def registering_ns(point: Point, facts: Facts) -> float | None:
    """Return what registering costs each message, as stated: the counted regions and pages of both sides."""
    launches = facts.transfers.get((point.mpi, point.name, LISTS), [])
    trips = sum(one.trips for one in launches)
    ns, page_ns = facts.charge(point.mpi)
    if not trips:
        return None
    pages = total(launches, "registered_bytes") / PAGE
    # Rank 0 sends from one buffer and receives into another: what it registers in a round trip, both do for a message.
    return (total(launches, "registrations") * ns + pages * page_ns) / trips


@dataclass(frozen=True)
class Crossover:
    """Where lists overtake host.

    Attributes
    ----------
    mpi, reuse : str, int
        Of which launches.
    expected, found : int or None
        From blocks of so many bytes on; None: nowhere.
    right, points : int
        At how many points the faster of the two is the one that the model says.
    """

    mpi: str
    reuse: int
    expected: int | None
    found: int | None
    right: int
    points: int


def _from(ratios: dict[int, list[float]]) -> int | None:
    """Return the length from which on the mean logarithm is below 0."""
    found = None
    for length in sorted(ratios, reverse=True):
        if np.mean(ratios[length]) >= 0:
            break
        found = length
    return found


def crossovers(points: Sequence[Point], facts: Facts, model: Model) -> list[Crossover]:
    """Return for each charge and reuse where lists should overtake host, and where they do in the even launches."""
    found = []
    for mpi in dict.fromkeys(point.mpi for point in points):
        for reuse in sorted({reuse_of(point.name) for point in points if reuse_of(point.name)}):
            expected: dict[int, list[float]] = {}
            measured: dict[int, list[float]] = {}
            right = 0
            for point in points:
                if point.mpi != mpi or reuse_of(point.name) != reuse:
                    continue
                pack, registering = facts.pack_ns(point.name), registering_ns(point, facts)
                host, lists = _mean(point, HOST, False), _mean(point, LISTS, False)
                if pack is None or registering is None or host is None or lists is None:
                    continue
                said = log(model.lists_ns(point.bytes, point.blocks, registering) / model.host_ns(point.bytes, pack))
                expected.setdefault(point.block_bytes, []).append(said)
                measured.setdefault(point.block_bytes, []).append(log(lists / host))
                right += (said < 0) == (lists < host)
            if measured:
                number = sum(map(len, measured.values()))
                found.append(Crossover(mpi, reuse, _from(expected), _from(measured), right, number))
    return found
