"""The connections of the nodes of a job, on one thread: lines of text between them and roll_call.py.

A connection is greeted, so that nobody tells the secret to a stranger at the same address; then it has ten seconds to
say ``tell SECRET JOB``, in one short line, or is closed.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
from collections.abc import Iterable, Sequence
from typing import cast

from gapless.launch.roll_call import Asked, Reply, RollCall

SAY_WHO_S = 10
STRANGERS = 512
"""More connections than this that have not said who they are: the oldest are closed."""
SHORT, LONG = 512, 1 << 20
"""Characters of a line, before the secret was said and afterwards."""


class Wire:
    """All connections.

    Parameters
    ----------
    roll_call : RollCall
        Who counts.
    greeting, secret : str
        What is said first by us, and by them.
    """

    def __init__(self, roll_call: RollCall, greeting: str, secret: str) -> None:
        self.roll_call, self.greeting, self.secret = roll_call, greeting, secret
        self.connections: set[_Connection] = set()
        self.strangers: dict[_Connection, None] = {}  # in the order in which they came
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda *_: None)  # out of descriptors for a moment: asyncio tries again
        self._end: asyncio.Future[None] = self._loop.create_future()

    def serve(self, sockets: Sequence[socket.socket]) -> None:
        """Answer whoever connects to these sockets, until `end` is called."""
        self._loop.run_until_complete(self._serve(sockets))
        self._loop.close()

    def end(self) -> None:
        """Close all connections, and have `serve` return; for other threads."""
        self._loop.call_soon_threadsafe(self._end.set_result, None)

    def reply(self, replies: Iterable[Reply]) -> None:
        """Say what is to be said."""
        for connection, text in replies:
            cast(_Connection, connection).say(text)

    async def _serve(self, sockets: Sequence[socket.socket]) -> None:
        servers = [await self._loop.create_server(lambda: _Connection(self), sock=one, backlog=4096) for one in sockets]
        await self._end
        for server in servers:
            server.close()
        for connection in list(self.connections):
            connection.close()
        await asyncio.sleep(0)  # so that they are told


class _Connection(asyncio.Protocol):
    """One node, or a stranger."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._received = b""
        self._is_known = False
        self._transport: asyncio.Transport
        self._deadline: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        _keep_alive(self._transport.get_extra_info("socket"))
        self._deadline = asyncio.get_running_loop().call_later(SAY_WHO_S, self.close)
        self._wire.connections.add(self)
        self._wire.strangers[self] = None
        if len(self._wire.strangers) > STRANGERS:
            next(iter(self._wire.strangers)).close()
        self.say(self._wire.greeting)

    def close(self) -> None:
        self._wire.strangers.pop(self, None)
        self._deadline.cancel()
        self._transport.abort()

    def say(self, text: str) -> None:
        self._transport.write(f"{text}\n".encode())

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\n" in self._received and not self._transport.is_closing():
            line, _, self._received = self._received.partition(b"\n")
            try:
                self._line(line.decode("ascii"))
            except ValueError:
                self.close()
        if len(self._received) > (LONG if self._is_known else SHORT):
            self.close()

    def _line(self, line: str) -> None:
        roll_call = self._wire.roll_call
        words = line.split(" ", 2)
        if not self._is_known:
            verb, secret, job = words
            if verb != "tell" or not hmac.compare_digest(secret.encode(), self._wire.secret.encode()):
                raise ValueError
            self._is_known = True
            self._wire.strangers.pop(self, None)
            self._deadline.cancel()
            self._wire.reply(roll_call.tell(self, job))
        elif line == "heard":
            self._wire.reply(roll_call.heard(self))
        else:
            verb, size, rest = words
            facts, ranks = rest.split(" ")
            if verb != "ask":
                raise ValueError
            asked = Asked(int(size), int(facts, 16), tuple(map(int, ranks.split(","))))
            self._wire.reply(roll_call.ask(self, asked))

    def connection_lost(self, error: Exception | None) -> None:
        self._wire.connections.discard(self)
        self._wire.strangers.pop(self, None)
        self._deadline.cancel()
        self._wire.reply(self._wire.roll_call.gone(self))


def _keep_alive(connection: socket.socket) -> None:
    """Have the kernel find out when the other machine is gone."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in ((socket.TCP_KEEPIDLE, 10), (socket.TCP_KEEPINTVL, 5), (socket.TCP_KEEPCNT, 3)):
        connection.setsockopt(socket.IPPROTO_TCP, option, value)
