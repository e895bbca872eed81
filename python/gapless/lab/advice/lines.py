"""The lines that send a datatype in one way, to be pasted into a function."""

from __future__ import annotations

import gapless
from gapless.lab.advice.by_hand import ByHand
from gapless.lab.advice.construct import Constructed
from gapless.lab.advice.fragment import COUNT, FIXED, INT, Fragment
from gapless.lab.advice.in_c import InC
from gapless.lab.advice.in_fortran import InFortran

LANGUAGES: dict[str, type[Fragment]] = {"C": InC, "Fortran": InFortran}
ENVELOPE = ("peer", "tag", "comm")


def lines(type_text: str, count: int, way: str, language: str) -> str:
    """Return the lines that send and receive `count` elements of a type.

    They use the names `buffer` (displacement 0 of the first element), `count`, `peer`, `tag` and `comm`: of the two
    processes that run them, each other's peers, the one with the lower rank sends. Lists of more than eight numbers
    become arrays, filled by a loop if their numbers have one step; otherwise a comment says what they must hold.

    Parameters
    ----------
    type_text : str
        The type, in the notation of docs/notation.md.
    count : int
        How many elements: numbers that do not fit into an int need other procedures, and one element fewer loops.
    way : str
        "datatype"; "pack" (MPI_Pack and MPI_Unpack); or "by hand" (loops that pack and unpack the type's base type;
        bytes, if it has several).
    language : str
        "C" (C99, with mpi.h, stdint.h, stdlib.h and string.h) or "Fortran" (a block construct, with mpi_f08).

    Examples
    --------
    >>> print(lines("vector(3, 1, 4, double)", 1, "by hand", "C"), end="")
    double *data = buffer;
    int n = 0, rank;
    double *packed = malloc(3 * sizeof *packed);
    MPI_Comm_rank(comm, &rank);
    if (rank < peer) {
        for (int i = 0; i < 3; ++i)
            packed[n++] = data[4 * i];
        MPI_Send(packed, 3, MPI_DOUBLE, peer, tag, comm);
    } else {
        MPI_Recv(packed, 3, MPI_DOUBLE, peer, tag, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < 3; ++i)
            data[4 * i] = packed[n++];
    }
    free(packed);
    """
    if way not in WAYS:
        raise ValueError(f"the way is one of {', '.join(WAYS)}, not {way!r}")
    if language not in LANGUAGES:
        raise ValueError(f"the language is one of {', '.join(LANGUAGES)}, not {language!r}")
    if count < 0:
        raise ValueError(f"a message has 0 elements or more, not {count}")
    fragment = LANGUAGES[language]()
    WAYS[way](gapless.Datatype(type_text), count, fragment)
    return fragment.text()


def _by_datatype(datatype: gapless.Datatype, count: int, fragment: Fragment) -> None:
    made = Constructed(datatype, fragment)
    made.write()
    arguments, large = ("buffer", "count", made.handle, *ENVELOPE), count >= INT
    fragment.by_rank(
        fragment.captured(("MPI_Send", arguments, large)),
        fragment.captured(("MPI_Recv", (*arguments, "MPI_STATUS_IGNORE"), large)),
    )
    made.free()


def _by_pack(datatype: gapless.Datatype, count: int, fragment: Fragment) -> None:
    made = Constructed(datatype, fragment)
    made.write()
    # MPI_Pack_size may be more than the data: MPI's own headers.
    large = datatype.size * count >= INT // 2 or count >= INT
    fragment.declare(COUNT if large else FIXED, "packed_size")
    fragment.zero(COUNT if large else FIXED, "position")
    fragment.call("MPI_Pack_size", "count", made.handle, "comm", "&packed_size", large=large)
    fragment.allocate(fragment.names["packed"][1], "packed", "packed_size")
    elements = ("buffer", "count", made.handle)
    fragment.by_rank(
        fragment.captured(
            ("MPI_Pack", (*elements, "packed", "packed_size", "&position", "comm"), large),
            ("MPI_Send", ("packed", "position", "MPI_PACKED", *ENVELOPE), large),
        ),
        fragment.captured(
            ("MPI_Recv", ("packed", "packed_size", "MPI_PACKED", *ENVELOPE, "MPI_STATUS_IGNORE"), large),
            ("MPI_Unpack", ("packed", "packed_size", "&position", *elements, "comm"), large),
        ),
    )
    made.free()


def _by_hand(datatype: gapless.Datatype, count: int, fragment: Fragment) -> None:
    by_hand = ByHand(datatype, count, fragment)
    total, packing, unpacking, large = by_hand.write()
    base = fragment.names[by_hand.base][0]
    arguments = ("packed", total, base, *ENVELOPE)
    fragment.by_rank(
        [*packing, *fragment.captured(("MPI_Send", arguments, large))],
        [*fragment.captured(("MPI_Recv", (*arguments, "MPI_STATUS_IGNORE"), large)), *unpacking],
    )


WAYS = {"datatype": _by_datatype, "pack": _by_pack, "by hand": _by_hand}
