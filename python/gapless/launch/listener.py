"""Where the nodes of a job reach `gapless run`: a socket, and what the ranks must know of it (wire.py serves it).

The secret is new for each run and stands in the environment of the ranks, which other users cannot read; it keeps
strangers out, not somebody who reads the traffic between the nodes.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import fcntl
import resource
import secrets
import select
import socket
import struct
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from gapless.launch.roll_call import RollCall

if TYPE_CHECKING:
    from gapless.launch.wire import Wire

SETTING = "GAPLESS_ROLL_CALL"
MOST_ADDRESSES = 16
SIOCGIFCONF = 0x8912


class Listener:
    """A socket that waits for nodes from the beginning of a ``with`` block on, and answers them once it is started.

    Parameters
    ----------
    network : Path, optional
        The network namespace to listen in (a file of /proc); our own, if none is named.
    """

    def __init__(self, network: Path | None = None) -> None:
        self.roll_call = RollCall()
        self.greeting, self.secret = secrets.token_hex(8), secrets.token_hex(16)
        self._network = network
        self._sockets: list[socket.socket] = []
        self._addresses: list[str] = []
        self._limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._thread: threading.Thread | None = None
        self._wire: Wire | None = None
        self._serving = threading.Event()
        self._over: tuple[socket.socket, socket.socket] | None = None

    def __enter__(self) -> Listener:
        if self._network is None:
            self._open()
        else:
            visitor = threading.Thread(target=self._open_there)
            visitor.start()
            visitor.join()
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None and self._over is not None:
            self._over[0].sendall(b".")
            self._serving.wait()
            if self._wire is not None:
                self._wire.end()
            self._thread.join()
            self._thread = None
            self._limit_files(self._limit)
        for one in (*self._sockets, *(self._over or ())):
            one.close()
        self._sockets, self._over = [], None

    @property
    def settings(self) -> dict[str, str]:
        """What the ranks must have in their environment to reach us; nothing, if no socket can be had."""
        if not self._sockets:
            return {}
        port = self._sockets[0].getsockname()[1]
        return {SETTING: f"{port}/{self.greeting}/{self.secret}/{','.join(self._addresses)}"}

    def start(self) -> None:
        """Answer from now on; call it when the command has been started, so that it inherits nothing of this."""
        if not self._sockets:
            return
        self._limit_files((self._limit[1], self._limit[1]))
        self._thread = threading.Thread(target=self._serve, daemon=True, name="gapless roll call")
        self._thread.start()

    def _serve(self) -> None:
        try:
            if not self._is_wanted():
                return
            from gapless.launch.wire import Wire  # takes a while to load

            self._wire = Wire(self.roll_call, self.greeting, self.secret)
        finally:
            self._serving.set()
        self._wire.serve(self._sockets)

    def _is_wanted(self) -> bool:
        """Wait for the first connection, or for the end: a job on one node connects to nobody."""
        assert self._over is not None
        waits = select.poll()
        for one in (*self._sockets, self._over[1]):
            waits.register(one, select.POLLIN)
        return self._over[1].fileno() not in dict(waits.poll())

    def _limit_files(self, limit: tuple[int, int]) -> None:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)

    def _open(self) -> None:
        with contextlib.suppress(OSError):
            self._over = socket.socketpair()  # first: who listens must be able to answer
            self._sockets = [_listening()]
            self._addresses = _addresses(self._sockets[0])

    def _open_there(self) -> None:
        """On a thread of its own, which is in that namespace and ends there: a socket stays where it was made."""
        assert self._network is not None
        with contextlib.suppress(OSError), self._network.open() as file:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(file.fileno(), 0) == 0:
                self._open()


def _listening() -> socket.socket:
    """Return a socket that listens on all addresses: of both kinds where the machine has both."""
    if socket.has_dualstack_ipv6():
        with contextlib.suppress(OSError):
            return socket.create_server(("", 0), family=socket.AF_INET6, backlog=4096, dualstack_ipv6=True)
    return socket.create_server(("", 0), backlog=4096)


def _addresses(listening: socket.socket) -> list[str]:
    """Return the addresses of the interfaces of a socket's namespace, those of this machine only at the end."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        found = _ipv4(asking)
    if listening.family == socket.AF_INET6:
        found += _ipv6()
    found.sort(key=lambda address: address.startswith("127."))
    return found[:MOST_ADDRESSES] or ["127.0.0.1"]


def _ipv4(asking: socket.socket) -> list[str]:
    """Ask for a list of (name of 16 bytes, sockaddr_in), 40 bytes each."""
    room = array.array("B", bytes(40 * 256))
    pointer, size = room.buffer_info()
    answer = fcntl.ioctl(asking.fileno(), SIOCGIFCONF, struct.pack("iL", size, pointer))
    length = struct.unpack("iL", answer)[0]
    found = [socket.inet_ntoa(room[at + 20 : at + 24].tobytes()) for at in range(0, length, 40)]
    return list(dict.fromkeys(found))


def _ipv6() -> list[str]:
    """Return those that other machines may reach; those of a link alone say nothing without its name."""
    try:
        rows = Path("/proc/thread-self/net/if_inet6").read_text(encoding="ascii").splitlines()
    except OSError:
        return []
    words = [row.split() for row in rows]
    return [socket.inet_ntop(socket.AF_INET6, bytes.fromhex(row[0])) for row in words if row[3] == "00"]
