"""The size up to which a library sends a message before it is received, raised by its own settings.

What was reached is measured (`lab/exchange/eager_limit.hpp`) and stands in the run file: a library may not follow.
"""

from __future__ import annotations

import re
from dataclasses import replace

from gapless.errors import GaplessError
from gapless.targets.libraries import Library

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}
# Of a library's own headers, which its limits include.
HEADER_BYTES = 256
# More, and the shared memory of two ranks grows beyond what a container has: 16 cells on each in MPICH.
MOST_BYTES = 16 << 20
MPICH_CELLS = 16


def eager_bytes(text: str | None) -> int:
    """Return the size that the user named, 0 for none [bytes].

    Raises
    ------
    GaplessError
        If it is no size, or more than `MOST_BYTES`.
    """
    if text is None:
        return 0
    match = re.fullmatch(r"(\d+)\s*([KM]?)i?B?", text.strip(), re.IGNORECASE)
    found = int(match[1]) * UNITS[match[2].upper()] if match else 0
    if not 0 < found <= MOST_BYTES:
        raise GaplessError(f"--eager {text}: that is no size up to {MOST_BYTES >> 20}M", "write for example --eager 1M")
    return found


def eager_settings(family: str, limit: int) -> dict[str, str]:
    """Return the environment in which a library of this family sends so many bytes at once [bytes].

    Within a node, and over TCP between nodes. Intel MPI needs none within a node: it has no limit there.
    """
    of = str(limit + HEADER_BYTES)
    if family == "openmpi":
        return {f"OMPI_MCA_btl_{way}_eager_limit": of for way in ("sm", "tcp")} | {
            f"OMPI_MCA_btl_{way}_rndv_eager_limit": of for way in ("sm", "tcp")
        }
    if family == "mpich":
        cell = -(-(limit + HEADER_BYTES) // 4096) * 4096
        return {
            "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE": str(cell),
            "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS": str(MPICH_CELLS),
            "MPIR_CVAR_CH4_PACK_BUFFER_SIZE": str(cell),
            "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD": str(cell),
            "UCX_RNDV_THRESH": "inf",  # its own choice between nodes may lie above the limit asked for
        }
    return {}


def with_eager(library: Library, limit: int) -> Library:
    """Return the library with its limit raised; as it is for a limit of 0."""
    if not limit:
        return library
    family = library.name if library.name in ("mpich", "openmpi", "intel") else library.abi
    return replace(library, environment=dict(library.environment) | eager_settings(family, limit))
