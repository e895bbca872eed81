"""Trees made for the checkers: clean ones, and such with a violation planted."""

from __future__ import annotations

import tempfile
import unittest
from collections.abc import Callable, Mapping
from pathlib import Path

from arrows import closure


class PlantedTree(unittest.TestCase):
    """A test that writes trees of its own."""

    def tree(self, files: Mapping[str, str]) -> Path:
        """Write `files` into a new directory and return it."""
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        for path, text in files.items():
            file = Path(holder.name) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return Path(holder.name).resolve()

    def assert_each_named_once(
        self,
        check: Callable[[Path], tuple[list[str], int]],
        clean: Mapping[str, str],
        planted: Mapping[str, tuple[str, str]],
        line: str,
    ) -> None:
        """See exactly one line for each planted file, which matches `line`; {} in it is the file."""
        for kind, (path, text) in planted.items():
            with self.subTest(kind):
                violations, _ = check(self.tree({**clean, path: text}))
                self.assertEqual(len(violations), 1, violations)
                self.assertRegex(violations[0], line.format(path))

    def assert_no_cycle(self, arrows: Mapping[str, tuple[str, ...]]) -> None:
        """See no folder reach itself through another."""
        for folder, targets in arrows.items():
            for target in targets:
                self.assertNotIn(folder, closure(arrows, target))
