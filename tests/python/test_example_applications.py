"""The three applications of examples/: the bits that NumPy has, by every way and call, on every number of ranks."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import numpy as np
import pytest
from gapless.lab.programs import json_lines, mpi_command
from gapless.paths import Build
from gapless.targets.libraries import find_library

ROWS, COLUMNS, STEPS = 19, 23, 10
SMALL = ("--size", f"{ROWS}x{COLUMNS}", "--steps", str(STEPS), "--way", "all", "--call", "all", "--verify", "--json")


def scramble(x: np.ndarray) -> np.ndarray:
    """Return the finaliser of splitmix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def hash_of(field: np.ndarray) -> str:
    """Return the hash that the programs print of a field: rows x columns x elements."""
    bits = field.ravel().view(f"u{field.itemsize}").astype(np.uint64)
    places = np.arange(1, bits.size + 1, dtype=np.uint64)
    return f"{int(np.sum(scramble(bits + scramble(places)), dtype=np.uint64)):016x}"


def life() -> np.ndarray:
    places = np.arange(1, ROWS * COLUMNS + 1, dtype=np.uint64).reshape(ROWS, COLUMNS)
    cells = (scramble(places) % np.uint64(3) == 0).astype(np.uint8)
    for _ in range(STEPS):
        shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        living = sum(np.roll(cells, shift, (0, 1)) for shift in shifts)
        cells = ((living == 3) | ((living == 2) & (cells == 1))).astype(np.uint8)
    return cells


def flow() -> np.ndarray:
    psi, zeta = (np.zeros((ROWS + 2, COLUMNS + 2)) for _ in range(2))
    flux = 1.0 / (16.0 * max(max(ROWS, COLUMNS) / 100.0, 1.0 / 1.5))
    north, south, west, east = np.s_[:-2, 1:-1], np.s_[2:, 1:-1], np.s_[1:-1, :-2], np.s_[1:-1, 2:]
    inner = np.s_[1:-1, 1:-1]
    for _ in range(STEPS):
        zeta[0, 1:-1] = -2.0 * psi[1, 1:-1] - 2.0
        zeta[-1, 1:-1] = -2.0 * psi[-2, 1:-1]
        zeta[1:-1, 0], zeta[1:-1, -1] = -2.0 * psi[1:-1, 1], -2.0 * psi[1:-1, -2]
        new_psi = 0.25 * (((psi[north] + psi[south]) + (psi[west] + psi[east])) + zeta[inner])
        turned = (psi[north] - psi[south]) * (zeta[east] - zeta[west])
        turned -= (psi[east] - psi[west]) * (zeta[north] - zeta[south])
        new_zeta = 0.25 * ((zeta[north] + zeta[south]) + (zeta[west] + zeta[east])) - flux * turned
        psi[inner], zeta[inner] = new_psi, new_zeta
    return np.stack([psi[inner], zeta[inner]], axis=-1)


def image() -> np.ndarray:
    f = np.float32
    row, column = np.arange(-2, ROWS + 2)[:, None, None], np.arange(COLUMNS)[None, :, None]
    colour, half = np.arange(3)[None, None, :], (COLUMNS + 1) // 2
    wave = np.abs(column - half).astype(f) / f(half)
    shade = (np.abs(row) % 64).astype(f) / f(64)
    down, aside = row - ROWS * (colour + 1) // 4, column - COLUMNS * (colour + 1) // 4
    inside = down * down + aside * aside < (min(ROWS, COLUMNS) // 6) ** 2
    known = f(0.5) * wave + f(0.25) * shade + np.where(inside, f(0.25), f(0))

    def around(of: np.ndarray) -> np.ndarray:
        return (of[:-2] + of[2:]) + (np.roll(of, 1, 1)[1:-1] + np.roll(of, -1, 1)[1:-1])

    edges = (around(known) - f(4) * known[1:-1])[1:-1]
    now = known[1:-1].copy()
    now[1:-1] = f(0.5)
    for _ in range(STEPS):
        now[1:-1] = f(0.25) * (around(now) - edges)
    return now[1:-1]


FIELDS = {"flow": flow, "life": life, "image": image}


@pytest.mark.parametrize("program", FIELDS)
def test_every_way_call_depth_and_number_of_ranks_gives_the_field_of_numpy(program: str, mpi: str) -> None:
    library, expected = find_library(mpi), hash_of(FIELDS[program]())
    for ranks, depth, layer in ((1, 1, True), (2, 1, False), (2, 3, True), (3, 2, True), (4, 1, True), (4, 3, False)):
        command = mpi_command(library, f"examples/applications/{program}", [*SMALL, "--depth", str(depth)], ranks=ranks)
        runs: list[dict[str, Any]] = list(json_lines(library, command, layer))
        assert len({(run["way"], run["call"]) for run in runs}) == len(runs) == 9
        assert {run["verified"] for run in runs} == {True}
        assert {run["hash"] for run in runs} == {expected}, (ranks, depth, layer)
        assert {(run["ranks"], run["depth"], run["exchanges"]) for run in runs} == {(ranks, depth, -(-STEPS // depth))}


def run(build: Build, program: str, *arguments: str, ranks: int = 1) -> subprocess.CompletedProcess[str]:
    command = mpi_command(build, f"examples/applications/{program}", arguments, ranks=ranks)
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_flow_becomes_steady_as_it_is_known_and_the_image_appears(build: Build) -> None:
    (line,) = run(build, "flow", "--size", "48", "--steps", "20000", "--json").stdout.splitlines()
    assert json.loads(line)["vortex"] == pytest.approx(0.1034, rel=0.03)  # Ghia, Ghia and Shin; walls of first order
    (line,) = run(build, "image", "--size", "48", "--steps", "10000", "--json").stdout.splitlines()
    assert json.loads(line)["distance"] < 1e-3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--size", "0"), "'--size 0': expected a number of sites"),
        (("--size", "8xy"), "expected a number of sites"),
        (("--way", "hand,pack"), "'--way hand,pack': expected hand, vector, subarray"),
        (("--call", ""), "expected waitall, neighbor, persistent"),
        (("--depth", "-1"), "expected a depth from 1"),
        (("--speed", "1"), "'--speed': expected an option of this program"),
        (("words",), "expected no argument without an option"),
        (("--size", "4", "--depth", "3"), "blocks smaller than the halo of 3"),
    ],
)
def test_wrong_usage_is_told_once_and_exits_with_2(build: Build, arguments: tuple[str, ...], told: str) -> None:
    answer = run(build, "life", *arguments, ranks=2)
    assert answer.returncode == 2 and answer.stderr.count(told) == 1, answer.stderr
    assert answer.stdout == ""


def test_help_teaches_with_an_example(build: Build) -> None:
    answer = run(build, "flow", "--help", ranks=2)
    assert answer.returncode == 0 and answer.stdout.count("Example: mpiexec") == 1
    assert "Exit status" in answer.stdout
