"""Puts the layer under ranks in the way of `gapless run`, and reads what it did there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from gapless.counters import ProcedureCount, total
from gapless.launcher import Launch, put_under, recognise
from gapless.paths import preload_object
from gapless.reach import read_ranks


class Layer(Enum):
    """Without the layer, with it as it comes, and with it and no thresholds."""

    ABSENT = "absent"
    DEFAULT = "default"
    FORCE = "force"


@dataclass
class Account:
    """What the layer did under the ranks of some launches."""

    ranks: int = 0
    native: Counter[str] = field(default_factory=Counter)
    procedures: dict[str, ProcedureCount] = field(default_factory=dict)

    def add(self, folder: Path, layer: Layer) -> None:
        """Add what one launch left in its folder; ranks that crashed left no counts."""
        if layer is Layer.ABSENT:
            return
        ranks = read_ranks(folder)
        self.ranks += len(ranks)
        self.native.update(rank.native for rank in ranks if rank.native)
        for name, count in total(ranks).items():
            sum_ = self.procedures.setdefault(name, ProcedureCount())
            sum_.calls += count.calls
            sum_.accelerated += count.accelerated
            sum_.bytes += count.bytes
            sum_.declined.update(count.declined)

    @property
    def calls(self) -> int:
        """Calls that the layer saw."""
        return sum(count.calls for count in self.procedures.values())

    @property
    def accelerated(self) -> int:
        """Calls that the layer changed."""
        return sum(count.accelerated for count in self.procedures.values())

    def void(self, layer: Layer) -> str:
        """Return why a comparison with these launches would prove nothing; empty if it proves something."""
        if self.ranks == 0:
            return "the layer reached no rank"
        if self.native:
            return f"the layer left every call to the library: {', '.join(self.native)}"
        if self.calls == 0:
            return "the layer saw no call"
        if layer is Layer.FORCE and self.accelerated == 0:
            return "the layer was forced and changed no call"
        return ""


def put_layer(command: Sequence[str], environment: Mapping[str, str], layer: Layer, front: str, folder: Path) -> Launch:
    """Return a command and its environment with the layer under the ranks, or with no trace of it."""
    clean = {
        name: value for name, value in environment.items() if name != "LD_PRELOAD" and not name.startswith("GAPLESS_")
    }
    if layer is Layer.ABSENT:
        return Launch(list(command), clean)
    folder.mkdir()
    settings = {"GAPLESS_RUN_DIR": str(folder), "GAPLESS_STATS": "1"}
    if layer is Layer.FORCE:
        settings["GAPLESS_FORCE"] = "1"
    return put_under(command, str(preload_object().with_name(front)), settings, clean, recognise(command[0]))
