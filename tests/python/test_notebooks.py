"""The stored notebooks: with what their cells put out, pictures above all. tools/run_notebook.sh runs them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from gapless.paths import REPOSITORY
from run_notebook import missing, other_pictures, pictures

NOTEBOOKS = sorted((REPOSITORY / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_stored_with_their_pictures(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    assert text == json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    promising = 0
    for cell in notebook["cells"]:
        assert re.fullmatch(r"[a-z-]+", cell["id"])
        assert set(cell["metadata"]) <= {"expects"}
        if cell["cell_type"] == "code":
            assert cell["execution_count"] is not None
            assert bool(pictures(cell["outputs"])) == ("<svg" in cell["metadata"]["expects"])
            promising += bool(cell["metadata"]["expects"])
    assert promising > 5
    assert missing(notebook["cells"]) == []


def test_a_picture_that_is_not_current_is_found() -> None:
    def cell(picture: str) -> dict[str, object]:
        return {"id": "a", "outputs": [{"data": {"text/html": picture}}, {"text": "now\n"}]}

    assert other_pictures([cell("<svg>1</svg>")], [cell("<svg>1</svg>")]) == []
    assert "'a' holds another picture" in other_pictures([cell("<svg>1</svg>")], [cell("<svg>2</svg>")])[0]
    assert other_pictures([{"id": "a", "outputs": []}], [cell("<svg>2</svg>")])


def test_an_output_that_breaks_a_promise_is_found() -> None:
    output = {"data": {"text/plain": "12\u202f345 of 8"}}
    cell = {"id": "a", "metadata": {"expects": ["12 345", "re:of [0-9]$"]}, "outputs": [output, {"text": "x\n"}]}
    assert missing([cell]) == ["cell 'a' should have put out 're:of [0-9]$', but:\n12 345 of 8\nx\n"]
    cell["metadata"] = {"expects": ["12 345", "re:of [0-9]\nx"]}
    assert missing([cell]) == []
    assert "''" in missing([{"id": "b", "metadata": {"expects": ["''"]}, "outputs": []}])[0]
