"""What the layer costs a call that it cannot speed up: instructions, counted by callgrind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from gapless.errors import GaplessError, MeasurementFailed
from gapless.launch.layer import joined_preload
from gapless.launch.temporary import temporary_folder
from gapless.paths import Build

INSTRUCTION_LIMIT = 60
# Start-up drifts by some 100 000 instructions from run to run; this many calls keep that below one a call.
FEW_CALLS, MANY_CALLS = 1000, 401000
# What is called, how many MPI calls that is, and among how many outstanding receives that the layer staged.
CASES = (
    ("send", 1, 0), ("recv", 1, 0), ("sendrecv", 1, 0), ("pack", 1, 0), ("isend+wait", 2, 0), ("irecv+wait", 2, 0),
    ("test", 1, 0), ("isend+wait", 2, 1000), ("irecv+wait", 2, 1000), ("test", 1, 1000),
)  # fmt: skip


@dataclass(frozen=True)
class CallCost:
    """Instructions of one contiguous call of a procedure, or of a pair of calls."""

    procedure: str
    calls: int
    outstanding: int
    plain: float
    under_layer: float

    @property
    def extra(self) -> float:
        """What the layer adds to each call."""
        return (self.under_layer - self.plain) / self.calls


def _instructions(build: Build, procedure: str, calls: int, outstanding: int, layer: bool) -> int:
    """Count the instructions of a whole singleton run."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GAPLESS_")} | dict(build.settings)
    with temporary_folder("gapless-callgrind-") as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        program = [str(build.program("bench/contiguous_calls")), procedure, str(calls), str(outstanding)]
        if layer:
            # By env(1), below valgrind: the layer must not be loaded into valgrind itself.
            preload = joined_preload(str(build.preload), environment.get("LD_PRELOAD"))
            command += ["--trace-children=yes", "env", f"LD_PRELOAD={preload}"]
        answer = subprocess.run([*command, *program], env=environment, capture_output=True, text=True, check=False)
    counted = re.findall(r"Collected : (\d+)", answer.stderr)
    if answer.returncode != 0 or not counted:
        raise MeasurementFailed(
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
    for procedure, calls, outstanding in CASES:
        now(f"{procedure} among {outstanding}")
        per_call = []
        for layer in (False, True):
            many, few = (_instructions(build, procedure, n, outstanding, layer) for n in (MANY_CALLS, FEW_CALLS))
            per_call.append((many - few) / (MANY_CALLS - FEW_CALLS))
        costs.append(CallCost(procedure, calls, outstanding, *per_call))
    return costs
