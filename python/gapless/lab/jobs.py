"""The job file of one launch: what lab/exchange reads."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

from gapless.lab.cases import layer_warmup
from gapless.lab.catalogue import CONTIGUOUS
from gapless.lab.experiment import Experiment
from gapless.lab.plan import TWIN, Group
from gapless.lab.results import SCHEMA, Line


def group_json(group: Group, settings: Experiment, layer: bool) -> Line:
    """Return a group as the job file has it; without members that need the layer where there is none."""
    warmup = {} if settings.exact else {"layer_warmup": layer_warmup(group.place.bytes)}
    members = [name for name in group.members if layer or not group.needs_layer(name)]
    return {
        "id": group.id,
        "pattern": group.place.pattern,
        "root": 0,
        "cache": group.place.cache,
        "data": group.place.data,
        "messages": [
            {"name": name, "count": message.count, "type": message.type, "layout": label, **message.more}
            for name, (message, label) in group.messages.items()
        ],
        "members": [
            {"name": name, "message": group.members[name], "method": name.rpartition(":")[2],
             "plant": group.members[name] != CONTIGUOUS and not group.members[name].endswith(TWIN),
             **group.more.get(name, {})}
            for name in members
        ],
        "reps": warmup | settings.repetitions(group.place, len(members)),
        **group.options,
    }  # fmt: skip


def write_job(
    path: Path, groups: Sequence[Group], settings: Experiment, layer: bool, seed: int, eager_limit: bool = False
) -> list[str]:
    """Write a job, the groups in an order drawn from the seed; return that order.

    `eager_limit`: also ask up to which size a message is sent before it is received.
    """
    order = list(groups)
    random.Random(seed).shuffle(order)
    job = {
        "schema": SCHEMA,
        "seed": seed,
        "plant": settings.plant,
        "eager_limit": eager_limit,
        "groups": [group_json(group, settings, layer) for group in order],
    }
    path.write_text(json.dumps(job), encoding="utf-8")
    return [group.id for group in order]
