"""What a run of `gapless measure vector` measures and how long: the presets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gapless.lab.experiment import Repetitions
from gapless.lab.layouts.layout import Message
from gapless.lab.plan import Plan
from gapless.lab.ways.group import DOUBLE, LAYOUT, add_group, new_group, strided
from gapless.lab.ways.settings import WaysSettings

# What is another one for each message: nothing, the buffer, the datatype.
REUSE = {"same": {}, "buffer": {"fresh_buffer": True}, "type": {"fresh_type": True}}
METHODS = ("native", "pack", "gapless")  # that can be sent in all of them
# Of vectors of more than 1024 blocks MPICH 5 packs otherwise than of fewer.
COUNTS = (16, 128, 512, 1000, 1023, 1024, 1025, 1100, 2048, 8192, 65_536)


@dataclass(frozen=True)
class VectorSettings(WaysSettings):
    """What a run of the vectors measures, and how.

    Attributes
    ----------
    lengths : sequence of int
        Of blocks [bytes], whole doubles.
    counts : sequence of int
        Numbers of blocks.
    gap : int
        From one block to the next, in lengths of a block.
    reuse : sequence of str
        Of `REUSE`.
    most_bytes : int
        Longer messages are left out [bytes].
    """

    experiment: str = "vector"
    lengths: Sequence[int] = (8, 64, 512, 4096)
    counts: Sequence[int] = COUNTS
    gap: int = 2
    reuse: Sequence[str] = tuple(REUSE)
    most_bytes: int = 8 << 20

    def plan(self) -> Plan:
        """Return what is measured and judged: a group for each length and number of blocks."""
        plan = Plan()
        for length in self.lengths:
            doubles = length // DOUBLE.bytes
            for count in self.counts:
                group = new_group(f"{count} x {length} B", count * doubles, self)
                if group.place.bytes > self.most_bytes:
                    plan.refuse(group.id, group.place, f"longer than {self.most_bytes} bytes")
                    continue
                text = f"vector({count}, {doubles}, {doubles * self.gap}, {DOUBLE.type})"
                loops = strided(count, doubles, doubles * self.gap)
                group.messages["vector"] = (Message(1, text, more=loops), LAYOUT)
                group.add("vector", "hand_c")
                for name in self.reuse:
                    for method in METHODS if self.layer else METHODS[:-1]:
                        group.add("vector", method, "" if name == "same" else f"+{name}", **REUSE[name])
                add_group(plan, group, self, length)
        return plan


PRESETS = {
    settings.preset: settings
    for settings in (
        VectorSettings(
            preset="quick", lengths=(8, 512, 4096), counts=(16, 128, 1000, 1023, 1024, 1025, 1100, 8192), budget_s=150,
            power=0.5, most_bytes=4 << 20, small=Repetitions(5, 10, 5, 0.03, 2), large=Repetitions(3, 5, 1, 0.03, 6),
        ),
        VectorSettings(preset="standard", budget_s=1740, fewest_launches=6),
        VectorSettings(
            preset="paper", lengths=(64, 4096), counts=(16, 64, 256, 1024, 4096), data="constant", exact=True,
            launches=5, most_bytes=1 << 24,
        ),
    )
}  # fmt: skip
