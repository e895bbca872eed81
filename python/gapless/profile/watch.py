"""`gapless profile`: runs a program watched, natively and under the layer, and makes a profile of what it did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from gapless.errors import GaplessError
from gapless.launch.fronts import FrontName
from gapless.launch.reach import Rank, expected_ranks, library_name, likely_causes, read_ranks
from gapless.launch.run import Prepared, prepared
from gapless.launch.temporary import temporary_folder
from gapless.profile.book import read_books
from gapless.profile.profile import Layout, Profile, Run, run_of


class NotWatched(GaplessError):
    """No rank was watched."""

    exit_status = 3


def watched(command: Sequence[str], front: FrontName, runs: int, both: bool, now: Callable[[str], None]) -> Profile:
    """Run a command watched, so many times natively and, with `both`, as often under the layer in turn.

    Parameters
    ----------
    command : sequence of str
        The user's command, launcher and all.
    front : FrontName
        Which preload object to use.
    runs : int
        How often; more than one only where the program ended well each time.
    both : bool
        Whether to run it under the layer, too.
    now : callable
        Told what is being done.

    Raises
    ------
    NotWatched
        If no rank left a book: the layer reached none, or there was no room.
    """
    launched = prepared(command, front, "profile")
    profile: Profile | None = None
    for number in range(runs):
        for how in ("native", "accelerated") if both else ("native",):
            if both or runs > 1:
                now(f"run {number + 1} of {runs}, {how}")
            status, run, layouts, told = _once(launched, how)
            if profile is None:
                profile = Profile(list(command), status, told[0], told[1], told[2], layouts, [run], unwatched=told[3])
                if status:
                    return profile
                continue
            for text, layout in layouts.items():
                if text not in profile.layouts:
                    layout.id = f"L{len(profile.layouts) + 1}"
                    profile.layouts[text] = layout
            (profile.native if how == "native" else profile.accelerated).append(run)
            if status:
                profile.status = status
                return profile
    assert profile is not None
    return profile


def _once(launched: Prepared, how: str) -> tuple[int, Run, dict[str, Layout], tuple[str, int, int, str]]:
    with temporary_folder("gapless-run-") as folder:
        status = launched.run(Path(folder), {"GAPLESS_PROFILE": how})
        ranks, books = read_ranks(Path(folder)), read_books(Path(folder))
    if not books:
        if any(not rank.native for rank in ranks):
            raise NotWatched(
                "the ranks left no books", "they need a MiB each in the folder of temporary files: set TMPDIR"
            )
        ended = f" (the program ended with status {status})" if status else ""
        program = launched.programs[0].path if launched.programs else None
        causes = likely_causes(program, [rank for rank in ranks if rank.native])
        raise NotWatched(f"no rank was watched{ended}", f"likely causes: {'; '.join(causes)}")
    run, layouts = run_of(books)
    expected = max(expected_ranks(ranks), len(books))
    missing = unwatched_line([book.rank for book in books], expected, ranks)
    return status, run, layouts, (library_name(ranks), len(books), expected, missing)


def unwatched_line(watched_ranks: Sequence[int], expected: int, ranks: Sequence[Rank]) -> str:
    """Return which ranks left no book, and why; empty if all did.

    Ranks are named where one world was watched: with several, a number says not which one it is.
    """
    if len(watched_ranks) == expected:
        return ""
    missing = sorted(set(range(expected)) - set(watched_ranks))
    named = len(missing) == expected - len(watched_ranks)
    who = f"rank {', '.join(map(str, missing))}" if named else f"{expected - len(watched_ranks)} ranks"
    why = sorted({rank.native for rank in ranks if rank.native}) or [
        "no book was found: ranks on other nodes need a TMPDIR that all nodes share, and each 1.3 MB in it"
    ]
    return f"not watched: {who}; {'; '.join(why)}"
