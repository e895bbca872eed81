"""`gapless explain TYPE`: what a datatype is, and what Gapless makes of it."""

from __future__ import annotations

import json as json_module
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from gapless.errors import GaplessError

INVALID = 2
STDOUT = Path("-")


def explain(
    type_text: Annotated[
        str, typer.Argument(metavar="TYPE", help="The type as text (docs/notation.md); - reads it from stdin.")
    ],
    count: Annotated[int, typer.Option("--count", min=0, help="How many of it, one extent apart, as in a send.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print the JSON document and nothing else.")] = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write a picture, too, for any browser; - is stdout.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the picture as a page, too; - is stdout.")
    ] = None,
    no_color: Annotated[bool, typer.Option("--no-color", help="No colours, not even on a terminal.")] = False,
) -> None:
    """Explain a datatype: its tree, what Gapless makes of it, what it touches, and a picture of its memory.

    [bold]Examples:[/bold]

    gapless explain 'vector(1000, 2, 4, int32)'

    gapless explain --count 3 'resized(0, 40, indexed([1, 2], [0, 4], double))'

    gapless explain 'struct([(1, 0, int32), (3, 8, double)])'

    gapless explain 'subarray([16, 64], [4, 8], [2, 8], C, byte)'

    gapless explain 'indexed([1*50], [0..98:2], MPI_INT)'

    gapless explain --svg column.svg 'resized(0, 8, vector(100, 1, 100, double))'

    A constructor's name, its arguments in MPI's order, lists in brackets, old type last.
    Elements count, but for the bytes of hvector, hindexed, hindexed_block, struct, resized.
    In lists, 1*50 is fifty ones, and 0..98:2 is 0, 2, 4, ... 98.

    GAPLESS_ISA=baseline, avx2, avx512 or neon forces the kernels, if the machine runs them.
    GAPLESS_NT_BYTES=8M says how large the last cache is; what touches more is written past the caches.
    """
    from gapless.cli.explanation import print_explanation
    from gapless.display import console
    from gapless.engine import TypeTextError, explain_type

    if json + (svg == STDOUT) + (html == STDOUT) > 1:
        raise GaplessError(
            "only one of --json, --svg - and --html - can have stdout",
            "write the picture to a file, say --svg type.svg",
        )
    try:
        document = explain_type(sys.stdin.read() if type_text == "-" else type_text, count)
    except TypeTextError as error:
        print(f"gapless: error: {error}", file=sys.stderr)
        raise typer.Exit(INVALID) from None
    _write_pictures(document, svg, html)
    if json:
        print(json_module.dumps(document))
    elif STDOUT not in (svg, html):
        print_explanation(console(plain=no_color), document)


def _write_pictures(document: dict[str, Any], svg: Path | None, html: Path | None) -> None:
    from gapless import picture
    from gapless.launch.whole_file import write_whole

    for path, option, draw in ((svg, "--svg", picture.svg), (html, "--html", picture.page)):
        if path == STDOUT:
            sys.stdout.write(draw(document))
        elif path is not None:
            write_whole(path, draw(document), option)
