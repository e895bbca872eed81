"""How often an advice is right, tried on rows that it was not made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gapless.lab.advice.settings import NATIVE
from gapless.lab.advice.stored import Known, predict
from gapless.lab.ways.points import Point, fastest


@dataclass
class Tried:
    """Of rows whose answer is decided: how often an advice was, too, and was right; and how often it named the way."""

    rows: int = 0
    said: int = 0
    right: int = 0
    named: int = 0

    def count(self, said: str | None, answer: str, named: str | None = None) -> None:
        """Count one row; `named`: the way that is named where nothing is decided."""
        self.rows += 1
        self.said += said is not None
        self.right += said == answer
        self.named += (said or named) == answer


def other_rows(stored: Sequence[Known]) -> Tried:
    """Advise for each stored message from those of other groups: for 1000 blocks maybe from 1023."""
    tried = Tried()
    for one in stored:
        answer = fastest(one.point, NATIVE)
        if answer is None or not answer.decided:
            continue
        others = [other for other in stored if other.point.name != one.point.name]
        tried.count(predict(others, one.mpi, one.bytes, one.run).way, answer.way)
    return tried


def other_launches(points: Sequence[Point]) -> Tried:
    """Advise for each message by every other launch, and look at what the rest of the launches decides."""
    tried = Tried()
    for point in points:
        launches = sorted(point.times[NATIVE[0]])
        mine, rest = (_of_launches(point, launches[start::2]) for start in (0, 1))
        answer, advice = fastest(rest, NATIVE), fastest(mine, NATIVE)
        if answer is not None and answer.decided and advice is not None:
            tried.count(advice.way if advice.decided else None, answer.way, advice.way)
    return tried


def _of_launches(point: Point, launches: Sequence[int]) -> Point:
    times = {way: {n: of[n] for n in launches if n in of} for way, of in point.times.items()}
    return replace(point, times={way: of for way, of in times.items() if of})
