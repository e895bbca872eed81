"""The line that ends `gapless run`: how many messages were accelerated, or why none was and what to try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from gapless.display import bytes_text
from gapless.launch.counters import ProcedureCount, total
from gapless.launch.reach import Rank

# Of procedures that move nothing themselves: what they complete, or set up, is counted where it is sent.
COMPLETES = ("MPI_Wait", "MPI_Test", "MPI_Request_", "MPI_Cancel", "MPI_Parrived")
# Why the layer left a message to the library, in words; and what its user can do.
WHY = {
    "contiguous": ("nothing to gain", ""),
    "zero": ("no data", ""),
    "arguments": ("arguments that the library refuses", ""),
    "proc_null": ("to or from MPI_PROC_NULL", ""),
    "off": ("switched off (GAPLESS_Switch or a setting)", "leave the layer on"),
    "unregistered": ("pair types, or types that were not committed", ""),
    "combiner": ("a kind of type that the layer does not decode", ""),
    "large": ("more bytes than the library can count", "use a library with MPI_Send_c (MPI 4.0)"),
    "device": ("memory of an accelerator", ""),
    "buffer": ("a null buffer", ""),
    "small": (
        "so small, or in runs so long, that the rules call the native type as fast",
        "'gapless tune' measures rules for this machine; GAPLESS_FORCE=1 shows what packing them would cost",
    ),
    "first": (
        "small, and the first of its type",
        "make types once, not for each message: from the second message of a type on it is packed",
    ),
    "staging": ("no memory for packed bytes within the cap", "raise GAPLESS_POOL_BYTES"),
    "completion": ("completed by procedures that the layer does not serve", "use MPI_Wait and its like"),
    "overlap": ("packed bytes inside the data", ""),
    "unproved": (
        "collective, and not all processes are known to have the layer",
        "start the job by one 'gapless run'; GAPLESS_LOG=1 says what is missing",
    ),
    "library": ("something that this library does right only on the program's own buffers", ""),
    "file_view": ("a file with another data representation", ""),
    "others": ("another process of the call could not do its part", "GAPLESS_STATS=1 shows on which one"),
}
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
        reason = declined.most_common(1)[0][0]
        why, remedy = WHY.get(reason, ("", ""))
        line = f"no message was accelerated: {sum(declined.values())} with derived datatypes stayed native, "
        line += f"{_reasons(declined)}" + (f" ({why})" if why else "")
        return line + (f"; {remedy}" if remedy else "")
    if contiguous:
        return f"no message was accelerated: {WHY['contiguous'][0]} in any of the {contiguous} that the layer looked at"
    if not is_whole:
        return "no message of the other ranks was accelerated"
    return (
        "no message was accelerated: the program sends no derived datatypes by the procedures that the layer serves; "
        "'gapless profile' shows what it sends"
    )


def _reasons(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {reason}" for reason, n in counts.most_common(3))
