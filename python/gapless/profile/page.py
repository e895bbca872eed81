"""The page of a profile: one HTML file that holds all it needs."""

from __future__ import annotations

import shlex
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from gapless.display import bytes_text
from gapless.engine import TypeTextError, explain_type
from gapless.picture import svg
from gapless.profile.compare import gains
from gapless.profile.profile import BASIC, Layout, Profile
from gapless.profile.texts import (
    NAMES,
    abridged,
    gain_lines,
    gain_text,
    head_lines,
    pack_text,
    pack_total_ns,
    percent,
    site_text,
    time_text,
)

MOST_LAYOUTS = 40  # that have a section of their own
MOST_ROWS = 200  # of the table of layouts
MOST_MESSAGES = 60  # rows below a layout


def _picture(layout: Layout) -> Markup | None:
    if not layout.whole or layout.size == 0:
        return None
    try:
        return Markup(svg(explain_type(layout.type)))
    except TypeTextError:
        return None


def _messages(profile: Profile, text: str) -> list[dict[str, Any]]:
    return [
        {
            "procedure": of.key.procedure, "role": of.key.role, "rank": of.key.rank,
            "peer": "" if of.key.peer is None else of.key.peer, "count": of.key.count, "site": site_text(of),
            "module": of.key.module, "calls": of.calls, "bytes": bytes_text(of.bytes), "call": time_text(of.call_ns),
            "later": time_text(of.later_ns) if of.later_ns else "", "longest": time_text(of.longest_ns),
        }
        for of in profile.of(text)
    ]  # fmt: skip


def _layout(profile: Profile, layout: Layout, is_shown: bool) -> dict[str, Any]:
    ns, total = profile.layout_ns(layout.type), pack_total_ns(profile, layout)
    gain = gains(profile).get(layout.type)
    most = max((n for _, _, n in layout.histogram), default=1)
    messages = _messages(profile, layout.type)
    return {
        "id": layout.id, "title": abridged(layout.type, 90), "type": layout.type, "whole": layout.whole,
        "size": bytes_text(layout.size), "extent": bytes_text(layout.extent), "runs": layout.runs,
        "contiguous": layout.contiguous, "time": time_text(ns), "share": percent(profile.share(ns)),
        "bar": round(100 * profile.share(ns), 2), "packing": "-" if total is None else time_text(total),
        "each": pack_text(layout), "gain": gain_text(gain) if gain else "",
        "calls": sum(of.calls for of in profile.of(layout.type)),
        "bytes": bytes_text(sum(of.bytes for of in profile.of(layout.type))),
        "histogram": [{"low": low, "high": high, "runs": n, "bar": round(100 * n / most, 1)}
                      for low, high, n in layout.histogram],
        "messages": messages[:MOST_MESSAGES], "more": max(0, len(messages) - MOST_MESSAGES),
        "is_shown": is_shown, "picture": _picture(layout) if is_shown else None,
    }  # fmt: skip


def page(profile: Profile) -> str:
    """Return the page."""
    environment = Environment(
        loader=PackageLoader("gapless.profile"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("profile.html.j2").render(
        command=shlex.join(profile.command),
        lines=[*head_lines(profile), *gain_lines(profile)],
        both=bool(profile.accelerated),
        layouts=[_layout(profile, of, k < MOST_LAYOUTS) for k, of in enumerate(profile.sorted_layouts[:MOST_ROWS])],
        layouts_left=max(0, len(profile.layouts) - MOST_ROWS),
        others=[
            {"name": name, "messages": found[:MOST_MESSAGES], "more": max(0, len(found) - MOST_MESSAGES),
             "basic": text == BASIC}
            for text, name in NAMES.items()
            if (found := _messages(profile, text))
        ],
    )  # fmt: skip
