"""The numbers of the all-to-all model: measured, kept, told to the library; what becomes of a file that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from gapless.launch import numbers
from gapless.launch.numbers import NAME, Numbers, numbers_in_words, numbers_setting, numbers_text, parse_numbers
from gapless.launch.rules import cache_folder
from gapless.paths import Build
from gapless.targets.libraries import find_library
from gapless.tune.numbers import keep_numbers, measure_numbers, range_of

NEAR, FAR = Numbers(3e-07, 8e9, 1e10, (1, 8192), (64, 4096)), Numbers(2e-05, 1e9, 1e10)


def test_what_is_written_can_be_read() -> None:
    sections = {"MPICH Version: 5.0.2": {"near": NEAR, "far": FAR}, "Open MPI v5.0.11": {"near": FAR}}
    assert parse_numbers(numbers_text(sections, ("by a test",))) == sections
    assert parse_numbers(numbers_text({})) == {}


# tests/unit/irregular_model_test.cpp has the same of the library.
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is empty"),
        ("gapless-alltoall 2\nend\n", "line 1: it does not begin with"),
        ("gapless-alltoall 1\nlibrary *\n", "it is cut off"),
        ("gapless-alltoall 1\nnear latency 1 bandwidth 1 pack 1\nend\n", "line 2: no 'library'"),
        ("gapless-alltoall 1\nlibrary *\nnear latency 1 bandwidth 1\nend\n", "line 3: latency, bandwidth and pack"),
        ("gapless-alltoall 1\nlibrary *\nnear latency nan bandwidth 1 pack 1\nend\n", "line 3: 'nan' is no latency"),
        ("gapless-alltoall 1\nlibrary *\nnear latency 1 bandwidth x pack 1\nend\n", "line 3: 'x' is no bandwidth"),
        ("gapless-alltoall 1\nlibrary *\nnear latency 1 bandwidth 1 pack 1 1\nend\n", "line 3: nothing is called '1'"),
        ("gapless-alltoall 1\nlibrary *\nnear latency 1 bandwidth 1 pack\nend\n", "line 3: '' is no pack"),
        ("gapless-alltoall 1\nlibrary *\nnear latency 1 bandwidth 1 pack 1 calls 1\nend\n", "line 3: '1' are no bytes"),
        ("gapless-alltoall 1\nlibrary *\nnear latency 1 bandwidth 1 pack 1 calls 2 1\nend\n", "line 3: '2 1' are no"),
        (
            "gapless-alltoall 1\nlibrary *\nnear in-place 0 1 latency 1 bandwidth 1 pack 1 in-place 0 1\nend\n",
            "line 3: calls and in-place are wanted once",
        ),
        ("gapless-alltoall 1\nlibrary *\nhere latency 1 bandwidth 1 pack 1\nend\n", "line 3: 'here' is not known"),
        ("gapless-alltoall 1\nend\nlibrary *\nend\n", "line 2: something follows 'end'"),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason.replace("'", ".")):
        parse_numbers(text)


def test_the_longest_range_that_gains() -> None:
    assert range_of([(4, 0.8), (64, 0.9), (256, 1.0), (1024, 0.5)]) == (1, 64)
    assert range_of([(4, 1.2), (64, 0.92), (256, 0.5), (1024, 0.9), (4096, 0.93)]) == (64, 1024)
    assert range_of([(4, 1.2), (64, 0.5), (256, 1.1)]) is None
    assert range_of([]) is None


def test_others_are_kept(tmp_path: Path) -> None:
    path = keep_numbers(tmp_path, {"MPICH": {"near": NEAR}}, "a test")
    keep_numbers(tmp_path, {"MPICH": {"far": FAR}}, "a test")
    keep_numbers(tmp_path, {"Open MPI": {"near": FAR}}, "a test")
    keep_numbers(tmp_path, {"MPICH": {"near": FAR}}, "a test")
    assert path == tmp_path / NAME
    assert parse_numbers(path.read_text()) == {"MPICH": {"near": FAR, "far": FAR}, "Open MPI": {"near": FAR}}
    path.write_text("not ours")
    keep_numbers(tmp_path, {"MPICH": {"near": NEAR}}, "a test")
    assert parse_numbers(path.read_text()) == {"MPICH": {"near": NEAR}}


def test_what_the_library_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path)}
    monkeypatch.setattr(numbers, "site_folder", lambda: None)
    assert numbers_setting(environment) == {}
    assert numbers_in_words(environment) == "the default ones; gapless tune measures them"
    folder = cache_folder(environment)
    folder.mkdir(parents=True)
    path = keep_numbers(folder, {"MPICH": {"near": NEAR}}, "a test")
    assert numbers_setting(environment) == {"GAPLESS_ALLTOALL_FILE": str(path)}
    assert numbers_in_words(environment) == f"{path}: MPICH"
    assert numbers_setting(environment | {"GAPLESS_ALLTOALL_FILE": "mine"}) == {"GAPLESS_ALLTOALL_FILE": "mine"}
    path.write_text(path.read_text()[:-4])
    assert numbers_in_words(environment) == f"the default ones; refused: {path}: it is cut off: there is no 'end'"


def test_measured_within_reason(build: Build) -> None:
    ((library, distances),) = measure_numbers(find_library("mpich")).items()
    assert library.startswith("MPICH")
    near = distances["near"]
    for found in (near.calls, near.in_place):
        assert found is None or 1 <= found[0] < found[1] <= 262144
    assert 1e-9 < near.latency_s < 10 and 1e6 < near.bandwidth < 1e13 and 1e6 < near.pack < 1e13


def test_the_doctor_tells(gapless: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine"
    file.write_text("gapless-alltoall 1\nlibrary\nend\n")
    said = gapless("doctor", GAPLESS_ALLTOALL_FILE=str(file)).stdout
    assert f"the model's numbers: the default ones; refused: {file}: line 2: 'library' is not known here" in said
