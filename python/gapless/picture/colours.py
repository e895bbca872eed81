"""The colours of runs: along the packing order in one element; a colour for each element, in shades, in several."""

from __future__ import annotations

from collections.abc import Sequence

from gapless.picture.view import Document, Run

# Neither near black nor near white: they stand out on light and on dark pages.
ALONG = ("#2f6fde", "#4d62dd", "#7a57d1", "#a04bb8", "#c04595", "#d6516f", "#e3684a", "#e5862b")
ELEMENTS = (
    ("#2763c4", "#4480d8", "#6a9fe6", "#8fbaf0"),
    ("#b3590f", "#d07421", "#e59247", "#f0af74"),
    ("#1b7a4b", "#2f9963", "#57b585", "#84caa6"),
    ("#6a3fb0", "#8660c9", "#a484de", "#bfa6ec"),
    ("#a8325e", "#c8507b", "#de789b", "#eba0b9"),
)


class Colours:
    """The colours of one picture."""

    def __init__(self, document: Document, shown: Sequence[Run]) -> None:
        self._size = document["size"]
        self._several = document["count"] > 1
        self._last = max((run.order for run in shown), default=0)

    @property
    def legend(self) -> str:
        """What the colours say."""
        if self._several:
            return "a colour for each element"
        return "blue is packed first, orange last" if self._last else ""

    def element(self, index: int) -> str:
        """Return the colour of an element."""
        return ELEMENTS[index % len(ELEMENTS)][0] if self._several else ALONG[0]

    def run(self, run: Run) -> str:
        """Return the colour of a run; one that goes on into the next element has that of the first."""
        if not self._several:
            return ALONG[run.order * (len(ALONG) - 1) // max(self._last, 1)] if run.order <= self._last else ALONG[-1]
        shades = ELEMENTS[run.position // self._size % len(ELEMENTS)]
        return shades[run.position % self._size * len(shades) // self._size]

    @staticmethod
    def on(fill: str) -> str:
        """Return the colour of text on a colour, black or white, whichever has more contrast."""
        linear = [(int(fill[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        return "#fff" if luminance < 0.18 else "#000"
