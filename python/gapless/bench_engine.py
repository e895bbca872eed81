"""The engine against its rivals: hand-written loops, MPI libraries, memcpy, and what the memory allows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from statistics import median
from typing import Any

from gapless.display import console, plain_table

Line = dict[str, Any]


def rows_of(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """Return a row per case, operation, size, temperature, chunk and rival: the rival's speed, and ours to it."""
    sets: dict[tuple[Any, ...], list[Line]] = {}
    for line in lines:
        if line.get("kind") == "samples":
            key = tuple(line[name] for name in ("case", "op", "bytes", "temperature"))
            sets.setdefault(key, []).append(line)
    rows = []
    for (case, op, size, temperature), of in sets.items():
        ours = next(line for line in of if line["rival"] == "gapless" and line["chunk"] == 0)
        for line in of:
            ratio = median(theirs / mine for theirs, mine in zip(line["samples"], ours["samples"], strict=True))
            if line["rival"] == "limit":
                moved = line["lines"] * 64 + size + (line["partial_lines"] * 64 if op == "unpack" else 0)
                ratio *= moved / (2 * line["lines"] * 64)
            name = line["rival"] if line["chunk"] == 0 else f"whole, by chunks of {line['chunk']}"
            if line["chunk"]:
                ratio = 1 / ratio
            rows.append(
                {"case": case, "op": op, "bytes": size, "temperature": temperature, "rival": name, "loop": line["loop"],
                 "gb_per_s": size / median(line["samples"]), "ratio": ratio}
            )  # fmt: skip
    return rows


def main() -> None:
    """Print the table of what the measuring program prints, read from standard input."""
    lines = [json.loads(row) for row in sys.stdin if row.startswith("{")]
    table = plain_table(
        "Gapless' speed to the rival's", ["case", "op", "caches", "bytes", "rival", "loop", "GB/s", "ratio"], left=3
    )
    for row in rows_of(lines):
        table.add_row(
            row["case"], row["op"], row["temperature"], f"{row['bytes']:,}", row["rival"], row["loop"],
            f"{row['gb_per_s']:.2f}", f"{row['ratio']:.2f}",
        )  # fmt: skip
    console().print(table)


if __name__ == "__main__":
    main()
