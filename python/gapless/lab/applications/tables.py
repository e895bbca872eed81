"""The rows of the applications as a table, as tab-separated text, and what they say in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from gapless.display import plain_table
from gapless.lab.applications.catalogue import WAYS
from gapless.lab.applications.judged import TYPES, Answer, Row, answers_of
from gapless.lab.better_of import SLOWER, UNDECIDED, Stand
from gapless.lab.report.texts import us_text

COLUMNS = (
    "library", "program", "ranks", "size", "weak", "call", "sent_bytes", "launches",
    *(f"{way}_us" for way in WAYS), *(f"{way}_layer_us" for way in WAYS), "best",
    *(f"{way}_{what}" for way in WAYS for what in ("to_others", "others_low", "others_high", "others_verdict")),
    *(f"{way}_{what}" for way in WAYS for what in ("to_best", "low", "high", "verdict")),
)  # fmt: skip

# An end of an interval beyond it says nothing: too few launches.
UNKNOWN = 100


def _cells(stand: Stand | None) -> list[str]:
    if stand is None:
        return [""] * 4
    return [f"{stand.ratio:.3f}", f"{stand.ci_low:.3f}", f"{stand.ci_high:.3f}", stand.verdict]


def tsv(rows: Sequence[Row]) -> str:
    """Return every row, tab-separated, below the names of the columns."""
    lines = [COLUMNS] + [
        (
            row.library, row.program, str(row.ranks), row.size, "yes" if row.weak else "no", row.call,
            str(row.sent_bytes), str(row.launches),
            *(f"{times[way]:.3f}" if way in times else "" for times in (row.native_us, row.layer_us) for way in WAYS),
            row.best or UNDECIDED,
            *(cell for stands in (row.native, row.layer) for way in WAYS for cell in _cells(stands.get(way))),
        )
        for row in rows
    ]  # fmt: skip
    return "".join("\t".join(line) + "\n" for line in lines)


def stand_text(stand: Stand | None) -> str:
    """Return a ratio with its interval, marked where it is proved to be a loss."""
    if stand is None:
        return ""
    mark = "!" if stand.verdict == SLOWER else ""
    high = f"{stand.ci_high:.2f}" if stand.ci_high < UNKNOWN else "∞"
    return f"×{stand.ratio:.2f}{mark} {stand.ci_low:.2f}-{high}"


def answer_sentence(answer: Answer) -> str:
    """Return what a library's rows say together."""
    wins = ", ".join(f"{way} in {n}" for way, n in answer.wins.items() if way in WAYS)
    said = f"{answer.library}: without the layer the fastest way is proved to be {wins} rows; in "
    said += f"{answer.wins[UNDECIDED]} nothing is decided"
    if answer.ratio is None:
        return said
    return said + (
        f"; a datatype under the layer takes {answer.ratio:.2f} of the best way without it (geometric mean of "
        f"{answer.of}): proved more than 5 % slower in {answer.loses}, proved not in {answer.dominates}"
    )


def print_rows(out: Console, rows: Sequence[Row]) -> None:
    """Print a table for each library, and its answer."""
    for library in dict.fromkeys(row.library for row in rows):
        table = plain_table(
            f"{library}: one exchange [µs]; +: under the layer, to the best way without it",
            ["program", "ranks", "call", *WAYS, "wins", *(f"{way} to others" for way in TYPES),
             *(f"+ {way}" for way in TYPES), *(f"+ {way} to best" for way in TYPES)], left=1,
        )  # fmt: skip
        for row in (row for row in rows if row.library == library):
            table.add_row(
                row.program, f"{row.ranks}{' weak' if row.weak else ''}", row.call,
                *(us_text(row.native_us[way]) if way in row.native_us else "" for way in WAYS), row.best or "-",
                *(stand_text(row.native.get(way)) for way in TYPES),
                *(us_text(row.layer_us[way]) if way in row.layer_us else "" for way in TYPES),
                *(stand_text(row.layer.get(way)) for way in TYPES),
            )  # fmt: skip
        out.print(table)
    for answer in answers_of(rows):
        out.print(answer_sentence(answer), soft_wrap=True, markup=False)
