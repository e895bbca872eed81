"""Puts the layer under ranks as `gapless run` does, and reads what it did there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from gapless.launch.counters import total
from gapless.launch.fronts import FrontName, choose_front
from gapless.launch.launcher import recognise
from gapless.launch.layer import Launch, put_under
from gapless.launch.reach import Rank, read_ranks


class Layer(Enum):
    """Without the layer, with it as it comes, and with it and no thresholds."""

    ABSENT = "absent"
    DEFAULT = "default"
    FORCE = "force"


@dataclass
class Account:
    """What the layer did under the ranks of some launches; ranks that crashed left no counts."""

    front: str = ""
    ranks: list[Rank] = field(default_factory=list)

    def describe(self) -> str:
        """Return in one line how much was changed."""
        procedures = total(self.ranks).values()
        seen, changed = sum(p.calls for p in procedures), sum(p.accelerated for p in procedures)
        acting = sum(p.accelerated > 0 for p in procedures)
        return f"front {self.front}: {changed} of {seen} calls changed, in {acting} procedures"

    def void(self, layer: Layer) -> str:
        """Return why a comparison with these launches would prove nothing; empty if it proves something."""
        procedures = total(self.ranks).values()
        if not self.ranks:
            return "the layer reached no rank"
        if native := {rank.native for rank in self.ranks if rank.native}:
            return f"the layer left every call to the library: {', '.join(sorted(native))}"
        if not any(p.calls for p in procedures):
            return "the layer saw no call"
        if layer is Layer.FORCE and not any(p.accelerated for p in procedures):
            return "the layer was forced and changed no call"
        return ""

    def write(self, path: Path) -> None:
        """Write the sums of all ranks as JSON."""
        procedures = {
            name: {"calls": p.calls, "accelerated": p.accelerated, "bytes": p.bytes, "declined": dict(p.declined)}
            for name, p in sorted(total(self.ranks).items())
        }
        entry = {"front": self.front, "ranks": len(self.ranks), "procedures": procedures}
        path.write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")


@dataclass
class Placement:
    """How the ranks of one launch are started, and where the layer leaves word of them."""

    launch: Launch
    folder: Path
    front: str = ""

    def add_to(self, account: Account) -> None:
        """Add what the layer did in this launch."""
        if self.front:
            account.front = self.front
            account.ranks += read_ranks(self.folder)


def place(command: Sequence[str], environment: Mapping[str, str], layer: Layer, folder: Path) -> Placement:
    """Put the layer under the ranks of a command, or keep every trace of it away from them.

    Parameters
    ----------
    command : sequence of str
        The launcher and its arguments.
    environment : mapping
        Its environment.
    layer : Layer
        Whether the layer is there, and how.
    folder : Path
        Where the layer leaves word; made here.
    """
    clean = {
        name: value for name, value in environment.items() if name != "LD_PRELOAD" and not name.startswith("GAPLESS_")
    }
    if layer is Layer.ABSENT:
        return Placement(Launch(list(command), clean), folder)
    folder.mkdir()
    settings = {"GAPLESS_RUN_DIR": str(folder), "GAPLESS_STATS": "1"}
    if layer is Layer.FORCE:
        settings["GAPLESS_FORCE"] = "1"
    launcher = recognise(command[0])
    front = choose_front(FrontName.AUTO, command, launcher, clean)
    return Placement(put_under(command, str(front.path), settings, clean, launcher), folder, front.name)
