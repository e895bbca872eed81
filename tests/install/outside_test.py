#!/usr/bin/env python3
"""Builds examples/outside on what was freshly installed, by the very lines of the documentation, and runs it.

The headers must also compile in every language that they are for, with all warnings as errors. Exits 77, with the
reason, where nothing can be tested. Needs nothing but the Python standard library.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from prefix import ROOT, SKIPPED, free_port, installed, run

EXAMPLE = ROOT / "examples" / "outside"
BLOCK = re.compile(r"<!-- outside: begin -->\n(.*?)<!-- outside: end -->", re.DOTALL)
# Of each document: how many programs its lines run.
DOCUMENTS = {"docs/install.md": 7, "README.md": 2}
CHANNELS = {"docs/fabric.md": 2}
COLUMN = "bytes 0 to 20\nbytes 20 to 40\nbytes 40 to 48\n0 1\n0 11\n0 21\n0 31\n0 41\n0 51\n"
HALO = """subarray([4, 6], [4, 2], [0, 4], C, int32): 32 bytes, extent 96
4 5 10 11 16 17 22 23 \n\
4+8 10+8 16+8 22+8 \n\
same layout: 1
refused: the count must be at least 0, not -1
"""
# Of two processes that exchange their edges, the one on the left and the one on the right.
EDGES = ("rank 0: 101 111 121 131 141 151\n", "rank 1: 2 12 22 32 42 52\n")
STRICT = ("-Wall", "-Wextra", "-pedantic", "-Werror")
HEADERS = {
    "gapless.h": ("c99", "c11", "c++11", "c++20"), "gapless_layer.h": ("c99", "c++11"),
    "gapless_channel.h": ("c99", "c++11"), "gapless.hpp": ("c++20", "c++2b"),
}  # fmt: skip


def check_headers(compilers: dict[str, str], prefix: Path) -> None:
    """Compile each header alone, and the programs, without a warning."""
    for header, standards in HEADERS.items():
        for standard in standards:
            language = "c++" if "++" in standard else "c"
            source = prefix.parent / f"header.{'cpp' if language == 'c++' else 'c'}"
            source.write_text(f"#include <gapless/{header}>\nint nothing(void);\n", encoding="utf-8")
            run(compilers[language], f"-std={standard}", *STRICT, f"-I{prefix}/include", "-fsyntax-only", source)
    for program, language, standard in (
        ("column.c", "c", "c11"),
        ("edges.c", "c", "c11"),
        ("halo.cpp", "c++", "c++20"),
    ):
        options = (f"-std={standard}", *STRICT, "-Wshadow", "-Wconversion", f"-I{prefix}/include", "-fsyntax-only")
        run(compilers[language], *options, EXAMPLE / program)


def check_package(cmake: str, prefix: Path, has_channels: bool) -> None:
    """Ask for versions and components that are there, and for some that are not: the layer was not installed."""
    asked = {"0.1": True, "0.1 COMPONENTS engine": True, "0.1 COMPONENTS layer": False, "0.99": False, "1.0": False}
    asked["0.1 COMPONENTS fabric"] = has_channels
    project = prefix.parent / "package"
    project.mkdir()
    lines = ["cmake_minimum_required(VERSION 3.25)", "project(package LANGUAGES NONE)"]
    for i, words in enumerate(asked):
        lines += [f"find_package(gapless {words} QUIET CONFIG)", f'message("{i}: ${{gapless_FOUND}}")']
    (project / "CMakeLists.txt").write_text("\n".join(lines), encoding="utf-8")
    printed = run(cmake, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    for i, (words, wanted) in enumerate(asked.items()):
        if f"{i}: {'1' if wanted else '0'}" not in printed.replace("TRUE", "1").replace("FALSE", "0"):
            sys.exit(
                f"outside_test: find_package(gapless {words}) should {'' if wanted else 'not '}find it:\n{printed}"
            )


def check_document(
    name: str, programs: int, prefix: Path, libdir: str, work: Path, environment: dict[str, str]
) -> None:
    """Run the lines of a document in a copy of the example, and compare what the programs print."""
    found = BLOCK.search((ROOT / name).read_text(encoding="utf-8"))
    if found is None:
        sys.exit(f"outside_test: {name} has no lines between '<!-- outside: begin -->' and '<!-- outside: end -->'")
    # Not everyone's libraries are in lib; the fully static program needs a static C library, which not everyone has.
    script = found[1].replace("$PREFIX/lib", f"$PREFIX/{libdir}").replace(":7777", f":{free_port()}")
    if "cc -static" in script and not has_static_runtime(environment["CC"], work):
        script = "\n".join(line for line in script.splitlines() if "cc -static" not in line)
        programs -= 1
    folder = Path(shutil.copytree(EXAMPLE, work / Path(name).stem))
    (folder / "lines.sh").write_text("set -euo pipefail\n" + script, encoding="utf-8")
    printed = run("bash", "lines.sh", folder=folder, PREFIX=str(prefix), **environment)
    ran = sum(map(printed.count, (COLUMN, HALO, *EDGES)))
    if ran != programs:
        sys.exit(f"outside_test: of {programs} programs of {name}, {ran} printed what they should:\n{printed}")
    print(f"outside_test: {name}: {ran} programs")


def has_static_runtime(compiler: str, work: Path) -> bool:
    """Say whether a program can be linked with nothing shared."""
    source = work / "static.c"
    source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    return os.system(f"{compiler} -static {source} -lstdc++ -lm -o {work}/static >{work}/static.log 2>&1") == 0


def main() -> int:
    """Run the test; return its exit status."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--libdir", default="lib")
    given = parser.parse_args()
    for tool in ("pkg-config", "bash"):
        if shutil.which(tool) is None:
            print(f"outside_test: skipped: no {tool} here")
            return SKIPPED
    with tempfile.TemporaryDirectory(prefix="gapless_outside_") as temporary:
        work = Path(temporary)
        prefix = installed(given.cmake, given.build, work, "engine", "fabric")
        has_channels = any(prefix.rglob("libgapless_fabric.so"))
        check_headers({"c": given.cc, "c++": given.cxx}, prefix)
        check_package(given.cmake, prefix, has_channels)
        # The documentation says cc, c++ and cmake: let these be the build's own.
        tools = work / "bin"
        tools.mkdir()
        for name, path in (("cc", given.cc), ("c++", given.cxx), ("cmake", given.cmake)):
            (tools / name).symlink_to(path)
        environment = {"CC": given.cc, "CXX": given.cxx, "PATH": f"{tools}:{os.environ['PATH']}"}
        for name, programs in (DOCUMENTS | (CHANNELS if has_channels else {})).items():
            check_document(name, programs, prefix, given.libdir, work, environment)
    return 0


if __name__ == "__main__":
    sys.exit(main())
