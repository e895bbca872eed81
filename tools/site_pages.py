"""What mkdocs needs to build the site from the pages as they lie in the repository: a hook of mkdocs.yml.

README.md and its neighbours at the root become pages of the site, the former its first; links between them and docs/
lead there, and say the titles of pages, not the names of files. A link to anything else of the repository becomes its
name in code: the site holds no sources.
GAPLESS_REFERENCE is the folder into which Doxygen wrote the reference (tools/docs.sh).
"""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
AT_ROOT = {"README.md": "index.md"} | {
    name: name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE", "CITATION.cff")
}
"""Files beside docs/ that the site has, and their names there."""
LINK = re.compile(r"(?P<text>!?\[[^\]]*\])\((?P<target>[^)\s#]+)(?P<fragment>#[^)\s]*)?\)")
# A list right below a line of text is one on GitHub; Python-Markdown wants an empty line between.
LIST_AT_TEXT = re.compile(r"^(?P<text>(?![*\-|>#\s]|\d+\. ).+\n)(?=(?:[*-]|\d+\.) )", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages at the root, and the reference."""
    for name, there in AT_ROOT.items():
        files.append(File.generated(config, there, abs_src_path=str(ROOT / name)))
    html = Path(os.environ["GAPLESS_REFERENCE"]) / "html"
    for path in sorted(html.rglob("*")):
        if path.is_file():
            there = posixpath.join("reference", path.relative_to(html).as_posix())
            files.append(File.generated(config, there, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead the page's links to where the site has what they name."""
    there = page.file.src_uri
    # Where the page lies in the repository.
    here = next((name for name, site in AT_ROOT.items() if site == there), f"docs/{there}")

    def led(link: re.Match[str]) -> str:
        target = link["target"]
        if re.match(r"[a-z]+:", target):
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        site = AT_ROOT.get(path, path.removeprefix("docs/"))
        if files.get_file_from_path(site) is None:
            return f"{link['text'][1:-1]} (`{path}`)"
        text = link["text"]
        # A page's file name says nothing to who reads a site: its title does.
        if text == f"[{posixpath.basename(path)}]" and (title := re.match(r"# (.+)", (ROOT / path).read_text())):
            text = f"[{title[1]}]"
        return f"{text}({posixpath.relpath(site, posixpath.dirname(there) or '.')}{link['fragment'] or ''})"

    return LIST_AT_TEXT.sub(r"\g<text>\n", LINK.sub(led, markdown))
