"""Compares the suite under the layer with the suite without it, test by test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from suite import SuiteRun, TestOutcome, module_of

ABSENT = TestOutcome(("not there",))


@dataclass(frozen=True)
class Difference:
    """A test whose outcome is another one under the layer."""

    test: str
    without: tuple[str, ...]
    under: tuple[str, ...]
    text: str
    flaky: bool  # it has several outcomes without the layer, too
    again: bool  # under the layer it differs in the repetition as well


def differing(without: SuiteRun, under: SuiteRun) -> list[str]:
    """Return the tests whose outcomes are not the same on every rank."""
    names = dict.fromkeys([*without.tests, *under.tests])
    return [n for n in names if without.tests.get(n, ABSENT).outcomes != under.tests.get(n, ABSENT).outcomes]


def modules_of(tests: Sequence[str]) -> tuple[str, ...]:
    """Return the modules of some tests, each once, in order."""
    return tuple(sorted({module_of(test) for test in tests if module_of(test).startswith("test_")}))


def compare(
    without: SuiteRun, under: SuiteRun, repeat: Callable[[tuple[str, ...]], tuple[Sequence[SuiteRun], SuiteRun]]
) -> list[Difference]:
    """Return the differences, each judged by repeating the modules in which there are some.

    Parameters
    ----------
    without, under : SuiteRun
        The suite without and under the layer.
    repeat : callable
        Runs some modules again: several times without the layer, to see which tests have several outcomes there, and
        once under it.
    """
    names = differing(without, under)
    if not names:
        return []
    modules = modules_of(names)
    baselines, repeated = repeat(modules) if modules else ((), SuiteRun())
    differences = []
    for name in names:
        first, changed = without.tests.get(name, ABSENT), under.tests.get(name, ABSENT)
        repeats = [run.tests.get(name, first).outcomes for run in baselines]
        differences.append(
            Difference(
                name,
                first.outcomes,
                changed.outcomes,
                changed.text or first.text,
                flaky=any(outcomes != first.outcomes for outcomes in repeats),
                again=repeated.tests.get(name, changed).outcomes != first.outcomes,
            )
        )
    return differences
