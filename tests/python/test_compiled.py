"""A program that `make build` left out is compiled when a command first runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from gapless.compiled import is_compilable
from gapless.errors import GaplessError
from gapless.paths import REPOSITORY, Build
from gapless.targets.libraries import Library

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(of_a_test LANGUAGES C)
foreach(name exchange wrong)
  add_executable(${name} EXCLUDE_FROM_ALL lab/${name}.c)
endforeach()
add_executable(exchange_openmpi EXCLUDE_FROM_ALL lab/exchange.c)
set_target_properties(exchange wrong PROPERTIES RUNTIME_OUTPUT_DIRECTORY lab)
set_target_properties(exchange_openmpi PROPERTIES OUTPUT_NAME exchange RUNTIME_OUTPUT_DIRECTORY lab/openmpi)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the build folder of a project with a program for two ABIs, and one that cannot be compiled."""
    (tmp_path / "lab").mkdir()
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "lab/exchange.c").write_text("int main(void) { return 7; }\n")
    (tmp_path / "lab/wrong.c").write_text("int main(void) { return unknown; }\n")
    cmake = next(path for path in (Path(sys.prefix) / "bin/cmake", Path("/usr/bin/cmake")) if path.exists())
    ninja = next(path for path in (Path(sys.prefix) / "bin/ninja", Path("/usr/bin/ninja")) if path.exists())
    build = tmp_path / "build"
    subprocess.run(
        [cmake, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}", "-S", tmp_path, "-B", build],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    monkeypatch.delenv("GAPLESS_BUILD_DIR", raising=False)
    return build


def test_a_missing_program_is_compiled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build = Build(folder, folder)
    assert not (folder / "lab/exchange").exists()
    path = build.program("lab/exchange")
    assert subprocess.run([path]).returncode == 7
    assert "compiling lab/exchange" in capsys.readouterr().err
    assert build.program("lab/exchange") == path
    assert capsys.readouterr().err == "", "not twice"


def test_one_for_another_abi_is_not_taken_for_it(folder: Path) -> None:
    # The one for the standard ABI is MPICH's, also before that was compiled.
    assert Library(folder, folder, abi="standard").program("lab/exchange") == folder / "lab/exchange"
    assert Library(folder, folder, abi="openmpi").program("lab/exchange") == folder / "lab/openmpi/exchange"


def test_what_cannot_be_compiled_says_why(folder: Path) -> None:
    with pytest.raises(GaplessError, match=r"lab/wrong cannot be compiled \(.*error: .*unknown.*lab/wrong' prints all"):
        Build(folder, folder).program("lab/wrong")
    assert not (folder / "lab/wrong").exists()
    with pytest.raises(GaplessError, match="run 'make build' and look for a skipped part"):
        Build(folder, folder).program("lab/unheard_of")


def test_a_folder_of_the_user_s_stays_as_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAPLESS_BUILD_DIR", str(folder))
    with pytest.raises(GaplessError, match="is not built: run '.*ninja -C .*build lab/exchange'"):
        Build(folder, folder).program("lab/exchange")
    assert not (folder / "lab/exchange").exists()


@pytest.mark.parametrize("program", ["lab/exchange", "lab/openmpi/exchange", "bench/engine/bench_engine"])
def test_ninja_knows_our_programs_by_their_places(build: Build, program: str) -> None:
    if "openmpi" in program and not (REPOSITORY / ".venv/rivals/openmpi").is_dir():
        pytest.skip("Open MPI is not installed")
    assert is_compilable(build.folder, program)
    assert not is_compilable(build.folder, program + "x")
