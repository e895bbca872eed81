"""All subcommands of `gapless`. Each parses, calls one function, and maps its outcome."""

from __future__ import annotations

from gapless.cli.advise import advise
from gapless.cli.bench import bench
from gapless.cli.compare import compare
from gapless.cli.demo import demo
from gapless.cli.doctor import doctor
from gapless.cli.explain import explain
from gapless.cli.measure import measure
from gapless.cli.profile import profile
from gapless.cli.report import report
from gapless.cli.root import root
from gapless.cli.run import add_run
from gapless.cli.tune import tune

app = root()
app.command()(explain)
app.command()(doctor)
app.command()(report)
add_run(app)
app.command(context_settings={"allow_interspersed_args": False})(profile)
app.command()(compare)
app.command()(advise)
app.command()(tune)
app.command()(demo)
app.add_typer(measure, name="measure")
app.add_typer(bench, name="bench")
