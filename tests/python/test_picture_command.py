"""`gapless explain --svg` and `--html`: what is written, and what is there if it cannot be."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

from conftest import Command
from gapless import picture
from gapless.engine import explain_type

COLUMN = "resized(0, 8, vector(100, 1, 100, double))"


def test_the_command_writes_pictures(gapless: Command, tmp_path: Path) -> None:
    answer = gapless("explain", "--json", "--svg", "column.svg", "--html", "column.html", "--count", 2, COLUMN)
    assert answer.returncode == 0, answer.stderr
    document = json.loads(answer.stdout)
    assert (tmp_path / "column.svg").read_text(encoding="utf-8") == picture.svg(document)
    assert (tmp_path / "column.html").read_text(encoding="utf-8") == picture.page(document)
    assert stat.S_IMODE((tmp_path / "column.svg").stat().st_mode) & 0o044 == 0o044 & ~_umask()
    page = gapless("explain", COLUMN).stdout
    assert gapless("explain", "--svg", "again.svg", COLUMN).stdout == page
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.svg", "column.html", "column.svg"]


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def test_a_picture_on_stdout_is_alone(gapless: Command) -> None:
    answer = gapless("explain", "--svg", "-", COLUMN)
    assert answer.stdout == picture.svg(explain_type(COLUMN))
    assert gapless("explain", "--html", "-", COLUMN).stdout.startswith("<!doctype html>")
    answer = gapless("explain", "--svg", "-", "--json", COLUMN)
    assert answer.returncode == 2 and "can have stdout" in answer.stderr and answer.stdout == ""


def test_a_picture_that_cannot_be_written(gapless: Command, tmp_path: Path) -> None:
    answer = gapless("explain", "--svg", "missing/type.svg", "byte")
    assert answer.returncode == 2 and "cannot write missing/type.svg: No such file" in answer.stderr
    assert "Traceback" not in answer.stderr
    (tmp_path / "folder").mkdir()
    answer = gapless("explain", "--svg", "folder", "byte")
    assert answer.returncode == 2 and "Is a directory" in answer.stderr
    answer = gapless("explain", "--svg", "/dev/full", "byte")
    assert answer.returncode == 2 and "cannot write /dev/full: No space left" in answer.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_what_was_there_is_replaced_as_a_whole(gapless: Command, tmp_path: Path) -> None:
    (tmp_path / "real.svg").write_text("before")
    (tmp_path / "real.svg").chmod(0o640)
    (tmp_path / "link.svg").symlink_to("real.svg")
    assert gapless("explain", "--svg", "link.svg", "byte").returncode == 0
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "real.svg").read_text(encoding="utf-8") == picture.svg(explain_type("byte"))
    assert stat.S_IMODE((tmp_path / "real.svg").stat().st_mode) == 0o640
    assert gapless("explain", "--svg", "/dev/null", "byte").returncode == 0
    assert not Path("/dev/null").is_file()
