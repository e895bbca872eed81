"""The two sides of `gapless compare --run`: a library and settings, as the user writes them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from gapless.errors import GaplessError
from gapless.launch.variables import check_settings
from gapless.targets.chosen import Target, Targets, targets, unique_name

PLANT = "plant"
EXAMPLE = "mpich,MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD=65536"


@dataclass(frozen=True)
class Side:
    """A library and what is set for its launches alone.

    Attributes
    ----------
    text : str
        As the user wrote it.
    mpi : str
        As a name of ``--mpi``.
    environment, layer : dict
        Variables of the library, and those of the layer (GAPLESS_*).
    plant : float
        The factor by which the lab slows this side down, to test itself; 0 for none.
    """

    text: str
    mpi: str
    environment: dict[str, str]
    layer: dict[str, str]
    plant: float = 0.0


def parse_side(text: str) -> Side:
    """Read ``NAME[,VARIABLE=VALUE]...``.

    Raises
    ------
    GaplessError
        If it names no library, a setting that the layer does not know, or a planted factor that is none.

    Examples
    --------
    >>> parse_side("mpich,UCX_TLS=sm,GAPLESS_PAIRED_MESSAGES=0").layer
    {'GAPLESS_PAIRED_MESSAGES': '0'}
    """
    mpi, *settings = (word.strip() for word in text.split(","))
    pairs = [word.partition("=") for word in settings]
    if not mpi or "=" in mpi or any(not name or not sign for name, sign, _ in pairs):
        raise GaplessError(f"'{text}' is no library with settings", f"write for example {EXAMPLE}")
    given = {name: value for name, _, value in pairs}
    planted = given.pop(PLANT, "0")
    try:
        plant = float(planted)
    except ValueError:
        plant = -1.0
    if plant != 0 and not 1 <= plant <= 100:
        raise GaplessError(f"'{text}': plant={planted} is no factor from 1 to 100", "write for example plant=1.3")
    layer = {name: value for name, value in given.items() if name.startswith("GAPLESS_")}
    check_settings(layer)
    return Side(text, mpi, {k: v for k, v in given.items() if k not in layer}, layer, plant)


def side_targets(old: Side, new: Side, say: Callable[[str], None], two_nodes: bool = False) -> Targets:
    """Return both sides as targets; with two nodes, each has a pair of its own.

    Raises
    ------
    GaplessError
        If one is not known, cannot be started, or sets what keeps the ranks of two nodes apart.
    """
    found: list[Target] = []
    with ExitStack() as stack:
        for side in (old, new):
            (target,) = stack.enter_context(targets(side.mpi, None, two_nodes, say))
            own = target.library.environment
            if two_nodes and (both := sorted(own.keys() & side.environment.keys())):
                raise GaplessError(
                    f"'{side.text}': --two-nodes sets {both[0]} itself, so that ranks use TCP", "leave one of them out"
                )
            library = replace(target.library, environment=dict(own) | side.environment)
            name = unique_name(side.text, [one.name for one in found])
            settings = target.facts["settings"] | side.environment | side.layer
            facts = target.facts | {"side": side.text, "settings": settings}
            found.append(replace(target, name=name, library=library, facts=facts, layer_settings=side.layer,
                                 plant=side.plant))  # fmt: skip
        return Targets(found, stack.pop_all())
