"""What a profile says, in words and as tables: the same sentences on the page and on the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from gapless.display import bytes_text
from gapless.profile.compare import FEWEST_RUNS, Gain, gains, whole_gain
from gapless.profile.profile import BASIC, REST, UNKNOWN, Layout, Message, Profile

NAMES = {
    BASIC: "contiguous basic types",
    UNKNOWN: "types that the layer does not know (not committed, or of a kind that it does not decode)",
    REST: "whatever was new when the book was full",
}
COLUMNS = (
    "layout", "type", "count", "procedure", "role", "from", "peer", "site", "calls", "bytes", "call_us", "later_us",
    "share", "pack_us", "unpack_us", "accelerated_us",
)  # fmt: skip


def time_text(ns: float) -> str:
    """Return a time as people say it."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(ns) >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def percent(share: float) -> str:
    """Return a share of the whole."""
    return f"{100 * share:.1f} %" if share >= 0.001 or share == 0 else "< 0.1 %"


def site_text(message: Message) -> str:
    """Return where a call stands, as addr2line takes it."""
    key = message.key
    if not key.module:
        return "several"
    return f"{PurePath(key.module).name}+{key.offset:#x}" + (f" ({message.symbol})" if message.symbol else "")


def abridged(text: str, characters: int = 56) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= characters else text[: characters - 1] + "…"


def is_idle(profile: Profile) -> bool:
    """Say whether the program moves no derived datatype by the procedures that are watched."""
    return not any(message.key.layout not in (BASIC,) and message.bytes for message in profile.messages)


def head_lines(profile: Profile) -> list[str]:
    """Return what is true of the whole program, a sentence each."""
    run = profile.native[0]
    lines = [
        f"{profile.ranks} of {profile.expected} ranks watched ({profile.library}); "
        f"{time_text(profile.whole_ns() / max(1, profile.ranks))} a rank from MPI_Init to MPI_Finalize"
    ]
    if profile.unwatched:
        lines.append(profile.unwatched)
    in_layouts = sum(profile.layout_ns(text) for text in profile.layouts)
    if is_idle(profile):
        lines.append(
            "the program sends no derived datatypes by the procedures that the layer serves: "
            "Gapless can save it nothing"
        )
    else:
        lines.append(
            f"{time_text(in_layouts)} in calls with derived datatypes, all ranks together: "
            f"{percent(profile.share(in_layouts))} of the whole time, waiting for the other side included"
        )
    if run.unfinished:
        lines.append(
            f"{run.unfinished} of {profile.ranks} ranks ended without MPI_Finalize: all but the call in which each "
            "ended is here, and its whole time ends with its last call"
        )
    if run.left_out:
        lines.append(
            f"{run.left_out} calls did something new when a rank's book was full: they are in the sums of their "
            "procedures ('others'), not in those of their layouts"
        )
    return lines


def gain_text(gain: Gain) -> str:
    """Return what a layout gained, in words that claim no more than is known."""
    said = f"{time_text(gain.native_ns)} → {time_text(gain.accelerated_ns)}"
    if gain.low is None or gain.high is None:
        return f"{said} ({gain.verdict})"
    return f"{said}, × {gain.factor:.2f} ({gain.low:.2f} to {gain.high:.2f}): {gain.verdict}"


def gain_lines(profile: Profile) -> list[str]:
    """Return what the program gained under the layer, a sentence each; none if it did not run under it."""
    whole = whole_gain(profile)
    if whole is None:
        return []
    lines = [f"the whole program, natively → under the layer: {gain_text(whole)}"]
    if whole.low is None:
        lines.append(
            f"{len(profile.accelerated)} of each: how much runs differ by themselves is not known, so no difference is "
            f"called a gain; --runs {FEWEST_RUNS} or more gives intervals"
        )
    return lines


def table_rows(profile: Profile) -> list[tuple[str, ...]]:
    """Return a row of `COLUMNS` for each message with a derived datatype, the most time first."""
    rows = []
    for message in profile.messages:
        key = message.key
        if key.layout == BASIC:
            continue
        layout = profile.layouts.get(key.layout)
        times = layout.pack.get(key.count) if layout else None
        under = [run.messages[key].time_ns for run in profile.accelerated if key in run.messages]
        rows.append(
            (
                layout.id if layout else "-", key.layout, str(key.count), key.procedure, key.role, str(key.rank),
                "-" if key.peer is None else str(key.peer), site_text(message), str(message.calls),
                str(message.bytes), f"{message.call_ns / 1e3:.3f}", f"{message.later_ns / 1e3:.3f}",
                f"{profile.share(message.time_ns):.6f}",
                f"{times['pack_ns'] / 1e3:.3f}" if times else "", f"{times['unpack_ns'] / 1e3:.3f}" if times else "",
                f"{sum(under) / len(under) / 1e3:.3f}" if under else "",
            )
        )  # fmt: skip
    return rows


def callers(messages: Iterable[Message]) -> str:
    """Return who moves a layout, in a few words."""
    counts: Counter[str] = Counter()
    for message in messages:
        counts[message.key.procedure] += message.calls
    return ", ".join(f"{name} {n}" for name, n in counts.most_common(3))


def pack_text(layout: Layout) -> str:
    """Return what packing a message takes, of the largest one."""
    if not layout.pack:
        return "-"
    times = layout.pack[max(layout.pack)]
    return f"{time_text(times['pack_ns'])} + {time_text(times['unpack_ns'])}"


def pack_total_ns(profile: Profile, layout: Layout) -> float | None:
    """Return what packing or unpacking all messages of a layout takes by the engine, all ranks together.

    A message that is sent is packed, one that is received is unpacked; of other roles nothing is claimed.
    """
    total, any_known = 0.0, False
    for message in profile.of(layout.type):
        times = layout.pack.get(message.key.count)
        if times is None or not times["bytes"]:
            continue
        any_known = True
        blocks = message.bytes / times["bytes"]
        total += blocks * times["unpack_ns" if message.key.role in ("receive", "unpack") else "pack_ns"]
    return total if any_known else None


def summary_rows(profile: Profile) -> list[tuple[str, ...]]:
    """Return a row for each layout: id, type, who, calls, bytes, runs, time, share, pack time, and what was gained."""
    of = gains(profile)
    rows = []
    for layout in profile.sorted_layouts:
        messages = profile.of(layout.type)
        ns = profile.layout_ns(layout.type)
        total = pack_total_ns(profile, layout)
        runs = "contiguous" if layout.contiguous else f"{layout.runs} × {layout.size // max(1, layout.runs)} B"
        gain = of.get(layout.type)
        rows.append(
            (
                layout.id, abridged(layout.type), callers(messages), str(sum(m.calls for m in messages)),
                bytes_text(sum(m.bytes for m in messages)), runs, time_text(ns), percent(profile.share(ns)),
                "-" if total is None else time_text(total), gain_text(gain) if gain else "",
            )
        )  # fmt: skip
    return rows


SUMMARY = ("layout", "type", "by", "calls", "bytes", "runs", "time", "share", "packing", "under the layer")
