#!/usr/bin/env python3
"""Run a notebook in the Python that runs this, and hold its outputs against what its cells promise.

    PYTHON tests/python/run_notebook.py docs/notebooks/layouts.ipynb [--output WITH_OUTPUTS.ipynb]

A cell's metadata lists under `expects` what must be in its output: a text, or after `re:` a regular expression.
Needs what requirements-notebook.txt lists (tools/run_notebook.sh installs it). The exit status is 1 if a cell fails or
an output lacks something; that is said on stderr.
"""  # noqa: D208

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

SECONDS = 120


def text_of(outputs: list[dict[str, Any]]) -> str:
    """Return all that a cell put out, as one text."""
    texts = []
    for output in outputs:
        texts += [output["text"]] if "text" in output else []
        texts += [value for kind, value in output.get("data", {}).items() if kind.startswith("text/")]
    # Pictures group digits with a narrow space.
    return "\n".join(texts).replace("\u202f", " ")


def missing(cells: list[dict[str, Any]]) -> list[str]:
    """Return what outputs lack."""
    found = []
    for cell in cells:
        text = text_of(cell.get("outputs", []))
        for expected in cell["metadata"].get("expects", []):
            regular = expected.startswith("re:")
            if not (re.search(expected[3:], text) if regular else expected in text):
                found.append(f"cell '{cell['id']}' should have put out {expected!r}, but:\n{text[:1000]}")
    return found


def run(path: Path, output: Path | None) -> list[str]:
    """Run the notebook; return what is wrong with it."""
    with tempfile.TemporaryDirectory() as folder:
        # Nothing that the user has set up is asked, nothing is left in the user's folders.
        for name in ("JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            os.environ[name] = folder
        import nbformat
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError
        from traitlets.config import Config

        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        settings = Config()
        settings.KernelManager.transport, settings.KernelManager.ip = "ipc", f"{folder}/kernel"  # no port is opened
        client = NotebookClient(
            notebook, timeout=SECONDS, kernel_name="python3", config=settings, resources={"metadata": {"path": folder}}
        )
        try:
            client.execute()
        except CellExecutionError as error:
            return [re.sub(r"\x1b\[[0-9;]*m", "", str(error))]
        if output is not None:
            nbformat.write(notebook, output)
        return missing(notebook.cells)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--output", type=Path, help="write it with its outputs")
    arguments = parser.parse_args()
    found = run(arguments.notebook, arguments.output)
    print(*found, sep="\n\n", file=sys.stderr, end="\n" if found else "")
    if not found:
        print(f"{arguments.notebook}: every cell ran and put out what it promises")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
