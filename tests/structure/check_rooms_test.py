#!/usr/bin/env python3
"""Plants violations into a small package and sees the checker name each one, and nothing else."""

from __future__ import annotations

import unittest

from check_rooms import ARROWS, check
from planted import PlantedTree

PACKAGE = "python/gapless/"
CLEAN = {
    PACKAGE + "__init__.py": "",
    PACKAGE + "__main__.py": "from gapless.cli.main import main\n",
    PACKAGE + "_engine.pyi": "",
    PACKAGE + "errors.py": "",
    PACKAGE + "datatype.py": "def draw():\n    from gapless import picture\n    from gapless import _engine\n",
    PACKAGE + "picture/__init__.py": "from .drawing import svg\n",
    PACKAGE + "picture/drawing.py": "import gapless.picture.view\n",
    PACKAGE + "picture/view.py": "",
    PACKAGE + "launch/__init__.py": "",
    PACKAGE + "launch/run.py": "from gapless import __version__\nfrom ..errors import GaplessError\n",
    PACKAGE + "lab/__init__.py": "",
    PACKAGE + "lab/measure.py": "from gapless.lab.layouts import layout\nfrom gapless.launch.run import run\n",
    PACKAGE + "lab/layouts/__init__.py": "",
    PACKAGE + "lab/layouts/layout.py": "import os, sys\n",
    PACKAGE + "lab/report/__init__.py": "",
    PACKAGE + "lab/report/page.py": "from gapless.lab import measure\nimport gapless.errors as errors\n",
    PACKAGE + "cli/__init__.py": "",
    PACKAGE + "cli/main.py": "from gapless.lab.report.page import page\nfrom gapless import picture\n",
    "tests/python/test_run.py": "from gapless.launch.run import run\nwords = ['-m', 'gapless.cli.main']\n",
    "tools/set_up.sh": "python -m gapless.cli.main\nfrom gapless.cli.main import main\n",
    "pyproject.toml": 'gapless = "gapless.cli.main:main"\n',
    "docs/results/demo.md": "python -m gapless.gone\n",
}
VIOLATIONS = {
    "against the arrow": ("launch/bad.py", "from gapless.lab.measure import measure, rounds\n"),
    "against the arrow, the module by its package": ("launch/bad.py", "from gapless.lab import measure\n"),
    "against the arrow, the whole module": ("launch/bad.py", "import gapless.lab.measure\n"),
    "against the arrow, by a relative path": ("launch/bad.py", "from ..lab import measure\n"),
    "against the arrow, in a function": ("lab/bad.py", "def f(): from gapless.lab.report import page\n"),
    "against the arrow, for types alone": ("lab/layouts/bad.py", "if 0: from gapless.lab import measure\n"),
    "the command is called": ("lab/report/bad.py", "from gapless.cli.main import main\n"),
    "the root knows a room": ("errors.py", "from gapless.launch import run\n"),
    "the pictures need the root": ("picture/bad.py", "from gapless.errors import GaplessError\n"),
    "a module that is gone": ("cli/bad.py", "from gapless.gone import name\n"),
    "a file at the root that nobody is offered": ("bad.py", ""),
    "a folder that is no room": ("misc/bad.py", ""),
    "a folder in a room that is none": ("cli/misc/bad.py", ""),
}
TEXTS = {
    "a command": ("docs/tuning.md", "`python -m gapless.gone`\n"),
    "a command's words": ("tests/python/bad.py", 'words = ["-m", "gapless.lab.gone"]\n'),
    "a program in a string": ("python/gapless/launch/bad.py", 'code = "import gapless.lab.gone; x()"\n'),
    "an import of a test": ("tests/python/bad.py", "from gapless.gone import name\n"),
    "an entry point": ("pyproject.toml", 'gapless = "gapless.cli:main"\ngone = "gapless.cli.gone:main"\n'),
}


class CheckRooms(PlantedTree):
    """The checker on packages made for it."""

    def test_clean_tree_passes(self) -> None:
        """Every legal kind of import, and every module that a text names, passes."""
        modules = sum(path.startswith(PACKAGE) and path.endswith(".py") for path in CLEAN)
        self.assertEqual(check(self.tree(CLEAN)), ([], modules))

    def test_each_planted_violation_is_named_once(self) -> None:
        """A planted violation gives exactly one line, which names its file and line."""
        planted = {kind: (PACKAGE + path, text) for kind, (path, text) in VIOLATIONS.items()}
        self.assert_each_named_once(check, CLEAN, planted, "^{}:1: ")

    def test_each_text_that_names_no_module_is_named_once(self) -> None:
        """So does a text that names a module which is not there."""
        self.assert_each_named_once(check, CLEAN, TEXTS, r"^{}:\d: names gapless[.\w]*gone: ")

    def test_arrows_have_no_cycle(self) -> None:
        """No room reaches itself through another."""
        self.assert_no_cycle(ARROWS)

    def test_empty_tree_reads_nothing(self) -> None:
        """An empty tree is recognisable: zero files."""
        self.assertEqual(check(self.tree({})), ([], 0))


if __name__ == "__main__":
    unittest.main()
