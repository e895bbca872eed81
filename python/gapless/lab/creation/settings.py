"""What a run of `gapless measure creation` measures and how long: the presets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gapless.lab.experiment import Repetitions
from gapless.lab.layouts.layout import Message
from gapless.lab.plan import Plan
from gapless.lab.ways.group import DOUBLE, LAYOUT, add_group, new_group, strided
from gapless.lab.ways.settings import WaysSettings


def _listed(step: int) -> Callable[[int], str]:
    return lambda n: ", ".join(str(i * step) for i in range(n))


def _ones(n: int) -> str:
    return f"1*{n}"


IN_DOUBLES, IN_BYTES = _listed(2), _listed(16)
# The same layout, every second double of an array, by each constructor that can describe it.
CONSTRUCTORS: dict[str, Callable[[int], str]] = {
    "vector": lambda n: f"vector({n}, 1, 2, double)",
    "hvector": lambda n: f"hvector({n}, 1, 16, double)",
    "indexed": lambda n: f"indexed([{_ones(n)}], [{IN_DOUBLES(n)}], double)",
    "hindexed": lambda n: f"hindexed([{_ones(n)}], [{IN_BYTES(n)}], double)",
    "indexed_block": lambda n: f"indexed_block(1, [{IN_DOUBLES(n)}], double)",
    "hindexed_block": lambda n: f"hindexed_block(1, [{IN_BYTES(n)}], double)",
    "struct": lambda n: f"struct([{', '.join(f'(1, {16 * i}, double)' for i in range(n))}])",
    "subarray": lambda n: f"subarray([{n}, 2], [{n}, 1], [0, 0], C, double)",
    "darray": lambda n: f"darray(2, 0, [{2 * n}], [cyclic(1)], [2], C, double)",
    "resized": lambda n: f"contiguous({n}, resized(0, 16, double))",
    "dup": lambda n: f"dup(vector({n}, 1, 2, double))",
    "nested": lambda n: f"hvector({n // 10}, 1, 160, vector(10, 1, 2, double))",
}
CONTIGUOUS_TYPE = "contiguous type"


@dataclass(frozen=True)
class CreationSettings(WaysSettings):
    """What a run of the constructors measures, and how.

    Attributes
    ----------
    constructors : sequence of str
        Of `CONSTRUCTORS`.
    counts : sequence of int
        Numbers of blocks, multiples of ten.
    """

    experiment: str = "creation"
    constructors: Sequence[str] = tuple(CONSTRUCTORS)
    counts: Sequence[int] = (10, 100, 1000, 10_000)

    def plan(self) -> Plan:
        """Return what is measured and judged: a group for each number of blocks, a message for each constructor."""
        plan = Plan()
        for count in self.counts:
            group = new_group(f"{count} blocks", count, self, phases=True)
            dense = Message(1, f"contiguous({count}, double)")
            group.messages[CONTIGUOUS_TYPE] = (dense, "contiguous")
            for name in self.constructors:
                # Who packs by hand needs no type: the loops are those of every description.
                text = CONSTRUCTORS[name](count)
                group.messages[name] = (Message(1, text, more=strided(count, 1, 2)), LAYOUT)
            group.add(self.constructors[0], "hand_c")
            for name in (CONTIGUOUS_TYPE, *self.constructors):
                group.add(name, "native")
                if self.layer:
                    group.add(name, "gapless")
            add_group(plan, group, self, DOUBLE.bytes)
        return plan


PRESETS = {
    settings.preset: settings
    for settings in (
        CreationSettings(
            preset="quick", counts=(10, 1000, 10_000), budget_s=120, power=0.5,
            small=Repetitions(5, 10, 5, 0.03, 2), large=Repetitions(3, 5, 1, 0.03, 6),
        ),
        CreationSettings(preset="standard", budget_s=1740, fewest_launches=8),
    )
}  # fmt: skip
