"""`gapless compare --run A B`: two libraries, builds or settings measured in turn, launch by launch."""

from __future__ import annotations

import shlex
import sys
from types import SimpleNamespace

from gapless.lab.run_file import Run


def measure_sides(old: str, new: str, given: SimpleNamespace) -> tuple[Run, list[str], bool]:
    """Measure both sides in rounds; return the run, what went wrong, and whether it was interrupted.

    Parameters
    ----------
    old, new : str
        ``NAME[,VARIABLE=VALUE]...``.
    given : SimpleNamespace
        preset, budget, launches, only, layer, two_nodes, out, seed, tolerance, q.

    Raises
    ------
    GaplessError
        If a side cannot be measured at all.
    """
    from gapless.cli.experiment import budget, end_as_by_ctrl_c, results_folder, say, was_interrupted
    from gapless.errors import GaplessError
    from gapless.lab.compare_settings import COMPARE_PRESETS
    from gapless.lab.experiment import changed
    from gapless.lab.live import Display
    from gapless.lab.measure import new_session
    from gapless.lab.run_file import NAME
    from gapless.targets.sides import parse_side, side_targets

    if given.preset not in COMPARE_PRESETS:
        raise GaplessError(f"no preset is called '{given.preset}'", f"there are {', '.join(COMPARE_PRESETS)}")
    sides = parse_side(old), parse_side(new)
    settings = changed(
        COMPARE_PRESETS[given.preset], launches=given.launches, budget_s=budget(given.budget, given.launches),
        layer=False if not given.layer else None, seed=given.seed, only=given.only,
        tolerance=given.tolerance, q=given.q,
    )  # fmt: skip
    folder = given.out or results_folder("compare")
    if (folder / NAME).exists():
        raise GaplessError(
            f"{folder / NAME} holds a run already",
            f"name another folder with --out; 'gapless compare {folder}' prints it",
        )
    end_as_by_ctrl_c()
    with side_targets(*sides, say, given.two_nodes) as found, Display() as display:
        asked = {"mpi": None, "launcher": None, "two_nodes": given.two_nodes, "sides": [one.name for one in found]}
        session = new_session(folder, settings, found, f"gapless {shlex.join(sys.argv[1:])}", asked, display)
        interrupted = was_interrupted(session)
    if session.shortened:
        say(session.shortened)
    say(f"{'interrupted; ' if interrupted else ''}samples in {folder}; 'gapless compare {folder}' prints this again")
    return session.run(), session.failed, interrupted
