"""`gapless measure apps`: what the shell sees of the exchanges of applications."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

from gapless.cli.experiment import (
    EXTENT,
    KEPT,
    MPI,
    SHOWN,
    WHERE,
    known,
    list_plan,
    measure,
    out_option,
    settings_of,
    words,
)
from gapless.cli.options import Data, Row, with_options

if TYPE_CHECKING:
    from gapless.lab.apps.settings import AppsSettings
    from gapless.lab.measure import Session

OPTIONS = (
    Row("preset", str, "standard",
        "quick (3 minutes at most), standard (30 minutes at most), or paper (10 launches of 20, constant data)."),
    MPI,
    Row("tests", str, None, "Of DDTBench: WRF_x_vec, WRF, NAS_MG, ... or all; with commas.", metavar="NAMES"),
    Row("only", str, None, "Only exchanges whose 'NAME BYTES' matches.", "--filter", metavar="GLOB"),
    Row("larger", bool, None, "Also the sizes of the study of 2022, up to 24 MB (default: in the preset standard).",
        "--larger/--no-larger"),
    Row("compilers", str, None, "Of the loops by hand: c, clang, fortran (default: all that the build has).",
        metavar="NAMES"),
    Row("data", Data, None, "fresh: the sender writes its data before each message (default); constant: never again "
        "(preset paper)."),
    Row("cache", str, None, "warm (default) or cold.", metavar="NAME"),
    *EXTENT,
    *WHERE,
    out_option("apps"),
    *KEPT,
    *SHOWN,
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
    if given.listed:
        list_plan(settings)
        return
    measure(settings, given, lambda session: _show(session, given.json))


def _settings(given: SimpleNamespace) -> AppsSettings:
    """Return the settings of the preset, or of the run that goes on, with what was given changed."""
    from gapless.lab.apps.cases import TESTS, named_tests
    from gapless.lab.apps.plan import HAND
    from gapless.lab.apps.settings import PRESETS

    tests = list(TESTS) if given.tests == "all" else named_tests(words(given.tests))
    compilers = [f"hand_{name}" for name in words(given.compilers)]
    settings = settings_of(
        given, OPTIONS, PRESETS,
        tests=tests, compilers=known(compilers, HAND, "--compilers"), only=given.only, larger=given.larger,
        cache=(known(words(given.cache), ("warm", "cold"), "--cache") or [None])[0],
        data=given.data.value if given.data else None,
    )  # fmt: skip
    # Who names an exchange wants it, also where the quick preset would leave it out.
    return replace(settings, names=()) if given.only and not given.resume else settings


def _show(session: Session, as_json: bool) -> None:
    from gapless.display import console
    from gapless.lab.apps.rows import rows_of
    from gapless.lab.apps.tables import print_rows, tsv

    rows = rows_of(session.run())
    if as_json:
        print(json.dumps([row.as_json() for row in rows], indent=1))
    elif not sys.stdout.isatty():
        print(tsv(rows), end="")
    else:
        print_rows(console(), rows)
