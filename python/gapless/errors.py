"""The one exception that a user may see: what went wrong, where, and what to do about it."""

from __future__ import annotations


class GaplessError(Exception):
    """A failure that the user can act on; the command prints it as one line and exits with status 2.

    Parameters
    ----------
    what : str
        What went wrong and where, as one sentence without a full stop.
    remedy : str
        What the user can do about it.
    """

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}: {remedy}")
        self.what = what
        self.remedy = remedy
