#!/usr/bin/env python3
"""Run a notebook in the Python that runs this, and hold its outputs against what its cells promise.

    PYTHON tests/python/run_notebook.py docs/notebooks/layouts.ipynb            # also: are its stored pictures current
    PYTHON tests/python/run_notebook.py docs/notebooks/layouts.ipynb --store    # writes its outputs into it

A cell's metadata lists under `expects` what must be in its output: a text, or after `re:` a regular expression.
The kernels that pictures name are those that every machine has. Needs the extra `notebook`
(tools/run_notebook.sh installs it). The exit status is 1 if a cell fails or an output lacks something; that is said on
stderr.
"""  # noqa: D208

from __future__ import annotations

import argparse
import json
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


def pictures(outputs: list[dict[str, Any]]) -> list[str]:
    """Return what a cell drew."""
    drawn = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    return [text for text in drawn if "<svg" in text]


def other_pictures(stored: list[dict[str, Any]], cells: list[dict[str, Any]]) -> list[str]:
    """Return which cells hold other pictures than they draw now."""
    return [
        f"cell '{old['id']}' holds another picture than it draws: store it again with --store"
        for old, new in zip(stored, cells, strict=True)
        if pictures(old.get("outputs", [])) != pictures(new.get("outputs", []))
    ]


def with_outputs(notebook: dict[str, Any], cells: list[dict[str, Any]]) -> str:
    """Return the notebook's file with the outputs of its cells as they are now, and nothing else changed."""
    for old, new in zip(notebook["cells"], cells, strict=True):
        if old["cell_type"] == "code":
            old["execution_count"], old["outputs"] = new["execution_count"], new["outputs"]
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def run(path: Path, store: bool) -> list[str]:
    """Run the notebook; return what is wrong with it."""
    os.environ["GAPLESS_ISA"] = "baseline"
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
        stored = json.loads(path.read_text(encoding="utf-8"))
        wrong = missing(notebook.cells)
        if not store:
            return wrong + other_pictures(stored["cells"], notebook.cells)
        if not wrong:
            path.write_text(with_outputs(stored, notebook.cells), encoding="utf-8")
        return wrong


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--store", action="store_true", help="write the outputs into the notebook")
    arguments = parser.parse_args()
    found = run(arguments.notebook, arguments.store)
    print(*found, sep="\n\n", file=sys.stderr, end="\n" if found else "")
    if not found:
        print(f"{arguments.notebook}: every cell ran and put out what it promises")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
