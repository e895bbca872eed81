"""`gapless bench p2p`: messages of every layout under the layer, against what it is made of and what it replaces.

Of each description of each layout of the expectation tests: the engine's packing, a contiguous send and the engine's
unpacking, each alone, are what the layer does in local mode. Of every layout: the native datatype, and MPI_Pack with a
send of the packed bytes, are what the program would do. What the layer sends through shared memory is *paired*, and is
sent in local mode too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import log
from typing import Any

import numpy as np
from rich.progress import Progress

from gapless.lab.better_of import SLOWER, Stand, stands
from gapless.lab.cases import CONTIGUOUS, GAPLESS, LOCAL, PINGPONG, Repeated, Samples
from gapless.lab.guidelines import EXPECTATIONS, PACK, TESTED_BY, Medians
from gapless.lab.launch_facts import CONSTANT
from gapless.lab.pingpong import ask_layer, find_cases, measure_pingpong, shown_by
from gapless.lab.results import Key, Line, Recorder
from gapless.lab.statistics import Expectation, Ratio, of_launches, ratio_of_medians
from gapless.lab.verdicts import FALSE_DISCOVERY_RATE, judge_table
from gapless.targets.libraries import Library

TESTS, APPLICATIONS, FOUND = FAMILIES = ("tests", "applications", "found")
# Of the layouts of the tests, also the parts; of all others only what is judged, so that many launches are cheap.
METHODS = ("contiguous", "pack", "native", "gapless", "engine", "engine_pack", "engine_unpack")
FEW_METHODS = METHODS[:4]
PARTS_TOLERANCE, GUIDELINE_TOLERANCE = 0.10, 0.05
# What the layer's two modes are shown as ratios to; of paired messages, also paired to local.
SHOWN = ("native", CONTIGUOUS)
PAIRED = "paired"
WRITTEN = "written"


@dataclass
class P2pRow:
    """One description of one layout at one message size on one library; times in microseconds.

    Of a ping-pong one way, else of an exchange, in which a message goes each way.

    Attributes
    ----------
    family : str
        tests, applications or found.
    best : Stand
        Against the fastest of native datatype, native packing and, of a paired message, local mode.
    ratios : dict
        Names as ``paired_to_native`` to ratios with their intervals, of the modes that were measured: local and, of a
        paired message, paired. ``written``: to contiguous as users get it, with the time in which both ranks wrote.
    local_us : float or None
        In local mode; None where nothing is paired, and the layer's time is just this.
    cycle : Stand or None
        The same with the time in which both ranks wrote their data; None where they are constant.
    engine_us : float or None
        Pack, send, receive and unpack in one message by the engine without the layer; not judged. It says whether a
        row over its parts is the layer's doing, or that of caches that are warmer for a part alone.
    acts : bool or None
        Whether the layer converted the transfer, by its own counters; None if that was not asked.
    beyond_parts : bool
        Whether it is proved that the layer takes over a tenth longer than its parts.
    violated : dict
        Performance guideline to how many times slower than its reference the layer is, where it is proved that this is
        beyond 5 %.
    """

    library: str
    family: str
    group: str
    layout: str
    variant: int
    A: int
    description: str
    size: int
    payload_bytes: int
    data: str
    contiguous_us: float
    native_us: float
    pack_us: float
    gapless_us: float
    acts: bool | None
    best: Stand
    ratios: dict[str, Ratio] = field(default_factory=dict)
    cycle: Stand | None = None
    local_us: float | None = None
    engine_pack_us: float | None = None
    engine_unpack_us: float | None = None
    engine_us: float | None = None
    beyond_parts: bool = False
    violated: dict[str, float] = field(default_factory=dict)
    pattern: str = PINGPONG

    @property
    def is_paired(self) -> bool:
        """Whether the message goes through shared memory, by the layer's own counters."""
        return self.local_us is not None

    @property
    def to_sequence(self) -> float | None:
        """The time under the layer, as a ratio to a program that does the same by hand with the engine."""
        return self.gapless_us / self.engine_us if self.engine_us else None

    @property
    def name(self) -> str:
        """Return for example ``tiled/v1/A=2/basic/3200``, or ``WRF_x/2x2/vec``."""
        if self.family == TESTS:
            return f"{self.layout}/v{self.variant}/A={self.A}/{self.description}/{self.size}"
        return f"{self.group}/{self.description}"

    @property
    def to_parts(self) -> float | None:
        """The time under the layer, as a ratio to engine pack + contiguous send + engine unpack."""
        if self.engine_pack_us is None or self.engine_unpack_us is None:
            return None
        return self.gapless_us / (self.engine_pack_us + self.contiguous_us + self.engine_unpack_us)

    @property
    def to_best(self) -> float:
        """The time under the layer, as a ratio to the fastest of the other ways."""
        return self.best.ratio

    @property
    def lost(self) -> bool:
        """Whether the layer is proved to be over 5 % slower than the fastest of the other ways."""
        return self.best.verdict == SLOWER

    @property
    def passes(self) -> bool:
        """Whether nothing is proved against the row: by the guidelines only where the layer acts."""
        return not (self.lost or self.beyond_parts or (self.violated and self.acts is not False))

    def as_json(self) -> dict[str, Any]:
        """Return the row with its ratios and verdicts; an interval's end that is not known is null."""
        stands_json = {}
        for name in ("best", "cycle"):
            of = getattr(self, name)
            ends = {} if of is None else {end: getattr(of, end) for end in ("ci_low", "ci_high")}
            ends = {end: value if np.isfinite(value) else None for end, value in ends.items()}
            stands_json[name] = None if of is None else asdict(of) | ends
        ratios = ("name", "is_paired", "to_sequence", "to_parts", "to_best", "lost", "passes")
        return asdict(self) | stands_json | {name: getattr(self, name) for name in ratios}


def measure_p2p(
    library: Library,
    launches: int,
    samples: tuple[Samples, Samples],
    data: str,
    arguments: Sequence[str],
    families: Sequence[str],
    recorder: Recorder,
    progress: Progress,
    pattern: str = PINGPONG,
) -> None:
    """Ask once where the layer acts and what it pairs, with its counters on, then measure with them off.

    Parameters
    ----------
    library : Library
        What to measure.
    launches : int
        The number of replicates.
    samples : tuple of Samples
        In a launch, of large and of small messages.
    data : str
        fresh or constant.
    arguments : sequence of str
        Passed on to lab/cases.
    families : sequence of str
        Which layouts.
    recorder : Recorder
        Where the lines go.
    progress : Progress
        Where the advance is shown.
    pattern : str
        What both ranks do, as `Repeated` has it. The parts are measured beside ping-pongs alone.
    """
    cases = find_cases(library, [*arguments, "--all-layouts", "--layouts", ",".join(families)])
    cases = ask_layer(library, cases, data, recorder, pattern)
    others = [family for family in families if family != TESTS]
    for chosen, methods in (([TESTS], wanted_methods(TESTS, pattern)), (others, FEW_METHODS)):
        of = [case for case in cases if case.told["family"] in chosen]
        # A filter may leave nothing of a family.
        if any(line["kind"] == "acts" and line["family"] in chosen for line in recorder.lines):
            repeated = Repeated(methods, *samples, data, pattern=pattern)
            measure_pingpong(library, of, repeated, launches, recorder, shown_by(progress))


def wanted_methods(family: str, pattern: str) -> tuple[str, ...]:
    """Return what is measured of a family of layouts."""
    return METHODS if (family, pattern) == (TESTS, PINGPONG) else FEW_METHODS


def p2p_rows(library: str, lines: Sequence[Line]) -> list[P2pRow]:
    """Return the rows of a result file, in the order measured: medians over launches of each launch's median.

    Each family is judged as a table of its own, so that it does not matter what else was measured.
    """
    medians = Medians(lines)
    rows = [row for row in (_row(library, medians, key, lines) for key in medians.lines_by_key) if row is not None]
    for family in FAMILIES:
        _judge(medians, [row for row in rows if row.family == family])
    return rows


def _row(library: str, medians: Medians, key: Key, lines: Sequence[Line]) -> P2pRow | None:
    """Return the row of a sample line of the layer, not yet judged; None if a way is missing."""
    if key.method != "gapless":
        return None
    first = medians.lines_by_key[key][0]
    family = first.get("family", TESTS)
    pattern = first.get("pattern", PINGPONG)
    wanted = wanted_methods(family, pattern)
    keys = {method: Key(key.group, _own(method, key), method) for method in (*wanted, LOCAL)}
    times = {f"{method}_us": medians.ns[of] / 1000 for method, of in keys.items() if of in medians.ns}
    if len(times.keys() - {"local_us"} | {"engine_us"}) < len({*wanted, "engine"}):
        return None
    acts = [
        line.get("layer_acts")
        for line in lines
        if line["kind"] == "acts" and (line["group"], line["description"]) == (key.group, key.description)
    ]
    return P2pRow(
        library=library, family=family, group=key.group, layout=first["layout"], variant=first["variant"],
        A=first["A"], description=key.description, size=first["bytes"], payload_bytes=first["payload_bytes"],
        data=first.get("data", CONSTANT), acts=acts[0] if acts else None, best=Stand("undecided", 1, 0, np.inf, 0),
        ratios=_ratios(medians, key, LOCAL in medians.ways(key.group, key.description)), pattern=pattern,
        **times,
    )  # fmt: skip


def _own(method: str, key: Key) -> str:
    return CONTIGUOUS if method == CONTIGUOUS else key.description


def _ratios(medians: Medians, key: Key, is_paired: bool) -> dict[str, Ratio]:
    """Return the ratios of both modes, with intervals over launches."""

    def ratio(method: str, other: str, samples: str = "samples") -> Ratio | None:
        sets = [
            {
                line["launch"]: line[samples]
                for line in medians.lines_by_key[Key(key.group, _own(way, key), way)]
                if samples in line
            }
            for way in (method, other)
        ]
        both = sorted(sets[0].keys() & sets[1].keys())
        return ratio_of_medians([(sets[0][launch], sets[1][launch]) for launch in both]) if both else None

    modes = {LOCAL: LOCAL, PAIRED: GAPLESS} if is_paired else {LOCAL: GAPLESS}
    found = {f"{name}_to_{other}": ratio(method, other) for name, method in modes.items() for other in SHOWN}
    if is_paired:
        found[f"{PAIRED}_to_{LOCAL}"] = ratio(GAPLESS, LOCAL)
    found[WRITTEN] = ratio(GAPLESS, CONTIGUOUS, "cycle_samples")
    return {name: of for name, of in found.items() if of}


def _judge(medians: Medians, rows: list[P2pRow]) -> None:
    """Judge the rows of one table: against the best way, with and without the writing, parts and guidelines."""

    def against_ways(samples: str) -> list[np.ndarray]:
        ways = [medians.ways(row.group, row.description) for row in rows]
        return [
            medians.log_ratios(row.group, row.description, GAPLESS, of, samples)
            for row, of in zip(rows, ways, strict=True)
        ]

    for row, stand in zip(rows, stands(against_ways("samples")), strict=True):
        row.best = stand
    cycles = against_ways("cycle_samples")
    if rows and all(of.size for of in cycles):
        for row, stand in zip(rows, stands(cycles), strict=True):
            row.cycle = stand
    with_parts = [row for row in rows if row.to_parts is not None]
    _prove(with_parts, [_parts_logs(medians, row) for row in with_parts], PARTS_TOLERANCE, False, _note_parts)
    for name, expectation in EXPECTATIONS.items():
        if name == PACK:
            tested = rows
            logs = [medians.log_ratios(row.group, row.description, "gapless", ("pack",))[0] for row in rows]
        else:
            tested = [row for row in rows if TESTED_BY.get(row.description) == name and _basic_logs(medians, row).size]
            logs = [_basic_logs(medians, row) for row in tested]

        def note(row: P2pRow, ratio: float, name: str = name) -> None:
            row.violated[name] = ratio

        _prove(tested, logs, GUIDELINE_TOLERANCE, expectation is Expectation.SIMILAR, note)


def _note_parts(row: P2pRow, _: float) -> None:
    row.beyond_parts = True


def _prove(
    rows: Sequence[P2pRow], logs: Sequence[np.ndarray], tolerance: float, similar: bool,
    note: Callable[[P2pRow, float], None],
) -> None:  # fmt: skip
    """Tell of each row, with its factor, of which it is proved that it misses the tolerance."""
    if not rows:
        return
    of = of_launches(logs)
    decided = judge_table(of, np.full(len(rows), similar), tolerance, FALSE_DISCOVERY_RATE)
    for i, row in enumerate(rows):
        if decided.claim[i] == 1:
            note(row, float(np.exp(abs(of.mean[i]) if similar else of.mean[i])))


def _parts_logs(medians: Medians, row: P2pRow) -> np.ndarray:
    of = [
        medians.by_launch(row.group, row.description, method)
        for method in ("gapless", "engine_pack", "contiguous", "engine_unpack")
    ]
    launches = [launch for launch in of[0] if all(launch in times for times in of)]
    return np.array([log(of[0][at] / sum(times[at] for times in of[1:])) for at in launches])


def _basic_logs(medians: Medians, row: P2pRow) -> np.ndarray:
    time = medians.by_launch(row.group, row.description, "gapless")
    basic = medians.by_launch(row.group, "basic", "gapless")
    return np.array([log(time[launch] / basic[launch]) for launch in time if launch in basic])
