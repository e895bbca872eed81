"""What `gapless advise` measures on the spot: the datatype at the count asked for, and at others around it."""

from __future__ import annotations

from dataclasses import dataclass

import gapless
from gapless.errors import GaplessError
from gapless.lab.experiment import Repetitions
from gapless.lab.layouts.layout import Message
from gapless.lab.layouts.notation import BASES
from gapless.lab.plan import Plan
from gapless.lab.ways.group import LAYOUT, add_group, new_group
from gapless.lab.ways.settings import WaysSettings

TYPE = "datatype"
# What a program can do without the layer, and with it.
NATIVE = (f"{TYPE}:native", f"{TYPE}:pack", f"{TYPE}:manual")
LAYER = f"{TYPE}:gapless"
# Counts around the one asked for, as long as messages are of such sizes [bytes].
FACTORS = (1 / 256, 1 / 64, 1 / 16, 1 / 4, 1, 4, 16)
SMALLEST, LARGEST = 64, 16 << 20


@dataclass(frozen=True)
class AdviceSettings(WaysSettings):
    """What is measured for an advice.

    Attributes
    ----------
    type_text : str
        The datatype, in the text notation.
    count : int
        How many of it a message has.
    """

    experiment: str = "advice"
    preset: str = "advice"
    type_text: str = ""
    count: int = 1
    launches: int = 8
    fewest_launches: int = 4
    small: Repetitions = Repetitions(5, 12, 5, 0.03, 3)
    large: Repetitions = Repetitions(3, 6, 1, 0.03, 10)

    def counts(self) -> list[int]:
        """Return the counts that are measured, that asked for among them."""
        size = gapless.Datatype(self.type_text).size
        around = {round(self.count * factor) for factor in FACTORS}
        return sorted({n for n in around if n > 0 and SMALLEST <= n * size <= LARGEST} | {self.count})

    def plan(self) -> Plan:
        """Return a group for each count.

        Raises
        ------
        GaplessError
            If there is nothing to send.
        """
        datatype = gapless.Datatype(self.type_text)
        if datatype.size * self.count == 0:
            raise GaplessError(f"{self.count} of {self.type_text} hold no data", "name a type and a count that do")
        plan = Plan()
        base = BASES["double"] if datatype.size % 8 == 0 else BASES["byte"]
        for count in self.counts():
            group = new_group(f"{count}", count * datatype.size // base.bytes, self, base)
            group.messages[TYPE] = (Message(count, self.type_text), LAYOUT)
            for member in NATIVE:
                group.add(TYPE, member.partition(":")[2])
            if self.layer:
                group.add(TYPE, "gapless")
            add_group(plan, group, self, run_bytes(datatype, count))
        return plan


def run_bytes(datatype: gapless.Datatype, count: int) -> int:
    """Return the average length of the runs of so many of a type [bytes], at least 1."""
    runs = int(datatype.explain(count)["runs"])
    return max(1, datatype.size * count // max(1, runs))
