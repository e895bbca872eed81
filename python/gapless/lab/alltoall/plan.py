"""From settings to groups: the same all-to-all in every way, and the rows that are judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gapless.lab.alltoall.names import (
    BRUCK,
    LIBRARY,
    LIBRARY_V,
    MESSAGES,
    MODEL,
    PERSISTENT,
    TYPES,
    ZERO_COPY,
    member_of,
)
from gapless.lab.catalogue import NOT_SLOWER
from gapless.lab.layouts.notation import BASES
from gapless.lab.plan import Group, Place, Plan
from gapless.lab.run_file import Row

if TYPE_CHECKING:
    from gapless.lab.alltoall.settings import AlltoallSettings

INT = BASES["int"]
TO_LIBRARY, TO_BASIC, TO_ONCE, TO_PERSISTENT = "the library", "basic", "once", "persistent library"


class AlltoallGroup(Group):
    """A group whose members do one all-to-all."""

    def call(self, way: str, call: str, suffix: str = "", layer: bool = False) -> str:
        """Add a member that runs a call of lab/alltoall; `way` names the algorithm, if it is ours."""
        name = member_of(way, suffix, layer)
        algorithm = "" if way in (MODEL, MESSAGES, LIBRARY, LIBRARY_V) else way.replace("/", ":")
        self.members[name] = ""
        self.more[name] = {"call": call, "algorithm": algorithm, "layer": layer}
        return name


def new_group(problem: str, size: int, settings: AlltoallSettings) -> AlltoallGroup:
    """Return the group of one problem and size, without members."""
    place = Place(size, "alltoall", INT, "warm", settings.data)
    random = problem == "random"
    options = {"block_bytes": size, "random": random, "in_place": settings.in_place and problem == "regular"}
    return AlltoallGroup(f"{problem} {size} B", place, options=options)


def plan_of(settings: AlltoallSettings) -> Plan:
    """Return the groups and rows: a group for each problem and size."""
    plan = Plan()
    for problem in settings.problems:
        for size in settings.sizes:
            group = new_group(problem, size, settings)
            if settings.in_place and problem != "regular":
                plan.refuse(group.id, group.place, "MPI_IN_PLACE is measured of equal blocks alone")
                continue
            (_add_regular if problem == "regular" else _add_irregular)(plan, group, settings)
            plan.groups.append(group)
    return plan


def _add_row(plan: Plan, group: AlltoallGroup, compared: str, reference: str, guideline: str) -> None:
    problem = group.id.partition(" ")[0]
    plan.rows.append(
        Row(
            row=f"r{len(plan.rows)}", test="alltoall", guideline=guideline, case=f"{problem}/{compared}",
            pattern=problem, bytes=group.place.bytes, payload_bytes=group.place.bytes, base=INT.name,
            cache="warm", layer=group.needs_layer(compared), group=group.id, compared=compared, reference=reference,
            expectation=NOT_SLOWER, layout=problem, variant=0, A=group.place.bytes, data=group.place.data,
        )
    )  # fmt: skip


def _add_regular(plan: Plan, group: AlltoallGroup, settings: AlltoallSettings) -> None:
    library = group.call(LIBRARY, "library")
    persistent = group.call(LIBRARY, "library_persistent", PERSISTENT)
    model = group.call(MODEL, "ours")
    kept = group.call(MODEL, "ours_persistent", PERSISTENT)
    _add_row(plan, group, model, library, TO_LIBRARY)
    _add_row(plan, group, kept, persistent, TO_PERSISTENT)
    if not settings.in_place:
        group.call(MESSAGES, "messages", PERSISTENT)
    for name in settings.algorithms:
        once = group.call(name, "ours")
        again = group.call(name, "ours_persistent", PERSISTENT)
        bare, _, how = name.partition("/")
        _add_row(plan, group, again, once, TO_ONCE)
        if bare in BRUCK:
            group.call(name, "types", TYPES)
        basic = "basic" + (f"/{how}" if how else "")
        if bare in ZERO_COPY and basic in settings.algorithms:
            _add_row(plan, group, once, member_of(basic), TO_BASIC)
    if settings.layer:
        _add_row(plan, group, group.call(LIBRARY, "library", layer=True), library, TO_LIBRARY)
        again = group.call(LIBRARY, "library_persistent", PERSISTENT, layer=True)
        _add_row(plan, group, again, persistent, TO_PERSISTENT)
        group.call(MODEL, "ours", layer=True)
        for name in settings.algorithms:
            if name.partition("/")[0] in (*ZERO_COPY, "basic"):
                group.call(name, "ours", layer=True)


def _add_irregular(plan: Plan, group: AlltoallGroup, settings: AlltoallSettings) -> None:
    library = group.call(LIBRARY_V, "library_v")
    persistent = group.call(LIBRARY_V, "library_v_persistent", PERSISTENT)
    if not group.options["random"]:
        group.call(LIBRARY, "library")
    model = group.call(MODEL, "ours_v")
    kept = group.call(MODEL, "ours_v_persistent", PERSISTENT)
    _add_row(plan, group, model, library, TO_LIBRARY)
    _add_row(plan, group, kept, persistent, TO_PERSISTENT)
    for name in settings.irregular:
        once = group.call(name, "ours_v")
        _add_row(plan, group, group.call(name, "ours_v_persistent", PERSISTENT), once, TO_ONCE)
    if settings.layer:
        _add_row(plan, group, group.call(LIBRARY_V, "library_v", layer=True), library, TO_LIBRARY)
        again = group.call(LIBRARY_V, "library_v_persistent", PERSISTENT, layer=True)
        _add_row(plan, group, again, persistent, TO_PERSISTENT)
        group.call(MODEL, "ours_v", layer=True)
