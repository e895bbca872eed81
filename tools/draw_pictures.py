#!/usr/bin/env python3
"""Draw the pictures of datatypes that README and docs show.

.venv/bin/python tools/draw_pictures.py [FOLDER]        # default: docs/pictures
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PICTURES = {
    "indexed": ["--count", "2", "indexed([2, 1, 4], [0, 4, 7], double)"],
    "face": ["subarray([6, 8, 10], [4, 6, 1], [1, 1, 1], C, double)"],
    "column": ["resized(0, 8, vector(100, 1, 100, double))"],
}


def main() -> None:
    """Run the command."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "docs" / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, arguments in PICTURES.items():
        # The plan names the kernels in force: those that every machine has.
        subprocess.run(
            [sys.executable, "-m", "gapless", "explain", *arguments, "--svg", str(folder / f"{name}.svg")],
            env=os.environ | {"GAPLESS_ISA": "baseline"}, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
