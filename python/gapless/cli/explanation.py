"""The pages of `gapless explain`: a type as a tree, as a plan, as numbers, and as a picture of its memory."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from gapless.display import plain_table

LINE_BYTES = 64
WINDOW_BYTES = 1024  # of memory, that the engine describes
COLOURS = ("cyan", "yellow", "green", "magenta", "bright_blue", "red")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_NUMBERS = 8  # of a list, in the tree
MOST_DEPTH = 16  # of the tree
MOST_TEXT = 600  # characters of the type

Document = dict[str, Any]


def _bytes(count: int) -> str:
    return f"{count} byte" if count == 1 else f"{count} bytes"


def _argument(value: Any, omitted: int) -> str:
    if not isinstance(value, list):
        return str(value)
    hidden = max(0, len(value) - MOST_NUMBERS) + omitted
    return "[" + ", ".join(map(str, value[:MOST_NUMBERS])) + (f", ... {hidden} more" if hidden else "") + "]"


def _label(node: Document) -> Text:
    """Return the line of one node: the constructor, its arguments, its size and extent."""
    label = Text(node.get("name", node["combiner"]), style="bold")
    if node.get("cut"):
        return label.append(" ...", style="dim")
    omitted = node.get("omitted", {})
    for name, value in node.get("arguments", {}).items():
        label.append(f"  {name} ", style="dim not bold").append(_argument(value, omitted.get(name, 0)), "not bold")
    lower = f", lower bound {node['lb']}" if node["lb"] else ""
    return label.append(f"  ({_bytes(node['size'])}, extent {node['extent']}{lower})", style="dim not bold")


def _grow(tree: Tree, node: Document, depth: int = 1) -> None:
    if depth > MOST_DEPTH and node.get("children"):
        tree.add(Text("...", style="dim"))
        return
    for child in node.get("children", []):
        _grow(tree.add(_label(child)), child, depth + 1)
    more = node.get("omitted", {}).get("children")
    if more:
        tree.add(Text(f"... {more} more", style="dim"))


def type_tree(document: Document) -> Tree:
    """Return the constructors as a tree, the outermost on top."""
    tree = Tree(_label(document["tree"]), guide_style="dim")
    _grow(tree, document["tree"])
    return tree


def memory_lines(document: Document, gap: str = "·") -> list[Text]:
    """Return the memory as text, a cache line (64 bytes) a line, the buffer beginning at displacement 0.

    A letter is a byte of a run: a for the first in packing order, b for the second, and so on, after z again a; a
    capital is a byte that several runs touch, and names the last of them.

    Parameters
    ----------
    document : Document
        What the engine said about the message.
    gap : str
        What stands for a byte that is not touched.
    """
    begin, size = document["memory_from"], document["memory_bytes"]
    owners: list[int | None] = [None] * size
    shared = [False] * size
    for displacement, length, index in document["memory"]:
        for at in range(displacement - begin, displacement - begin + length):
            shared[at] = owners[at] is not None
            owners[at] = index
    lines = []
    starts = range(begin // LINE_BYTES * LINE_BYTES, begin + size, LINE_BYTES)
    width = max((len(str(start)) for start in starts), default=0)
    for line in starts:
        text = Text(f"{line:>{width}}  ", style="dim")
        for at in range(line - begin, min(line - begin + LINE_BYTES, size)):
            owner = owners[at] if at >= 0 else None
            if at < 0:
                text.append(" ")
            elif owner is None:
                text.append(gap)
            else:
                letter = LETTERS[owner % len(LETTERS)]
                text.append(letter.upper() if shared[at] else letter, f"not dim {COLOURS[owner % len(COLOURS)]}")
        lines.append(text)
    return lines


def number_tables(document: Document) -> list[Table]:
    """Return what is true of one element, and what a message of `count` of them touches."""
    element = plain_table(
        "One element", ["size", "lower bound", "extent", "true lower bound", "true extent", "alignment"]
    )
    keys = ("size", "lb", "extent", "true_lb", "true_extent", "alignment")
    element.add_row(*(str(document[key]) for key in keys))
    lines = document["cache_lines"]
    message = plain_table(f"Touched by a message of {document['count']}", ["runs", "bytes", "cache lines"])
    message.add_row(
        ("" if document["runs_exact"] else "at most ") + str(document["runs"]),
        str(document["bytes_touched"]),
        str(lines) if lines is not None else f"at most {document['cache_lines_at_most']}",
    )
    return [element, message]


def kernels_line(document: Document) -> str:
    """Return which kernels are in force, and which messages are too large for the caches."""
    count = document["far_from_count"]
    elements = f"{count} element" if count == 1 else f"{count} elements"
    refused = f"\n{document['refused']}" if "refused" in document else ""
    return f"kernels for {document['isa']}; far (past the caches) from {elements} on{refused}"


def print_explanation(out: Console, document: Document) -> None:
    """Print all that the engine said about a message.

    Parameters
    ----------
    out : Console
        Where to.
    document : Document
        What the engine said.
    """

    def heading(text: str) -> None:
        out.print(Text(f"\n{text}", style="bold"))

    def lines(texts: list[str] | list[Text]) -> None:
        for text in texts:
            out.print(Text("  ").append(text), soft_wrap=True)

    text = document["type"]
    out.print(Text(text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "..."), soft_wrap=True)
    heading("Tree")
    out.print(Padding(type_tree(document), (0, 0, 0, 2), expand=False))
    heading("Normal form")
    lines([document["normal_form"]])
    heading("Plan")
    lines(document["plan"] or ["nothing to do"])
    if document["plan"]:
        out.print(Text(f"  {kernels_line(document)}", style="dim"), soft_wrap=True)
    out.print()
    for table in number_tables(document):
        out.print(table)
    if document["memory_bytes"] == 0:
        return
    whole = document["memory_bytes"] < WINDOW_BYTES
    out.print(
        Text("Memory", style="bold").append(
            f"{'' if whole else ': the first ' + _bytes(document['memory_bytes'])}, a cache line a line; "
            "letters are runs in packing order",
            style="not bold dim",
        )
    )
    lines(memory_lines(document, "." if out.options.ascii_only else "·"))
    if any(character.isupper() for line in memory_lines(document) for character in line.plain):
        out.print(Text("  capitals: bytes that several runs touch", style="dim"))
    if not document["memory_complete"]:
        out.print(Text("  not all runs are shown", style="dim"))
