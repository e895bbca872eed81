"""The built-in rules of the layer, made of what `gapless tune` measured on the machines that are known.

gapless tune --mpi all --out docs/results/tune/MACHINE      # on each machine, also with --two-nodes
python -m gapless.tune.default_rules                        # writes src/preload/policy/defaults.rules
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gapless.launch.rules import NATIVE, PACKED, Section, Table, rules_text
from gapless.paths import REPOSITORY
from gapless.tune.measure import Measured, kept_measurements, section_of, split_range

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


# The first word of a machine's folder in docs/results/tune, and what its processors say of who made them.
VENDORS = {"amd": "AuthenticAMD", "intel": "GenuineIntel"}


def vendor_of(machine: str) -> str:
    """Return what a machine's processors say of who made them."""
    return VENDORS.get(machine.partition("-")[0], "")


def measurements(library: str, results: Path = RESULTS) -> list[tuple[str, Measured]]:
    """Return what was measured of a library, each with its machine's name."""
    kept = [(path.parent.name, one) for path in sorted(results.glob("*/*.json")) for one in kept_measurements(path)]
    return [(machine, one) for machine, one in kept if library in one.mpi_library]


def of_vendor(measured: Sequence[tuple[str, Measured]], vendor: str) -> list[Measured]:
    """Return what decides on a vendor's processors: their measurements; of distances that these lack, all machines'."""
    own = [one for machine, one in measured if vendor in ("", vendor_of(machine))]
    return own + [one for _, one in measured if all(one.near != of.near for of in own)]


def default_sections(results: Path = RESULTS) -> list[Section]:
    """Return the sections: a library's for each vendor whose machines were measured, then for others.

    What was not measured at a distance is packed, and so is everything on other libraries.
    """
    sections = []
    for library in LIBRARIES:
        measured = measurements(library, results)
        for vendor in [*sorted({vendor_of(machine) for machine, _ in measured} - {""}), ""]:
            of = of_vendor(measured, vendor)
            machines = sorted({machine for machine, one in measured if one in of})
            section = section_of(library, "", of)
            made = f"of docs/results/tune: {', '.join(machines)}" if machines else ""
            tables = (limit("*", ANY), *fixed_tables(library), *section.tables)
            # Where pairing was not measured: nothing is said, and the 16 KiB of rules.hpp hold.
            # As with distances: what was measured on some machines counts where it was on none of the vendor's.
            split = section.split or split_range([one.split for _, one in measured])
            sections.append(Section(library, made, tables, section.smallest_paired, vendor, split))
    return [*sections, Section("*", "", (limit("*", ANY), *fixed_tables("*")))]


def write_default_rules(results: Path = RESULTS, into: Path = RULES) -> None:
    """Write the built-in rules."""
    comments = ["The built-in rules. Written by `python -m gapless.tune.default_rules`: do not edit (docs/tuning.md)."]
    into.write_text(rules_text("", default_sections(results), comments), encoding="utf-8")


if __name__ == "__main__":
    write_default_rules()
