"""Settings that are not known: refused by the command before anything starts, and told by processes that go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Command, Compiler
from gapless.errors import GaplessError
from gapless.launch.variables import VARIABLES, check_settings
from gapless.paths import Build


@pytest.mark.parametrize(
    ("name", "value", "known"),
    [
        ("GAPLESS_ISA", "mmx", "baseline, avx2, avx512 or neon"),
        ("GAPLESS_ISA", "AVX2", "baseline, avx2, avx512 or neon"),
        ("GAPLESS_NT_BYTES", "8MB", "a number of bytes (with K, M or G behind it or not)"),
        ("GAPLESS_NT_BYTES", "-1", "a number of bytes"),
        ("GAPLESS_POOL_BYTES", "8589934592G", "a number of bytes"),
        ("GAPLESS_COLLECTIVES", "off", "0 or 1"),
        ("GAPLESS_FORCE", "yes", "0 or 1"),
        ("GAPLESS_STATS", "json", "0, 1 or json:FILE"),
    ],
)
def test_an_unknown_value_is_refused_with_what_is_known(name: str, value: str, known: str) -> None:
    with pytest.raises(GaplessError) as error:
        check_settings({"HOME": "/", name: value})
    assert str(error.value).startswith(f"{name}={value} is not known: set {name} to {known}")


def test_known_values_pass() -> None:
    check_settings({variable.name: "" for variable in VARIABLES})
    check_settings({variable.name: "0" for variable in VARIABLES if "0" in variable.known})
    for value in ("0", "1", "4096", "64K", "64k", "8M", "16G"):
        check_settings({variable.name: value for variable in VARIABLES if "BYTES" in variable.known})
    check_settings({"GAPLESS_LOG": "a file", "GAPLESS_STATS": "json:a file", "GAPLESS_ISA": "neon", "GAPLESS": "x"})
    check_settings({"GAPLESS_ROLL_CALL": "1/2/3/::1", "GAPLESS_RUN_DIR": "/tmp/x"})


def test_every_setting_of_words_has_them_listed() -> None:
    for variable in VARIABLES:
        texts = [one for one in variable.known if one != "BYTES" and one.partition("/")[0].isupper()]
        assert texts or not variable.knows("no such word"), variable.name


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("GAPLESS_NTBYTES", "GAPLESS_NT_BYTES"),
        ("GAPLESS_COLLECTIVE", "GAPLESS_COLLECTIVES"),
        ("GAPLESS_STAT", "GAPLESS_STATS"),
        ("GAPLESS_isa", "GAPLESS_ISA"),
    ],
)
def test_a_misspelt_name_is_refused(name: str, meant: str) -> None:
    with pytest.raises(GaplessError, match=f"no setting {name}: did you mean {meant}\\?"):
        check_settings({name: "1"})


def test_names_of_others_pass() -> None:
    check_settings({"GAPLESS_ROOT": "/opt/gapless", "GAPLESS_DIR": "x", "GAPLESS_VERSION": "1", "GAP_ISA": "x"})


@pytest.mark.parametrize(
    "words", [["explain", "int32"], ["doctor"], ["bench", "engine"], ["measure", "p2p"], ["run", "--", "touch", "ran"]]
)
def test_every_command_refuses_before_anything_starts(gapless: Command, tmp_path: Path, words: list[str]) -> None:
    answer = gapless(*words, GAPLESS_ISA="mmx")
    assert answer.returncode == 2
    assert answer.stderr.startswith("gapless: error: GAPLESS_ISA=mmx is not known: set GAPLESS_ISA to baseline, avx2")
    assert answer.stdout == ""
    assert not list(tmp_path.iterdir())


def test_help_is_for_everybody(gapless: Command) -> None:
    assert gapless("run", "--help", GAPLESS_ISA="mmx").returncode == 0


def test_settings_in_the_command_are_looked_at(gapless: Command, build: Build, tmp_path: Path) -> None:
    for command in (
        ["env", "GAPLESS_NT_BYTES=8MB", "touch", "ran"],
        [build.mpiexec, "-n", 1, "-genv", "GAPLESS_NT_BYTES=8MB", "touch", "ran"],
        [build.mpiexec, "-n", 1, "true", ":", "-n", 1, "-env", "GAPLESS_NT_BYTES", "8MB", "touch", "ran"],
        [build.mpiexec, "-n", 1, "env", "GAPLESS_NT_BYTES=8MB", "touch", "ran"],
    ):
        answer = gapless("run", "--", *command)
        assert answer.returncode == 2, command
        assert "GAPLESS_NT_BYTES=8MB is not known" in answer.stderr
        assert not (tmp_path / "ran").exists()


SENDER = """
#include <mpi.h>
int main(int argc, char **argv) {
  int field[64] = {0}, packed[64], position = 0;
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(16, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Pack(field, 1, column, packed, sizeof packed, &position, MPI_COMM_WORLD);
  MPI_Type_free(&column);
  return MPI_Finalize();
}
"""
UNKNOWN = {"GAPLESS_ISA": "mmx", "GAPLESS_NT_BYTES": "8MB", "GAPLESS_POOL_BYTES": "x", "GAPLESS_LONGEST_RUN": "1T"}


def test_a_process_goes_on_and_says_so_where_it_is_asked(build: Build, compile_c: Compiler, tmp_path: Path) -> None:
    program = compile_c("sender", SENDER)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GAPLESS_")}

    def errors(**settings: str) -> str:
        environment = clean | {"LD_PRELOAD": str(build.preload)} | UNKNOWN | settings
        answer = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60, check=True)
        return answer.stderr

    assert errors() == "", "nothing is printed unasked"
    for said in (errors(GAPLESS_LOG="1"), errors(GAPLESS_STATS="1")):
        for name, value in UNKNOWN.items():
            assert f"{name}={value} is not known here (" in said
        assert "GAPLESS_ISA=mmx is not known here (baseline" in said
    errors(GAPLESS_STATS=f"json:{tmp_path}/calls")
    (line,) = (tmp_path / "calls").read_text().splitlines()
    assert "GAPLESS_LONGEST_RUN=1T is not known here (a number of bytes" in json.loads(line)["refused"]


def test_the_engine_says_so_in_its_explanation(build: Build) -> None:
    code = "import sys; from gapless.engine import explain_type; print(explain_type('int32').get(*sys.argv[1:]))"
    clean = {name: value for name, value in os.environ.items() if name not in UNKNOWN}

    def refused(**settings: str) -> str:
        command = [sys.executable, "-c", code, "refused"]
        return subprocess.run(command, env=clean | settings, capture_output=True, text=True, check=True).stdout

    assert refused() == refused(GAPLESS_ISA="", GAPLESS_NT_BYTES="") == "None\n"
    assert refused(GAPLESS_ISA="mmx").startswith("GAPLESS_ISA=mmx is not known here (baseline")
    assert refused(GAPLESS_NT_BYTES="8MB").startswith("GAPLESS_NT_BYTES=8MB is not known here (a number of bytes")


def test_what_only_some_ranks_were_given_is_told_at_the_end(
    gapless: Command, build: Build, compile_c: Compiler, tmp_path: Path
) -> None:
    script = tmp_path / "wrapper"
    script.write_text(f"#!/bin/sh\nGAPLESS_ISA=mmx exec {compile_c('sender', SENDER)}\n")
    script.chmod(0o755)
    answer = gapless("run", "--", build.mpiexec, "-n", 1, script)
    assert answer.returncode == 0
    assert "gapless: on some ranks GAPLESS_ISA=mmx is not known here (baseline" in answer.stderr
