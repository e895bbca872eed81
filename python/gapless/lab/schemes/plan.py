"""From sizes to groups: a vector (or an irregular list) of blocks of doubles, sent in every way there is."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from gapless.lab.layouts.layout import Message
from gapless.lab.plan import Group, Place, Plan
from gapless.lab.ways.group import DOUBLE, LAYOUT, add_group, listed, new_group, strided

if TYPE_CHECKING:
    from gapless.lab.schemes.settings import SchemesSettings

# A list is written out in the job file and in the type's text: longer ones take longer to read than to measure.
MOST_LISTED = 50_000


def plan_of(settings: SchemesSettings) -> Plan:
    """Return the groups and rows: one group for each size."""
    plan = Plan()
    for size in settings.sizes:
        blocks = max(1, size // (settings.block * DOUBLE.bytes))
        elements = blocks * settings.block
        if settings.irregular and blocks > MOST_LISTED:
            place = Place(elements * DOUBLE.bytes, "pingpong", DOUBLE, settings.cache, settings.data)
            plan.refuse("irregular", place, f"a list of {blocks} blocks is longer than {MOST_LISTED}")
            continue
        group = new_group(f"{elements * DOUBLE.bytes} B", elements, settings)
        # What is received is an array, as in the paper: only the sender's side has gaps.
        dense = {"receive": {"count": elements, "type": DOUBLE.type}}
        if settings.irregular:
            _add_irregular(group, blocks, settings, dense)
        else:
            _add_regular(group, blocks, settings, dense)
        add_group(plan, group, settings, settings.block * DOUBLE.bytes)
    return plan


def _add_regular(group: Group, blocks: int, settings: SchemesSettings, dense: dict[str, object]) -> None:
    length, stride = settings.block, settings.stride
    vector = f"vector({blocks}, {length}, {stride}, {DOUBLE.type})"
    subarray = f"subarray([{blocks}, {stride}], [{blocks}, {length}], [0, 0], C, {DOUBLE.type})"
    group.messages["vector"] = (Message(1, vector, more=dense | strided(blocks, length, stride)), LAYOUT)
    group.messages["subarray"] = (Message(1, subarray, more=dense), LAYOUT)
    _add_ways(group, "vector")
    group.add("subarray", "native")
    if settings.layer:
        group.add("subarray", "gapless")
        _add_layer(group, "vector")


def _add_irregular(group: Group, blocks: int, settings: SchemesSettings, dense: dict[str, object]) -> None:
    length, gap = settings.block, settings.stride - settings.block
    generator = random.Random(settings.seed)
    at, displacements = 0, []
    for _ in range(blocks):
        displacements.append(at)
        at += length + generator.randint(0, 2 * gap)
    text = f"indexed_block({length}, [{', '.join(map(str, displacements))}], {DOUBLE.type})"
    group.messages["list"] = (Message(1, text, more=dense | listed(displacements, length)), LAYOUT)
    _add_ways(group, "list")
    if settings.layer:
        _add_layer(group, "list")


def _add_ways(group: Group, message: str) -> None:
    for method in (
        "native", "hand_c", "pack_send", "pack_element", "buffered", "persistent", "put", "engine_send",
    ):  # fmt: skip
        group.add(message, method)


def _add_layer(group: Group, message: str) -> None:
    group.add(message, "gapless")
    group.add(message, "persistent", "+layer", layer=True)
