"""The one exception that a user may see: what went wrong, where, and what to do about it."""

from __future__ import annotations


class GaplessError(Exception):
    """A failure that the user can act on; the command prints it as one line and exits with `exit_status`.

    Parameters
    ----------
    what : str
        What went wrong and where, as one sentence without a full stop.
    remedy : str
        What the user can do about it.
    """

    exit_status = 2

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}: {remedy}")
        self.what = what
        self.remedy = remedy


class MeasurementFailed(GaplessError):
    """What was started to be measured failed, or gave wrong data; nothing that the user typed is at fault."""

    exit_status = 1
