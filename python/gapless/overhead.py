"""What the layer costs a call that it cannot speed up: instructions counted by callgrind, and latency compared."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from gapless.errors import GaplessError
from gapless.lab import run_example
from gapless.launch import joined_preload
from gapless.paths import Build
from gapless.statistics import Equivalence, equivalence

INSTRUCTION_LIMIT = 60
# Start-up drifts by some 100 000 instructions from run to run; this many calls keep that below one a call.
FEW_CALLS, MANY_CALLS = 1000, 401000
PROCEDURES = ("send", "recv", "sendrecv", "pack")
RELATIVE_MARGIN, ABSOLUTE_MARGIN_NS = 0.05, 10.0


@dataclass(frozen=True)
class CallCost:
    """Instructions of one contiguous call of a procedure."""

    procedure: str
    plain: float
    under_layer: float

    @property
    def extra(self) -> float:
        """What the layer adds to a call."""
        return self.under_layer - self.plain


def _instructions(build: Build, procedure: str, calls: int, layer: bool) -> int:
    """Count the instructions of a whole singleton run."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GAPLESS_")}
    with tempfile.TemporaryDirectory(prefix="gapless-callgrind-") as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        program = [str(build.program("bench/contiguous_calls")), procedure, str(calls)]
        if layer:
            # By env(1), below valgrind: the layer must not be loaded into valgrind itself.
            preload = joined_preload(str(build.preload), environment.get("LD_PRELOAD"))
            command += ["--trace-children=yes", "env", f"LD_PRELOAD={preload}"]
        answer = subprocess.run([*command, *program], env=environment, capture_output=True, text=True, check=False)
    counted = re.findall(r"Collected : (\d+)", answer.stderr)
    if answer.returncode != 0 or not counted:
        raise GaplessError(
            f"callgrind could not count {' '.join(program)} (exit status {answer.returncode})",
            f"run '{' '.join([*command, *program])}' by hand to see why",
        )
    return int(counted[-1])


def call_costs(build: Build, now: Callable[[str], None] = lambda _: None) -> list[CallCost]:
    """Count what a contiguous call costs without and with the layer; start-up cancels out.

    Parameters
    ----------
    build : Build
        What to measure.
    now : callable
        Told which procedure is being counted.
    """
    if shutil.which("valgrind") is None:
        raise GaplessError("valgrind is not installed, so instructions cannot be counted", "install it and run again")
    costs = []
    for procedure in PROCEDURES:
        now(procedure)
        per_call = [
            (_instructions(build, procedure, MANY_CALLS, layer) - _instructions(build, procedure, FEW_CALLS, layer))
            / (MANY_CALLS - FEW_CALLS)
            for layer in (False, True)
        ]
        costs.append(CallCost(procedure, *per_call))
    return costs


@dataclass(frozen=True)
class Latency:
    """An 8-byte contiguous ping-pong without and with the layer, one median per launch, in nanoseconds."""

    plain_ns: list[float]
    under_layer_ns: list[float]

    @property
    def margin_ns(self) -> float:
        """How much slower would still count as equal: 5 % or 10 ns, whichever is more."""
        return max(RELATIVE_MARGIN * median(self.plain_ns), ABSOLUTE_MARGIN_NS)

    def test(self) -> Equivalence:
        """Test whether the layer changes the latency by less than the margin."""
        return equivalence(self.under_layer_ns, self.plain_ns, self.margin_ns)


def measure_latency(build: Build, launches: int, now: Callable[[int], None] = lambda _: None) -> Latency:
    """Launch the ping-pong without and with the layer in turn; which goes first alternates.

    Parameters
    ----------
    build : Build
        What to measure.
    launches : int
        Launches of each kind.
    now : callable
        Told the number of finished pairs.
    """
    times: dict[bool, list[float]] = {False: [], True: []}
    for pair in range(launches):
        for layer in (False, True) if pair % 2 == 0 else (True, False):
            times[layer].append(float(run_example(build, "bench/latency8", [], layer)["half_round_trip_ns_median"]))
        now(pair + 1)
    return Latency(times[False], times[True])
