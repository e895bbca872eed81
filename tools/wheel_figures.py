#!/usr/bin/env python3
"""Print what a wheel costs whoever installs it: its size, the command's start, a launch, the way from nothing to a run.

    tools/wheel_figures.py dist/gapless-....whl [REPETITIONS]

One line for each figure, tab-separated: name, median, unit, least, most. Needs `make build` (MPICH and a C compiler)
for the program that it launches. The first figure of time includes what pip downloads, unless pip's cache has it.
"""  # noqa: D208

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
MPI = REPOSITORY / ".venv"
PROGRAM = """
#include <mpi.h>
int main(void) {
  MPI_Init(0, 0);
  return MPI_Finalize();
}
"""


def seconds(command: Sequence[object], environment: Mapping[str, str]) -> float:
    """Return how long a command takes; one that fails ends us."""
    began = time.perf_counter()
    subprocess.run([str(word) for word in command], env=environment, check=True, capture_output=True)
    return time.perf_counter() - began


def figure(name: str, values: Sequence[float], unit: str) -> None:
    """Print a line."""
    print(f"{name}\t{statistics.median(values):.3g}\t{unit}\t{min(values):.3g}\t{max(values):.3g}", flush=True)


def main() -> None:
    """Measure."""
    if not 2 <= len(sys.argv) <= 3:
        sys.exit("usage: tools/wheel_figures.py WHEEL [REPETITIONS]")
    wheel, repetitions = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 21
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GAPLESS_", "PYTHON"))}
    with tempfile.TemporaryDirectory(prefix="gapless-figures-") as folder:
        scratch, app = Path(folder), Path(folder) / "app"
        app.with_suffix(".c").write_text(PROGRAM, encoding="utf-8")
        link = [f"-I{MPI}/include", f"{MPI}/lib/libmpi.so.12", f"-Wl,-rpath,{MPI}/lib"]
        subprocess.run([os.environ.get("CC", "cc"), f"{app}.c", "-o", app, *link], check=True)
        figure("wheel", [wheel.stat().st_size / 1e6], "MB")
        with zipfile.ZipFile(wheel) as archive:
            figure("the same unpacked", [sum(one.file_size for one in archive.infolist()) / 1e6], "MB")
        launch = [MPI / "bin/mpiexec", "-n", 2, app]
        python, command = scratch / "v/bin/python", scratch / "v/bin/gapless"
        plain, layered, help_s, true_s = [], [], [], []
        began = time.perf_counter()
        seconds([sys.executable, "-m", "venv", scratch / "v"], environment)
        seconds([python, "-m", "pip", "--disable-pip-version-check", "install", wheel], environment)
        seconds([command, "run", "--", *launch], environment)
        figure("from nothing to the first run", [time.perf_counter() - began], "s")
        for _ in range(repetitions):
            plain.append(seconds(launch, environment))
            layered.append(seconds([command, "run", "--", *launch], environment))
            help_s.append(seconds([command, "--help"], environment))
            true_s.append(seconds([python, "-c", "pass"], environment))
        figure("python -c pass", true_s, "s")
        figure("gapless --help", help_s, "s")
        figure("mpiexec -n 2 app", plain, "s")
        figure("gapless run -- mpiexec -n 2 app", layered, "s")
        figure(
            "what gapless run adds", [with_layer - alone for with_layer, alone in zip(layered, plain, strict=True)], "s"
        )


if __name__ == "__main__":
    main()
