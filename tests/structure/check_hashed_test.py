#!/usr/bin/env python3
"""Leaves files out of a small tree's hash, one at a time, and sees the checker name each."""

from __future__ import annotations

import unittest
from pathlib import Path

from check_hashed import missing, sources_of
from planted import PlantedTree

TREE = {
    "src/preload/p2p/send.cpp": '#include "move/move.hpp"\n#include "preload/policy/strategy.hpp"\n',
    "src/preload/policy/strategy.hpp": '#include "mpi/types/datatype.hpp"\n',
    "src/preload/policy/strategy.cpp": '  # include "preload/policy/defaults.inc"\n',
    "src/preload/policy/defaults.rules": "",
    "src/mpi/types/datatype.hpp": '#include "mpi/abi/procedures.def"\n',
    "src/mpi/abi/procedures.def": "",
    "src/move/move.hpp": "",
}
SOURCES = ("src/preload/p2p/send.cpp", "src/preload/policy/strategy.cpp")


class CheckHashed(PlantedTree):
    """The checker on a tree made for it."""

    def setUp(self) -> None:
        """Write the tree."""
        self.root = self.tree(TREE)
        self.sources = {self.root / path for path in SOURCES}
        self.hashed = {self.root / path for path in TREE if not path.startswith("src/move")}

    def test_all_hashed(self) -> None:
        """Every source, header, table and what a generated file is made of; not the engine."""
        self.assertEqual(missing(self.root, self.sources, self.hashed), ([], len(self.hashed)))

    def test_each_one_left_out_is_named(self) -> None:
        """Nothing may be left out, however it is reached."""
        for path in self.hashed:
            with self.subTest(path):
                left_out, _ = missing(self.root, self.sources, self.hashed - {path})
                self.assertEqual(left_out, [path.relative_to(self.root).as_posix()])

    def test_what_is_generated_of_nothing_known(self) -> None:
        """A generated file without a namesake among the sources is named itself."""
        (self.root / "src/preload/p2p/send.cpp").write_text('#include "preload/p2p/made.inc"\n')
        self.assertEqual(missing(self.root, self.sources, self.hashed)[0], ["src/preload/p2p/made.inc"])

    def test_source_of_an_object(self) -> None:
        """As CMake names objects below a folder of the build."""
        binary = Path("/build")
        built = binary / "src/preload/CMakeFiles/gapless_wrappers_mpich.dir/p2p/send.cpp.o"
        self.assertEqual(sources_of(self.root, binary, built), {self.root / "src/preload/p2p/send.cpp"})

    def test_sources_of_a_unit(self) -> None:
        """A unit is a file of the build, that includes its sources by their whole paths."""
        binary = self.root / "build"
        built = binary / "src/preload/CMakeFiles/gapless_wrappers_openmpi.dir/Unity/unity_0_cxx.cxx.o"
        built.parent.mkdir(parents=True)
        sources = {self.root / "src/preload" / name for name in ("p2p/send.cpp", "world/type.cpp")}
        built.with_suffix("").write_text("".join(f'#include "{source}"\n' for source in sources))
        self.assertEqual(sources_of(self.root, binary, built), sources)


if __name__ == "__main__":
    unittest.main()
