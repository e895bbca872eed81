"""What a run of the applications measures: a group for each exchange, a member for each way to send it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from gapless.lab.apps.cases import AppCase
from gapless.lab.catalogue import CONTIGUOUS, NOT_SLOWER
from gapless.lab.layouts.notation import BASES
from gapless.lab.plan import Group, Place, Plan
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Row

LAYOUT = "exchange"  # what all descriptions of a case have in common
MADE_ANEW = "+type"
OVERHEAD, PACKED, BY_HAND, NATIVE = "overhead", "GL2+GL3", "by hand", "native"
# How a message is packed by hand: the compilers that a build may have.
HAND = ("hand_c", "hand_clang", "hand_fortran")


def chosen(cases: Iterable[AppCase], tests: Sequence[str], only: str, names: Sequence[str]) -> list[AppCase]:
    """Return the cases of such tests, of such names (all, if there are none) and like `only`."""
    return [
        case
        for case in cases
        if any(case.test(name) in tests for name in case.descriptions)
        and (not names or case.name in names)
        and fnmatchcase(f"{case.name} {case.bytes}", f"*{only}*")
    ]


def plan_of(
    cases: Sequence[AppCase], tests: Sequence[str], layer: bool, data: str, cache: str, compilers: Sequence[str]
) -> Plan:
    """Return the groups and rows.

    Parameters
    ----------
    cases : sequence of AppCase
        What is sent.
    tests : sequence of str
        Which descriptions.
    layer : bool
        Whether also with the layer on.
    data, cache : str
        fresh or constant, warm or cold.
    compilers : sequence of str
        Of `HAND`.
    """
    plan = Plan()
    for case in cases:
        _add(plan, case, tests, layer, Place(case.bytes, case.pattern, BASES[case.base], cache, data), compilers)
    return plan


def _add(plan: Plan, case: AppCase, tests: Sequence[str], layer: bool, place: Place, compilers: Sequence[str]) -> None:
    group = Group(case.name, place, {CONTIGUOUS: (case.contiguous, CONTIGUOUS)}, options={"phases": True})
    group.add(CONTIGUOUS, "native")
    names = [name for name in case.descriptions if case.test(name) in tests]
    for name in names:
        group.messages[name] = (case.descriptions[name], LAYOUT)
    # The loops are those of the application, whichever type describes what they pack.
    by_hand = [group.add(names[0], method) for method in compilers]
    for name in names:
        packed = group.add(name, "pack")
        for under in (False, True) if layer else (False,):
            compared = group.add(name, "gapless" if under else "native")
            # As in a program that makes its type for each message.
            if case.pattern == "pingpong":
                group.add(name, "gapless" if under else "native", MADE_ANEW, fresh_type=True)
            against = [(OVERHEAD, CONTIGUOUS_MEMBER), (PACKED, packed)]
            against += [(BY_HAND, by_hand[0])] if by_hand else []
            against += [(NATIVE, f"{name}:native")] if under else []
            for guideline, reference in against:
                plan.rows.append(_row(plan, case, group, name, guideline, compared, reference, under))
    plan.groups.append(group)


def _row(
    plan: Plan, case: AppCase, group: Group, name: str, guideline: str, compared: str, reference: str, under: bool
) -> Row:
    place = group.place

    return Row(
        row=f"r{len(plan.rows)}", test=case.test(name), guideline=guideline, case=f"{case.name}/{name}",
        pattern=place.pattern, bytes=case.bytes, payload_bytes=case.bytes, base=place.base.name, cache=place.cache,
        layer=under, group=group.id, compared=compared, reference=reference, expectation=NOT_SLOWER,
        layout=case.layout, variant=0, A=0, compared_type=group.text(compared), reference_type=group.text(reference),
        data=place.data,
    )  # fmt: skip
