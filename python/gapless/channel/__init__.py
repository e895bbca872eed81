"""Layouts between the processes of several nodes, by libfabric, with MPI or without: gapless_channel.h for Python.

    >>> from gapless.channel import Channel                                                   # doctest: +SKIP
    >>> with Channel(rank=0, processes=2, meeting="10.0.0.1:7777") as channel:                # doctest: +SKIP
    ...     channel.send(matrix[:, 3], 1).wait()                   # a column, from where it is

Needs libgapless_fabric, which is built where libfabric is (docs/fabric.md says what all of it is for), and the
extension `gapless._engine`. The library is looked for where GAPLESS_FABRIC_LIBRARY says, in GAPLESS_LIBDIR, beside the
package or in the build folder, and by its soname.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import operator
import os
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gapless.channel.counters import NAMES, Counters, Structure
from gapless.channel.interruptible import SLICE_S, interruptible
from gapless.channel.library import SUCCESS, TIMEOUT, Options, check, exception, fabric
from gapless.channel.memory import Message, as_array, outermost, range_of
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray
    from typing_extensions import Self

    from gapless.datatype import Datatype, Memory

__all__ = ["Channel", "Counters", "Transfer"]

MOST_INT = 2**31 - 1


class Channel:
    """An open channel of this process to all others of its job; a context manager that closes it.

    Opening is collective: all processes of the job do it, within the timeout. Messages of one process to another are
    received in the order in which they are sent. A message is bytes in the order of the sender's layout: the receiver's
    may be another one, of at least as many bytes; what they mean is not compared. Data moves in calls of the channel
    alone, of all transfers in each: a message longer than some KiB is complete once both sides wait. One thread at a
    time uses a channel (RuntimeError otherwise), and the process that opened it, not one forked from that. Other
    Python threads run meanwhile.

    Parameters
    ----------
    rank, processes : int
        Which one of how many processes this is.
    meeting : str, optional
        HOST:PORT where rank 0 listens until all have come. By default GAPLESS_FABRIC_MEETING; one process needs none.
    secret : str, optional
        Of the job: who does not know it is refused. By default GAPLESS_JOB_SECRET.
    provider : str, optional
        libfabric's: tcp, shm, verbs, efa, cxi. By default GAPLESS_FABRIC_PROVIDER, or tcp.
    way : str, optional
        How messages go: adaptive, host, lists or segments. By default GAPLESS_FABRIC_WAY, or adaptive.
    timeout : float, optional
        [s] of opening and closing, and of a wait where it gives none. None: for ever.
    address : str, optional
        Of this process, for providers that use IP. By default that which leads to rank 0.
    domain : str, optional
        libfabric's, such as mlx5_0. By default GAPLESS_FABRIC_DOMAIN, or the first one.

    Attributes
    ----------
    rank, processes : int
        As given.
    provider : str
        The whole name of the provider that is used, such as ``tcp;ofi_rxm``.

    Raises
    ------
    GaplessError
        If the library is not there, an argument is none, or libfabric reports an error.
    TimeoutError
        If not all have come in time.
    PermissionError
        If the other side does not know the secret.
    """

    _handle: ctypes.c_void_p = ctypes.c_void_p()  # NULL: not open

    def __init__(
        self, *, rank: int, processes: int, meeting: str | None = None, secret: str | None = None,
        provider: str | None = None, way: str | None = None, timeout: float | None = 60.0, address: str | None = None,
        domain: str | None = None,
    ) -> None:  # fmt: skip
        self._pid, self._lock = os.getpid(), threading.Lock()
        # What transfers that nobody has waited for yet move.
        self._moving: dict[Transfer, Message] = {}
        # Memory of arrays that were in messages: those that live, and what ended and the network still may know.
        self._watched: dict[int, weakref.ref[NDArray[Any]]] = {}
        self._ended: deque[tuple[int, int]] = deque()
        self.rank, self.processes = _int(rank, "rank"), _int(processes, "processes")
        self._timeout_s = _seconds(timeout)
        options = Options(
            ctypes.sizeof(Options), self.rank, self.processes, _text(meeting, "meeting"), _text(secret, "secret"),
            _text(provider, "provider"), _text(address, "address"), _text(domain, "domain"), _text(way, "way"),
            -1.0 if math.isinf(self._timeout_s) else self._timeout_s,
        )  # fmt: skip
        self._handle = interruptible(_opened(options), _close)
        self.provider: str = fabric().GAPLESS_Channel_provider(self._handle).decode()

    def send(
        self, array: Memory, peer: int, datatype: Datatype | str | None = None, count: int | None = None, *,
        offset: int = 0,
    ) -> Transfer:  # fmt: skip
        """Begin to send to a process, which may be this one.

        The memory must stay as it is until the transfer has been waited for; it is kept alive so long.

        Parameters
        ----------
        array : buffer
            A NumPy array with any strides, whose elements are sent in C order, or any other buffer.
        peer : int
            The rank that receives it.
        datatype : Datatype or str, optional
            The layout of the elements in the buffer, which is one piece of memory then. By default that of the array;
            of another buffer its bytes.
        count : int, optional
            How many elements of the datatype, one extent apart; 1 by default.
        offset : int
            [bytes] from the beginning of the buffer to the datatype's displacement 0.

        Returns
        -------
        Transfer
            To be waited for.

        Raises
        ------
        ValueError
            If an element is not inside the buffer; nothing is sent then.
        GaplessError
            If there is no such rank.

        Notes
        -----
        A layout is shown to a peer once: it costs tens of bytes if it is regular. Of each message, beginning and
        waiting, Python takes some tens of microseconds, a layout that was used lately given.
        """
        return self._begin("GAPLESS_Channel_send", Message(array, datatype, count, offset), peer)

    def receive(
        self, array: Memory, peer: int, datatype: Datatype | str | None = None, count: int | None = None, *,
        offset: int = 0,
    ) -> Transfer:  # fmt: skip
        """Begin to receive the next message of a process that no earlier receive takes.

        The memory must not be used until the transfer has been waited for; it is kept alive so long. Elements beyond
        the message's end stay as they were: the transfer says how many bytes came.

        Parameters
        ----------
        array : buffer
            Writable; otherwise as for `send`.
        peer : int
            The rank that sends.
        datatype, count, offset
            As for `send`.

        Returns
        -------
        Transfer
            To be waited for.

        Raises
        ------
        ValueError
            If the memory is read-only, or an element is not inside the buffer.
        GaplessError
            If there is no such rank.
        """
        message = Message(array, datatype, count, offset)
        if not message.owner.flags.writeable:
            raise ValueError("the memory to receive into is read-only")
        return self._begin("GAPLESS_Channel_receive", message, peer)

    def forget(self, array: Memory) -> None:
        """Withdraw what the network knows of memory that messages were in.

        To be called before such memory is given back to the system while the channel is open, where it does not end
        with a NumPy array (a memory map that is resized, memory of C); of arrays that end the channel does it itself.
        Needed where registered memory is pinned (verbs, efa, cxi), harmless elsewhere.

        Parameters
        ----------
        array : buffer
            The memory, or a view of it.
        """
        base, size = range_of(as_array(array))
        with self._used() as handle:
            check(fabric().GAPLESS_Channel_forget(handle, base, size))

    @property
    def counters(self) -> Counters:
        """What the channel has done so far."""
        now = Structure()
        with self._used() as handle:
            check(fabric().GAPLESS_Channel_count(handle, ctypes.byref(now), ctypes.sizeof(now)))
        return Counters(*(getattr(now, name) for name in NAMES))

    def close(self) -> None:
        """Close it, once every process that it has exchanged messages with does so too, or has ended.

        Transfers that nobody has waited for are lost. Closing a closed one does nothing.

        Raises
        ------
        TimeoutError
            If that takes longer than the channel's timeout; it is closed nevertheless.
        """
        if not self._handle or os.getpid() != self._pid:
            return
        with self._used() as handle:
            self._handle = ctypes.c_void_p()
        # The memory must live until the end, also if Ctrl-C leaves the closing alone.
        kept = dict(self._moving)
        self._moving.clear()

        def finish() -> None:
            _close(handle)
            kept.clear()

        interruptible(finish)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, of: BaseException | None, at: TracebackType | None) -> None:
        # The exception that led here says more than that of a peer which is gone.
        with contextlib.suppress(*(() if kind is None else (Exception,))):
            self.close()

    def __del__(self) -> None:
        if self._handle and os.getpid() == self._pid:
            # To close it may take long. What peers may still write to stays.
            _abandoned.append(self._moving)
            warnings.warn(f"{self!r} was never closed", ResourceWarning, stacklevel=2, source=self)

    def __repr__(self) -> str:
        state = self.provider if self._handle else "closed"
        return f"<gapless.channel.Channel: rank {self.rank} of {self.processes}, {state}>"

    @contextlib.contextmanager
    def _used(self) -> Iterator[ctypes.c_void_p]:
        """Give the handle to one call, alone."""
        if os.getpid() != self._pid:
            raise RuntimeError("the channel is that of the process that opened it, not of one forked from it")
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("the channel is in use: one thread at a time")
        try:
            if not self._handle:
                raise ValueError("the channel is closed")
            yield self._handle
        finally:
            self._lock.release()

    def _begin(self, function: str, message: Message, peer: int) -> Transfer:
        rank, transfer = _int(peer, "peer"), Transfer(self)
        with self._used() as handle:
            while self._ended:
                check(fabric().GAPLESS_Channel_forget(handle, *self._ended.popleft()))
            self._watch(message.owner)
            # Before the call, for Ctrl-C may come right behind it.
            self._moving[transfer] = message
            status = getattr(fabric(), function)(
                handle, message.address, message.count, message.layout.handle, rank, ctypes.byref(transfer._handle)
            )
            if status != 0:
                del self._moving[transfer]
                raise exception(status)
        return transfer

    def _watch(self, array: NDArray[Any]) -> None:
        """Note when the memory of an array ends: what the network knows of it is withdrawn before the next message."""
        owner = outermost(array)
        key, ended, watched = id(owner), self._ended, self._watched
        if key in watched:
            return
        memory = range_of(owner)

        def end(_: weakref.ref[NDArray[Any]]) -> None:
            watched.pop(key, None)
            ended.append(memory)

        watched[key] = weakref.ref(owner, end)


class Transfer:
    """A send or a receive that has begun."""

    def __init__(self, channel: Channel) -> None:
        self._channel, self._handle = channel, ctypes.c_void_p()
        # Set by the library, with the handle that is NULL then: true also where Ctrl-C comes right behind the call.
        self._moved = ctypes.c_int64(-1)
        self._error: Exception | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, and move data of all the channel's transfers meanwhile.

        Of a transfer that has ended, it says once more how it did.

        Parameters
        ----------
        timeout : float, optional
            [s] at most; 0 looks once. By default the channel's.

        Returns
        -------
        int
            [bytes] that were moved.

        Raises
        ------
        TimeoutError
            If it has not ended in time. It goes on, and may be waited for again.
        ConnectionError
            If the peer has ended, or closed its channel.
        GaplessError
            If the message is longer than the receiver's memory (on both sides: the message is lost), or libfabric
            reports an error.
        KeyboardInterrupt
            On Ctrl-C, within 0.1 s. The transfer goes on.
        """
        until = time.monotonic() + (self._channel._timeout_s if timeout is None else _seconds(timeout))
        while self._handle:
            left_s = max(until - time.monotonic(), 0.0)
            with self._channel._used() as handle:
                status = fabric().GAPLESS_Channel_wait(
                    handle, ctypes.byref(self._handle), min(left_s, SLICE_S), ctypes.byref(self._moved)
                )
            if status == TIMEOUT and left_s <= SLICE_S:
                raise exception(status)
            if status not in (SUCCESS, TIMEOUT):
                self._error = exception(status)
        self._channel._moving.pop(self, None)
        if self._moved.value >= 0:
            return self._moved.value
        raise self._error or GaplessError("the transfer failed while Ctrl-C was looked after", "send it again")


_abandoned: list[dict[Transfer, Message]] = []


def _opened(options: Options) -> Callable[[], ctypes.c_void_p]:
    def open_it() -> ctypes.c_void_p:
        handle = ctypes.c_void_p()
        check(fabric().GAPLESS_Channel_open(ctypes.byref(options), ctypes.byref(handle)))
        return handle

    return open_it


def _close(handle: ctypes.c_void_p) -> None:
    check(fabric().GAPLESS_Channel_close(ctypes.byref(handle)))


def _int(value: int, name: str) -> int:
    number = operator.index(value)
    if abs(number) > MOST_INT:
        raise OverflowError(f"{name}: {number} does not fit an int")
    return number


def _text(value: str | None, name: str) -> bytes | None:
    if value is None:
        return None
    if "\0" in value:
        raise ValueError(f"{name}: a NUL character is no part of a text")
    return value.encode("utf-8", "surrogateescape")


def _seconds(value: float | None) -> float:
    number = math.inf if value is None else float(value)
    if not number >= 0:
        raise ValueError(f"a timeout is at least 0 s, not {value}")
    return number
