"""Programs launched without and with the layer in turn: latencies and completions that must not change, and types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from rich.table import Table

from gapless.display import plain_table
from gapless.lab.programs import json_lines, mpi_command
from gapless.lab.statistics import Equivalence, equivalence
from gapless.paths import Build

RELATIVE_MARGIN, ABSOLUTE_MARGIN_NS = 0.05, 10.0
# Of contiguous messages for which a receive looks whether they are paired ones.
LARGE_MARGIN = 0.02
# Of contiguous collective calls, each timed alone behind a barrier, which they leave at slightly different times.
COLLECTIVE_MARGIN, COLLECTIVE_MARGIN_NS = 0.10, 150.0


@dataclass(frozen=True)
class Comparison:
    """A time without and with the layer, one median per launch, in nanoseconds; the launches are paired."""

    name: str
    margin: float = RELATIVE_MARGIN
    least_margin_ns: float = ABSOLUTE_MARGIN_NS
    plain_ns: list[float] = field(default_factory=list)
    under_layer_ns: list[float] = field(default_factory=list)

    @property
    def margin_ns(self) -> float:
        """How much slower would still count as equal: a share of the time or the least margin, whichever is more."""
        return max(self.margin * median(self.plain_ns), self.least_margin_ns)

    def test(self) -> Equivalence:
        """Test whether the layer changes the time by less than the margin."""
        return equivalence(self.under_layer_ns, self.plain_ns, self.margin_ns)

    def as_json(self) -> dict[str, Any]:
        """Return the samples and the answer of the test."""
        answer = self.test()
        return {"name": self.name, "plain_ns": self.plain_ns, "under_layer_ns": self.under_layer_ns,
                "low": answer.low, "high": answer.high, "margin": answer.margin,
                "equivalent": answer.equivalent}  # fmt: skip


@dataclass(frozen=True)
class Program:
    """A program that prints lines of JSON, and how its times are found in them."""

    path: str
    arguments: tuple[str, ...]
    ranks: int
    times: Callable[[dict[str, Any]], dict[str, float]]
    margin: float = RELATIVE_MARGIN
    least_margin_ns: float = ABSOLUTE_MARGIN_NS


def _pingpong(line: dict[str, Any]) -> dict[str, float]:
    at_once = f"{line['messages']} x " if line["messages"] > 1 else ""
    return {f"{at_once}{line['bytes']} B, half round trip": line["half_round_trip_ns_median"]}


def _completion(line: dict[str, Any]) -> dict[str, float]:
    return {f"MPI_{line['call']} among {line['among']}": line["ns_median"]}


def _collective(line: dict[str, Any]) -> dict[str, float]:
    return {f"MPI_{line['call']}, blocks of {line['bytes']} B": line["ns_median"]}


def _types(line: dict[str, Any]) -> dict[str, float]:
    return {f"{line['type']}: {step[:-3]}": line[step] for step in line if step.endswith("_ns")}


LATENCY = (
    Program("bench/latency8", ("8",), 2, _pingpong),
    Program("bench/latency8", ("1024",), 2, _pingpong),
    Program("bench/latency8", ("65536", "5000"), 2, _pingpong, LARGE_MARGIN),
    Program("bench/latency8", ("65536", "200", "100"), 2, _pingpong, LARGE_MARGIN),
    Program("bench/completion", (), 1, _completion),
    Program("bench/contiguous_collectives", (), 2, _collective, COLLECTIVE_MARGIN, COLLECTIVE_MARGIN_NS),
)
TYPES = (Program("bench/types_each_time", (), 2, _types),)


def measure_interleaved(
    build: Build, programs: Sequence[Program], launches: int, now: Callable[[int], None] = lambda _: None
) -> list[Comparison]:
    """Launch every program without and with the layer in turn; which goes first alternates.

    Parameters
    ----------
    build : Build
        What to measure.
    programs : sequence of Program
        What to launch.
    launches : int
        Launches of each kind.
    now : callable
        Told the number of finished pairs of launches of every program.
    """
    found: dict[str, Comparison] = {}
    for pair in range(launches):
        for program in programs:
            for layer in (False, True) if pair % 2 == 0 else (True, False):
                command = mpi_command(build, program.path, program.arguments, program.ranks)
                for line in json_lines(build, command, layer):
                    for name, ns in program.times(line).items():
                        of = found.setdefault(name, Comparison(name, program.margin, program.least_margin_ns))
                        (of.under_layer_ns if layer else of.plain_ns).append(float(ns))
        now(pair + 1)
    return list(found.values())


def equivalence_table(title: str, comparisons: Sequence[Comparison]) -> Table:
    """Render comparisons with the answer of the test of equivalence."""
    table = plain_table(title, ["what", "plain ns", "+ Gapless", "shift, 90 % interval", "margin", "remark"])
    for of in comparisons:
        answer = of.test()
        table.add_row(
            of.name,
            f"{median(of.plain_ns):.1f}",
            f"{median(of.under_layer_ns):.1f}",
            f"{answer.low:+.1f} to {answer.high:+.1f}",
            f"±{answer.margin:.1f}",
            "equivalent" if answer.equivalent else "faster" if answer.high < 0 else "equivalence not shown",
        )
    return table


def types_table(title: str, comparisons: Sequence[Comparison]) -> Table:
    """Render the life of types: each step's time without and with the layer."""
    table = plain_table(title, ["type", "step", "plain ns", "+ Gapless", "difference"], left=2)
    last = None
    for of in comparisons:
        kind, _, step = of.name.partition(": ")
        if last not in (None, kind):
            table.add_section()
        plain, under = median(of.plain_ns), median(of.under_layer_ns)
        table.add_row("" if kind == last else kind, step, f"{plain:.0f}", f"{under:.0f}", f"{under - plain:+.0f}")
        last = kind
    return table
