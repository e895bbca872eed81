"""From comparisons to groups of messages with equal payloads, the members to time in each, and the rows to judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from math import lcm

from gapless.lab.cases import LOCAL
from gapless.lab.catalogue import CONTIGUOUS, NOT_SLOWER, PATTERNS, TESTS, Comparison, fitting
from gapless.lab.layouts.layout import Message, Refused
from gapless.lab.layouts.notation import BASES, Base, shortened
from gapless.lab.results import SCHEMA, Line
from gapless.lab.run_file import Row

TWIN = "_twin"
# Shorter messages go through the library: gapless tune measures none (docs/tuning.md).
SMALLEST_PAIRED = 8192


@dataclass(frozen=True)
class Selection:
    """Which comparisons are measured.

    Attributes
    ----------
    tests, patterns, bases, caches : sequence of str
        Names; an empty sequence of tests stands for none.
    blocks, sizes, variants : sequence of int
        A, message sizes [bytes], variants; empty for those of the tests.
    collective_blocks : sequence of int
        A in Bcast and Allgather, where fewer are wanted there.
    only : str
        A pattern that ``TEST case pattern bytes`` must match, or empty.
    data : str
        ``fresh``: the sender writes its data before each message, as programs do; ``constant``: never again.
    layer : bool
        Whether every comparison is also made with the layer on.
    against_native : bool
        Whether each message that a row compares is also compared, sent with the layer on, with the two ways that there
        are without it: as a datatype, and packed by MPI_Pack.
    against_local : bool
        Whether it is also compared with the layer in local mode, which sends nothing through shared memory; of messages
        that are large enough for that.
    """

    tests: Sequence[str] = ()
    patterns: Sequence[str] = PATTERNS
    bases: Sequence[str] = ("int",)
    caches: Sequence[str] = ("warm",)
    blocks: Sequence[int] = ()
    sizes: Sequence[int] = ()
    variants: Sequence[int] = ()
    collective_blocks: Sequence[int] = ()
    only: str = ""
    layer: bool = True
    data: str = "fresh"
    against_native: bool = False
    against_local: bool = False


@dataclass(frozen=True)
class Place:
    """Where a comparison is made: size [bytes], pattern, base type, state of the caches, data (fresh or constant)."""

    bytes: int
    pattern: str
    base: Base
    cache: str
    data: str = "constant"


@dataclass
class Group:
    """Messages of equal payload that are timed in turn with one another; `members` are message and method.

    `options`: what else the job file says of the group, `more` of a member.
    """

    id: str
    place: Place
    messages: dict[str, tuple[Message, str]] = field(default_factory=dict)  # and the label of the layout
    members: dict[str, str] = field(default_factory=dict)  # member -> message
    options: Line = field(default_factory=dict)
    more: dict[str, Line] = field(default_factory=dict)  # member -> what else is said of it

    def add(self, message: str, method: str, suffix: str = "", **more: bool) -> str:
        """Add a member and return its name: message, method, and a suffix for what is particular about it."""
        name = f"{message}:{method}{suffix}"
        self.members[name] = message
        if more or suffix:
            self.more[name] = {"method": method, **more}
        return name

    def text(self, member: str) -> str:
        """Return what a member sends, for people."""
        message, _ = self.messages[self.members[member]]
        return f"{message.count} x {shortened(message.type)}"

    def needs_layer(self, member: str) -> bool:
        """Return whether a member can be sent under the layer alone."""
        method = self.more.get(member, {}).get("method", member.rpartition(":")[2])
        return method in ("gapless", LOCAL) or bool(self.more.get(member, {}).get("layer"))


@dataclass
class Plan:
    """What a run measures, judges, and refuses."""

    groups: list[Group] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    refused: list[Line] = field(default_factory=list)

    def refuse(self, case: str, place: Place, reason: str) -> None:
        """Record a comparison that cannot be made."""
        self.refused.append(
            {"schema": SCHEMA, "kind": "refused", "case": case, "bytes": place.bytes, "pattern": place.pattern,
             "reason": reason}
        )  # fmt: skip


@dataclass
class _Bin:
    """Comparisons that share a group: a payload of whole units of all of them."""

    unit: int
    fewest: int
    comparisons: list[Comparison] = field(default_factory=list)

    def with_(self, unit: int, fewest: int) -> _Bin:
        return _Bin(lcm(self.unit, unit), max(self.fewest, fewest), self.comparisons)

    def elements(self, most: int) -> int:
        """Return how many elements the group's messages have, at most `most`; 0 if no number will do."""
        n = most // self.unit * self.unit
        return n if n >= self.fewest else 0


def _needs(comparison: Comparison) -> tuple[int, int]:
    """Return the unit that both sides are made of, and the fewest elements that both can have."""
    sides = [side for side in (comparison.compared, comparison.reference) if side is not None]
    for side in sides:
        side.form.check(side.parameters)
    units = [side.form.unit(side.parameters) for side in sides]
    return lcm(*units), max(side.form.fewest(side.parameters) for side in sides)


def selected(selection: Selection) -> Iterator[tuple[Place, Comparison]]:
    """Yield every comparison of the chosen tests at each of its places."""
    for test in (TESTS[name] for name in TESTS if name in selection.tests):
        for pattern in (pattern for pattern in test.patterns if pattern in selection.patterns):
            for size in selection.sizes or test.sizes:
                for a in selection.blocks or test.blocks:
                    if pattern != "pingpong" and selection.collective_blocks and a not in selection.collective_blocks:
                        continue
                    for comparison in test.compare(a):
                        if selection.variants and comparison.variant not in selection.variants:
                            continue
                        # In a collective no rank may pack what the others send as a type.
                        if pattern != "pingpong" and comparison.guideline in ("GL2", "GL3"):
                            continue
                        name = f"{test.name} {comparison.family}/{comparison.compared.name} {pattern} {size}"
                        if selection.only and not fnmatchcase(name, f"*{selection.only}*"):
                            continue
                        bases = ["byte"] if comparison.mixed else selection.bases
                        for base in bases:
                            for cache in selection.caches:
                                yield Place(size, pattern, BASES[base], cache, selection.data), comparison


def plan_of(selection: Selection) -> Plan:
    """Return the groups, rows and refusals of a selection.

    Comparisons of one layout in one place share a group, and so the reference is measured once for all of them, as
    long as one payload is made of whole units of each; where none is, a comparison gets a group of its own.
    """
    plan = Plan()
    by_place: dict[tuple[str, Place], list[Comparison]] = {}
    for place, comparison in selected(selection):
        by_place.setdefault((comparison.family, place), []).append(comparison)
    for (_, place), comparisons in by_place.items():
        for bin_ in _bins(comparisons, place, plan):
            _fill(plan, bin_, place, selection)
    return plan


def add_twins(plan: Plan) -> None:
    """Compare each member that a row compares with its twin, the same message sent in the same way.

    Where the lab slows members down and not their twins, the truth of these rows is known: the planted factor.
    """
    groups = {group.id: group for group in plan.groups}
    members = {(row.group, row.compared): row for row in plan.rows}
    for (group_id, member), row in members.items():
        group = groups[group_id]
        name, _, method = member.rpartition(":")
        group.messages[name + TWIN] = group.messages[name]
        twin = group.add(name + TWIN, method)
        plan.rows.append(
            replace(row, row=f"r{len(plan.rows)}", test="plant", guideline="planted", reference=twin,
                    reference_type=row.compared_type, expectation=NOT_SLOWER)
        )  # fmt: skip


def _bins(comparisons: Iterable[Comparison], place: Place, plan: Plan) -> list[_Bin]:
    most = place.bytes // place.base.bytes
    bins: list[_Bin] = []
    for given in comparisons:
        case = f"{given.family}/{given.compared.name}"
        try:
            comparison = replace(given, compared=fitting(given.compared, most))
            unit, fewest = _needs(comparison)
        except Refused as refusal:
            plan.refuse(case, place, str(refusal))
            continue
        if not _Bin(unit, fewest).elements(most):
            plan.refuse(case, place, f"{max(unit, fewest)} elements are the smallest message that both sides can be, "
                        f"and {place.bytes} bytes are {most}")  # fmt: skip
            continue
        for i, bin_ in enumerate(bins):
            joined = bin_.with_(unit, fewest)
            if joined.elements(most):
                bins[i] = joined
                break
        else:
            bins.append(_Bin(unit, fewest, []))
            i = len(bins) - 1
        bins[i].comparisons.append(comparison)
    return bins


def _fill(plan: Plan, bin_: _Bin, place: Place, selection: Selection) -> None:
    """Make the group of a bin, and its rows."""
    group = Group(f"g{len(plan.groups)}", place)
    n = bin_.elements(place.bytes // place.base.bytes)
    group.messages[CONTIGUOUS] = (Message(n, place.base.type), "contiguous")
    group.add(CONTIGUOUS, "native")
    for comparison in bin_.comparisons:
        for side in (comparison.reference, comparison.compared):
            if side is not None and side.name not in group.messages:
                group.messages[side.name] = (side.message(n, place.base), comparison.layout)
        for layer in (False, True) if selection.layer else (False,):
            plan.rows.append(_row(plan, group, comparison, layer, n * place.base.bytes))
            if layer:
                _add_ways(plan, group, plan.rows[-1], selection)
    plan.groups.append(group)


def _row(plan: Plan, group: Group, comparison: Comparison, layer: bool, payload_bytes: int) -> Row:
    method = "gapless" if layer else "native"
    compared = group.add(comparison.compared.name, method)
    if comparison.packed:
        # Always the library's own packing: the layer may not help its reference.
        reference = group.add(comparison.compared.name, comparison.packed)
    elif comparison.reference is None:
        reference = group.add(CONTIGUOUS, "native")
    else:
        reference = group.add(comparison.reference.name, method)
    place = group.place
    return Row(
        row=f"r{len(plan.rows)}", test=comparison.test, guideline=comparison.guideline,
        case=f"{comparison.family}/{comparison.compared.name}", pattern=place.pattern, bytes=place.bytes,
        payload_bytes=payload_bytes, base="mixed" if comparison.mixed else place.base.name, cache=place.cache,
        layer=layer, group=group.id, compared=compared, reference=reference, expectation=comparison.expectation,
        layout=comparison.layout, variant=comparison.variant, A=comparison.A,
        compared_type=group.text(compared), reference_type=group.text(reference), data=place.data,
    )  # fmt: skip


def _add_ways(plan: Plan, group: Group, row: Row, selection: Selection) -> None:
    """Compare a member of the layer with the other ways to send its message, unless another row has done so."""
    message = group.members[row.compared]
    ways = [("native", "native"), ("packed", "pack")] if selection.against_native else []
    if selection.against_local and row.payload_bytes >= SMALLEST_PAIRED:
        ways.append((LOCAL, LOCAL))
    for guideline, method in ways:
        reference = group.add(message, method)
        added = replace(row, row=f"r{len(plan.rows)}", test="layer", guideline=guideline, reference=reference,
                        reference_type=row.compared_type, expectation=NOT_SLOWER)  # fmt: skip
        if all(other.key != added.key or other.group != added.group for other in plan.rows):
            plan.rows.append(added)
