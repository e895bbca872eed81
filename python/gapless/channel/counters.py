"""What a channel has counted."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Counters:
    """What a channel has done so far; messages of a process to itself are not counted.

    Attributes
    ----------
    eager, host, lists, segments : int
        Messages sent: inside their first frame; by way of buffers; straight from memory to memory by gather and scatter
        lists; in chunks of the shorter side's shortest run.
    bytes : int
        [bytes] sent.
    writes : int
        One-sided writes, or sends of chunks.
    layouts_shown, layouts_known : int
        Layouts sent to a peer in full; messages whose layouts the peer knew by number.
    registrations, registered_bytes, registration_ns, registered_aside : int
        Regions of memory registered; [bytes] in them; [ns] that took, stated costs included; regions that the thread
        beside has registered.
    frames_refused : int
        Frames that were no frames of this job.
    endpoints : int
        Of libfabric: one for all peers.
    queued : int
        Requests to send that waited for a free target.
    memory_bytes, peer_bytes : int
        [bytes] that the channel holds now, and of them for each peer before the first message.
    """

    eager: int
    host: int
    lists: int
    segments: int
    bytes: int
    writes: int
    layouts_shown: int
    layouts_known: int
    registrations: int
    registered_bytes: int
    registration_ns: int
    registered_aside: int
    frames_refused: int
    endpoints: int
    queued: int
    memory_bytes: int
    peer_bytes: int


# In the order of the structure.
NAMES = [field.name for field in fields(Counters)]


class Structure(ctypes.Structure):
    """GAPLESS_Channel_counters."""

    _fields_ = [(name, ctypes.c_int64) for name in NAMES]
