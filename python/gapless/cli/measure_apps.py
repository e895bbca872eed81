"""`gapless measure apps`: what the shell sees of the exchanges of applications."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

from gapless.cli.experiment import known, measure, show_rows, words
from gapless.cli.options import Row, with_options
from gapless.cli.ways import options, ways_settings

if TYPE_CHECKING:
    from gapless.lab.apps.settings import AppsSettings
    from gapless.lab.measure import Session

# Phases are those of two ranks that do the same.
CACHES = ("warm", "cold")
OPTIONS = options(
    "apps",
    "quick (3 minutes at most), standard (30 minutes at most), or paper (10 launches of 20, constant data)",
    Row("tests", str, None, "Of DDTBench: WRF_x_vec, WRF, NAS_MG, ... or all; with commas.", metavar="NAMES"),
    Row("only", str, None, "Only exchanges whose 'NAME BYTES' matches.", "--filter", metavar="GLOB"),
    Row("larger", bool, None, "Also the sizes of the study of 2022, up to 24 MB (default: in the preset standard).",
        "--larger/--no-larger"),
    Row("compilers", str, None, "Of the loops by hand: c, clang, fortran (default: all that the build has).",
        metavar="NAMES"),
    caches=CACHES,
)  # fmt: skip


@with_options(OPTIONS)
def apps(given: SimpleNamespace) -> None:
    """Send what applications send: the sixteen tests of DDTBench, in every way in which they could be sent.

    Each exchange as a datatype, through MPI_Pack, and packed by the application's own loops in C (and by clang and in
    Fortran, where the build has such a compiler), natively and under the Gapless layer, against the same bytes as an
    array. Phases, overheads, and the layer against the best of the other ways (docs/methods/apps.md).

    [bold]Examples:[/bold]
      gapless measure apps --preset quick --mpi mpich,openmpi,intel --out results/apps
      gapless measure apps --tests WRF,NAS_MG --mpi openmpi --launches 8
      gapless measure apps --preset paper --tests MILC_su3_zd --two-nodes
      gapless measure apps --resume results/apps --budget 10m

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed or data were wrong (the rest is recorded); 2 usage;
    130 interrupted (what was measured is kept, --resume goes on).
    """
    settings = _settings(given)
    measure(settings, given, lambda session: _show(session, given.json))


def _settings(given: SimpleNamespace) -> AppsSettings:
    """Return the settings of the preset, or of the run that goes on, with what was given changed."""
    from gapless.lab.apps.cases import TESTS, named_tests
    from gapless.lab.apps.plan import HAND
    from gapless.lab.apps.settings import PRESETS

    tests = list(TESTS) if given.tests == "all" else named_tests(words(given.tests))
    compilers = [f"hand_{name}" for name in words(given.compilers)]
    settings = ways_settings(
        given, OPTIONS, PRESETS, CACHES,
        tests=tests, compilers=known(compilers, HAND, "--compilers"), only=given.only, larger=given.larger,
    )  # fmt: skip
    # Who names an exchange wants it, also where the quick preset would leave it out.
    return replace(settings, names=()) if given.only and not given.resume else settings


def _show(session: Session, as_json: bool) -> None:
    from gapless.lab.apps.rows import rows_of
    from gapless.lab.apps.tables import print_rows, tsv

    rows = rows_of(session.run())
    show_rows(as_json, [row.as_json() for row in rows], lambda: tsv(rows), lambda out: print_rows(out, rows))
