"""The line that ends `gapless run`: how many messages were accelerated, or why none was and what to try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from gapless.display import bytes_text
from gapless.launch.counters import ProcedureCount, total
from gapless.launch.reach import Rank
from gapless.launch.reasons import reason_of

# Of procedures that move nothing themselves: what they complete, or set up, is counted where it is sent.
COMPLETES = ("MPI_Wait", "MPI_Test", "MPI_Request_", "MPI_Cancel", "MPI_Parrived")
# Why counts are missing.
NO_ROOM = " (there was no room for them in the folder of temporary files, TMPDIR)"


def moves(procedure: str) -> bool:
    """Say whether calls of a procedure are messages."""
    return not procedure.startswith(COMPLETES) and not procedure.removesuffix("_c").endswith("_init")


def gained_line(ranks: Sequence[Rank]) -> str:
    """Return the line, of what the ranks counted of calls with derived datatypes.

    Contiguous basic types are not in it: they go to the library at once and are not counted.
    """
    lost = sum(not rank.stats for rank in ranks)
    if lost == len(ranks):
        return f"nothing is known of what was accelerated: the counts of all {lost} ranks are missing{NO_ROOM}"
    line = gained(total(ranks), is_whole=not lost)
    return line + (f"; the counts of {lost} of {len(ranks)} ranks are missing{NO_ROOM}" if lost else "")


def gained(counts: Mapping[str, ProcedureCount], is_whole: bool = True) -> str:
    """Return the line for such counts; `is_whole`: of all ranks."""
    moving = [count for procedure, count in counts.items() if moves(procedure)]
    accelerated = sum(count.accelerated for count in moving)
    declined: Counter[str] = Counter()
    for count in moving:
        declined.update({reason: n for reason, n in count.declined.items() if reason not in ("zero", "proc_null")})
    # With --stats basic types are counted too, and in either case there is nothing to gain.
    contiguous = declined.pop("contiguous", 0)
    if accelerated:
        left = sum(declined.values())
        line = f"{accelerated} messages were accelerated ({bytes_text(sum(count.bytes for count in moving))})"
        return line + (f"; {left} with derived datatypes stayed native: {_reasons(declined)}" if left else "")
    if declined:
        most = reason_of(declined.most_common(1)[0][0])
        line = f"no message was accelerated: {sum(declined.values())} with derived datatypes stayed native, "
        line += f"{_reasons(declined)} ({most.why})"
        return line + (f"; {most.remedy}" if most.remedy else "")
    if contiguous:
        nothing = reason_of("contiguous").why
        return f"no message was accelerated: {nothing} in any of the {contiguous} that the layer looked at"
    if not is_whole:
        return "no message of the other ranks was accelerated"
    return (
        "no message was accelerated: the program sends no derived datatypes by the procedures that the layer serves; "
        "'gapless profile' shows what it sends"
    )


def _reasons(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {reason}" for reason, n in counts.most_common(3))
