"""What the commands have in common that send one layout in many ways: options, settings, what is shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from gapless.cli.experiment import (
    EXTENT,
    KEPT,
    MPI,
    SHOWN,
    WHERE,
    known,
    list_plan,
    measure,
    out_option,
    settings_of,
    words,
)
from gapless.cli.options import Data, Row
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from gapless.lab.ways.report import Story
    from gapless.lab.ways.settings import WaysSettings

CACHES = ("warm", "cold", "cold_sender")

Kind = TypeVar("Kind", bound="WaysSettings")


def options(name: str, presets: str, *own: Row) -> tuple[Row, ...]:
    """Return the options of such a command: its own between those that all have."""
    return (
        Row("preset", str, "standard", f"{presets}."),
        MPI,
        *own,
        Row("data", Data, None, "fresh: the sender writes its data before each message (default); constant: never "
            "again (preset paper)."),
        Row("cache", str, None, "warm (default), cold, or cold_sender.", metavar="NAME"),
        *EXTENT, *WHERE, out_option(name), *KEPT, *SHOWN,
    )  # fmt: skip


def ways_settings(given: SimpleNamespace, table: Sequence[Row], presets: Mapping[str, Kind], **own: Any) -> Kind:
    """Return the settings of the preset, or of the run that goes on, with what was given changed."""
    caches = known(words(given.cache), CACHES, "--cache")
    if len(caches) > 1:
        raise GaplessError(f"--cache {given.cache}: a run has one state of the caches", "make a run for each")
    data = given.data.value if given.data else None
    return settings_of(given, table, presets, cache=caches[0] if caches else None, data=data, **own)


def run(settings: WaysSettings, given: SimpleNamespace, story: Story) -> None:
    """List, or measure and show: tables on a terminal, every row tab-separated in a pipe, or JSON."""
    from gapless.lab.measure import Session

    if given.listed:
        list_plan(settings)
        return

    def show(session: Session) -> None:
        from gapless.display import console
        from gapless.lab.ways.points import points_of
        from gapless.lab.ways.report import print_story, rows_of, tsv

        points = points_of(session.run())
        if given.json:
            print(json.dumps(rows_of(points), indent=1))
        elif not sys.stdout.isatty():
            print(tsv(points), end="")
        else:
            print_story(console(), story, points)

    measure(settings, given, show)
