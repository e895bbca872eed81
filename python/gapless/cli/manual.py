"""Man pages of the command, from its own tree of commands: `python -m gapless.cli.manual FOLDER`.

click-man and its kin want click's classes; Typer has its own. Only what all commands have in common is said here and
not in their help: exit status, settings, and who refers to whom.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from gapless import __version__
from gapless.cli.commands import app
from gapless.cli.roff import Page, bold, escaped
from gapless.launch.variables import BYTES, SWITCH, Reader, as_markdown, variables_of

# Typer's words for types: <int range>, <list[Path]>.
KIND = re.compile(r"<(?:list\[)?(\w+)\]?(?: range)?>")
MARKUP = re.compile(r"\[/?(?:bold|dim)\]")
EXAMPLE_HEADING = re.compile(r"Examples?:\s*")
EXIT_SENTENCE = re.compile(r"(?:Exit status:|The exit status is|Exits with status)\s.*?\.(?=\s|$)", re.DOTALL)
ALL_COMMANDS = {
    "0": "It was done.",
    "1": "What was measured failed, or what was tested for does not hold.",
    "2": "The command line, or what it needs on this machine, is not as it must be. One line on standard error says "
    "what, where, and what to do.",
    "130": "Interrupted.",
}
DOCUMENTATION = (
    "docs/ of the Gapless repository: notation.md (types as text), wrappers.md (what the layer does), methods.md"
)


@dataclass
class Help:
    """A command's help text, taken apart."""

    paragraphs: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    exit_status: str = ""

    @classmethod
    def of(cls, text: str) -> Help:
        """Take a help text apart: examples and exit status have sections of their own."""
        found = cls()
        in_examples = False
        for paragraph in re.split(r"\n\s*\n", MARKUP.sub("", text).strip("\n")):
            heading = EXAMPLE_HEADING.match(paragraph)
            lines = [EXAMPLE_HEADING.sub("", line.strip(), count=1) for line in paragraph.splitlines()]
            in_examples = heading is not None or (in_examples and all(line.startswith("gapless ") for line in lines))
            if in_examples:
                found.examples += [line for line in lines if line]
                continue
            status = EXIT_SENTENCE.search(paragraph)
            if status:
                found.exit_status = status[0].removeprefix("Exit status:").strip()
                paragraph = EXIT_SENTENCE.sub("", paragraph).strip()
            if paragraph:
                found.paragraphs.append(paragraph)
        return found

    @property
    def purpose(self) -> str:
        """The first sentence, as the NAME section has it."""
        sentence = re.split(r"\.(?:\s|$)", " ".join(self.paragraphs[0].split()), maxsplit=1)[0]
        sentence = re.sub(r" \([^()]*\)$", "", sentence)
        return sentence if sentence[1].isupper() else sentence[0].lower() + sentence[1:]


@dataclass
class Node:
    """A command with those below it."""

    words: tuple[str, ...]
    command: Any
    context: Any
    help: Help
    children: list[Node] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The page's name: gapless-bench-engine."""
        return "-".join(self.words)

    def walk(self) -> Iterator[Node]:
        """Yield this command and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def command_tree(command: Any = None, parent: Any = None, words: tuple[str, ...] = ("gapless",)) -> Node:
    """Return the tree of commands that the shell sees."""
    command = command if command is not None else typer.main.get_command(app)
    context = command.make_context(words[-1], [], parent=parent, resilient_parsing=True)
    node = Node(words, command, context, Help.of(command.help or ""))
    for name, child in getattr(command, "commands", {}).items():
        if not child.hidden:
            node.children.append(command_tree(child, context, (*words, name)))
    return node


def _synopsis(page: Page, node: Node) -> None:
    page.section("SYNOPSIS")
    arguments = [_argument(of) for of in node.command.get_params(node.context) if of.param_type_name == "argument"]
    pieces = ["[OPTIONS]", *(["COMMAND", "[ARGUMENTS]"] if node.children else arguments)]
    page.line(f"{bold(' '.join(node.words))} {escaped(' '.join(pieces))}")


def _argument(parameter: Any) -> str:
    return parameter.metavar or parameter.name.upper()


def _options(page: Page, node: Node) -> None:
    page.section("OPTIONS")
    for parameter in node.command.get_params(node.context):
        record = parameter.get_help_record(node.context)
        if record is None:
            continue
        tag = _argument(parameter) if parameter.param_type_name == "argument" else KIND.sub(r"<\1>", record[0])
        page.item(bold(tag), MARKUP.sub("", record[1]).removesuffix("  [required]"))


def _commands(page: Page, node: Node) -> None:
    page.section("COMMANDS")
    for child in node.children:
        page.item(f"{bold(child.name)}(1)", f"{child.help.paragraphs[0]}")


def _examples(page: Page, node: Node) -> None:
    page.section("EXAMPLES")
    page.example(node.help.examples or [_first_example(child) for child in node.children])


def _first_example(node: Node) -> str:
    return next(below.help.examples[0] for below in node.walk() if below.help.examples)


def _exit_status(page: Page, node: Node) -> None:
    page.section("EXIT STATUS")
    own = node.help.exit_status
    if own:
        page.paragraph(own[0].upper() + own[1:])
    for status, meaning in ALL_COMMANDS.items():
        if status == "1" and node.words[1:2] and node.words[1] not in ("demo", "measure", "bench"):
            continue
        if node.name == "gapless-run" and status != "0":  # the program's own may be any
            continue
        if not own or (status != "0" and not re.search(rf"\b{status}\b", own)):
            page.item(bold(status), meaning)


def _environment(page: Page, node: Node) -> None:
    page.section("ENVIRONMENT")
    readers = {
        "gapless": tuple(Reader),
        "gapless-run": tuple(Reader),
        "gapless-explain": (Reader.ENGINE, Reader.COMMAND),
    }
    chosen = readers.get(node.name, (Reader.COMMAND,))
    for of in variables_of(*chosen):
        page.item(f"{bold(of.name)}={escaped(of.values)}", f"{of.meaning} Default: {of.default}.")
    if Reader.LAYER in chosen:
        page.paragraph(f"{SWITCH} {BYTES}")
    else:
        page.begin_paragraph()
        page.line(f"{bold('gapless')}(1) has all settings.")


def _see_also(page: Page, node: Node, root: Node) -> None:
    page.section("SEE ALSO")
    related = [root.name, "-".join(node.words[:-1]), *(child.name for child in node.children)]
    names = [name for name in dict.fromkeys(related) if name and name != node.name]
    page.line(", ".join(f"{bold(name)}(1)" for name in names) or bold("mpiexec") + "(1)")
    page.paragraph(DOCUMENTATION)


def page_of(node: Node, root: Node) -> str:
    """Return the page of one command."""
    page = Page(node.name, 1, __version__)
    page.section("NAME")
    page.line(f"{escaped(node.name)} \\- {escaped(node.help.purpose)}")
    _synopsis(page, node)
    page.section("DESCRIPTION")
    for paragraph in node.help.paragraphs:
        page.paragraph(paragraph)
    if node.children:
        _commands(page, node)
    _options(page, node)
    _examples(page, node)
    _exit_status(page, node)
    _environment(page, node)
    _see_also(page, node, root)
    return page.text()


def write_pages(folder: Path) -> list[Path]:
    """Write every page, and remove those of commands that are no more."""
    root = command_tree()
    pages = {f"{node.name}.1": page_of(node, root) for node in root.walk()}
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("gapless*.1"):
        if stale.name not in pages:
            stale.unlink()
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in pages]


def main() -> None:
    """Write what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m gapless.cli.manual", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="where the man pages go")
    parser.add_argument("--settings", metavar="FILE", type=Path, help="where the settings go, in Markdown")
    given = parser.parse_args()
    if given.folder:
        write_pages(given.folder)
    if given.settings:
        given.settings.write_text(as_markdown(), encoding="utf-8")


if __name__ == "__main__":
    main()
