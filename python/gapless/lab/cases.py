"""Ping-pongs of a message described in several ways: what lab/exchange is told, and what result files keep of it."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gapless.lab.results import SCHEMA, Line

PAYLOAD = "payload"  # the message that is the payload as a contiguous array
CONTIGUOUS, MANUAL = "contiguous", "manual"
GAPLESS, LOCAL = "gapless", "local"  # as users get it; and with nothing through shared memory
PINGPONG = "pingpong"
OF_THE_GROUP = (CONTIGUOUS, MANUAL)  # methods without a description
SMALL_BYTES = 65536  # up to here several round trips are timed together
# The layer tries its stores with the first 18 messages of each kind; messages beyond [bytes] are dear.
LAYER_WARMUP, FEW, DEAR_BYTES = 20, 4, 8 << 20


@dataclass(frozen=True)
class Case:
    """A message whose descriptions and methods are timed in turn with one another.

    Attributes
    ----------
    told : dict
        What each line of its samples says of it: group, layout, variant, A, bytes, payload_bytes, and more.
    messages : sequence of dict
        As a job of lab/exchange has them: the payload as a contiguous array, then every description.
    types : mapping
        The name of a message to the text of its type, for people.
    tests : mapping
        The name of a message to the expectation tests in which it takes part.
    skipped : sequence of str
        What was left out, and why; without messages, why all of it was.
    paired : collection of str
        The messages that go through shared memory under the layer: these are sent in local mode too.
    """

    told: Line
    messages: Sequence[Line]
    types: Mapping[str, str]
    tests: Mapping[str, Sequence[str]]
    skipped: Sequence[str] = ()
    paired: Collection[str] = ()

    @property
    def group(self) -> str:
        """Return for example ``tiled/v1/A=2/3200``."""
        return str(self.told["group"])

    def members(self, methods: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Return what is timed: the member's name to its description and method, in that order."""
        found = {method: (method, method) for method in OF_THE_GROUP if method in methods}
        typed = [method for method in methods if method not in OF_THE_GROUP]
        names = [message["name"] for message in self.messages if message["name"] != PAYLOAD]
        ways = {name: [*typed, LOCAL] if GAPLESS in typed and name in self.paired else typed for name in names}
        return found | {f"{name}:{method}": (name, method) for name in names for method in ways[name]}


@dataclass(frozen=True)
class Samples:
    """How often a launch repeats a message: at least `fewest` and at most `most` times, up to `limit_ms` in between."""

    fewest: int
    most: int
    limit_ms: int = 0


@dataclass(frozen=True)
class Repeated:
    """What a launch measures of each case.

    Attributes
    ----------
    methods : sequence of str
        Of lab/exchange, and contiguous.
    large, small : Samples
        How often, by the size of the message.
    data : str
        fresh or constant.
    shuffled : bool
        Whether each launch draws an order of the cases.
    pattern : str
        pingpong; waitall or sendrecv: both ranks send and receive at once.
    """

    methods: Sequence[str]
    large: Samples
    small: Samples
    data: str = "fresh"
    shuffled: bool = False
    pattern: str = PINGPONG


def layer_warmup(payload_bytes: int) -> int:
    """Return how many messages with the layer come before the timed ones: most of a program's come later."""
    return FEW if payload_bytes > DEAR_BYTES else LAYER_WARMUP


def job(cases: Sequence[Case], repeated: Repeated, seed: int) -> Line:
    """Return what lab/exchange is to measure in one launch."""
    order = [case for case in cases if case.messages]
    if repeated.shuffled:
        random.Random(seed).shuffle(order)
    return {"schema": SCHEMA, "seed": seed, "groups": [_group(case, repeated) for case in order]}


def _group(case: Case, repeated: Repeated) -> Line:
    is_small = case.told["payload_bytes"] <= SMALL_BYTES
    reps = repeated.small if is_small else repeated.large
    # Loops by hand are those of the first description, which all others equal.
    message_of = {CONTIGUOUS: PAYLOAD, MANUAL: case.messages[1]["name"]}
    members = [
        {
            "name": name,
            "message": message_of.get(method, description),
            "method": "native" if method == CONTIGUOUS else method,
        }
        for name, (description, method) in case.members(repeated.methods).items()
    ]
    return {
        "id": case.group, "pattern": repeated.pattern, "cache": "warm", "data": repeated.data,
        "messages": list(case.messages), "members": members,
        "reps": {
            "min": reps.fewest, "max": reps.most, "inner": 10 if is_small else 1, "budget_ms": reps.limit_ms,
            "warmup": 2, "layer_warmup": layer_warmup(case.told["payload_bytes"]),
        },
    }  # fmt: skip


def sample_line(line: Line, case: Case, methods: Sequence[str], launch: int, facts: Line) -> Line:
    """Return samples of lab/exchange as result files keep them: of a round trip one way, which is half of it."""
    description, method = case.members(methods)[line["member"]]
    round_trip = line["metric"] == "round_trip"
    lists = {key: line[key] for key in ("samples", "cycle_samples") if key in line}
    halves = {key: [ns / 2 for ns in of] for key, of in lists.items()} if round_trip else lists
    named = PAYLOAD if method in OF_THE_GROUP else description
    acts = {key: line[key] for key in ("layer_acts", "layer_pairs") if key in line}
    return {
        "schema": SCHEMA, "kind": "samples", "experiment": "pingpong", "launch": launch, **case.told,
        "description": description, "type": case.types[named], "method": method, "unit": "ns",
        "metric": "half_round_trip" if round_trip else "call", "data": line["data"], **halves, **acts,
        "verified": line["verified"], "tests": [] if method == MANUAL else list(case.tests.get(named, ())),
        **{key: facts[key] for key in ("mpi_library", "layer_present", "ranks", "hosts")},
    }  # fmt: skip
