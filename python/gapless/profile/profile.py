"""A profile: the books of all ranks as one, by layout and by message. Its JSON is described in docs/profile.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from gapless.profile.book import CONTIGUOUS, OTHERS, UNDECODED, Book, Entry

SCHEMA = 1
BASIC, UNKNOWN, REST = "contiguous", "undecoded", "others"


@dataclass(frozen=True)
class Key:
    """What makes messages the same ones, in every run of the program."""

    rank: int
    layout: str  # its text, or BASIC, UNKNOWN, REST
    procedure: str
    role: str
    module: str
    offset: int
    peer: int | str | None
    count: int


@dataclass
class Message:
    """The messages of one key in one run."""

    key: Key
    symbol: str = ""
    calls: int = 0
    firsts: int = 0  # those of which it is the first buffer: the sum over all messages is the number of calls
    bytes: int = 0
    call_ns: float = 0
    later_ns: float = 0
    longest_ns: float = 0
    accelerated: list[dict[str, float]] = field(default_factory=list)  # the same under the layer, run by run

    @property
    def time_ns(self) -> float:
        """The time in the calls, and in those that completed them."""
        return self.call_ns + self.later_ns

    def add(self, entry: Entry) -> None:
        """Add what was noted apart because another thread did it."""
        self.calls += entry.calls
        self.firsts += entry.calls * entry.first
        self.bytes += entry.bytes
        self.call_ns += entry.call_ns
        self.later_ns += entry.later_ns
        self.longest_ns = max(self.longest_ns, entry.longest_ns)


@dataclass
class Layout:
    """A layout in use.

    Attributes
    ----------
    type : str
        The text notation, as constructed; where `whole` is false, the abridged one and the layout's numbers.
    histogram : list of (int, int, int)
        Runs of at least and at most so many bytes, and how many there are, in one element; empty if not counted.
    pack : dict
        From the count of a message to what packing and unpacking one takes [ns].
    """

    id: str
    type: str
    whole: bool
    size: int
    extent: int
    true_lb: int
    true_extent: int
    runs: int
    contiguous: bool
    histogram: list[tuple[int, int, int]] = field(default_factory=list)
    pack: dict[int, dict[str, float]] = field(default_factory=dict)


@dataclass
class Run:
    """The books of one run, as one."""

    whole_ns: dict[int, float]
    messages: dict[Key, Message]
    unfinished: int
    left_out: int

    def time_ns(self, layout: str) -> float:
        """Return the time of all messages of a layout, all ranks together."""
        return sum(of.time_ns for key, of in self.messages.items() if key.layout == layout)


@dataclass
class Profile:
    """All that is known of a program's datatypes.

    Attributes
    ----------
    native, accelerated : list of Run
        The runs that were watched; the times of `messages` are the means of the native ones.
    """

    command: list[str]
    status: int
    library: str
    ranks: int
    expected: int
    layouts: dict[str, Layout]  # by text
    native: list[Run]
    accelerated: list[Run] = field(default_factory=list)
    unwatched: str = ""  # which ranks of the first run left no book, and why; empty if none did

    @property
    def messages(self) -> list[Message]:
        """The messages of the first native run, the most time first."""
        return sorted(self.native[0].messages.values(), key=lambda of: -of.time_ns)

    def whole_ns(self, runs: Sequence[Run] | None = None) -> float:
        """Return the mean over runs of the ranks' whole times together."""
        of = self.native if runs is None else runs
        return sum(sum(run.whole_ns.values()) for run in of) / len(of)

    def layout_ns(self, text: str, runs: Sequence[Run] | None = None) -> float:
        """Return the mean over runs of the time of a layout."""
        of = self.native if runs is None else runs
        return sum(run.time_ns(text) for run in of) / len(of)

    @property
    def sorted_layouts(self) -> list[Layout]:
        """The layouts, the most time first."""
        return sorted(self.layouts.values(), key=lambda of: -self.layout_ns(of.type))

    def of(self, text: str) -> list[Message]:
        """Return the messages of a layout, the most time first."""
        return [one for one in self.messages if one.key.layout == text]

    def share(self, ns: float) -> float:
        """Return what a time is of the whole."""
        whole = self.whole_ns()
        return ns / whole if whole else 0.0


def run_of(books: Sequence[Book]) -> tuple[Run, dict[str, Layout]]:
    """Make one run of the books of its ranks, and name the layouts in them."""
    run = Run({}, {}, sum(not book.finalised for book in books), sum(book.left_out for book in books))
    layouts: dict[str, Layout] = {}
    for book in books:
        run.whole_ns[book.rank] = run.whole_ns.get(book.rank, 0) + book.whole_ns
        for entry in book.entries:
            text = _text(book, entry, layouts)
            site = book.sites.get(entry.site, {})
            key = Key(
                book.rank, text, entry.procedure, entry.role, site.get("module", ""), site.get("offset", 0),
                entry.peer, entry.count,
            )  # fmt: skip
            run.messages.setdefault(key, Message(key, site.get("symbol", ""))).add(entry)
    return run, layouts


def _text(book: Book, entry: Entry, layouts: dict[str, Layout]) -> str:
    special = {CONTIGUOUS: BASIC, UNDECODED: UNKNOWN, OTHERS: REST}.get(entry.layout)
    said = book.layouts.get(entry.layout)
    if special is not None or said is None:
        return special or UNKNOWN
    names = ("whole", "size", "extent", "true_lb", "true_extent", "runs", "contiguous")
    text: str = said["text"]
    if not said["whole"]:  # layouts that differ may be abridged alike
        text += f" of {said['size']} bytes in {said['runs']} runs, extent {said['extent']}"
        text += f", from {said['true_lb']} on {said['true_extent']}"
    if text not in layouts:
        layouts[text] = Layout(f"L{len(layouts) + 1}", text, *(said[name] for name in names))
    return text


def message_json(message: Message, ids: dict[str, str]) -> dict[str, Any]:
    """Return a message as the file has it."""
    key = asdict(message.key) | {"layout": ids.get(message.key.layout, message.key.layout)}
    numbers = ("symbol", "calls", "bytes", "call_ns", "later_ns", "longest_ns")
    return key | {name: getattr(message, name) for name in numbers}


def run_json(run: Run, ids: dict[str, str]) -> dict[str, Any]:
    """Return a run as the file has it."""
    return {
        "whole_ns": {str(rank): ns for rank, ns in sorted(run.whole_ns.items())},
        "unfinished": run.unfinished,
        "left_out": run.left_out,
        "messages": [
            message_json(of, ids) for of in sorted(run.messages.values(), key=lambda of: (-of.time_ns, str(of.key)))
        ],
    }


def profile_json(profile: Profile) -> dict[str, Any]:
    """Return the profile as its file."""
    ids = {text: layout.id for text, layout in profile.layouts.items()}
    return {
        "schema": SCHEMA,
        "kind": "profile",
        "command": profile.command,
        "status": profile.status,
        "library": profile.library,
        "ranks": {"watched": profile.ranks, "expected": profile.expected},
        "layouts": [
            asdict(layout)
            | {"pack": {str(count): times for count, times in layout.pack.items()}}
            | {"time_ns": profile.layout_ns(layout.type), "share": profile.share(profile.layout_ns(layout.type))}
            for layout in profile.sorted_layouts
        ],
        "native": [run_json(run, ids) for run in profile.native],
        "accelerated": [run_json(run, ids) for run in profile.accelerated],
    }
