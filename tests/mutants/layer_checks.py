"""What must notice a fault in the layer: programs of its tests, on the MPICH that `make build` installs."""

from __future__ import annotations

from mutant import NOTHING, Check, Mutant

FORCED = {"GAPLESS_FORCE": "1"}


def conformance(program: str, *arguments: str, ranks: int = 2, **settings: str) -> Check:
    """Return a program of the conformance set: all that gains or loses is packed."""
    return Check(f"conformance_{program}_mpich", arguments, ranks, {"GAPLESS_SMALLEST_BYTES": "0", **settings})


def preload(program: str, *arguments: str, **settings: str) -> Check:
    """Return a program of tests/preload."""
    return Check(program, arguments, 2, settings)


BLOCKING = (conformance("blocking", "9"), conformance("blocking", "9", **FORCED))
NONBLOCKING = (conformance("nonblocking", "6"),)
MATCHED = (conformance("matched", "6"),)
COMPLETION = (conformance("completion", "2"),)
FREE_CANCEL = (conformance("free_cancel", "6"),)
PERSISTENT = (conformance("persistent", "4"),)
PERSISTENT_LONG = (conformance("persistent", "8"),)
PERSISTENT_ENDS = (conformance("persistent_ends", "6"),)
PARTITIONED = (conformance("partitioned", "2"),)
ODD = (conformance("odd", "9"), conformance("odd", "9", **FORCED))
FILES = (conformance("files", "9"),)
ERRORS = (conformance("errors"),)
# On one process: see the case in tests/conformance/cases.py.
SESSIONS = (conformance("sessions", "3", ranks=1),)
COLLECTIVES = (conformance("collectives", "2", ranks=3), conformance("collectives", "1", ranks=3, **FORCED))
COLLECTIVES_LONG = (conformance("collectives", "6", ranks=3),)
TIGHT = (conformance("collectives", "2", ranks=3, GAPLESS_POOL_BYTES="1K", GAPLESS_RESERVE_BYTES="4K"),)
INTERCOMM = (conformance("coll_mixed", "intercomm", "8"),)
COLL_ENDS = (conformance("coll_ends"),)
CONTIGUOUS = (conformance("coll_faults", "contiguous", ranks=3),)
COLL_ERRORS = (conformance("coll_faults", "errors", ranks=3),)
FINALIZE = (
    conformance("finalize", "persistent", ranks=3, GAPLESS_ALLTOALL="own"),
    conformance("finalize", "blocking", ranks=3, GAPLESS_SMALLEST_PAIRED="1"),
)
SESSION_AFTER = (
    conformance("finalize", "session", GAPLESS_ALLTOALL="own"),
    conformance("finalize", "session", GAPLESS_SMALLEST_PAIRED="1"),
)
ATTRIBUTES = (conformance("attributes", ranks=3), conformance("attributes", ranks=3, GAPLESS_ALLTOALL="own"))
ALIASED = (conformance("coll_faults", "aliased", ranks=3),)
APART = (
    conformance("coll_faults", "apart")._replace(layer_on_first=True),
    conformance("coll_faults", "apart", ranks=3)._replace(first=FORCED),
)
LAYER_ERRORS = (preload("errors_test"), preload("errors_test", **FORCED))
TRUNCATION = (preload("truncation_test"),)
PACK_OVERLAP = (preload("pack_overlap_test"),)
HANDLE_REUSE = (preload("handle_reuse_test"),)
# Whatever the rules say of such a message.
UNWRAPPED = (preload("unwrapped_completion_test", **FORCED),)
CAPPED = (preload("lifecycle_test", "cap", GAPLESS_POOL_BYTES="64K", GAPLESS_SMALLEST_BYTES="0"),)
EQUIVALENCE = (preload("equivalence_test", "100", "1"),)
IN_FORCE = tuple(
    preload(
        "rules_in_force_test",
        distance,
        GAPLESS_RULES="{source}/tests/preload/in_force.rules",
        GAPLESS_PAIRED_MESSAGES="0",
    )
    for distance in ("near", "far")
)
RULES = (Check("rules_test"),)
WARM = (preload("calls_test", **FORCED),)
STAGING = (Check("staging_test"),)
DECODE = (Check("decode_test_mpich", ("1000", "1")),)
STRUCTURES = (Check("structures_test_mpich", ("400",)),)
DATATYPE = (Check("datatype_test_mpich"),)


def planted(plants: str, file: str, before: str, after: str, noticed_by: tuple[Check, ...]) -> Mutant:
    """Return a mutant without settings of its own: the checks have them."""
    return Mutant(plants, file, before, after, NOTHING, noticed_by)
