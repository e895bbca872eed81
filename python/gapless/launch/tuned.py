"""Whether rules that were measured here are in force, as the ranks say it, and who is told that tuning helps."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from gapless.launch.reach import Rank
from gapless.launch.rules import cache_folder, library_slug

TOLD = ".told"


def rules_lines(ranks: Sequence[Rank]) -> list[str]:
    """Return what there is to say after a run: which rules were refused and why; or, once, that tuning helps.

    Parameters
    ----------
    ranks : sequence of Rank
        What the ranks reported.
    """
    refused = sorted({rank.rules_refused for rank in ranks if rank.rules_refused})
    if refused:
        return [f"rules refused, the built-in ones were in force: {text}" for text in refused]
    untuned = sorted({rank.library for rank in ranks if rank.library and not rank.rules})
    return [_advice(library) for library in untuned if _is_news(library)]


def _advice(library: str) -> str:
    name = library.partition(",")[0]
    return f"{' '.join(name.split())} was not measured on this machine: 'gapless tune' takes 20 seconds (said once)"


def _is_news(library: str) -> bool:
    """Remember that a user was told, and say whether that is new; where it cannot be remembered, nothing is said."""
    if os.environ.get("GAPLESS_SMALLEST_BYTES") or os.environ.get("GAPLESS_LONGEST_RUN"):
        return False
    folder = cache_folder()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{library_slug(library)}{TOLD}").open("x"):
            return True
    return False
