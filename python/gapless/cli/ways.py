"""What the commands have in common that send a layout in many ways: options, settings, what is shown."""

from __future__ import annotations

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
    measure,
    out_option,
    settings_of,
    show_rows,
    words,
)
from gapless.cli.options import Data, Row
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from gapless.lab.experiment import Experiment
    from gapless.lab.measure import Session
    from gapless.lab.ways.report import Story
    from gapless.lab.ways.settings import WaysSettings

CACHES = ("warm", "cold", "cold_sender")

Kind = TypeVar("Kind", bound="Experiment")


def options(name: str, presets: str, *own: Row, caches: Sequence[str] = CACHES) -> tuple[Row, ...]:
    """Return the options of such a command: its own between those that all have; `caches`: states that it knows."""
    return (
        Row("preset", str, "standard", f"{presets}."),
        MPI,
        *own,
        Row("data", Data, None, "fresh: the sender writes its data before each message (default); constant: never "
            "again (preset paper)."),
        Row("cache", str, None, f"{caches[0]} (default), {' or '.join(caches[1:])}.", metavar="NAME"),
        *EXTENT, *WHERE, out_option(name), *KEPT, *SHOWN,
    )  # fmt: skip


def ways_settings(
    given: SimpleNamespace,
    table: Sequence[Row],
    presets: Mapping[str, Kind],
    caches: Sequence[str] = CACHES,
    **own: Any,
) -> Kind:
    """Return the settings of the preset, or of the run that goes on, with what was given changed."""
    chosen = known(words(given.cache), caches, "--cache")
    if len(chosen) > 1:
        raise GaplessError(f"--cache {given.cache}: a run has one state of the caches", "make a run for each")
    data = given.data.value if given.data else None
    return settings_of(given, table, presets, cache=chosen[0] if chosen else None, data=data, **own)


def run(settings: WaysSettings, given: SimpleNamespace, story: Story) -> None:
    """Measure and show, or list."""

    def show(session: Session) -> None:
        from gapless.lab.ways.points import points_of
        from gapless.lab.ways.report import COLUMNS, print_story, rows_of, rows_tsv

        points = points_of(session.run())
        rows = (story.rows or rows_of)(points)
        show_rows(given.json, rows, lambda: rows_tsv(COLUMNS, rows), lambda out: print_story(out, story, points))

    measure(settings, given, show)
