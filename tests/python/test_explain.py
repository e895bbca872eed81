"""`gapless explain`: the command, its pages, and its JSON."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Command
from gapless.cli.explanation import memory_lines, print_explanation
from gapless.engine import TypeTextError, explain_type
from rich.console import Console

ESCAPE = "\x1b["


def picture(text: str, count: int = 1) -> list[str]:
    """Return the memory of a type as lines of text, gaps as dots."""
    return [line.plain for line in memory_lines(explain_type(text, count), ".")]


def test_the_page_shows_it_all(gapless: Command) -> None:
    answer = gapless("explain", "vector(3, 2, 4, int32)")
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    lines = [line.rstrip() for line in answer.stdout.splitlines()]
    assert lines[0] == "vector(3, 2, 4, int32)"
    assert "  vector  count 3  blocklength 2  stride 4  (24 bytes, extent 40)" in lines
    assert "  └── int32  (4 bytes, extent 4)" in lines
    assert lines[lines.index("Normal form") + 1].strip()
    assert lines[lines.index("Plan") + 1] == "  nest_8: 3 blocks of 8 bytes, stride 16"
    assert any(re.fullmatch(r"  kernels for \w+; far \(past the caches\) from \d+ elements on", line) for line in lines)
    assert ["24", "0", "40", "0", "40", "4"] in [line.split() for line in lines]
    assert ["3", "24", "1"] in [line.split() for line in lines]
    assert any(line.endswith("aaaaaaaa········bbbbbbbb········cccccccc") for line in lines)


def test_a_pipe_gets_no_colours(gapless: Command) -> None:
    assert ESCAPE not in gapless("explain", "vector(3, 2, 4, int32)").stdout


def on_a_terminal(*options: str) -> str:
    """Run `gapless explain` with a terminal for its output."""
    main, side = pty.openpty()
    command = [sys.executable, "-m", "gapless", "explain", "vector(3, 2, 4, int32)", *options]
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM", "COLORTERM")}
    process = subprocess.Popen(command, stdout=side, stdin=subprocess.DEVNULL, env=clean | {"TERM": "xterm-256color"})
    os.close(side)
    output = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        output += part
    os.close(main)
    assert process.wait(timeout=60) == 0
    return output.decode()


def test_a_terminal_gets_colours_unless_told_otherwise() -> None:
    coloured = on_a_terminal()
    assert ESCAPE in coloured
    plain = on_a_terminal("--no-color")
    assert ESCAPE not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_json_is_the_document_and_nothing_else(gapless: Command) -> None:
    answer = gapless("explain", "--json", "--count", 2, "contiguous(2,\n resized(0, 16, MPI_DOUBLE))")
    document = json.loads(answer.stdout)
    assert document["schema"] == 1
    assert document["type"] == "contiguous(2, resized(0, 16, double))"
    assert document["memory"] == [[0, 8, 0], [16, 8, 1], [32, 8, 2], [48, 8, 3]]
    assert (document["runs"], document["bytes_touched"], document["cache_lines"]) == (4, 32, 1)


def test_settings_choose_the_kernels_and_what_is_far(gapless: Command) -> None:
    def explained(**settings: str) -> dict[str, object]:
        return dict(json.loads(gapless("explain", "--json", "vector(64, 1, 100, double)", **settings).stdout))

    assert explained(GAPLESS_ISA="baseline")["isa"] == "baseline"
    assert explained(GAPLESS_NT_BYTES="1")["far_from_count"] == 1
    # An element touches 64 lines, one more for each run at most, and 512 bytes of packed data.
    assert explained(GAPLESS_NT_BYTES="1M")["far_from_count"] == (1 << 20) // (64 * 72 + 512) + 1
    page = gapless("explain", "contiguous(0, byte)").stdout
    assert "nothing to do" in page and "kernels for" not in page


def test_a_misspelt_type_is_pointed_at(gapless: Command) -> None:
    answer = gapless("explain", "contiguous(2, vectr(3, 2, 4, int32))")
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr == (
        "gapless: error: unknown type 'vectr' (line 1, column 15): did you mean 'vector'?\n"
        "    contiguous(2, vectr(3, 2, 4, int32))\n"
        "                  ^~~~~\n"
    )


def test_arguments_that_no_type_has_are_refused(gapless: Command) -> None:
    answer = gapless("explain", "--count", 4, "contiguous(4611686018427387904, byte)")
    assert answer.returncode == 2
    assert "does not fit into 64 bits" in answer.stderr
    assert gapless("explain", "--count", -1, "byte").returncode == 2
    with pytest.raises(TypeTextError, match="NUL"):
        explain_type("byte\0s")


def test_help_teaches_by_example(gapless: Command) -> None:
    answer = gapless("explain", "--help")
    assert answer.returncode == 0
    for name in ("vector(1000, 2, 4, int32)", "struct([", "subarray(", "--count", "--json", "--no-color"):
        assert name in answer.stdout


def test_a_type_from_stdin() -> None:
    command = [sys.executable, "-m", "gapless", "explain", "--json", "-"]
    answer = subprocess.run(command, input=" dup( byte )\n", capture_output=True, text=True, timeout=60, check=False)
    assert json.loads(answer.stdout)["type"] == "dup(byte)"


def test_nothing_built_is_one_line(gapless: Command, tmp_path: Path) -> None:
    answer = gapless("explain", "byte", GAPLESS_BUILD_DIR=str(tmp_path))
    assert answer.returncode == 2
    assert "run 'make build'" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_an_unusable_library_is_one_line(gapless: Command, tmp_path: Path) -> None:
    (tmp_path / "libgapless.so").write_text("no library")
    answer = gapless("explain", "byte", GAPLESS_LIBDIR=str(tmp_path))
    assert answer.returncode == 2
    assert "build it again" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_memory_is_drawn_in_cache_lines() -> None:
    assert picture("hvector(2, 1, 64, int32)") == [" 0  aaaa" + "." * 60, "64  bbbb"]
    assert picture("hindexed_block(1, [70, 66], int16)") == ["64    bb..aa"]
    assert picture("contiguous(0, byte)") == []


def test_memory_below_the_buffer() -> None:
    assert picture("hindexed([2, 3], [-3, 0], byte)") == ["-64  " + " " * 61 + "aa.", "  0  bbb"]


def test_bytes_that_several_runs_touch_are_capitals() -> None:
    assert picture("hindexed_block(4, [4, 2, 10], byte)") == ["0    bbBBaa..cccc"]


def test_the_27th_run_is_an_a_again() -> None:
    (line,) = picture("vector(28, 1, 2, byte)")
    assert line.split() == ["0", ".".join("abcdefghijklmnopqrstuvwxyzab")]


def test_only_the_first_kilobyte_is_drawn() -> None:
    lines = picture("vector(100, 1, 8, int32)", 1)
    assert len(lines) == 16
    assert len(picture("hvector(1, 1, 0, resized(0, 4000, hindexed([1, 1], [32, 3000], byte)))")) == 17


def test_large_trees_are_cut() -> None:
    members = ", ".join(f"(1, {8 * i}, int32)" for i in range(100))
    out = io.StringIO()
    print_explanation(Console(file=out, width=110), explain_type(f"struct([{members}])"))
    assert "... 36 more" in out.getvalue()
    assert "[0, 8, 16, 24, 32, 40, 48, 56, ... 92 more]" in " ".join(out.getvalue().split())
    out = io.StringIO()
    deep = "dup(" * 900 + "byte" + ")" * 900
    print_explanation(Console(file=out, width=110), explain_type(deep))
    assert "└── ..." in out.getvalue()


def test_brackets_are_no_markup() -> None:
    out = io.StringIO()
    print_explanation(Console(file=out, width=110), explain_type("indexed([1], [0], byte)"))
    assert "indexed([1], [0], byte)" in out.getvalue()


def test_the_documented_types_are_types(repository: Path) -> None:
    text = (repository / "docs" / "notation.md").read_text(encoding="utf-8")
    examples = re.findall(r"^    ((?:vector|resized|struct)\(.*\))$", text, re.MULTILINE)
    assert len(examples) == 3
    for example in examples:
        assert explain_type(example)["type"] == example
    assert explain_type("indexed([2*1000], [0..3996:4], int32)")["runs"] == 1000
    named = text[text.index("## Named types") : text.index("MPI's names")]
    names = re.findall(r"`([a-z0-9_]+)`", named)
    assert len(names) == 26
    for name in names:
        assert explain_type(name)["type"] == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("vector(3, 2, 4, d\u00f3uble)", "'\u00f3' (U+00F3) is no character of the notation (line 1, column 18)"),
        (
            "vector(3, 2, \u22124, double)",
            "'\u2212' (U+2212) is no character of the notation (line 1, column 14): write '-'",
        ),
        (
            "MPI_Type_vector(3, 2, 4, MPI_INT)",
            "'MPI_Type_vector' is MPI's name (line 1, column 1): here it is vector(count, blocklength, stride, type)",
        ),
    ],
)
def test_what_is_not_of_the_notation_is_named(gapless: Command, text: str, said: str) -> None:
    answer = gapless("explain", text, PYTHONIOENCODING="utf-8", PYTHONUTF8="1")
    assert answer.returncode == 2
    first, line, caret = answer.stderr.splitlines()
    assert said in first
    assert line == f"    {text}"
    assert caret.index("^") == 4 + int(re.findall(r"column (\d+)", said)[0]) - 1
