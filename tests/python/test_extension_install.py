"""`pip install .` in a fresh virtual environment: what a stranger gets."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import extension_needed  # noqa: F401
import gapless
import pytest
from gapless.paths import Build

pytestmark = pytest.mark.long  # builds the extension from nothing
Run = Callable[..., str]


@pytest.fixture(scope="module")
def installed(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Install the package with the versions of requirements.lock, and run programs of the new environment elsewhere."""
    folder, elsewhere = tmp_path_factory.mktemp("fresh") / "venv", tmp_path_factory.mktemp("elsewhere")
    venv.create(folder, with_pip=True)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GAPLESS_", "PYTHON"))}

    def run(program: str, *arguments: object, cwd: Path = elsewhere) -> str:
        command = [str(folder / "bin" / program), *map(str, arguments)]
        answer = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True, timeout=1500)
        assert answer.returncode == 0, f"{' '.join(command)}\n{answer.stdout}\n{answer.stderr}"
        return answer.stdout

    # Versions alone: pip cannot ask for the hash of a folder, such as this one.
    pinned = re.sub(r" *\\\n +--hash=\S+", "", (repository / "requirements.lock").read_text(encoding="utf-8"))
    (elsewhere / "versions.txt").write_text(pinned, encoding="utf-8")
    run(
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-c",
        elsewhere / "versions.txt",
        ".",
        cwd=repository,
    )
    return run


def test_the_build_takes_nothing_but_what_pypi_has(installed: Run, repository: Path) -> None:
    # Whether or not this machine has them: the extension's build must not look for the lab's C++ libraries.
    caches = list((repository / "build" / "pip").glob("*/CMakeCache.txt"))
    assert caches
    for cache in caches:
        text = cache.read_text(encoding="utf-8")
        assert not re.search(r"nlohmann_json_DIR|CLI11_DIR|GTest_DIR|FETCHCONTENT_SOURCE_DIR", text), cache
        assert not (cache.parent / "_deps").exists()


@pytest.mark.parametrize(
    "arguments", [["run", "--", "true"], ["doctor"], ["demo"], ["measure", "pingpong"], ["bench", "types"]]
)
def test_what_pip_does_not_bring_says_where_it_is(installed: Run, arguments: list[str]) -> None:
    code = "import subprocess, sys; sys.exit(subprocess.run([sys.prefix + '/bin/gapless', *sys.argv[1:]]).returncode)"
    command = [installed("python", "-c", "import sys; print(sys.executable)").strip(), "-c", code, *arguments]
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GAPLESS_", "PYTHON"))}
    answer = subprocess.run(command, env=clean, capture_output=True, text=True, timeout=60, check=False)
    assert answer.returncode == 2
    assert "not part of what 'pip install' brings" in answer.stderr
    assert "run 'make build' in a checkout of Gapless" in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


def test_an_installed_command_takes_the_layer_from_a_build(installed: Run, build: Build) -> None:
    gapless_command = installed("python", "-c", "import sys; print(sys.prefix)").strip() + "/bin/gapless"
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GAPLESS_", "PYTHON"))}
    answer = subprocess.run(
        [gapless_command, "run", "--", str(build.mpiexec), "-n", "2", str(build.program("lab/mpich/doctor_probe"))],
        env=clean | {"GAPLESS_BUILD_DIR": str(build.folder)}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert "the layer reached 2 of 2 ranks" in answer.stderr


def test_the_package_is_complete(installed: Run) -> None:
    code = """
import json, pathlib, sys, gapless
import gapless._engine
folder = pathlib.Path(gapless.__file__).parent
t = gapless.vector(3, 1, 2, "int16")
print(json.dumps({
    "beside": str(folder).startswith(sys.prefix) and pathlib.Path(gapless._engine.__file__).parent == folder,
    "packed": t.pack(b"aAbBcCdDeE").decode(), "plan": t.explain()["plan"],
    "files": sorted(p.name for p in folder.iterdir() if p.suffix in (".pyi", ".typed", ".so")),
}))
"""
    said = json.loads(installed("python", "-c", code))
    assert said["beside"]
    assert said["packed"] == "aAcCeE"
    assert said["plan"] == gapless.vector(3, 1, 2, "int16").explain()["plan"]
    suffix = ".abi3.so" if sys.version_info >= (3, 12) else f".cpython-3{sys.version_info[1]}"
    assert [name for name in said["files"] if name.startswith("_engine") and suffix in name]
    assert {"__init__.pyi", "_engine.pyi", "py.typed"} <= set(said["files"])


def test_the_extension_shows_no_symbols_of_the_engine(installed: Run) -> None:
    path = installed("python", "-c", "import gapless._engine; print(gapless._engine.__file__)").strip()
    symbols = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    assert {line.split()[-1] for line in symbols.splitlines()} == {"PyInit__engine"}


def test_the_command_works(installed: Run) -> None:
    assert "explain" in installed("gapless", "--help")
    assert installed("gapless", "--version") == f"gapless {gapless.__version__}\n"
    document = json.loads(installed("gapless", "explain", "--json", "vector(3, 2, 4, int32)"))
    assert document["type"] == "vector(3, 2, 4, int32)"


def test_the_man_pages_come_with_it(installed: Run) -> None:
    prefix = Path(installed("python", "-c", "import sys; print(sys.prefix)").strip())
    pages = {page.name for page in (prefix / "share" / "man" / "man1").iterdir()}
    assert {"gapless.1", "gapless-run.1", "gapless-explain.1"} <= pages


def test_the_notebooks_run(installed: Run, repository: Path) -> None:
    python = installed("python", "-c", "import sys; print(sys.executable)").strip()
    tool = str(repository / "tools" / "run_notebook.sh")
    answer = subprocess.run([tool, python], capture_output=True, text=True, timeout=900, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
