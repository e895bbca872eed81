#!/usr/bin/env python3
"""Shows that check_docs.py sees what it is for: a small repository is right, and each fault planted in it is found."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

CHECKER = Path(__file__).with_name("check_docs.py")
TABLE = """<!-- figures: docs/results/one.tsv -->
| | MPICH | Open MPI | row |
|---|---|---|---|
| a column | 1.5 / 20 / 2 | 3 / 40.1 / **1234** | `column/8` |
"""
TSV = """library\tname\tcontiguous_us\tnative_us\tgapless_us
mpich\tcolumn/8\t1.5\t20\t2.001
openmpi\tcolumn/8\t3\t40.14\t1234.2
"""
README = f"""# One

[docs](docs/page.md#a-heading) and `src/plan/joint`, `plan/joint.cpp`, `build/x`, `src/wire`

    python -m gapless.manual

{TABLE}"""
PAGE = """# Page

## A `heading`

<!-- from src/plan/joint.cpp -->
    int x;

back to [one](../README.md)
"""
GLOSSARY = """| term | meaning | in the code |
|---|---|---|
| joint | two `things` | `Joint` |
| thing | half of a `joint` | |
"""
REPOSITORY = {
    "README.md": README,
    "docs/page.md": PAGE,
    "docs/glossary.md": GLOSSARY,
    "docs/results/one.tsv": TSV,
    "src/plan/joint.cpp": "// docs/page.md has more.\nint x;\nclass Joint {};\n",
    "python/gapless/manual.py": "",
    "tests/docs/planned.txt": "# to come\nsrc/wire\n",
    "tools/run.sh": "true\n",
}
# What is planted: a file, what stands in it, what stands there instead, and a word of the complaint.
FAULTS = [
    ("README.md", "docs/page.md#a-heading", "docs/pages.md", "leads nowhere"),
    ("README.md", "docs/page.md#a-heading", "docs/page.md#another", "no heading"),
    ("README.md", "docs/page.md#a-heading", "../outside.md", "leads nowhere"),
    ("README.md", "src/plan/joint", "src/plan/joined", "no 'src/plan/joined'"),
    ("README.md", "`plan/joint.cpp`", "`plan/join.cpp`", "no 'src/plan/join.cpp'"),
    ("README.md", "`plan/joint.cpp`", "`joined.cpp`", "no file 'joined.cpp'"),
    ("README.md", "`plan/joint.cpp`", "`tools/walk.sh`", "no 'tools/walk.sh'"),
    ("README.md", "gapless.manual", "gapless.handbook", "no module gapless.handbook"),
    ("README.md", "1.5 / 20 / 2", "1.5 / 20 / 1", "says '1.5 / 20 / 2'"),
    ("README.md", "column/8", "column/9", "has no 'column/9'"),
    ("README.md", "# One\n", "# One\n" + "\n" * 120, "more than 120"),
    ("docs/page.md", "int x;", "int y;", "is not in src/plan/joint.cpp"),
    ("docs/glossary.md", "`Joint`", "`Joined`", "has the name 'Joined'"),
    ("src/plan/joint.cpp", "class Joint", "class Joints", "has the name 'Joint'"),
    ("tests/docs/planned.txt", "src/wire", "src/wires", "no 'src/wire'"),
    ("tests/docs/planned.txt", "src/wire", "src/wire\nsrc/plan", "'src/plan' is there"),
    ("tests/docs/planned.txt", "src/wire", "src/wire\nJoint", "'Joint' is there"),
    ("src/plan/joint.cpp", "docs/page.md", "docs/gone.md", "names docs/gone.md"),
]


def check(root: Path) -> tuple[int, str]:
    """Run the checker; return its status and what it printed."""
    done = subprocess.run([sys.executable, str(CHECKER), str(root)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


def write(root: Path, repository: dict[str, str]) -> None:
    """Write the files of a repository."""
    for name, text in repository.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def main() -> int:
    """Return 1 if something was not seen, or seen where nothing is."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        write(root, REPOSITORY)
        status, printed = check(root)
        if status != 0:
            print(f"the right repository: status {status}\n{printed}")
            failed = 1
        for name, right, wrong, word in FAULTS:
            assert right in REPOSITORY[name], (name, right)
            write(root, {**REPOSITORY, name: REPOSITORY[name].replace(right, wrong, 1)})
            status, printed = check(root)
            if status != 1 or word not in printed:
                print(f"{name}: '{wrong}' was not found: status {status}\n{printed}")
                failed = 1
    with tempfile.TemporaryDirectory() as folder:
        if check(Path(folder).resolve())[0] != 2:
            print("no page at all was not noticed")
            failed = 1
    print(f"{len(FAULTS)} planted faults{'' if failed else ' found'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
