"""tests/conformance: which cases `run.py --seeds` runs, which `make soak` takes its random programs from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "conformance"
sys.path.insert(0, str(FOLDER))
from cases import CASES  # noqa: E402


def test_random_programs_alone_get_other_seeds() -> None:
    drawn = [(case, of) for case in CASES if (of := case.of_seeds(7, 500)) is not None]
    assert drawn
    for case, of in drawn:
        assert case.program == "p2p_random" and len(case.arguments) == 2 and not case.is_long and case.pairs != 0
        assert of.arguments == ("7", "500") and of.settings == case.settings and of.timeout_s == case.timeout_s + 500
    named = " ".join(case.name() for case, _ in drawn)
    for way in ("GAPLESS_FORCE=1", "GAPLESS_WAY=kernel", "GAPLESS_WAY=entries", "MEMORY=alloc", "MEMORY=window"):
        assert way in named


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--seeds", "7"], "argument --seeds: invalid seeds value: '7'"),
        (["--seeds", "7:0"], "argument --seeds: invalid seeds value: '7:0'"),
        (["--seeds", "7:5", "--few"], "argument --few: not allowed with argument --seeds"),
    ],
)
def test_seeds_that_are_none(words: list[str], says: str) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "run.py"), *words], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2 and says in done.stderr
