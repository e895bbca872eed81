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
    ended, given_up, guard = threading.Event(), threading.Event(), threading.Lock()
    result: list[Any] = [None]
    raised: list[BaseException] = []

    def run() -> None:
        try:
            made = call()
            with guard:
                result[0] = made
                ended.set()
                late = given_up.is_set()
            if late and undo is not None:
                undo(made)
        except BaseException as error:
            raised.append(error)
            ended.set()

    threading.Thread(target=run, name="gapless-channel", daemon=True).start()
    try:
        while not ended.wait(SLICE_S):
            pass
    except BaseException:
        with guard:
            given_up.set()
            done = ended.is_set() and not raised
        if done and undo is not None:
            with contextlib.suppress(Exception):
                undo(result[0])
        raise
    if raised:
        raise raised[0]
    return result[0]
