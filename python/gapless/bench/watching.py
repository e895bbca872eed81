"""What watching costs a call (`gapless profile`): nanoseconds, natively and watched, launches in turn."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from gapless.errors import MeasurementFailed
from gapless.launch.layer import joined_preload, without_layer
from gapless.launch.temporary import temporary_folder
from gapless.paths import Build

PROGRAM = "bench/watched_calls"
LIMIT_NS = 100.0
REPETITIONS = 9


@dataclass(frozen=True)
class WatchedCall:
    """One kind of call without a partner: what one takes [ns], a median for each launch."""

    name: str
    native_ns: list[float] = field(default_factory=list)
    watched_ns: list[float] = field(default_factory=list)

    @property
    def extra_ns(self) -> float:
        """What watching adds: the difference of the fastest launches, which the machine disturbed least."""
        return min(self.watched_ns) - min(self.native_ns)

    def as_json(self) -> dict[str, Any]:
        """Return it for scripts."""
        return vars(self) | {"extra_ns": self.extra_ns}


def _launch(build: Build, watched: bool) -> dict[str, list[float]]:
    """Run the program alone, and return the samples of each kind of call."""
    environment = without_layer() | dict(build.settings)
    with temporary_folder("gapless-watching-") as folder:
        if watched:
            environment |= {
                "LD_PRELOAD": joined_preload(str(build.preload), os.environ.get("LD_PRELOAD")),
                "GAPLESS_PROFILE": "native",
                "GAPLESS_RUN_DIR": folder,
            }
        command = [str(build.program(PROGRAM)), str(REPETITIONS)]
        answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if watched and not any(name.endswith(".profile") for name in os.listdir(folder)):
            raise MeasurementFailed(f"{command[0]} was not watched", "see whether 'gapless doctor' finds the layer")
    if answer.returncode != 0:
        raise MeasurementFailed(
            f"{' '.join(command)} failed (exit status {answer.returncode})", "run it by hand to see why"
        )
    line = json.loads(answer.stdout)
    return {name: of for name, of in line.items() if isinstance(of, list)}


def watched_calls(build: Build, launches: int, now: Callable[[int], None] = lambda _: None) -> list[WatchedCall]:
    """Measure each kind of call natively and watched, so many launches of each in turn."""
    found: dict[str, WatchedCall] = {}
    for launch in range(launches):
        for watched in (False, True):
            for name, samples in _launch(build, watched).items():
                of = found.setdefault(name, WatchedCall(name))
                (of.watched_ns if watched else of.native_ns).append(median(samples))
        now(launch + 1)
    return list(found.values())
