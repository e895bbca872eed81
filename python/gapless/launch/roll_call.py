"""Whether all processes of a job on several nodes have the layer: one process a node tells, asks, and is answered.

A node tells before its processes initialise MPI, and asks afterwards, with who is there. Initialisation ends nowhere
before it has begun everywhere: when the first one asks, all have told who will. So the answer waits for those who told,
and for nobody else: it is yes exactly when all of them have asked and what they said adds up to the world. A node whose
connection ends before that makes it no. src/preload/policy/roll_call.hpp is the other side, wire.py is between them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

Node = Hashable
Reply = tuple[Node, str]
ENDED = "no a process that spoke for its node has ended"


@dataclass(frozen=True)
class Asked:
    """What a node says: the size of its world, what must be the same everywhere (0: it is not even here), its ranks."""

    size: int
    facts: int
    ranks: tuple[int, ...]


@dataclass
class _Job:
    """The nodes of one job that told, with what they asked."""

    nodes: dict[Node, Asked | None] = field(default_factory=dict)
    heard: set[Node] = field(default_factory=set)
    complete: str = ""  # what was said to all when they were; they are to say that they heard it
    refused: str = ""


def judge(asked: Iterable[Asked]) -> str:
    """Return ``all WHY`` or ``no WHY`` for what the nodes of a job say."""
    nodes = list(asked)
    size = nodes[0].size
    ranks = [rank for node in nodes for rank in node.ranks]
    if any(node.size != size for node in nodes) or len(set(ranks)) != len(ranks):
        return "no two jobs have one name"
    if any(node.facts != nodes[0].facts or node.facts == 0 for node in nodes):
        return "no processes differ in settings, build or library"
    if len(ranks) != size or min(ranks) != 0 or max(ranks) != size - 1:
        return f"no {len(ranks)} of {size} processes are known to have the layer"
    return f"all {size} processes on {len(nodes)} nodes have the layer"


class RollCall:
    """The jobs of one `gapless run`. Each method returns what is to be said, and to whom."""

    def __init__(self) -> None:
        self._open: dict[str, _Job] = {}
        self._job_of: dict[Node, _Job] = {}

    def is_busy(self) -> bool:
        """Say whether some node has told, and is still connected."""
        return bool(self._job_of)

    def tell(self, node: Node, name: str) -> list[Reply]:
        """Note that a node has part in the job of that name."""
        if node in self._job_of:
            return []
        job = self._open.setdefault(name, _Job())
        job.nodes[node] = None
        self._job_of[node] = job
        return [(node, "told")]

    def ask(self, node: Node, asked: Asked) -> list[Reply]:
        """Note what a node's processes are; answer all if it was the last."""
        job = self._job_of.get(node)
        if job is None or job.nodes[node] is not None:
            return []
        job.nodes[node] = asked
        if job.refused:
            return [(node, job.refused)]
        said = [one for one in job.nodes.values() if one is not None]
        if len(said) < len(job.nodes):
            return []
        self._close(job)
        verdict = judge(said)
        if verdict.startswith("no "):
            job.refused = verdict
        else:
            job.complete = verdict
        return [(one, verdict) for one in job.nodes]

    def heard(self, node: Node) -> list[Reply]:
        """Note that a node knows that all are complete; when the last one does, it is so."""
        job = self._job_of.get(node)
        if job is None or not job.complete:
            return []
        job.heard.add(node)
        return [(one, "yes") for one in job.nodes] if len(job.heard) == len(job.nodes) else []

    def gone(self, node: Node) -> list[Reply]:
        """Note that a node's connection has ended."""
        job = self._job_of.pop(node, None)
        if job is None or job.refused or node in job.heard:  # one that heard takes it for a yes
            return []
        self._close(job)
        job.refused = ENDED
        return [(one, ENDED) for one, asked in job.nodes.items() if one != node and asked is not None]

    def _close(self, job: _Job) -> None:
        """Let a job that tells from now on be another one: names come again."""
        for name, open_job in list(self._open.items()):
            if open_job is job:
                del self._open[name]
