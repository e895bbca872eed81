"""How commands are rewritten for each launcher."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from gapless.launch import put_under
from gapless.launcher import Launcher, ranks_programs, recognise

SO = "/lib/gapless.so"
RUN = {"GAPLESS_RUN_DIR": "/tmp/run"}


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

    assert recognise("srun", never) is Launcher.ENVIRONMENT
    assert recognise(sys.executable, never) is Launcher.ENVIRONMENT


def test_hydra() -> None:
    launch = put_under(["mpiexec", "-n", "2", "./app", "-x"], SO, RUN, {"HOME": "/h"}, Launcher.HYDRA)
    assert launch.command == [
        *("mpiexec", "-genv", "LD_PRELOAD", SO, "-genv", "GAPLESS_RUN_DIR", "/tmp/run", "-n", "2", "./app", "-x"),
    ]
    assert launch.environment == {"HOME": "/h", **RUN}


def test_open_mpi() -> None:
    launch = put_under(["mpirun", "-n", "2", "./app"], SO, RUN, {}, Launcher.OPEN_MPI)
    assert launch.command == [
        *("mpirun", "-x", f"LD_PRELOAD={SO}", "-x", "GAPLESS_RUN_DIR=/tmp/run", "-n", "2", "./app"),
    ]


def test_anything_else_gets_the_environment() -> None:
    launch = put_under(["srun", "./app"], SO, RUN, {"A": "b"}, Launcher.ENVIRONMENT)
    assert launch.command == ["srun", "./app"]
    assert launch.environment == {"A": "b", "LD_PRELOAD": SO, **RUN}


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


def test_the_users_settings_reach_the_ranks() -> None:
    launch = put_under(["mpirun", "./app"], SO, {}, {"GAPLESS_FORCE": "1"}, Launcher.OPEN_MPI)
    assert "GAPLESS_FORCE=1" in launch.command


def test_the_ranks_program_is_the_first_word_that_is_a_program() -> None:
    true = shutil.which("true")
    assert true
    assert ranks_program(["mpiexec", "-n", "2", "-ppn", "1", "true", "sh"], Launcher.HYDRA) == Path(true)
    assert ranks_program(["mpiexec", "-n", "2", "./no-such-program"], Launcher.HYDRA) is None
