"""Reads what the engine printed (docs/notation.md, canonical form), innermost types first."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

TOKEN = re.compile(r"\s*(?:(-?\d+)(?!\w)|(\w+)|([()\[\],]))")

Built = TypeVar("Built")


def fold(text: str, build: Callable[[str, list[Any]], Built]) -> Built:
    """Call `build` for each named type and constructor of a text, its old types first; return the last result.

    Without recursion: types nest deeper than Python calls.

    Parameters
    ----------
    text : str
        What `str` of a Datatype said.
    build : callable
        Called with the constructor's name and its arguments: numbers, lists, pairs of a word and a number, words that
        are no types (`C`, `Fortran`, `block`, `cyclic`, `none`), and for types what it returned itself.
    """
    words = {"C", "Fortran", "block", "cyclic", "none"}
    # What is open: the constructor's name, or "[" or "("; and what it holds so far.
    open_ones: list[tuple[str, list[Any]]] = [("", [])]
    at, end = 0, len(text)
    while at < end:
        match = TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"no canonical text of a type: {text[at : at + 40]!r}")
        at = match.end()
        number, word, sign = match.groups()
        inside = open_ones[-1][1]
        if number is not None:
            inside.append(int(number))
        elif word is not None:
            if text.startswith("(", at):
                at += 1
                open_ones.append((word, []))
            else:
                inside.append(word if word in words else build(word, []))
        elif sign in "[(":
            open_ones.append((sign, []))
        elif sign in "])":
            name, arguments = open_ones.pop()
            if name == "[":
                value: Any = arguments
            elif name == "(" or name in words:
                value = tuple(arguments) if name == "(" else (name, *arguments)
            else:
                value = build(name, arguments)
            open_ones[-1][1].append(value)
    result: Built = open_ones[0][1][0]
    return result
