"""What a signal that ends us must not leave half done: a folder that nobody has noted, a child that nobody has named.

A handler that raises runs between any two steps of the interpreter. What was made in the step before would have no
owner, so that nobody removes it.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def deferred_signals() -> Iterator[None]:
    """Let signals that end us wait until the ``with`` block is over; its end raises what their handlers raise.

    Only handlers written in Python wait, since nothing runs after the default action. The signal mask stays as it is,
    for a child that is started here would inherit it. Python runs handlers in its main thread: elsewhere there is
    nothing to wait for.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)

    handlers = {number: handler for number in ENDING if callable(handler := signal.getsignal(number))}
    try:
        for number in handlers:
            signal.signal(number, note)
        yield
    finally:
        # All handlers are back before one of them may raise.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, handlers)
        try:
            for number, handler in handlers.items():
                signal.signal(number, handler)
        finally:
            try:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            finally:
                for number in arrived:
                    signal.raise_signal(number)
