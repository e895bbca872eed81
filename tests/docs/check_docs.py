#!/usr/bin/env python3
"""Checks what the documentation names: links, headings, files of the repository, figures of the README's table.

Usage: check_docs.py REPOSITORY_ROOT. Prints one line per complaint; exits 1 if there is one, 2 if it read no page.
Needs nothing but the Python standard library, so that it runs before anything is installed.

* A relative link leads to a file or folder; its #fragment is a heading of that page.
* A path in a code span exists: from the root (`tests/docs`), from src/ (`normal/rules`), or, a bare name with a suffix
  (`procedures.def`), anywhere. Without its suffix it names a unit (`plan/joint`). What the build makes and what a user
  names (`build/`, `results/`, FOLDER) is left alone.
* A module that a page runs (`python -m gapless.cli.manual`) exists.
* What is named before it is there stands in tests/docs/planned.txt, a path or a name a line, and leaves it as it comes.
* A page that another file of the repository names (docs/tuning.md) exists.
* A name in the last column of docs/glossary.md stands somewhere in src/, lab/, include/ or python/.
* A block behind `<!-- from FILE -->` stands in FILE, line by line.
* README.md has at most 120 lines, and each figure of its table is the one of the result file that the table names.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path

README_LINES = 120
SKIPPED = {".git", ".venv", "build", "__pycache__", "node_modules", "dist", "results", "third_party"}
# Beside these, what stands in a page is text of a program, which may write any path.
ROOT_FOLDERS = (
    "bench",
    "cmake",
    "docs",
    "examples",
    "include",
    "lab",
    "packaging",
    "python",
    "src",
    "tests",
    "tools",
    ".ci",
)
# Made by the build, by a run, or by an installation: not in the repository.
MADE = re.compile(r"^(build|results|lib|share|man|bin|include/mpi\.h|\.venv|/|~|\$)|(^|/)[A-Z]+(/|$)")
# Files of other projects.
FOREIGN = {"mpi.h", "mpif.h", "pencil.py"}
SUFFIXES = "md|py|pyi|cpp|hpp|h|c|def|inc|txt|sh|cmake|S|map|rules|tsv|toml|cfg|yaml|cff|ipynb|svg|f90|html\\.j2"

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^(?: {4}|\t).*$", re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)
BARE_NAME = re.compile(rf"[\w.-]+\.({SUFFIXES})")
PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]+)+/?|[\w-]+/")
NAMED_PAGE = re.compile(r"(?<![\w/.])docs/[\w/.-]+\.md\b")
MODULE = re.compile(r"python -m (gapless[\w.]*)")
QUOTED = re.compile(r"<!-- from (\S+) -->\n((?:(?: {4}.*)?\n)+)")
TABLE = re.compile(r"<!-- figures: (\S+) -->\n((?:\|.*\n)+)")
LIBRARIES = {"MPICH": "mpich", "Open MPI": "openmpi", "Intel MPI": "intel"}
TEXT_SUFFIXES = {".py", ".cpp", ".hpp", ".h", ".c", ".sh", ".cmake", ".txt", ".toml", ".def", ".rules", ".md", ".inc"}


def files(root: Path) -> Iterator[Path]:
    """Yield every file of the checkout that may belong to the repository."""
    for path in sorted(root.iterdir()):
        if path.is_dir():
            if path.name not in SKIPPED:
                yield from files_below(path)
        else:
            yield path


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, made ones left out."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name in SKIPPED - {"results"}:
            continue
        if path.is_dir():
            yield from files_below(path)
        else:
            yield path


def anchors(page: str) -> set[str]:
    """Return what #fragments may name: headings as GitHub writes them."""
    made = set()
    for heading in HEADING.findall(FENCE.sub("", page)):
        plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
        made.add(plain.strip().replace(" ", "-"))
    return made


def links(root: Path, page: Path, text: str) -> Iterator[str]:
    """Yield a complaint for each relative link that leads nowhere."""
    prose = CODE.sub("", INDENTED.sub("", FENCE.sub("", text)))
    for target in LINK.findall(prose):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists() or not file.is_relative_to(root):
            yield f"the link '{target}' leads nowhere"
        elif fragment and file.suffix == ".md" and fragment not in anchors(file.read_text(encoding="utf-8")):
            yield f"the link '{target}': no heading '{fragment}'"


def exists(root: Path, path: str) -> bool:
    """Say whether a path names something; `*` stands for anything within one name."""
    path = path.rstrip("/.")
    return any(root.glob(path)) or any(root.glob(f"{path}.*"))


def planned(root: Path) -> set[str]:
    """Return the paths and names that are to come."""
    file = root / "tests" / "docs" / "planned.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return {line for line in lines if line and not line.startswith("#")}


def paths(root: Path, text: str, names: set[str]) -> Iterator[str]:
    """Yield a complaint for each path in a code span that is not there."""
    to_come = planned(root)
    sources = {folder.name for folder in (root / "src").iterdir() if folder.is_dir()}
    for code in CODE.findall(FENCE.sub("", text)):
        for word in code.split():
            # A name behind its file: `abi.hpp:kAbiName`; options, wildcards of the user's, and formulas are no paths.
            word = word.partition(":")[0]
            if BARE_NAME.fullmatch(word):
                if word not in names | FOREIGN:
                    yield f"there is no file '{word}'"
            elif PATH.fullmatch(word) and not MADE.search(word):
                first = word.split("/")[0]
                if first in ROOT_FOLDERS:
                    if not exists(root, word) and word not in to_come:
                        yield f"there is no '{word}'"
                elif first in sources and not exists(root / "src", word) and f"src/{word}" not in to_come:
                    yield f"there is no 'src/{word}'"


def quotations(root: Path, text: str) -> Iterator[str]:
    """Yield a complaint for each line that is said to be from a file and is not."""
    for name, block in QUOTED.findall(text):
        if not (root / name).is_file():
            yield f"quotes {name}, which is not there"
            continue
        lines = {line.strip() for line in (root / name).read_text(encoding="utf-8").splitlines()}
        for line in block.splitlines():
            if line.strip() and line.strip() not in lines:
                yield f"'{line.strip()}' is not in {name}"


def figures(root: Path, text: str) -> Iterator[str]:
    """Yield a complaint for each cell of a table that is not what its result file says.

    The last column names the row of the file. Below the name of a library stand three times [us] with slashes between:
    contiguous, native, with the layer.
    """
    for name, table in TABLE.findall(text):
        with (root / name).open(encoding="utf-8", newline="") as lines:
            rows = {(row["library"], row["name"]): row for row in csv.DictReader(lines, delimiter="\t")}
        header, _, *body = [
            [cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()
        ]
        libraries = [LIBRARIES.get(cell, "") for cell in header]
        for cells in body:
            case = cells[-1].strip("`")
            for library, cell in zip(libraries, cells, strict=True):
                if not library:
                    continue
                row = rows.get((library, case))
                if row is None:
                    yield f"{name} has no '{case}' of '{library}'"
                    continue
                times = [float(row[column]) for column in ("contiguous_us", "native_us", "gapless_us")]
                wanted = " / ".join(f"{time:.3g}" if time < 999.5 else f"{time:.0f}" for time in times)
                if cell.replace("*", "") != wanted:
                    yield f"{case} on {library} is '{cell}', but {name} says '{wanted}'"


def modules(root: Path, text: str) -> Iterator[str]:
    """Yield a complaint for each module of the package that is run and not there."""
    for module in sorted(set(MODULE.findall(text))):
        file = root / "python" / module.rstrip(".").replace(".", "/")
        if not (file.with_suffix(".py").is_file() or (file / "__main__.py").is_file()):
            yield f"there is no module {module}"


def glossary(root: Path, every: list[Path]) -> Iterator[str]:
    """Yield a complaint for each name of the glossary's last column that no source has."""
    page = root / "docs" / "glossary.md"
    if not page.is_file():
        return
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    wanted = {name for row in rows for name in CODE.findall(row.split("|")[-2])}
    code = [file for file in every if file.relative_to(root).parts[0] in ("src", "lab", "include", "python")]
    had = {word for file in code for word in re.findall(r"\w+", file.read_text(encoding="utf-8", errors="replace"))}
    to_come = planned(root)
    for name in sorted(to_come & had | {path for path in to_come if "/" in path and exists(root, path)}):
        yield f"'{name}' is there: take it out of tests/docs/planned.txt"
    for name in sorted(wanted - had - to_come):
        yield f"no source has the name '{name}'"


def named_pages(root: Path, text: str) -> Iterator[str]:
    """Yield a complaint for each page of docs/ that is named and not there."""
    for page in sorted(set(NAMED_PAGE.findall(text))):
        if not (root / page).is_file():
            yield f"names {page}, which is not there"


def main(root: Path) -> int:
    """Check everything; return the exit status."""
    every = list(files(root))
    names = {file.name for file in every}
    pages = [file for file in every if file.suffix == ".md"]
    complaints = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        where = page.relative_to(root).as_posix()
        found = [
            *links(root, page, text),
            *paths(root, text, names),
            *modules(root, text),
            *quotations(root, text),
            *figures(root, text),
        ]
        complaints += [f"{where}: {complaint}" for complaint in found]
    for file in every:
        if file.suffix in TEXT_SUFFIXES and file.name not in ("check_docs.py", "check_docs_test.py"):
            found = named_pages(root, file.read_text(encoding="utf-8", errors="replace"))
            complaints += [f"{file.relative_to(root).as_posix()}: {complaint}" for complaint in found]
    complaints += [f"docs/glossary.md: {complaint}" for complaint in glossary(root, every)]
    readme = root / "README.md"
    if readme.is_file():
        lines = len(readme.read_text(encoding="utf-8").splitlines())
        if lines > README_LINES:
            complaints.append(f"README.md: {lines} lines, more than {README_LINES}")
    for complaint in complaints:
        print(complaint)
    if not pages:
        print(f"check_docs: no page below {root}", file=sys.stderr)
        return 2
    print(f"check_docs: {len(pages)} pages, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve()))
