#!/usr/bin/env python3
"""Compiles objects with planted violations and sees the checker name each one, and nothing else.

Usage: check_symbols_test.py --compiler CXX --nm NM [UNITTEST_ARGUMENT...]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from check_symbols import check, read_allowed, read_symbols

COMPILER, NM = "c++", "nm"
ALLOWED = "# why\n[*]\nmemcpy\n_GLOBAL_OFFSET_TABLE_\n[kernel/table.cpp]\ngetenv\n"
CLEAN = {
    "kernel/table.cpp": "#include <cstdlib>\nvoid wide();\nchar* name() { wide(); return std::getenv(\"A\"); }\n",
    "kernel/avx2/wide.cpp": "namespace { template <class T> __attribute__((noinline)) T twice(T x)"
                            " { return x + x; } }\nint n; void wide() { n = twice(n); }\n",
    "move/move.cpp": "#include <cstring>\ntemplate <class T> __attribute__((noinline)) void copy(T* a, T* b, int n)"
                     " { std::memcpy(a, b, n); }\nvoid move(char* a, char* b, int n) { copy(a, b, n); }\n",
}  # fmt: skip
VIOLATIONS = {
    "an allocation": ("move/bad.cpp", "int* bad() { return new int; }", "takes operator new(unsigned long)"),
    "a lock": ("move/bad.cpp", "#include <pthread.h>\nvoid bad(pthread_mutex_t* m) { pthread_mutex_lock(m); }",
               "takes pthread_mutex_lock"),
    "what only another file may": ("kernel/bad.cpp", '#include <cstdlib>\nchar* bad() { return std::getenv("A"); }',
                                   "takes getenv"),
    "a template of an instruction set": (
        "kernel/avx2/bad.cpp", "template <class T> __attribute__((noinline)) T thrice(T x) { return 3 * x; }\n"
        "int bad(int x) { return thrice(x); }", "leaves int thrice<int>(int) to the linker"),
    "an inline variable of an instruction set": (
        "kernel/avx512/bad.cpp", "inline int shared = 1;\nint bad() { return shared++; }",
        "leaves shared to the linker"),
}  # fmt: skip


class CheckSymbols(unittest.TestCase):
    """The checker on objects compiled for it."""

    def violations(self, sources: dict[str, str], allowed: str = ALLOWED) -> list[str]:
        """Compile `sources` and return what the checker says."""
        objects = {}
        with tempfile.TemporaryDirectory() as folder:
            for name, text in sources.items():
                source, path = Path(folder, "source.cpp"), Path(folder, "object.o")
                source.write_text(text + "\n", encoding="utf-8")
                # Without exceptions and guards of a distribution's own, so that each object shows what is planted.
                options = ["-std=c++20", "-O2", "-fPIC", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-c"]
                subprocess.run([COMPILER, *options, str(source), "-o", str(path)], check=True)
                objects[name] = read_symbols(NM, path)
        return check(objects, read_allowed(allowed))

    def test_clean_objects_pass(self) -> None:
        """What the data path does today passes."""
        self.assertEqual(self.violations(CLEAN), [])

    def test_each_planted_violation_is_named_once(self) -> None:
        """A planted violation gives exactly one line, which names the source and the symbol."""
        for kind, (source, text, said) in VIOLATIONS.items():
            with self.subTest(kind):
                violations = self.violations(CLEAN | {source: text})
                self.assertEqual(len(violations), 1, violations)
                self.assertTrue(violations[0].startswith(f"{source}: {said}"), violations)

    def test_a_section_without_an_object_is_named(self) -> None:
        """An allowance for a file that is gone does not stay."""
        self.assertEqual(
            self.violations(CLEAN, ALLOWED + "[kernel/gone.cpp]\nmalloc\n"),
            ["kernel/gone.cpp: in the allow-list, but there is no such object"],
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default=COMPILER)
    parser.add_argument("--nm", default=NM)
    arguments, rest = parser.parse_known_args()
    COMPILER, NM = arguments.compiler, arguments.nm
    unittest.main(argv=[sys.argv[0], *rest])
