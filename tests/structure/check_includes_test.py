#!/usr/bin/env python3
"""Plants violations into a small tree and sees the checker name each one, and nothing else."""

from __future__ import annotations

import unittest

from check_includes import ARROWS, check
from planted import PlantedTree

CLEAN = {
    "include/gapless/gapless.h": "#include <stdint.h>\n",
    "src/base/status.hpp": "#include <string>\n",
    "src/layout/tree.hpp": '#include "base/status.hpp"\n#include "node.hpp"\n',
    "src/layout/node.hpp": "",
    "src/normal/form.hpp": '#include "layout/tree.hpp"\n',
    "src/kernel/copy.cpp": "#include <immintrin.h>\n",
    "src/plan/plan.hpp": '#include "normal/form.hpp"\n#include "layout/tree.hpp"\n',
    "src/move/pack.cpp": '#include "plan/plan.hpp"\n// #include "preload/interpose/front.hpp"\n',
    "src/mpi/abi/abi.hpp": "#include <mpi.h>\n",
    "src/mpi/types/decode.cpp": '#include "mpi/abi/abi.hpp"\n',
    "src/mpi/staging/pool.hpp": '#include "base/status.hpp"\n',
    "src/preload/procedures.hpp": "",
    "src/preload/policy/rules.hpp": '#include "preload/procedures.hpp"\n#include "mpi/abi/abi.hpp"\n',
    "src/preload/requests/request_entry.hpp": '#include "preload/policy/rules.hpp"\n',
    "src/preload/p2p/send.cpp": '#include "preload/requests/request_entry.hpp"\n#include "plan/plan.hpp"\n',
    "src/preload/interpose/front.hpp": '#include "preload/procedures.hpp"\n',
    "src/preload/interpose/static/front.cpp": '#include "preload/interpose/front.hpp"\n',
    "tests/support/oracle.hpp": '#include "layout/tree.hpp"\n#include <gtest/gtest.h>\n',
    "tests/unit/plan_test.cpp": '#include "support/oracle.hpp"\n#include "plan/plan.hpp"\n',
    "tests/support/random_type.hpp": "",
    "lab/cases.cpp": "#include <mpi.h>\n",
    "lab/exchange/type_map.cpp": '#include "support/oracle.hpp"\n#include "../case.hpp"\n',
    "lab/case.hpp": "",
    "python/extension/type.hpp": '#include "gapless/gapless.h"\n#include <nanobind/nanobind.h>\n',
    "python/extension/type.cpp": '#include "type.hpp"\n',
}
VIOLATIONS = {
    "against the arrow": ("src/layout/bad.cpp", '#include "plan/plan.hpp"\n'),
    "against the arrow, by a relative path": ("src/layout/bad.cpp", '#include "../plan/plan.hpp"\n'),
    "against the arrow, in angle brackets": ("src/base/bad.hpp", "  #  include <layout/tree.hpp>\n"),
    "against the arrow, a generated header": ("src/kernel/bad.cpp", '#include "plan/generated.hpp"\n'),
    "sideways": ("src/kernel/bad.cpp", '#include "layout/tree.hpp"\n'),
    "mpi.h in the engine": ("src/move/bad.cpp", "#include <mpi.h>\n"),
    "mpi.h in an engine test": ("tests/unit/bad.cpp", '#include "mpi.h"\n'),
    "intrinsics outside kernel": ("src/move/bad.cpp", "#include <immintrin.h>\n"),
    "the oracle looks at the plan": ("tests/support/bad.hpp", '#include "plan/plan.hpp"\n'),
    "the product knows its tests": ("src/plan/bad.cpp", '#include "support/oracle.hpp"\n'),
    "the lab knows a test": ("lab/exchange/bad.cpp", '#include "support/random_type.hpp"\n'),
    "another program of the lab knows the oracle": ("lab/bad.cpp", '#include "support/oracle.hpp"\n'),
    "a public header needs src": ("include/gapless/bad.h", '#include "base/status.hpp"\n'),
    "the Python extension looks behind the C interface": ("python/extension/bad.cpp", '#include "plan/plan.hpp"\n'),
    "a folder outside the flow": ("src/misc/bad.cpp", ""),
    "a file in no folder": ("src/bad.cpp", ""),
    "requests look at a wrapper": ("src/preload/requests/bad.cpp", '#include "preload/p2p/send.hpp"\n'),
    "policy looks at requests": ("src/preload/policy/bad.cpp", '#include "preload/requests/request_entry.hpp"\n'),
    "p2p looks at collectives": ("src/preload/p2p/bad.cpp", '#include "preload/collectives/blocks.hpp"\n'),
    "a wrapper looks at the front": ("src/preload/world/bad.cpp", '#include "preload/interpose/front.hpp"\n'),
    "what all rooms see looks into one": ("src/preload/bad.hpp", '#include "preload/policy/rules.hpp"\n'),
    "the protocol knows libfabric": ("src/channel/bad.cpp", "#include <rdma/fabric.h>\n"),
    "staging knows MPI": ("src/mpi/staging/bad.cpp", '#include "mpi/abi/abi.hpp"\n'),
    "the library's table looks at types": ("src/mpi/abi/bad.cpp", '#include "mpi/types/decode.hpp"\n'),
}


class CheckIncludes(PlantedTree):
    """The checker on trees made for it."""

    def test_clean_tree_passes(self) -> None:
        """Every legal kind of include passes."""
        self.assertEqual(check(self.tree(CLEAN)), ([], len(CLEAN)))

    def test_each_planted_violation_is_named_once(self) -> None:
        """A planted violation gives exactly one line, which names its file and line."""
        self.assert_each_named_once(check, CLEAN, VIOLATIONS, "^{}:1: ")

    def test_arrows_have_no_cycle(self) -> None:
        """No folder reaches itself through another."""
        self.assert_no_cycle(ARROWS)

    def test_empty_tree_reads_nothing(self) -> None:
        """An empty tree is recognisable: zero files."""
        self.assertEqual(check(self.tree({})), ([], 0))


if __name__ == "__main__":
    unittest.main()
