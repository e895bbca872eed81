"""The built-in rules of the layer, made of what `gapless tune` measured on the machines that are known.

gapless tune --mpi all --out docs/results/tune/MACHINE      # on each machine, also with --two-nodes
python -m gapless.tune.default_rules                        # writes src/preload/policy/defaults.rules
"""

from __future__ import annotations

from pathlib import Path

from gapless.launch.rules import NATIVE, PACKED, Section, Table, rules_text
from gapless.paths import REPOSITORY
from gapless.tune.measure import kept_measurements, section_of

RESULTS = REPOSITORY / "docs" / "results" / "tune"
RULES = REPOSITORY / "src" / "preload" / "policy" / "defaults.rules"
# What MPI_Get_library_version contains, in the order in which the layer looks: Intel's text must not match MPICH's.
LIBRARIES = ("Intel(R) MPI", "Open MPI", "MPICH")
ANY = 1 << 30
# What `gapless tune` does not measure: the longest mean run [bytes] that is packed.
#
# MPI_Alltoallw is not made of sends like the program's: what MPICH does with a datatype costs more than two copies
# however long the runs, Open MPI copies runs of a kilobyte faster than we could, and so does Intel MPI if one of the
# two ends is contiguous; if none is, it is slow where more processes than cores take part. `gapless bench fft` has
# both kinds: a slab's redistribution has one contiguous end, a pencil's first one has none.
EXCHANGE_READY = {"Intel(R) MPI": 128, "Open MPI": 128}
EXCHANGE = {"Intel(R) MPI": 4096, "Open MPI": 128}
# Runs of 400 bytes gain on every library that was measured, runs of 4000 on none beyond doubt
# (docs/results/one_sided.md).
FILES = 512


def limit(operation: str, longest_run: int) -> Table:
    """Return the table that packs runs up to a length."""
    if longest_run >= ANY:
        return Table(operation, "*", "*", (4,), {32: PACKED})
    return Table(operation, "*", "*", (longest_run, 2 * longest_run), {32: PACKED + NATIVE})


def fixed_tables(library: str) -> tuple[Table, ...]:
    """Return the tables of what is not measured."""
    return (
        limit("exchange-ready", EXCHANGE_READY.get(library, ANY)),
        limit("exchange", EXCHANGE.get(library, ANY)),
        limit("write", FILES),
        limit("read", FILES),
    )


def default_sections(results: Path = RESULTS) -> list[Section]:
    """Return the sections: a library's from all machines, what was not measured at a distance packed; others packed."""
    measured = [(path, one) for path in sorted(results.glob("*/*.json")) for one in kept_measurements(path)]
    sections = []
    for library in LIBRARIES:
        of = [one for _, one in measured if library in one.mpi_library]
        machines = sorted({path.parent.name for path, one in measured if library in one.mpi_library})
        section = section_of(library, "", of)
        made = f"of docs/results/tune: {', '.join(machines)}" if machines else ""
        tables = (limit("*", ANY), *fixed_tables(library), *section.tables)
        # Where pairing was not measured: nothing is said, and the 16 KiB of rules.hpp hold.
        sections.append(Section(library, made, tables, section.smallest_paired))
    return [*sections, Section("*", "", (limit("*", ANY), *fixed_tables("*")))]


def write_default_rules(results: Path = RESULTS, into: Path = RULES) -> None:
    """Write the built-in rules."""
    comments = ["The built-in rules. Written by `python -m gapless.tune.default_rules`: do not edit (docs/tuning.md)."]
    into.write_text(rules_text("", default_sections(results), comments), encoding="utf-8")


if __name__ == "__main__":
    write_default_rules()
