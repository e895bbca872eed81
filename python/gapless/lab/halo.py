"""The halo exchange of examples/halo2d, a program that knows nothing of Gapless, without and with the layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from gapless.errors import MeasurementFailed
from gapless.lab.programs import run_example
from gapless.lab.results import SCHEMA, Line, Recorder, of_kind
from gapless.paths import Build


@dataclass(frozen=True)
class HaloSize:
    """A grid of n by n doubles, and how often it is stepped."""

    n: int
    iterations: int


@dataclass(frozen=True)
class HaloRow:
    """What the layer gained at one size: medians over launches, in milliseconds."""

    n: int
    iterations: int
    launches: int
    total_plain_ms: float
    total_gapless_ms: float
    exchange_plain_ms: float
    exchange_gapless_ms: float
    identical: bool
    checksum: str

    @property
    def total_gain(self) -> float:
        """How many times faster the whole program was."""
        return self.total_plain_ms / self.total_gapless_ms

    @property
    def exchange_gain(self) -> float:
        """How many times faster its exchange was."""
        return self.exchange_plain_ms / self.exchange_gapless_ms

    def as_json(self) -> dict[str, Any]:
        """Return the row with its gains."""
        return asdict(self) | {"total_gain": self.total_gain, "exchange_gain": self.exchange_gain}


def measure_halo(
    build: Build, sizes: Sequence[HaloSize], launches: int, recorder: Recorder, now: Callable[[float, str], None]
) -> None:
    """Run every size without and with the layer in turn; which of the two goes first alternates.

    `now` is told which share is done, and what is being done.
    """
    done = 0
    for size in sizes:
        for launch in range(1, launches + 1):
            for layer in (False, True) if launch % 2 else (True, False):
                now(done / (2 * launches * len(sizes)), f"halo exchange, {size.n} x {size.n}")
                arguments = ["--n", str(size.n), "--iterations", str(size.iterations)]
                result = run_example(build, "examples/halo2d", arguments, layer)
                line: Line = {"schema": SCHEMA, "kind": "halo", "launch": launch, "layer": layer, **result}
                recorder.add(line)
                done += 1


def halo_rows(lines: Sequence[Line]) -> list[HaloRow]:
    """Return one row per size."""
    rows = []
    halo = of_kind(lines, "halo")
    for n in dict.fromkeys(line["n"] for line in halo):
        of_size = [line for line in halo if line["n"] == n]
        plain = [line for line in of_size if not line["layer"]]
        under = [line for line in of_size if line["layer"]]
        if not plain or not under:
            continue

        def ms(of: Sequence[Line], name: str) -> float:
            return 1000 * median(line[name] for line in of)

        checksums = {line["checksum"] for line in of_size}
        rows.append(
            HaloRow(
                n=n,
                iterations=plain[0]["iterations"],
                launches=len(plain),
                total_plain_ms=ms(plain, "total_s"),
                total_gapless_ms=ms(under, "total_s"),
                exchange_plain_ms=ms(plain, "exchange_s"),
                exchange_gapless_ms=ms(under, "exchange_s"),
                identical=len(checksums) == 1,
                checksum=sorted(checksums)[0],
            )
        )
    return rows


def require_identical(rows: Sequence[HaloRow]) -> None:
    """Fail if the layer changed a result: nothing else about such a run is worth printing."""
    for row in rows:
        if not row.identical:
            raise MeasurementFailed(
                f"halo2d at n={row.n} gives other bits with the layer than without it",
                "this is a bug in Gapless; please report it with the file in results/",
            )
