"""The rules that `gapless tune` measures: their text (docs/tuning.md), and where it lies for whom."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gapless.errors import GaplessError
from gapless.launch.processor import cpu_model
from gapless.paths import preload_object

VERSION = 1
SETTING = "GAPLESS_RULES"
ENDING = ".rules"
LONGEST_NAME = 64
PACKED, NATIVE, PAST = "+", "-", ">"
NEVER = "never"


def slug(text: str) -> str:
    """Return a text as a file's name: small letters and digits, '-' for all between them.

    The layer does the same with what a library calls itself (src/preload/policy/rules.cpp), up to the first comma.
    """
    name = ""
    for word in re.findall("[a-z0-9]+", text.lower()):
        longer = f"{name}-{word}" if name else word
        if len(longer) > LONGEST_NAME:
            return longer[:LONGEST_NAME].rstrip("-")
        name = longer
    return name


def library_slug(mpi_library: str) -> str:
    """Return the name of a library's rules, by the first line of MPI_Get_library_version."""
    return slug(mpi_library.splitlines()[0].partition(",")[0] if mpi_library else "")


def machine_name() -> str:
    """Return what machines of this kind are called: processor and number of processors."""
    rows: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for row in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = row.partition(":")
            rows.setdefault(name.strip(), value.strip())
    numbers = [rows[name] for name in ("cpu family", "model", "stepping", "CPU part") if name in rows]
    return slug(" ".join([cpu_model(), *numbers, str(os.cpu_count() or 1), "cpus"]))


def user_cache(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the user's cache folder for Gapless."""
    named = environment.get("XDG_CACHE_HOME", "")
    base = Path(named) if os.path.isabs(named) else Path(environment.get("HOME") or Path.home()) / ".cache"
    return base / "gapless"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the user's rules for this machine lie."""
    return user_cache(environment) / "rules" / machine_name()


def site_folder() -> Path | None:
    """Return where the rules that a site installed for this machine would lie: beside the layer."""
    try:
        prefix = preload_object().parent.parent
    except GaplessError:
        return None
    return prefix / "share" / "gapless" / "rules" / machine_name()


def rules_setting(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return what the layer is to be told: the user's own word, or the folders for this machine that are there."""
    if environment.get(SETTING):
        return {SETTING: environment[SETTING]}
    folders = [cache_folder(environment), site_folder()]
    there = [str(folder) for folder in folders if folder and folder.is_dir() and ":" not in str(folder)]
    return {SETTING: ":".join(there)} if there else {}


@dataclass(frozen=True)
class Table:
    """One table: what is decided for messages by their size and the mean length of their runs.

    Attributes
    ----------
    operation, distance, shape : str
        What it is for; ``*`` for all.
    runs : tuple of int
        Lengths in bytes, a column each.
    rows : dict
        For each size in bytes, a ``+`` (packed; of ``paired``: through shared memory), ``-`` (native; not) or ``>``
        (packed past the caches) a column.
    """

    operation: str
    distance: str
    shape: str
    runs: tuple[int, ...]
    rows: Mapping[int, str]

    def text(self) -> list[str]:
        """Return its lines, without rows between two that are like them: the nearest row counts, and says the same."""
        width = max(len(str(size)) for size in self.rows)
        rows = list(self.rows.values())
        needed = [not rows[max(0, k - 1)] == row == rows[min(k + 1, len(rows) - 1)] or k in (0, len(rows) - 1)
                  for k, row in enumerate(rows)]  # fmt: skip
        cells = [f"  {size:>{width}} {row}" for (size, row), it in zip(self.rows.items(), needed, strict=True) if it]
        return [f"runs {' '.join(map(str, self.runs))}", f"table {self.operation} {self.distance} {self.shape}", *cells]


@dataclass(frozen=True)
class Section:
    """What one library's rules say."""

    library: str
    made: str
    tables: tuple[Table, ...]
    smallest_paired: int | str | None = None
    """The smallest message [bytes] from point to point through shared memory, or `NEVER`; `None`: not said."""
    vendor: str = ""
    """On whose processors alone it holds, as /proc/cpuinfo names them (``vendor_id``); empty: on all."""
    split: tuple[int, int] | str | None = None
    """The smallest and the largest packed message [bytes] that goes in two pieces, or `NEVER`; `None`: not said."""

    def text(self) -> list[str]:
        """Return its lines."""
        lines = [f"library {self.library}", *([f"vendor {self.vendor}"] if self.vendor else [])]
        lines += [f"made {self.made}"] if self.made else []
        lines += [] if self.smallest_paired is None else [f"paired {self.smallest_paired}"]
        if self.split is not None:
            lines.append(f"split {NEVER if self.split == NEVER else f'{self.split[0]} {self.split[1]}'}")
        runs: tuple[int, ...] = ()
        for table in self.tables:
            lines += table.text()[0 if table.runs != runs else 1 :]
            runs = table.runs
        return lines


def rules_text(machine: str, sections: Sequence[Section], comments: Sequence[str] = ()) -> str:
    """Return the text of a file of rules."""
    head = [f"gapless-rules {VERSION}", *(f"# {row}" for row in comments), *([f"machine {machine}"] if machine else [])]
    return "\n".join(head + [row for section in sections for row in ("", *section.text())] + ["end"]) + "\n"


def kept_rules(folder: Path) -> list[Path]:
    """Return the files of rules in a folder."""
    return sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else []
