"""A group of messages of one layout, and the rows that compare each way to send it with sending an array."""

from __future__ import annotations

from gapless.lab.catalogue import CONTIGUOUS, NOT_SLOWER
from gapless.lab.layouts.layout import Message
from gapless.lab.layouts.notation import BASES, Base
from gapless.lab.plan import Group, Place, Plan
from gapless.lab.results import Line
from gapless.lab.run_file import CONTIGUOUS_MEMBER, Row
from gapless.lab.ways.settings import PAPER, WaysSettings

SLOW_DOWN = "slow-down"
PINGPONG = "pingpong"
ONE_WAY = "one way"  # the pattern of rows whose answer is empty
LAYOUT = "sent"  # what all descriptions of a group have in common
DOUBLE = BASES["double"]


def strided(blocks: int, length: int, stride: int) -> Line:
    """Return the loops that pack so many blocks of so many doubles, so many doubles from one to the next."""
    return {"loops": {"kernel": "strided", "sizes": [blocks, length, stride]}}


def listed(displacements: list[int], length: int) -> Line:
    """Return the loops that pack blocks of so many doubles which begin at these."""
    return {"loops": {"kernel": "listed", "sizes": [len(displacements), length], "list": displacements}}


def new_group(
    name: str, elements: int, settings: WaysSettings, base: Base = DOUBLE, pattern: str = PINGPONG, **options: object
) -> Group:
    """Return a group of messages of so many elements of a base type, with its reference: an array of them."""
    place = Place(elements * base.bytes, pattern, base, settings.cache, settings.data)
    group = Group(name, place, options=settings.group_options() | options)
    group.messages[CONTIGUOUS] = (Message(elements, base.type), CONTIGUOUS)
    group.add(CONTIGUOUS, "native")
    return group


def add_group(plan: Plan, group: Group, settings: WaysSettings, block_bytes: int) -> None:
    """Add a group, and a row for each of its ways; `block_bytes`: of one block of the layout."""
    place = group.place

    # Sizes that whole blocks make equal.
    if any(other.id == group.id for other in plan.groups):
        return
    plan.groups.append(group)
    for member in group.members:
        if member == CONTIGUOUS_MEMBER:
            continue
        plan.rows.append(
            Row(
                row=f"r{len(plan.rows)}",
                test=settings.experiment,
                guideline=SLOW_DOWN,
                case=f"{group.id}/{member}",
                pattern=ONE_WAY if settings.protocol == PAPER else place.pattern,
                bytes=place.bytes,
                payload_bytes=place.bytes,
                base=place.base.name,
                cache=place.cache,
                layer=group.needs_layer(member),
                group=group.id,
                compared=member,
                reference=CONTIGUOUS_MEMBER,
                expectation=NOT_SLOWER,
                layout=group.id,
                variant=0,
                A=block_bytes,
                compared_type=group.text(member),
                reference_type=group.text(CONTIGUOUS_MEMBER),
                data=place.data,
            )  # fmt: skip
        )
