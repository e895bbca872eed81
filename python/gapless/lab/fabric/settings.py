"""What a run of `gapless measure fabric` measures and how long: the presets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gapless.lab.adaptive.settings import CHOSEN_AFTER
from gapless.lab.catalogue import CONTIGUOUS
from gapless.lab.experiment import Repetitions
from gapless.lab.fabric.shapes import KERNELS, Shape, vector
from gapless.lab.layouts.layout import Message
from gapless.lab.plan import Group, Plan
from gapless.lab.results import Line
from gapless.lab.run_file import CONTIGUOUS_MEMBER
from gapless.lab.ways.group import LAYOUT, add_group, new_group
from gapless.lab.ways.settings import WaysSettings

MESSAGE = "vector"
WAYS = ("host", "lists", "segments", "adaptive")
FIXED = WAYS[:-1]
MAP, LIBRARIES, KERNELS_PART, PEERS = PARTS = ("map", "libraries", "kernels", "peers")
FEW = 2
# Shorter messages travel inside their first frame, whatever the way is.
SMALLEST = 8192
LARGEST_SPAN = 256 << 20
# Consecutive messages of a sample, at least: the adaptive way looks at the time from one to the next.
TOGETHER = 8
SMALL = 64 << 10


def member(way: str) -> str:
    """Return the member that sends the layout in a way.

    Examples
    --------
    >>> member("host"), member("adaptive")
    ('vector:fabric+host', 'vector:fabric')
    """
    return f"{MESSAGE}:fabric" if way == "adaptive" else f"{MESSAGE}:fabric+{way}"


NATIVE = f"{MESSAGE}:native"


@dataclass(frozen=True)
class Case:
    """A message, and how often a buffer is used before another takes its place; 0: always the same one."""

    name: str
    shape: Shape
    reuse: int
    part: str

    @property
    def group(self) -> str:
        """The group's name."""
        return f"{self.name}, {reuse_text(self.reuse)}"


def reuse_text(reuse: int) -> str:
    """Return what a reuse is called.

    Examples
    --------
    >>> reuse_text(16), reuse_text(0)
    ('reuse 16', 'kept')
    """
    return f"reuse {reuse}" if reuse else "kept"


def reuse_of(group: str) -> int:
    """Return the reuse that a group's name says.

    Examples
    --------
    >>> reuse_of("640 x 4096 B, reuse 16")
    16
    """
    match = re.search(r", reuse (\d+)$", group)
    return int(match[1]) if match else 0


def is_kernel(group: str) -> bool:
    """Say whether a group is a kernel's."""
    return group.rpartition(", ")[0] in KERNELS


@dataclass(frozen=True)
class FabricSettings(WaysSettings):
    """What a run measures, and how.

    Attributes
    ----------
    provider : str
        Of libfabric.
    two_nodes : bool
        Two network namespaces, or this node.
    hosts : sequence of str
        Two nodes of a cluster instead; none: this machine.
    charge : sequence of str
        Stated costs of registering memory, NS,NS_PER_PAGE; an empty one: what the provider takes, which is nothing
        here. Each is measured by launches of its own.
    parts : sequence of str
        Of `PARTS`.
    ways, lengths, counts, reuse : sequence
        What is measured; lengths of blocks [bytes], whole doubles.
    gap : int
        From one block to the next, in lengths of a block.
    sides : str
        both: typed on both ranks; one: on rank 0 alone.
    least_bytes, most_bytes : int
        Other messages are left out.
    against_lengths, against_bytes : sequence of int, int
        What is sent beside the MPI libraries: blocks of these lengths, messages of that size.
    kernels : sequence of str
        Of `KERNELS`.
    peers : sequence of int
        Numbers of processes whose channels are opened.
    computed : sequence of int
        Numbers for which memory is computed.
    """

    experiment: str = "fabric"
    layer: bool = False
    provider: str = "tcp"
    two_nodes: bool = True
    hosts: tuple[str, ...] = ()
    charge: Sequence[str] = ("", "20000,200")
    parts: Sequence[str] = PARTS
    ways: Sequence[str] = WAYS
    lengths: Sequence[int] = (8, 64, 256, 1024, 4096, 16_384, 65_536)
    counts: Sequence[int] = (16, 128, 640, 2560, 10_240)
    reuse: Sequence[int] = (1, 4, 16, 64)
    gap: int = 2
    sides: str = "both"
    least_bytes: int = SMALLEST
    most_bytes: int = 4 << 20
    against_lengths: Sequence[int] = (8, 64, 256, 1024, 4096)
    against_bytes: int = 2_560_000
    kernels: Sequence[str] = tuple(KERNELS)
    peers: Sequence[int] = (2, 4, 8, 16, 32, 64)
    computed: Sequence[int] = (128, 256, 512, 1024)

    def cases(self) -> list[Case]:
        """Return what is sent, those included that are refused."""
        found: dict[str, Case] = {}
        for case in self._cases():
            found.setdefault(case.group, case)
        return list(found.values())

    def _cases(self) -> Iterator[Case]:
        if MAP in self.parts:
            for length in self.lengths:
                for count in self.counts:
                    for reuse in self.reuse:
                        yield Case(f"{count} x {length} B", vector(count, length, self.gap), reuse, MAP)
        if LIBRARIES in self.parts:
            for length in self.against_lengths:
                count = self.against_bytes // length
                yield Case(f"{count} x {length} B", vector(count, length, self.gap), 0, LIBRARIES)
        if KERNELS_PART in self.parts:
            for name in self.kernels:
                yield Case(name, KERNELS[name], 0, KERNELS_PART)

    def plan(self) -> Plan:
        """Return what is measured and judged: a group for each message and reuse."""
        plan = Plan()
        for case in self.cases():
            group = self._group(case)
            reason = self._refusal(case)
            if reason:
                plan.refuse(group.id, group.place, reason)
            else:
                add_group(plan, group, self, case.shape.run)
        return plan

    def _refusal(self, case: Case) -> str:
        shape = case.shape
        if shape.bytes < self.least_bytes:
            return f"shorter than {self.least_bytes} bytes: such messages travel inside their first frame"
        if case.part == MAP and shape.bytes > self.most_bytes:
            return f"longer than {self.most_bytes} bytes"
        return f"lies in more than {LARGEST_SPAN >> 20} MB" if shape.span > LARGEST_SPAN else ""

    def _group(self, case: Case) -> Group:
        # The array is so many bytes; its base is double where that divides them, as all layouts here have it.
        group = new_group(case.group, case.shape.bytes // 8, self)
        group.messages[MESSAGE] = (Message(1, case.shape.type), LAYOUT)
        for way in self.ways:
            group.add(MESSAGE, "fabric", "" if way == "adaptive" else f"+{way}")
        if case.part == LIBRARIES:
            group.add(MESSAGE, "native")
        return group

    def fabric_repetitions(self, case: Case, members: int) -> Line:
        """Return how often a fabric's launch repeats a group, as its job has it."""
        reps = self.small if case.shape.bytes <= SMALL else self.large
        return {
            "min": reps.fewest, "max": reps.most, "budget_ms": reps.member_ms * members,
            "together": max(1, TOGETHER // case.reuse) if case.reuse else TOGETHER, "limit_ms": self.member_limit_ms,
        }  # fmt: skip

    def fabric_job(self, seed: int, groups: Mapping[str, Group]) -> Line:
        """Return the job of a fabric's launch, without its order."""
        made = []
        for case in self.cases():
            if case.group not in groups:
                continue
            shape = case.shape
            members: list[Line] = [
                {"name": CONTIGUOUS_MEMBER, "way": _straight(self.ways), "array": True, "warmup": FEW},
                *({"name": member(way), "way": way, "warmup": CHOSEN_AFTER if way == "adaptive" else FEW}
                  for way in self.ways),
            ]  # fmt: skip
            made.append({
                "id": case.group, "data": self.data, "sides": self.sides, "reuse": case.reuse,
                "reps": self.fabric_repetitions(case, len(members)),
                "layout": {"type": shape.type, "loops": [list(loop) for loop in shape.loops], "run": shape.run},
                "members": members,
            })  # fmt: skip
        return {"schema": 1, "seed": seed, "ways": list(self.ways), "groups": made}


def _straight(ways: Sequence[str]) -> str:
    """Return the way of the array: straight from memory to memory, where that is measured."""
    return "lists" if "lists" in ways else ways[0]


def library_groups(plan: Plan) -> list[Group]:
    """Return the groups that MPI libraries measure as well, with the members that they can."""
    found = []
    for group in plan.groups:
        if NATIVE in group.members:
            own = Group(
                group.id, group.place, {k: group.messages[k] for k in (CONTIGUOUS, MESSAGE)}, options=group.options
            )
            own.members = {CONTIGUOUS_MEMBER: CONTIGUOUS, NATIVE: MESSAGE}
            found.append(own)
    return found


PRESETS = {
    settings.preset: settings
    for settings in (
        FabricSettings(
            preset="quick", lengths=(8, 64, 512, 4096, 32_768), counts=(16, 128, 1024, 8192), reuse=(1, 16),
            most_bytes=1 << 19, launches=4, budget_s=180, member_limit_ms=100,
            small=Repetitions(3, 8, TOGETHER, 0.03, 10), large=Repetitions(2, 4, TOGETHER, 0.03, 40),
            kernels=tuple(name for name in KERNELS if name.endswith("/A")), peers=(2, 4, 8),
        ),
        FabricSettings(
            preset="standard", launches=8, budget_s=1740, member_limit_ms=250,
            small=Repetitions(3, 10, TOGETHER, 0.02, 15), large=Repetitions(2, 5, TOGETHER, 0.03, 60),
        ),
        FabricSettings(
            preset="paper", lengths=(64, 4096), counts=(16, 64, 256, 1024, 4096), reuse=(1, 2, 4, 16, 100),
            data="constant", launches=6, most_bytes=1 << 24, member_limit_ms=1000,
            small=Repetitions(5, 20, TOGETHER, 0.02, 50), large=Repetitions(3, 10, TOGETHER, 0.02, 200),
        ),
    )
}  # fmt: skip
