#!/usr/bin/env python3
"""Hold the times of `gapless profile` against those of programs that time their own exchange, for developers.

    tools/profile_agrees.py [FOLDER]

Profiles examples/halo2d, which times its halo exchange, transforms of mpi4py-fft (tools/fft.sh) that time their
redistributions, and Debian's CP2K (tools/programs.sh debian), which times its MPI calls, on two ranks; writes the pages
and the JSON into FOLDER (default: results/profile) and prints, tab-separated, the program's own time, the profile's
time of the same calls, and their ratio. Exits with status 1 if a ratio is farther than 5 % from 1.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from gapless.bench.fft import rank_environment  # noqa: E402
from gapless.bench.programs import cp2k  # noqa: E402
from gapless.bench.programs.debian import OPEN_MPI, TREE, debian_library  # noqa: E402
from gapless.targets.libraries import find_library  # noqa: E402
from gapless.targets.on_demand import FFT_FOLDER  # noqa: E402

RANKS = 2
MOST = 0.05
# What CP2K's wrapper of complex all-to-alls has a timer for. It prints milliseconds, so with plane waves enough.
CP2K_TIMER, CP2K_PROCEDURE = "mp_alltoall_z22v", "MPI_Alltoallv"
CP2K_CUTOFF = 800


def profile(
    name: str, folder: Path, command: Sequence[str], settings: Mapping[str, str], where: Path | None = None
) -> tuple[Any, str]:
    """Profile a command, in a folder if one is given; return the profile and what the program printed."""
    json_file = folder.resolve() / f"{name}.json"
    words = ["profile", "-o", str(json_file.with_suffix(".html")), "--json", str(json_file), "--", *command]
    answer = subprocess.run(
        [sys.executable, "-m", "gapless", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), **settings},
        stdout=subprocess.PIPE, text=True, check=True, cwd=where,
    )  # fmt: skip
    return json.loads(json_file.read_text(encoding="utf-8")), answer.stdout


def place(message: Any) -> tuple[Any, ...]:
    """Return which rank calls at which place, and to which end."""
    return tuple(message[what] for what in ("rank", "module", "offset", "role"))


def spent_ns(of: Any, procedures: Sequence[str], calls: int | None = None) -> dict[int, float]:
    """Return the time of the calls of some procedures, rank by rank; with `calls`: at the places with so many."""
    times = dict.fromkeys(range(RANKS), 0.0)
    messages = [message for message in of["native"][0]["messages"] if message["procedure"] in procedures]
    counts = Counter[tuple[Any, ...]]()
    for message in messages:
        counts[place(message)] += message["calls"]
    for message in messages:
        if calls is None or counts[place(message)] == calls:
            times[message["rank"]] += message["call_ns"] + message["later_ns"]
    return times


def cp2k_row(folder: Path) -> tuple[str, float, float]:
    """Profile CP2K; return the time of a rank on average, as its timer and as the profile have it."""
    library = debian_library(OPEN_MPI)
    with tempfile.TemporaryDirectory(prefix="gapless-cp2k-") as scratch:
        started = cp2k.prepare(Path(scratch), CP2K_CUTOFF)
        settings = {**library.environment, **started.environment}
        command = [*library.launch(RANKS), *started.words]
        found, printed = profile("cp2k", folder, command, settings, Path(scratch))
    calls, mean_s, _ = cp2k.timers(printed)[CP2K_TIMER]
    # The wrapper calls MPI at one place, as often as it is called.
    profiled = sum(spent_ns(found, [CP2K_PROCEDURE], calls).values()) / RANKS
    return f"cp2k, {CP2K_TIMER}, mean of ranks", mean_s * 1e9, profiled


def main() -> int:
    """Profile the programs, and print the table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("results/profile")
    folder.mkdir(parents=True, exist_ok=True)
    library = find_library("mpich")
    rows: list[tuple[str, float, float]] = []

    halo = [*library.launch(RANKS), str(library.program("examples/halo2d"))]
    found, printed = profile("halo2d", folder, [*halo, "--n", "2048", "--iterations", "200"], {})
    own = json.loads(printed.splitlines()[-1])["exchange_s"] * 1e9  # of the slowest rank
    rows.append(("halo2d, slowest rank", own, max(spent_ns(found, ["MPI_Sendrecv"]).values())))

    if (FFT_FOLDER / "lib").is_dir():
        fft = [*library.launch(RANKS), sys.executable, str(ROOT / "tools/fft_timed.py"), "128", "20"]
        found, printed = profile("mpi4py-fft", folder, fft, rank_environment(library))
        times = spent_ns(found, ["MPI_Alltoallw", "MPI_Ialltoallw", "MPI_Alltoallw_c"])
        for line in sorted(printed.splitlines()):
            of = json.loads(line)
            rows.append((f"mpi4py-fft, rank {of['rank']}", of["spent_s"] * 1e9, times[of["rank"]]))
    else:
        print("mpi4py-fft is not installed: tools/fft.sh", file=sys.stderr)

    if TREE.is_dir():
        rows.append(cp2k_row(folder))
    else:
        print("CP2K is not there: tools/programs.sh debian", file=sys.stderr)

    print("program", "own_ms", "profile_ms", "ratio", sep="\t")
    for name, own, profiled in rows:
        print(name, f"{own / 1e6:.3f}", f"{profiled / 1e6:.3f}", f"{profiled / own:.4f}", sep="\t")
    return int(any(abs(profiled / own - 1) > MOST for _, own, profiled in rows))


if __name__ == "__main__":
    sys.exit(main())
