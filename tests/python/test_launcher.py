"""How commands are read and rewritten for each launcher."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from gapless.errors import GaplessError
from gapless.launch.launcher import Launcher, launcher_of, launcher_position, ranks_programs, recognise
from gapless.launch.layer import put_under

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


def test_a_launcher_on_the_path_that_env_sets(mpiexec: str) -> None:
    Path(mpiexec).write_text("#!/bin/sh\necho HYDRA build details\n")
    command = ["env", f"PATH={Path(mpiexec).parent}", "mpiexec", "./app"]
    assert launcher_of(command, {"PATH": "/nowhere"}) is Launcher.HYDRA


def test_hydra() -> None:
    launch = put_under(["mpiexec", "-n", "2", "./app", "-x"], SO, RUN, {"HOME": "/h"}, Launcher.HYDRA)
    assert launch.command == ["mpiexec", *GENV, "-n", "2", "./app", "-x"]
    assert launch.environment == {"HOME": "/h", **RUN}


def test_open_mpi() -> None:
    launch = put_under(["mpirun", "-n", "2", "./app"], SO, RUN, {}, Launcher.OPEN_MPI)
    assert launch.command == ["mpirun", *X, "-n", "2", "./app"]


def test_the_roll_call_is_on_no_command_line() -> None:
    """Other users can read command lines: launchers get it by name, and in their environment."""
    secret = {"GAPLESS_ROLL_CALL": "1/g/s/10.0.0.1"}
    for launcher, words, passed in (
        (Launcher.HYDRA, ["mpiexec", "./app"], []),
        (Launcher.HYDRA, ["mpiexec", "-genvlist", "HOME", "./app"], ["HOME,GAPLESS_ROLL_CALL"]),
        (Launcher.HYDRA, ["mpiexec", "-envlist", "HOME", "./app"], ["HOME,GAPLESS_ROLL_CALL"]),
        (Launcher.OPEN_MPI, ["mpirun", "./app"], ["GAPLESS_ROLL_CALL"]),
        (Launcher.SLURM, ["srun", "./app"], [f"--export=ALL,LD_PRELOAD={SO},GAPLESS_ROLL_CALL"]),
        (Launcher.ENVIRONMENT, ["aprun", "./app"], []),
    ):
        for settings, environment in ((secret, {}), ({}, secret)):
            launch = put_under(words, SO, settings, environment, launcher)
            assert launch.environment["GAPLESS_ROLL_CALL"] == secret["GAPLESS_ROLL_CALL"]
            assert [word for word in launch.command if "ROLL_CALL" in word] == passed
    listed = put_under(["mpirun", "./app"], SO, secret, {"OMPI_MCA_mca_base_env_list": "A=b"}, Launcher.OPEN_MPI)
    variable = listed.environment["OMPI_MCA_mca_base_env_list"]
    assert variable == f"A=b;LD_PRELOAD={SO};GAPLESS_ROLL_CALL"


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


def test_hydras_settings_in_one_word() -> None:
    for option in ("-genv", "-env", "--env"):
        launch = put_under(["mpiexec", option, "LD_PRELOAD=/t.so", "true", "-env"], SO, {}, {}, Launcher.HYDRA)
        assert launch.command[-4:] == [option, f"LD_PRELOAD={SO}:/t.so", "true", "-env"]
        alone = put_under(["mpiexec", option, "LD_PRELOAD=", "true"], SO, {}, {}, Launcher.HYDRA)
        assert alone.command[-2:] == [f"LD_PRELOAD={SO}", "true"]
    given = put_under(["mpiexec", "-envnone", "-env", "GAPLESS_LOG=1", "true"], SO, {}, {}, Launcher.HYDRA)
    ours = ["-genv", "LD_PRELOAD", SO, "-env", "LD_PRELOAD", SO]
    assert given.command == ["mpiexec", *ours, "-envnone", "-env", "GAPLESS_LOG=1", "true"]
    (program,) = ranks_programs(["mpiexec", "-genv", "A=1=2", "-env", "B", "3=4", "true"], Launcher.HYDRA)
    assert program.environment == {"A": "1=2", "B": "3=4"}


def test_a_layer_whose_path_the_loader_would_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    layer = tmp_path / "with blanks: two" / "libgapless.so"
    layer.parent.mkdir()
    layer.touch()
    for launcher in Launcher:
        launch = put_under(["run", "./app"], str(layer), {}, {"LD_PRELOAD": "/tool.so"}, launcher)
        shown = " ".join([*launch.command, launch.environment["LD_PRELOAD"]])
        assert str(layer) not in shown
        (link,) = set(re.findall(r"([^ =:]+libgapless\.so):/tool\.so", shown))
        assert Path(link).resolve() == layer.resolve()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(GaplessError, match="set TMPDIR") as error:
        put_under(["run"], str(layer) + "2", {}, {}, Launcher.ENVIRONMENT)
    assert str(layer.parent) in str(error.value)


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
        (["timeout", "--foreground", "--signal=INT", "-k5", "20s"], ["timeout", "20"]),
        (["time", "-f", "%e", "-o", "times"], []),
        (["taskset", "-c", "0,1", "setsid", "-w"], []),
        (["numactl", "-N", "0", "--membind=0", "--"], ["numactl", "-l"]),
        (["stdbuf", "-oL", "--error", "0", "nice", "-5"], []),
        (["chrt", "-r", "10", "ionice", "-c", "3", "strace", "-f", "-o", "trace"], []),
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
