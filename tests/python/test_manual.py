"""The man pages and the settings: complete, well-formed, and true to the sources."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from gapless.cli.manual import Help, command_tree, page_of, write_pages
from gapless.cli.roff import Page, escaped
from gapless.launch.variables import VARIABLES, as_markdown
from gapless.paths import REPOSITORY

ROOT = command_tree()
NODES = {node.name: node for node in ROOT.walk()}
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"]
# How the sources read a setting: C++ by base/settings.hpp or getenv, Python from os.environ.
READ_IN_CXX = re.compile(r'(?:setting_\w+|getenv)\("(GAPLESS_\w+)"')
READ_IN_PYTHON = re.compile(r'(?:os\.environ\b\S*?|enabled\()"(GAPLESS_\w+)"')


def unescaped(roff: str) -> str:
    """Return the text of a page as its reader sees it, on one line."""
    roff = re.sub(r"\\f[BR]", "", roff).replace("\\&", "").replace("\\-", "-").replace("\\(aq", "'")
    return " ".join(roff.split())


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_pages(tmp_path_factory.mktemp("man"))


def test_every_command_has_a_page(pages: list[Path]) -> None:
    assert {path.stem for path in pages} == set(NODES)
    assert {"gapless", "gapless-run", "gapless-explain", "gapless-doctor", "gapless-bench-engine"} <= set(NODES)


@pytest.mark.parametrize("name", NODES)
def test_a_page_is_complete(name: str) -> None:
    node = NODES[name]
    page = page_of(node, ROOT)
    found = re.findall(r"^\.SH (.*)$", page, re.MULTILINE)
    assert [section for section in found if section != "COMMANDS"] == SECTIONS
    assert ("COMMANDS" in found) == bool(node.children)
    text = unescaped(page)
    for child in node.children:
        assert f"{child.name}(1)" in text
    for parameter in node.command.params:
        for option in (*parameter.opts, *parameter.secondary_opts) if parameter.param_type_name == "option" else ():
            assert re.search(rf"\.TP (?:\S+, |-\S+ / )?{re.escape(option)}\b", text), option
        if parameter.param_type_name == "argument":
            assert parameter.metavar is None or f".TP {parameter.metavar} " in text
    # Nothing of the help's markup, and no section that is empty.
    assert not re.search(r"\[/?(bold|dim)\]", page)
    for section in page.split("\n.SH ")[1:]:
        assert len(section.splitlines()) > 1, section


def test_every_example_is_an_invocation_of_the_command() -> None:
    for node in ROOT.walk():
        for example in node.help.examples:
            assert " ".join(node.words) in example


def test_help_is_taken_apart() -> None:
    found = Help.of(
        "Weigh a type (quickly). It is heavy.\n\n[bold]Examples:[/bold]\n  gapless weigh a\n\ngapless weigh b\n\n"
        "More. The exit status is 0 if it\nfloats; else 1. Most.\n\n[bold]Example:[/bold]  gapless weigh c"
    )
    assert found.examples == ["gapless weigh a", "gapless weigh b", "gapless weigh c"]
    assert found.exit_status == "The exit status is 0 if it\nfloats; else 1."
    assert [" ".join(paragraph.split()) for paragraph in found.paragraphs] == [
        "Weigh a type (quickly). It is heavy.",
        "More. Most.",
    ]
    assert found.purpose == "weigh a type"


def test_roff_sees_only_text() -> None:
    assert escaped(".so it's a\\b -x\nä") == "\\&.so it\\(aqs a\\eb \\-x \\[u00E4]"
    page = Page("a-b", 1, "0")
    page.paragraph("one\n  .kept  as it is\ntwo")
    assert page.text().splitlines()[1:] == [
        ".PP", "one", ".RS 4", ".nf", "\\&.kept  as it is", ".fi", ".RE", "two",
    ]  # fmt: skip


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_warns_of_nothing(pages: list[Path]) -> None:
    for page in pages:
        done = subprocess.run(["groff", "-man", "-ww", "-z", page], capture_output=True, text=True, check=True)
        assert done.stderr == "", page.name


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_warns_of_nothing_but_the_missing_date(pages: list[Path]) -> None:
    for page in pages:
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], capture_output=True, text=True)
        assert [line for line in done.stdout.splitlines() if "missing date" not in line] == []


def test_stale_pages_go(tmp_path: Path) -> None:
    (tmp_path / "gapless-gone.1").write_text("")
    (tmp_path / "other.1").write_text("")
    names = {path.name for path in write_pages(tmp_path)}
    assert {path.name for path in tmp_path.iterdir()} == names | {"other.1"}


def test_the_table_has_every_setting_that_is_read() -> None:
    read: set[str] = set()
    for folder, suffixes, pattern in (
        ("src", (".cpp", ".hpp"), READ_IN_CXX),
        ("python", (".py",), READ_IN_PYTHON),
    ):
        for file in sorted((REPOSITORY / folder).rglob("*")):
            if file.suffix in suffixes:
                read |= set(pattern.findall(file.read_text(encoding="utf-8")))
    assert read == {variable.name for variable in VARIABLES}


def test_the_settings_page_is_up_to_date() -> None:
    page = (REPOSITORY / "docs" / "settings.md").read_text(encoding="utf-8")
    assert page == as_markdown(), "write it again: python -m gapless.cli.manual --settings docs/settings.md"
