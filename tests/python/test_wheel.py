"""What pip installs, in a fresh environment without compilers: what a stranger gets who runs an MPI program.

Of the build folder's pieces (`make test`), of the wheel that `make wheel` builds from the sdist (`make test-all`), and
of the wheel for AArch64 and what pip builds with this machine's compiler (`make test-full`).
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import gapless
import pytest
from conftest import Compiler
from gapless.paths import REPOSITORY, Build
from gapless.targets.libraries import find_library
from layered import NAMES, find_layered

long = pytest.mark.long  # builds the engine and the layer from nothing
full = pytest.mark.full  # and once more
TIMEOUT_S = 1500

# A column of a matrix from rank 0 to rank 1, in C and in Python.
IN_C = REPOSITORY / "tests" / "python" / "wheel_column.c"
IN_PYTHON = """
import numpy
from mpi4py import MPI
world = MPI.COMM_WORLD
column = MPI.INT32_T.Create_vector(512, 16, 512).Commit()
sent = numpy.arange(512 * 512, dtype=numpy.int32).reshape(512, 512)
field = sent if world.rank == 0 else numpy.full((512, 512), -1, numpy.int32)
if world.rank == 0:
    world.Send([field, 1, column], 1)
else:
    world.Recv([field, 1, column], 0)
    right = numpy.where(numpy.arange(512)[None, :] < 16, sent, -1)
    print("wrong", numpy.count_nonzero(field != right))
"""


# The measuring programs, by their folder below gapless/lib.
PROGRAMS = {
    "lab": ("cases", "every_alltoall", "exchange", "tune", "tune_numbers"),
    "examples": ("halo2d",),
    "examples/applications": ("flow", "image", "life"),
}
PROGRAM_FOLDERS = ("gapless/lib/lab/", "gapless/lib/examples/")


@dataclass(frozen=True)
class Environment:
    """A virtual environment that has the wheel and mpi4py, and a folder elsewhere."""

    folder: Path
    elsewhere: Path

    def run(self, program: str, *arguments: object, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment; PATH leads nowhere else, least of all to a compiler."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("GAPLESS_", "PYTHON", "LD_", "CMAKE"))}
        path = str(self.folder / "bin")
        assert not any(shutil.which(name, path=path) for name in ("cc", "c++", "gcc", "g++", "clang", "zig", "cmake"))
        return subprocess.run(
            [f"{path}/{program}", *map(str, arguments)], cwd=self.elsewhere, env={**kept, "PATH": path, **settings},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip

    def must(self, program: str, *arguments: object, **settings: str) -> str:
        """Run a program that must not fail; return what it prints."""
        answer = self.run(program, *arguments, **settings)
        assert answer.returncode == 0, f"{program} {arguments}\n{answer.stdout}\n{answer.stderr}"
        return answer.stdout


def build_wheel(repository: Path, machine: str, python: str = sys.executable) -> Path:
    """Build the wheel of a Python for such machines."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GAPLESS_", "PYTHON", "CMAKE_"))}
    answer = subprocess.run(
        [str(repository / "tools/wheel.sh"), machine], env=clean | {"PYTHON": python}, capture_output=True,
        text=True, timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return repository / answer.stdout.splitlines()[-1].removeprefix("gapless: ")


@pytest.fixture(scope="module")
def wheel(repository: Path) -> Path:
    """Build the wheel for this machine."""
    return build_wheel(repository, platform.machine())


@pytest.fixture(scope="module")
def wheel_aarch64(repository: Path) -> Path:
    """Build the wheel for AArch64, by cross compilation elsewhere."""
    return build_wheel(repository, "aarch64")


# Checks that look at the files alone.
each_wheel = pytest.mark.parametrize(
    "which", [pytest.param("wheel", marks=long), pytest.param("wheel_aarch64", marks=full)]
)


def install_build(fresh: Environment, build: Build, repository: Path) -> None:
    """Put the package and the build's pieces where pip puts them, beside the dependencies of the checkout."""
    site = next((fresh.folder / "lib").glob("python*/site-packages"))
    shutil.copytree(repository / "python/gapless", site / "gapless", ignore=shutil.ignore_patterns("__pycache__"))
    install = ["cmake", "--install", build.folder, "--component", "python", "--prefix", site]
    subprocess.run(install, check=True, capture_output=True)
    # Without its own .pth, which leads to the checkout's package.
    dependencies = [sysconfig.get_path("purelib"), repository / ".venv/rivals/mpi4py/lib"]
    (site / "dependencies.pth").write_text("".join(f"{path}\n" for path in dependencies), encoding="utf-8")
    command = fresh.folder / "bin/gapless"
    command.write_text(f"#!{fresh.folder}/bin/python\nfrom gapless.cli.main import main\n\nmain()\n", encoding="utf-8")
    command.chmod(0o755)


def install_wheel(fresh: Environment, wheel: Path, repository: Path) -> None:
    """Let pip install the wheel and mpi4py, with the versions of requirements.lock."""
    # Versions alone: the wheel itself has no hash there.
    pinned = re.sub(r" *\\\n +--hash=\S+", "", (repository / "requirements.lock").read_text(encoding="utf-8"))
    (fresh.elsewhere / "versions.txt").write_text(pinned, encoding="utf-8")
    quiet = ["--quiet", "--disable-pip-version-check", "-c", fresh.elsewhere / "versions.txt"]
    fresh.must("python", "-m", "pip", "install", *quiet, f"{wheel}[mpi4py]")


@pytest.fixture(scope="module", params=["build", pytest.param("wheel", marks=long)])
def installed(
    request: pytest.FixtureRequest, build: Build, repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """Make an environment with the package."""
    fresh = Environment(tmp_path_factory.mktemp("fresh") / "venv", tmp_path_factory.mktemp("elsewhere"))
    venv.create(fresh.folder, with_pip=request.param == "wheel")
    if request.param == "wheel":
        install_wheel(fresh, request.getfixturevalue("wheel"), repository)
    else:
        install_build(fresh, build, repository)
    return fresh


def files_of(wheel: Path) -> set[str]:
    """Return the files of a wheel, by what they are for every way to build it."""
    return {
        re.sub(r"\.cpython-[^.]*|\.abi3", "", name)
        for name in zipfile.ZipFile(wheel).namelist()
        if not name.endswith("/")
    }


@each_wheel
def test_what_is_in_it(which: str, request: pytest.FixtureRequest) -> None:
    names = files_of(request.getfixturevalue(which))
    fronts = {f"gapless/lib/libgapless_preload{end}.so" for end in ("", "_40", "_lc", "_lc41")}
    abis = ("mpich", "standard", "openmpi")
    backends = {f"gapless/lib/libgapless_be_{abi}.so" for abi in abis}
    functions = {f"gapless/lib/libgapless_mpi_{abi}.so" for abi in ("mpich", "openmpi", "standard")}
    probes = {f"gapless/lib/{abi}/doctor_probe.so" for abi in abis}
    libraries = {"gapless/_engine.so"} | fronts | backends | functions | probes
    assert {name for name in names if name.endswith(".so")} == libraries
    programs = {name for name in names if name.startswith(PROGRAM_FOLDERS)}
    assert programs == {
        f"gapless/lib/{folder}/{abi}{program}" for folder, has in PROGRAMS.items() for program in has
        for abi in ("", "openmpi/")
    }  # fmt: skip
    assert {f"gapless/lib/licences/{of}/LICENSE" for of in ("CLI11", "nlohmann_json")} <= names
    assert {"gapless/__init__.pyi", "gapless/_engine.pyi", "gapless/py.typed"} <= names
    pages = {Path(name).name for name in names if "/share/man/man1/" in name}
    assert {"gapless.1", "gapless-run.1", "gapless-explain.1"} <= pages


@each_wheel
def test_it_needs_nothing_but_an_old_glibc(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    wheel = request.getfixturevalue(which)
    machine = "aarch64" if which == "wheel_aarch64" else platform.machine()
    assert wheel.name.endswith(f"-manylinux_2_28_{machine}.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    programs = {file for name in PROGRAM_FOLDERS for file in (tmp_path / name).rglob("*") if file.is_file()}
    objects = list(tmp_path.rglob("*.so"))
    assert objects and programs
    for file in [*objects, *programs]:
        # The MPI library of a program is the user's.
        allowed = re.compile(
            r"lib(c|m|dl|pthread|rt)\.so\.\d|ld-linux[\w-]*\.so\.\d"
            + (r"|libmpi\.so\.(12|40)|libgapless_mpi_\w+\.so" if file in programs else "")
        )
        head = subprocess.run(["readelf", "-h", file], capture_output=True, text=True, check=True).stdout
        found = re.search(r"Machine:.*(AArch64|X86-64)", head)
        assert found and found[1].lower().replace("-", "_") == machine, (file, head)
        dynamic = subprocess.run(["readelf", "-dVW", file], capture_output=True, text=True, check=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        assert needed and all(allowed.fullmatch(name) for name in needed), (file, needed)
        versions = {tuple(map(int, text.split("."))) for text in re.findall(r"\bGLIBC_([\d.]+)", dynamic)}
        assert max(versions) <= (2, 28), (file, max(versions))
        paths = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic)
        assert all(path.startswith("$ORIGIN") for path in paths), (file, paths)
        assert ".debug_info" not in subprocess.run(["readelf", "-SW", file], capture_output=True, text=True).stdout
        if file in programs:
            continue
        shown = subprocess.run(["nm", "-D", "--defined-only", file], capture_output=True, text=True, check=True).stdout
        ours = re.compile(
            r"P?MPI_\w+|GAPLESS_\w+|dlsym|gapless_(front_next|start_backend|doctor_probe)|PyInit__engine"
            # What the Fortran module binds to.
            r"|gapless_f_\w+"
        )
        others = [line for line in shown.splitlines() if not ours.fullmatch(line.split()[-1].partition("@")[0])]
        assert not others, (file, others[:5])


@full
def test_the_wheel_for_aarch64_works_emulated(wheel_aarch64: Path, repository: Path) -> None:
    if sys.version_info[:2] != (3, 11):
        pytest.skip("the Python for AArch64 is Debian 12's, 3.11")
    tool = str(repository / "tools" / "test_wheel_aarch64.sh")
    answer = subprocess.run([tool, str(wheel_aarch64)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize("language", ["C", "Python"])
@pytest.mark.parametrize("name", NAMES)
def test_a_program_runs_under_the_layer(
    installed: Environment, compile_c: Compiler, tmp_path: Path, name: str, language: str
) -> None:
    layered = find_layered(name, compile_c)
    library = layered.library
    settings = dict(library.settings) | {"GAPLESS_FORCE": "1"}
    rank: Sequence[object] = [layered.program("wheel_column", IN_C.read_text(encoding="utf-8"))]
    if language == "Python":
        script = tmp_path / "column.py"
        script.write_text(IN_PYTHON, encoding="utf-8")
        rank = [installed.folder / "bin/python", script]
        soname = "libmpi.so.40" if library.abi == "openmpi" else "libmpi.so.12"
        settings["MPI4PY_LIBMPI"] = str(library.mpi_root / "lib" / soname)
    stats = tmp_path / "stats.json"
    answer = installed.run("gapless", "run", "--stats", f"json:{stats}", "--", *library.launch(2), *rank, **settings)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "wrong 0\n", answer.stdout
    assert "the layer reached 2 of 2 ranks" in answer.stderr
    procedures = json.loads(stats.read_text(encoding="utf-8"))["procedures"]
    for one in ("MPI_Send", "MPI_Recv"):  # mpi4py calls those for large counts where there are any
        assert sum(procedures[key]["accelerated"] for key in (one, f"{one}_c") if key in procedures) == 1, procedures


def test_the_doctor_says_what_works(installed: Environment, build: Build) -> None:
    answer = installed.run("gapless", "doctor", "--json", "--mpi", build.mpi_root)
    diagnosis = json.loads(answer.stdout)
    lib = installed.folder.resolve() / "lib"
    assert all(Path(path).is_relative_to(lib) for path in diagnosis["preload"].values())
    rows = [row for row in diagnosis["libraries"] if Path(row["path"]).is_relative_to(build.mpi_root.resolve())]
    assert {row["abi"] for row in rows} == {"mpich", "standard"}
    assert all(row["works"] and row["accelerated"] > 0 for row in rows), rows


# The first of this machine, one that is named, and one at a prefix.
@pytest.mark.parametrize(("name", "given"), [("mpich", None), ("intel", "intel"), ("openmpi", "PREFIX")])
@pytest.mark.alone
def test_it_measures_this_machine(installed: Environment, tmp_path: Path, name: str, given: str | None) -> None:
    library = find_library(name)
    words = ["--mpi", str(library.mpi_root) if given == "PREFIX" else given] if given else []
    # A prefix that comes before all others.
    settings = dict(library.settings) | ({} if given == "PREFIX" else {"I_MPI_ROOT": str(library.mpi_root)})
    answer = installed.run("gapless", "tune", "--quick", "--out", tmp_path, *words, **settings)
    assert answer.returncode == 0, answer.stderr
    (rules,) = tmp_path.glob("*.rules")
    assert rules.read_text(encoding="utf-8").count("table") > 4
    assert f"{name}, on one node: rules in {rules}" in answer.stderr.replace("\n", " ")


def test_a_library_is_named_by_its_prefix_file_or_compiler_wrapper(installed: Environment) -> None:
    library = find_library("openmpi")
    file = library.mpi_root / "lib/libmpi.so.40"
    code = "import sys; from gapless.targets.chosen import _find; print(_find(sys.argv[1], False, print).file)"
    for named in (library.mpi_root, file, library.mpi_root / "bin/mpicc"):
        assert installed.must("python", "-c", code, named, **library.settings) == f"{file.resolve()}\n", named


def test_it_shows_what_datatypes_cost(installed: Environment, build: Build) -> None:
    # A repository around the package is not ours.
    git = ["git", "-C", installed.folder, "-c", "user.name=x", "-c", "user.email=x"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "-mx"], check=True)
    shown = installed.must("gapless", "demo", "--quick", "--json", "--mpi", build.mpi_root, PATH=os.environ["PATH"])
    rows = json.loads(shown)
    assert {"native", "gapless"} <= {row["method"] for row in rows}, shown[:500]
    assert (installed.elsewhere / "report.html").stat().st_size > 10_000
    (samples,) = (installed.elsewhere / "results").glob("*-demo.jsonl")
    environment = json.loads(samples.read_text(encoding="utf-8").splitlines()[0])
    assert environment["kind"] == "environment" and environment["commit"] is None


def test_who_has_no_mpi_is_told(installed: Environment, tmp_path: Path) -> None:
    for arguments, told in (
        (["tune", "--mpi", tmp_path], f"no MPI library is in {tmp_path}"),
        (["measure", "pingpong", "--mpi", tmp_path / "libmpi.so"], "no MPI library is in"),
    ):
        answer = installed.run("gapless", *arguments)
        assert answer.returncode == 2 and told in answer.stderr and "pip install mpich" in answer.stderr, answer
        assert len(answer.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["bench", "seek"], ["bench", "copy-mpi"], ["measure", "fabric"]])
def test_what_needs_a_checkout_says_so(installed: Environment, build: Build, arguments: list[str]) -> None:
    answer = installed.run("gapless", *arguments, I_MPI_ROOT=str(build.mpi_root))  # an MPI is not what it lacks
    assert answer.returncode == 2
    assert "not part of what 'pip install' brings" in answer.stderr
    assert "run 'make build ALL=1' in a checkout of Gapless" in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


def test_it_takes_the_layer_from_a_build_that_is_named(installed: Environment, build: Build) -> None:
    stats = installed.elsewhere / "named.json"
    command = ["run", "--stats", f"json:{stats}", "--", build.mpiexec, "-n", 2, build.program("lab/mpich/doctor_probe")]
    answer = installed.run("gapless", *command, GAPLESS_BUILD_DIR=str(build.folder))
    assert "the layer reached 2 of 2 ranks" in answer.stderr
    assert str(build.folder) in stats.read_text(encoding="utf-8")


def test_the_engine_is_there(installed: Environment) -> None:
    code = "import gapless; print(gapless.__file__, gapless.vector(3, 1, 2, 'int16').pack(b'aAbBcCdDeE').decode())"
    file, packed = installed.must("python", "-c", code).split()
    assert Path(file).is_relative_to(installed.folder)
    assert packed == "aAcCeE"
    assert installed.must("gapless", "--version") == f"gapless {gapless.__version__}\n"
    document = json.loads(installed.must("gapless", "explain", "--json", "vector(3, 2, 4, int32)"))
    assert document["type"] == "vector(3, 2, 4, int32)"
    assert (
        document["isa"] == gapless.Datatype("vector(3, 2, 4, int32)").explain()["isa"]
    )  # as the compiler of this machine
    # An error of the engine crosses from C++ to Python.
    assert installed.run("gapless", "explain", "vector(3").returncode != 0


def later_pythons() -> list[str]:
    """Return the Pythons of this machine for which nanobind has a stable ABI, the oldest first."""
    names = [f"python3.{minor}" for minor in range(12, 20)]
    found = {name: path for name in names if (path := shutil.which(name))}
    for name in names:
        for path in sorted(Path.home().glob(f".pyenv/versions/{name.removeprefix('python')}.*/bin/python3")):
            found[name] = str(path)
    return [found[name] for name in names if name in found]


# After the other wheel has compiled all but the extension.
@long
def test_one_wheel_serves_all_later_pythons(wheel: Path, repository: Path, tmp_path: Path) -> None:
    pythons = later_pythons()
    if not pythons:
        pytest.skip("no Python 3.12 or newer here")
    later = build_wheel(repository, platform.machine(), pythons[0])
    assert "-abi3-" in later.name and files_of(later) == files_of(wheel)
    code = "import gapless; print(gapless.vector(3, 1, 2, 'int16').pack(b'aAbBcCdDeE').decode())"
    for python in pythons:
        fresh = Environment(tmp_path / Path(python).parents[1].name, tmp_path)
        subprocess.run([python, "-m", "venv", fresh.folder], check=True)
        fresh.must("python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", later)
        assert fresh.must("python", "-c", code) == "aAcCeE\n"


@long
def test_the_notebooks_run(installed: Environment, repository: Path) -> None:
    tool = str(repository / "tools" / "run_notebook.sh")
    answer = subprocess.run(
        [tool, str(installed.folder / "bin/python")], capture_output=True, text=True, timeout=900, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def sdist_of(wheel: Path) -> Path:
    """Return the sdist that a wheel was built from."""
    return wheel.with_name("-".join(wheel.name.split("-")[:2]) + ".tar.gz")


@long
def test_the_sdist_has_what_it_needs_and_looks_for_nothing_else(wheel: Path, repository: Path) -> None:
    with tarfile.open(sdist_of(wheel)) as archive:
        names = [name for name in archive.getnames() if not re.search(r"/tests/support/oracle\.[ch]pp$", name)]
    assert not [name for name in names if re.search(r"/(tests|docs/results|build|dist)/", name)]
    # Whether or not this machine has them: a user's build must not look for the lab's C++ libraries.
    folder = repository / f"build/wheel/build-{platform.machine()}"
    cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    assert f"CMAKE_HOME_DIRECTORY:INTERNAL={repository}/build/wheel/source\n" in cache
    assert not re.search(r"nlohmann_json_DIR|CLI11_DIR|GTest_DIR|FETCHCONTENT_SOURCE_DIR", cache)


@full
def test_pip_builds_the_same_with_the_compiler_of_this_machine(wheel: Path, tmp_path: Path) -> None:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GAPLESS_", "PYTHON"))}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps", "-w", tmp_path]
    subprocess.run([*pip, sdist_of(wheel)], cwd=tmp_path, env=clean, check=True, timeout=TIMEOUT_S)
    (built,) = tmp_path.glob("*.whl")
    assert files_of(built) == files_of(wheel)
