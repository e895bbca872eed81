"""Pages in roff, as man reads them: just the macros of man(7) that groff and mandoc both know."""

from __future__ import annotations


def escaped(text: str) -> str:
    """Return text of which roff takes nothing for a command, on one line."""
    text = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    text = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in text)
    return "\\&" + text if text.startswith(".") else text


def bold(text: str) -> str:
    """Return text in bold, already escaped."""
    return f"\\fB{escaped(text)}\\fR"


class Page:
    """A page that is being written, section after section."""

    def __init__(self, name: str, section: int, version: str) -> None:
        heading = escaped(name.upper())
        self._lines = [f'.TH {heading} {section} "" "Gapless {version}" "Gapless manual"']

    def section(self, title: str) -> None:
        """Begin a section."""
        self._lines.append(f".SH {title}")

    def line(self, roff: str) -> None:
        """Add text that is escaped already."""
        self._lines.append(roff)

    def begin_paragraph(self) -> None:
        """Begin a paragraph, where a section has not just begun one."""
        if not self._lines[-1].startswith(".SH"):
            self._lines.append(".PP")

    def paragraph(self, text: str) -> None:
        """Add a paragraph; those of its lines that are indented stay lines."""
        self.begin_paragraph()
        kept: list[str] = []
        for line in [*text.splitlines(), ""]:
            if line.startswith(" "):
                kept.append(line.strip())
                continue
            self.example(kept)
            kept = []
            if line:
                self._lines.append(escaped(line))

    def example(self, lines: list[str]) -> None:
        """Add indented lines that stay as they are."""
        if lines:
            shown = [bold_spaces(line) for line in lines]
            self._lines += [".RS 4", ".nf", *shown, ".fi", ".RE"]

    def item(self, tag: str, text: str) -> None:
        """Add an entry of a list; `tag` is escaped already."""
        self._lines += [".TP", tag, escaped(text)]

    def text(self) -> str:
        """Return the page."""
        return "\n".join(self._lines) + "\n"


def bold_spaces(line: str) -> str:
    """Return a line for a place where lines are kept, with its inner spaces."""
    return "  ".join(escaped(part) for part in line.split("  "))
