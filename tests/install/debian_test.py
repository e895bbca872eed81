#!/usr/bin/env python3
"""Builds the Debian packages, installs them into a root of their own, and uses them there as a stranger does.

C programs are built on the engine and on the channels by the flags of the installed pkg-config files, and an MPI
program runs under the installed layer. Exits 77, with the reason, where Debian's tools are not here. Needs nothing but
the Python standard library.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from prefix import ROOT, SKIPPED, free_port, run

OUTSIDE = ROOT / "examples" / "outside"
PROGRAM = ROOT / "tests" / "preload" / "linked_test.c"
PACKAGES = {"libgapless0", "libgapless-dev", "libgapless-fabric0", "gapless-mpi"}


def built(folder: Path) -> list[Path]:
    """Build the packages and return their files; exit where that cannot be done here.

    Without optimisation, a quarter of the time: what is tested is what is in the packages, and that it works.
    """
    quickly = {
        "DEB_BUILD_OPTIONS": f"noautodbgsym noopt parallel={os.environ.get('JOBS', os.cpu_count())}",
        "DEB_CXXFLAGS_APPEND": "-g0",
    }
    done = subprocess.run(
        [ROOT / "tools" / "debian_package.sh", folder],
        env=os.environ | quickly,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(f"debian_test: {done.stdout.strip()}")
        sys.exit(SKIPPED if done.returncode == SKIPPED else 1)
    files = {file.name.partition("_")[0]: file for file in folder.glob("*.deb")}
    if missing := PACKAGES - files.keys():
        sys.exit(f"debian_test: not built: {', '.join(sorted(missing))}")
    return [files[name] for name in sorted(PACKAGES)]


def installed(packages: list[Path], root: Path) -> None:
    """Let dpkg install them below `root`, where nothing else is: what they depend on is this machine's."""
    database = root / "var" / "lib" / "dpkg"
    for name in ("info", "updates"):
        (database / name).mkdir(parents=True)
    (database / "status").touch()
    forced = ["--force-depends", "--force-not-root", "--force-script-chrootless", "--log=/dev/null"]
    run("dpkg", f"--root={root}", *forced, "--install", *packages, PATH="/usr/sbin:/usr/bin:/sbin:/bin")


def main() -> int:
    """Run the test; return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--mpi-include", required=True)
    parser.add_argument("--mpi-library", required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gapless_debian_") as temporary:
        work = Path(temporary)
        root = work / "root"
        installed(built(work / "packages"), root)
        preload = next(root.glob("usr/lib/*/libgapless_preload.so"))
        lib = preload.parent
        for program, package in (("column", "gapless"), ("edges", "gapless-fabric")):
            flags = run("pkg-config", "--cflags", "--libs", package, PKG_CONFIG_PATH=str(lib / "pkgconfig")).split()
            run(given.cc, "-std=c11", OUTSIDE / f"{program}.c", *flags, "-o", work / program)
        run(work / "column", LD_LIBRARY_PATH=str(lib))
        place = f"127.0.0.1:{free_port()}"
        two = f"{work}/edges 0 {place} & {work}/edges 1 {place} && wait $!"
        run("bash", "-c", two, LD_LIBRARY_PATH=str(lib), GAPLESS_JOB_SECRET="of this test, and of it alone")
        mpi = [f"-I{given.mpi_include}", f"-I{ROOT / 'include'}", given.mpi_library]
        run(given.cc, PROGRAM, *mpi, f"-Wl,-rpath,{Path(given.mpi_library).parent}", "-o", work / "program")
        run(given.mpiexec, "-n", "2", "-genv", "LD_PRELOAD", preload, work / "program", "layer", GAPLESS_STATS="1")
    print("debian_test: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
