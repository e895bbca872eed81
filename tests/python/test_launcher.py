"""How commands are read and rewritten for each launcher."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from gapless.launch import put_under
from gapless.launcher import Launcher, launcher_position, ranks_programs, recognise

SO = "/lib/gapless.so"
RUN = {"GAPLESS_RUN_DIR": "/tmp/run"}
GENV = ["-genv", "LD_PRELOAD", SO, "-genv", "GAPLESS_RUN_DIR", "/tmp/run"]
X = ["-x", f"LD_PRELOAD={SO}", "-x", "GAPLESS_RUN_DIR=/tmp/run"]


@pytest.fixture
def mpiexec(tmp_path: Path) -> str:
    """An executable file called mpiexec."""
    path = tmp_path / "mpiexec"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("version", "launcher"),
    [
        ("HYDRA build details:\n    Version: 5.0.2\n", Launcher.HYDRA),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.18\n", Launcher.HYDRA),
        ("invalid mpiexec argument --version\nUsage: mpiexec ... -genv <envname> <envval>\n", Launcher.HYDRA),
        ("mpiexec (Open MPI) 5.0.11\n", Launcher.OPEN_MPI),
        ("mpiexec (OpenRTE) 4.1.4\n", Launcher.OPEN_MPI),
        ("", Launcher.ENVIRONMENT),
    ],
)
def test_launchers_are_recognised_by_what_they_say(mpiexec: str, version: str, launcher: Launcher) -> None:
    assert recognise(mpiexec, lambda _: version) is launcher


def test_other_programs_are_not_asked() -> None:
    def never(program: str) -> str:
        raise AssertionError(program)

    assert recognise("srun", never) is Launcher.SLURM
    assert recognise(sys.executable, never) is Launcher.ENVIRONMENT


def test_hydra() -> None:
    launch = put_under(["mpiexec", "-n", "2", "./app", "-x"], SO, RUN, {"HOME": "/h"}, Launcher.HYDRA)
    assert launch.command == ["mpiexec", *GENV, "-n", "2", "./app", "-x"]
    assert launch.environment == {"HOME": "/h", **RUN}


def test_open_mpi() -> None:
    launch = put_under(["mpirun", "-n", "2", "./app"], SO, RUN, {}, Launcher.OPEN_MPI)
    assert launch.command == ["mpirun", *X, "-n", "2", "./app"]


def test_anything_else_gets_the_environment() -> None:
    launch = put_under(["aprun", "./app", ":", "./b"], SO, RUN, {"A": "b"}, Launcher.ENVIRONMENT)
    assert launch.command == ["aprun", "./app", ":", "./b"]
    assert launch.environment == {"A": "b", "LD_PRELOAD": SO, **RUN}


def test_several_programs() -> None:
    command = ["mpiexec", "-n", "1", "./a", ":", "-n", "2", "./b", ":", "./c"]
    hydra = put_under(command, SO, RUN, {}, Launcher.HYDRA)
    assert hydra.command == ["mpiexec", *GENV, "-n", "1", "./a", ":", "-n", "2", "./b", ":", "./c"]
    open_mpi = put_under(command, SO, RUN, {}, Launcher.OPEN_MPI)
    assert open_mpi.command == ["mpiexec", *X, "-n", "1", "./a", ":", *X, "-n", "2", "./b", ":", *X, "./c"]


@pytest.mark.parametrize("launcher", list(Launcher))
def test_an_existing_preload_is_kept_after_ours(launcher: Launcher) -> None:
    launch = put_under(["run", "./app"], SO, RUN, {"LD_PRELOAD": "/tool.so"}, launcher)
    shown = " ".join([*launch.command, launch.environment["LD_PRELOAD"]])
    assert f"{SO}:/tool.so" in shown


def test_a_preload_among_the_launchers_options_is_kept_after_ours() -> None:
    hydra = put_under(["mpiexec", "-genv", "LD_PRELOAD", "/t.so", "./app"], SO, {}, {}, Launcher.HYDRA)
    assert hydra.command[-4:] == ["-genv", "LD_PRELOAD", f"{SO}:/t.so", "./app"]
    open_mpi = put_under(["mpirun", "-x", "LD_PRELOAD=/t.so", "./app"], SO, {}, {}, Launcher.OPEN_MPI)
    assert open_mpi.command == ["mpirun", "-x", f"LD_PRELOAD={SO}:/t.so", "./app"]
    named = put_under(["mpirun", "-x", "LD_PRELOAD", "./app"], SO, {}, {"LD_PRELOAD": "/t.so"}, Launcher.OPEN_MPI)
    assert named.command == ["mpirun", "-x", f"LD_PRELOAD={SO}:/t.so", "./app"]


def test_a_preload_among_the_programs_arguments_is_the_programs_own() -> None:
    for launcher, words in (
        (Launcher.HYDRA, ["-env", "LD_PRELOAD", "/t"]),
        (Launcher.OPEN_MPI, ["-x", "LD_PRELOAD=/t"]),
    ):
        launch = put_under(["mpirun", "true", *words], SO, {}, {}, launcher)
        assert launch.command[-len(words) - 1 :] == ["true", *words]


def test_the_users_settings_reach_the_ranks() -> None:
    launch = put_under(["mpirun", "./app"], SO, {}, {"GAPLESS_FORCE": "1"}, Launcher.OPEN_MPI)
    assert "GAPLESS_FORCE=1" in launch.command


@pytest.mark.parametrize(
    ("options", "inherited", "export"),
    [
        ([], None, f"ALL,LD_PRELOAD={SO},GAPLESS_RUN_DIR=/tmp/run"),
        ([], "NONE", f"LD_PRELOAD={SO},GAPLESS_RUN_DIR=/tmp/run"),
        (["--export=A,B=c"], None, f"A,B=c,LD_PRELOAD={SO},GAPLESS_RUN_DIR=/tmp/run"),
        (["--export=ALL,LD_PRELOAD=/t.so"], None, f"ALL,LD_PRELOAD={SO}:/t.so,GAPLESS_RUN_DIR=/tmp/run"),
        (["--export", "NIL"], "ALL", f"LD_PRELOAD={SO},GAPLESS_RUN_DIR=/tmp/run"),
    ],
)
def test_slurm(options: list[str], inherited: str | None, export: str) -> None:
    environment = {"SLURM_EXPORT_ENV": inherited} if inherited else {}
    launch = put_under(["srun", *options, "-n", "2", "./app"], SO, RUN, environment, Launcher.SLURM)
    assert launch.command == ["srun", f"--export={export}", "-n", "2", "./app"]
    assert "LD_PRELOAD" not in launch.environment


def test_slurm_quotes_a_value_with_a_comma() -> None:
    launch = put_under(["srun", "./a", ":", "./b"], SO, {"GAPLESS_LOG": "a,b"}, {}, Launcher.SLURM)
    export = f"--export=ALL,LD_PRELOAD={SO},GAPLESS_LOG='a,b'"
    assert launch.command == ["srun", export, "./a", ":", export, "./b"]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (["env", "-u", "C", "A=b", "D=e"], []),
        (["timeout", "-k", "3", "60"], []),
        (["nice", "-n", "5", "env", "-i", "A=b", "timeout", "9"], []),
        (["nohup"], ["env"]),
    ],
)
def test_wrappers_before_the_launcher(before: list[str], behind: list[str]) -> None:
    command = [*before, "mpiexec", "-n", "2", *behind, "./app"]
    assert launcher_position(command) == len(before)
    launch = put_under(command, SO, {}, {}, Launcher.HYDRA)
    assert launch.command == [*before, "mpiexec", "-genv", "LD_PRELOAD", SO, "-n", "2", *behind, "./app"]


def test_what_a_wrapper_sets_counts() -> None:
    command = ["env", "LD_PRELOAD=/t.so", "GAPLESS_FORCE=1", "mpiexec", "./app"]
    launch = put_under(command, SO, {}, {}, Launcher.HYDRA)
    assert launch.command[4:] == ["-genv", "LD_PRELOAD", f"{SO}:/t.so", "-genv", "GAPLESS_FORCE", "1", "./app"]
    alone = put_under(["env", "LD_PRELOAD=/t.so", "./app"], SO, {}, {}, Launcher.ENVIRONMENT)
    assert alone.command == ["env", f"LD_PRELOAD={SO}:/t.so", "./app"]


def test_a_command_of_wrappers_only_is_left_alone() -> None:
    assert launcher_position(["env", "A=b"]) == 0
    assert put_under(["env"], SO, {}, {}, Launcher.ENVIRONMENT).command == ["env"]


def paths(command: list[str], launcher: Launcher) -> list[Path]:
    return [program.path for program in ranks_programs(command, launcher)]


def test_the_ranks_program_is_the_first_word_that_is_a_program() -> None:
    true, sh = (shutil.which(name) for name in ("true", "sh"))
    assert true and sh
    assert paths(["mpiexec", "-n", "2", "-ppn", "1", "true", "sh"], Launcher.HYDRA) == [Path(true)]
    assert paths(["mpiexec", "-n", "2", "./no-such-program"], Launcher.HYDRA) == []
    assert paths(["mpiexec", "true", ":", "-n", "2", "env", "A=b", "sh"], Launcher.HYDRA) == [Path(true), Path(sh)]
    assert paths(["env", "A=b", "true", ":", "sh"], Launcher.ENVIRONMENT) == [Path(true)]


def test_the_value_of_an_option_is_no_program(mpiexec: str) -> None:
    sh = shutil.which("sh")
    assert sh
    assert paths(["mpiexec", "-launcher-exec", mpiexec, "-env", "LD_PRELOAD", mpiexec, "sh"], Launcher.HYDRA) == [
        Path(sh)
    ]
    assert paths(["mpirun", "--mca", "plm_rsh_agent", mpiexec, "sh", mpiexec], Launcher.OPEN_MPI) == [Path(sh)]


def test_what_the_options_set_for_a_program_is_known() -> None:
    command = ["mpiexec", "-genv", "A", "1", "-env", "B", "2", "true", ":", "env", "B=3", "true"]
    first, second = ranks_programs(command, Launcher.HYDRA, {"C": "0"})
    assert first.environment == {"A": "1", "B": "2", "C": "0"}
    assert second.environment == {"A": "1", "B": "3", "C": "0"}
    (only,) = ranks_programs(["mpirun", "-x", "A=1", "-x", "B", "true"], Launcher.OPEN_MPI, {"B": "2"})
    assert only.environment == {"A": "1", "B": "2"}
