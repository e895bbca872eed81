"""Long calls of the library that Ctrl-C ends."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any

SLICE_S = 0.1  # for so long Ctrl-C may wait


def interruptible(call: Callable[[], Any], undo: Callable[[Any], None] | None = None) -> Any:
    """Return what a long call of the library does; Ctrl-C leaves it alone, and then its result is undone.

    A signal's handler runs between two calls of the main thread, so the call is made by another one.
    """
    # A plain lock, of which acquiring is one step: an Event's wait() that Ctrl-C interrupts may end in a RuntimeError.
    over, guard = threading.Lock(), threading.Lock()
    over.acquire()
    ended = given_up = False
    result: list[Any] = [None]
    raised: list[BaseException] = []

    def run() -> None:
        nonlocal ended
        try:
            made = call()
            with guard:
                result[0] = made
                ended = True
                late = given_up
            if late and undo is not None:
                undo(made)
        except BaseException as error:
            raised.append(error)
        finally:
            over.release()

    threading.Thread(target=run, name="gapless-channel", daemon=True).start()
    try:
        while not over.acquire(timeout=SLICE_S):
            pass
    except BaseException:
        with guard:
            given_up = True
            done = ended
        if done and undo is not None:
            with contextlib.suppress(Exception):
                undo(result[0])
        raise
    if raised:
        raise raised[0]
    return result[0]
