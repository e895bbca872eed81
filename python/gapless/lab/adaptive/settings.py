"""What a run of `gapless measure adaptive` measures and how long: the presets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gapless.lab.experiment import Repetitions
from gapless.lab.layouts.layout import Message
from gapless.lab.layouts.notation import BASES, Base
from gapless.lab.plan import SMALLEST_PAIRED, Group, Place, Plan
from gapless.lab.results import Line
from gapless.lab.ways.group import DOUBLE, LAYOUT, add_group, new_group
from gapless.lab.ways.names import FIXED
from gapless.lab.ways.settings import WaysSettings

DATA, BOTH = ("fresh", "constant"), "both"
BUFFERS = HEAP, WINDOW, ALLOC = "heap", "window", "alloc"
CALLS = PINGPONG, WAITALL, SENDRECV = "pingpong", "waitall", "sendrecv"
DIRECT, ENTRIES = "direct", "entries"
MESSAGE = "vector"
# Messages after which the choice is mostly made (src/wire/choice.hpp): a first trial ends after 11 or 21, and a third
# one, where there is hardly a difference, after 81. All ways are timed in their steady state; what first messages take
# is told apart.
CHOSEN_AFTER = 64
# Every message is one that its two ends may move in each of the ways.
LAYER = {"GAPLESS_SMALLEST_PAIRED": str(SMALLEST_PAIRED), "GAPLESS_ALLOC_MEM": "shared"}
# Two of these messages have 2.6 MB, one 20 KB; the last one is too long.
OVER_TIME_LENGTHS, OVER_TIME_COUNTS = (64, 8192), (320, 40_960)
OVER_TIME_BYTES = 4 << 20
SLOW_MS = 50  # of a round trip that is slow, but goes on
# So that it is known which way each has taken.
COUNTED = {"GAPLESS_STATS": f"json:{os.devnull}"}


@dataclass(frozen=True)
class AdaptiveSettings(WaysSettings):
    """What a run of the ways between two processes of a node measures, and how.

    Attributes
    ----------
    data : str
        fresh, constant, or both: a group for each.
    lengths : sequence of int
        Of blocks [bytes], whole doubles.
    counts : sequence of int
        Numbers of blocks.
    gap : int
        From one block to the next, in lengths of a block.
    buffers : sequence of str
        heap; window, alloc: those of both ranks in memory of MPI_Win_allocate_shared, of MPI_Alloc_mem.
    calls : str
        pingpong: MPI_Send and MPI_Recv to and fro; waitall: MPI_Irecv, MPI_Isend and MPI_Waitall on both ranks at once;
        sendrecv: MPI_Sendrecv on both.
    most_bytes : int
        Longer messages are left out [bytes].
    kernels : sequence of str
        In place of vectors: what these kernels of applications exchange (kernels.named_cases), of any length.
    over_time : int
        So many round trips of each way in a row, from the first one on, each told by itself; 0: ways take turns, in
        their steady state.
    """

    experiment: str = "adaptive"
    data: str = BOTH
    lengths: Sequence[int] = (8, 64, 256, 1024, 4096, 16_384, 65_536)
    counts: Sequence[int] = (16, 64, 256, 1024, 4096, 16_384, 65_536)
    gap: int = 2
    buffers: Sequence[str] = (HEAP, WINDOW)
    calls: str = PINGPONG
    most_bytes: int = 4 << 20
    kernels: Sequence[str] = ()
    over_time: int = 0

    @property
    def layer_settings(self) -> Mapping[str, str]:
        """Settings of the layer (GAPLESS_*) under which all launches run."""
        return LAYER | COUNTED if self.over_time else LAYER

    def group_options(self) -> Line:
        """Return what the job file says of every group beside its messages."""
        return super().group_options() | ({"in_order": True} if self.over_time else {})

    def repetitions(self, place: Place, members: int) -> Line:
        """Return the repetitions of a group: of each way first as many messages as the layer's choice takes."""
        if self.over_time:
            # All of them, whatever time they take; by the budget a launch is known that hangs.
            return {"min": self.over_time, "max": self.over_time, "budget_ms": self.over_time * members * SLOW_MS}
        return super().repetitions(place, members) | {"layer_warmup": CHOSEN_AFTER}

    def plan(self) -> Plan:
        """Return what is measured and judged: a group for each message, kind of data and buffers."""
        plan = Plan()
        most = max(self.most_bytes, OVER_TIME_BYTES) if self.over_time else self.most_bytes
        for block_bytes, group in self._of_kernels() if self.kernels else self._of_blocks():
            place = group.place
            if place.bytes < SMALLEST_PAIRED:
                reason = f"shorter than {SMALLEST_PAIRED} bytes: such messages go through the library"
                plan.refuse(group.id, place, reason)
            elif place.bytes > most and not self.kernels:
                plan.refuse(group.id, place, f"longer than {most} bytes")
            else:
                add_group(plan, group, self, block_bytes)
        return plan

    def _of_blocks(self) -> Iterator[tuple[int, Group]]:
        """Yield a group for each length and number of blocks, data and buffers, after its block [bytes]."""
        for length in self.lengths:
            doubles = length // DOUBLE.bytes
            for count in self.counts:
                text = f"vector({count}, {doubles}, {doubles * self.gap}, {DOUBLE.type})"
                for group in self._groups(f"{count} x {length} B", Message(1, text), count * doubles, DOUBLE):
                    yield length, group

    def _of_kernels(self) -> Iterator[tuple[int, Group]]:
        """Yield a group for each input of each kernel, data and buffers, after its mean run [bytes]."""
        from gapless.lab.adaptive.kernels import message_of, named_cases, run_bytes

        for case in named_cases(self.kernels):
            run = run_bytes(case)
            for group in self._groups(case.name, message_of(case), case.contiguous.count, BASES[case.base]):
                yield run, group

    def _groups(self, name: str, message: Message, elements: int, base: Base) -> Iterator[Group]:
        """Yield the groups of one message: all kinds of data and buffers."""
        for buffers in self.buffers:
            for data in DATA if self.data == BOTH else (self.data,):
                settings = replace(self, data=data)
                group = new_group(
                    f"{name}, {data}, {buffers}", elements, settings, base, pattern=self.calls, buffers=buffers
                )
                group.messages[MESSAGE] = (message, LAYOUT)
                group.add(MESSAGE, "native")
                if self.layer:
                    # In the heap nothing is mapped by both: direct would be another name for the host's way. In a row,
                    # entries would take up to fifty times as long as all others.
                    left_out = {DIRECT} if buffers == HEAP else set()
                    _add_ways(group, left_out | ({ENTRIES} if self.over_time else set()))
                yield group


def _add_ways(group: Group, left_out: set[str]) -> None:
    adaptive = group.add(MESSAGE, "gapless")
    group.more[adaptive] = {"method": "gapless", "way": "adaptive"}
    for way in FIXED:
        if way not in left_out:
            fixed = group.add(MESSAGE, "gapless", f"+{way}")
            group.more[fixed]["way"] = way


def buffers_of(group_id: str) -> str:
    """Return where the buffers of a group lie.

    Examples
    --------
    >>> buffers_of("16 x 4096 B, fresh, window")
    'window'
    """
    return group_id.rpartition(", ")[2]


PRESETS = {
    settings.preset: settings
    for settings in (
        AdaptiveSettings(
            preset="quick", lengths=(8, 64, 512, 4096, 32_768), counts=(16, 128, 1024, 8192, 65_536), budget_s=150,
            power=0.5, small=Repetitions(5, 10, 5, 0.03, 3), large=Repetitions(3, 5, 1, 0.03, 10), member_limit_ms=250,
            most_bytes=1 << 19,
        ),
        AdaptiveSettings(preset="standard", budget_s=1740, fewest_launches=8),
        AdaptiveSettings(
            preset="paper", lengths=(64, 4096), counts=(16, 64, 256, 1024, 4096), data="constant", exact=True,
            launches=6, most_bytes=1 << 24,
        ),
    )
}  # fmt: skip
