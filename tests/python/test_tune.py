"""`gapless tune` end to end, where its rules lie and who is told of them, and what becomes of a file that is wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Command, first_in_make_test
from gapless.lab.programs import json_lines, mpi_command
from gapless.launch import rules
from gapless.launch.rules import Section, cache_folder, library_slug, machine_name, rules_setting
from gapless.paths import Build
from gapless.targets.libraries import NAMES, PREFIXES
from gapless.tune import measure
from gapless.tune.measure import Measured, section_of
from gapless.tune.tables import Cells, paired_in_words, paired_rules

VERSIONS = {"mpich": "mpich-version", "openmpi": "open-mpi-v", "intel": "intel-r-mpi-library"}
CHOICES = ("nn", "np", "pn", "pp")


def costs(best: str) -> dict[str, float]:
    """Return the costs of a cell in which one choice is 10 % faster than the others."""
    both = {
        f"{kind}/{choice}": 0.0 if choice == best else 0.1 for kind in ("blocking", "nonblocking") for choice in CHOICES
    }
    return both | {"pack/n": 0.1, "pack/p": 0.0, "unpack/n": 0.0, "unpack/p": 0.1}


def test_names_are_those_of_the_layer() -> None:
    # tests/unit/rules_test.cpp has the same three.
    assert library_slug("MPICH Version: 5.0.2") == "mpich-version-5-0-2"
    assert library_slug("Open MPI v5.0.11, package: Open MPI user@localhost") == "open-mpi-v5-0-11"
    assert library_slug("Intel(R) MPI Library 2021.19.0 for Linux* OS") == "intel-r-mpi-library-2021-19-0-for-linux-os"
    assert machine_name() == machine_name() and "/" not in machine_name()


def test_the_cheapest_choice_is_taken_and_noise_is_not() -> None:
    cells = {("vector", 64, 8): costs("pp"), ("vector", 4096, 8): costs("pn"), ("vector", 4096, 64): costs("pn")}
    # What gains too little: the library's own way stays, but small elements are packed.
    for shape, best, size in (("elements", "nn", 64), ("elements", "nn", 4096), ("vector", "pp", 1 << 20)):
        cells[shape, size, 8] = {name: cost / 20 for name, cost in costs(best).items()}
    found = section_of("MPICH", "", [Measured("MPICH", True, 1, cells)])
    tables = {(table.operation, table.distance, table.shape): table.rows for table in found.tables}
    assert tables["send", "near", "vector"] == {64: "++", 4096: "++", 1 << 20: "-+"}
    # Of runs of 64 bytes nothing as short as 64 bytes was measured: the next size decides.
    assert tables["receive", "near", "vector"] == {64: "+-", 4096: "--", 1 << 20: "--"}
    assert tables["receive", "near", "elements"] == {64: "+", 4096: "+"}
    assert tables["unpack", "any", "vector"] == {64: "--", 4096: "--", 1 << 20: "+-"}
    assert ("send", "far", "vector") not in tables


def test_a_cliff_beside_a_cell_does_not_decide_it() -> None:
    def of(native: float, packed: float) -> dict[str, float]:
        kinds = ("blocking", "nonblocking")
        return {f"{kind}/{way}": cost for kind in kinds for way, cost in (("nn", native), ("pp", packed))}

    # As MPICH 5.0.2 does it: from 1024 blocks on it is many times slower. Rows that only long runs have lie between.
    cells = {("vector", 3456, 8): of(0, 0.15), ("vector", 6912, 8): of(0, 0.15), ("vector", 9216, 8): of(3, 0),
             ("vector", 4096, 2048): of(0.2, 0), ("vector", 8192, 2048): of(0.2, 0)}  # fmt: skip
    found = section_of("MPICH", "", [Measured("MPICH", True, 1, cells)])
    rows = next(table.rows for table in found.tables if table.operation == "isend")
    assert {size: row[0] for size, row in rows.items()} == {3072: "-", 4096: "-", 6144: "-", 8192: "+"}


def test_a_vendors_machines_decide_for_its_processors(tmp_path: Path) -> None:
    from gapless.tune import carried_over
    from gapless.tune.default_rules import default_sections

    # Far ones were measured on one machine alone, which decides for all.
    for machine, best in (("amd-1", "nn"), ("intel-1", "pp"), ("intel-2", "pp"), ("arm-1", "nn")):
        cells = {("vector", size, 8): costs(best) for size in (64, 4096)}
        measured = [Measured("MPICH", True, 1, cells)]
        measured += [Measured("MPICH", False, 1, cells)] if machine == "amd-1" else []
        (tmp_path / machine).mkdir()
        kept = {"schema": measure.SCHEMA, "measured": [one.as_json() for one in measured]}
        (tmp_path / machine / "mpich.json").write_text(json.dumps(kept))
    sections = {section.vendor: section for section in default_sections(tmp_path) if section.library == "MPICH"}
    assert list(sections) == ["AuthenticAMD", "GenuineIntel", ""]
    cells_of = {
        (vendor, table.distance): "".join(table.rows.values())
        for vendor, section in sections.items()
        for table in section.tables
        if (table.operation, table.shape) == ("send", "vector")
    }
    assert [cells_of[vendor, "near"] for vendor in sections] == ["--", "++", "--"]
    assert {cells_of[vendor, "far"] for vendor in sections} == {"--"}
    # What these rules do on each machine: a tenth is lost, as a logarithm, where the other way is the best.
    told = {row[1:4]: row[4:] for row in carried_over.rows(tmp_path) if "paired" not in row[2]}
    assert told["intel-1", "blocking", "others of the vendor"] == ("0.905", "1.000", "0.0%", "0.90")
    assert told["intel-1", "blocking", "others"] == ("1.000", "1.105", "0.0%", "1.00")
    assert told["amd-1", "nonblocking", "built-in"] == ("1.000", "1.000", "0.0%", "1.00")
    assert ("amd-1", "blocking", "others of the vendor") not in told


def test_rows_that_say_nothing_new_are_left_out_of_the_text() -> None:
    rows = {64: "+-", 256: "+-", 1024: "+-", 4096: "--", 16384: "--", 65536: "+-", 262144: "+-"}
    thin = rules.Table("send", "near", "vector", (8, 64), rows).text()
    kept = {int(line.split()[0]): line.split()[1] for line in thin[2:]}
    # 256 alone lies between two like it; of all sizes the nearest row says the same.
    assert list(kept) == [64, 1024, 4096, 16384, 65536, 262144]
    for size in (1, 64, 200, 500, 1100, 2000, 3000, 9000, 33000, 99000, 1 << 30):
        nearest = [min(of, key=lambda row, size=size: max(row / size, size / row)) for of in (rows, kept)]
        assert rows[nearest[0]] == kept[nearest[1]]


SIZES = (8192, 65536, 262144, 2097152)


def paired_cells(*costs: float) -> Cells:
    """Return what pairing costs, by size, the same for all lengths of runs."""
    return {("vector", size, run): {"blocking": cost, "nonblocking": cost}
            for size, cost in zip(SIZES, costs, strict=True) for run in (8, 512)}  # fmt: skip


def test_the_smallest_message_from_which_on_pairing_pays() -> None:
    assert paired_rules(paired_cells(0.2, 0.2, 0.3, 0.2)) == ("never", [])
    assert paired_rules(paired_cells(-0.2, -0.2, -0.3, -0.2))[0] == 8192
    smallest, tables = paired_rules(paired_cells(0.5, 0.4, -0.5, -0.5))
    assert smallest == 262144
    assert [(table.operation, table.distance, table.shape) for table in tables] == [
        ("paired", "near", "vector"), ("ipaired", "near", "vector"),
    ]  # fmt: skip
    assert all(table.rows == {8192: "--", 65536: "--", 262144: "++", 2097152: "++"} for table in tables)
    # What is neither faster nor slower beyond doubt is not paired.
    assert paired_rules(paired_cells(0.02, 0.02, 0.02, -0.5))[0] == 2097152
    assert paired_rules(paired_cells(0.02, -0.02, 0.01, -0.01)) == ("never", [])


def test_one_odd_cell_does_not_make_a_rule() -> None:
    cells = paired_cells(0.5, 0.4, -0.5, -0.5) | {("vector", 8192, 8): {"blocking": -0.05, "nonblocking": -0.05}}
    assert paired_rules(cells)[0] == 262144


def test_what_is_paired_depends_on_the_runs() -> None:
    cells = paired_cells(-0.5, -0.5, -0.5, -0.5) | {
        ("vector", size, 512): {"blocking": 0.6, "nonblocking": 0.4} for size in SIZES[:2]
    }
    smallest, tables = paired_rules(cells)
    assert smallest == 8192
    assert all(table.rows == {8192: "+-", 65536: "+-", 262144: "++", 2097152: "++"} for table in tables)
    # Six messages of half their time.
    assert paired_in_words(cells).startswith(
        "from 8192 bytes on, 6 of the 8 blocking messages that were measured: 0.61 of the time, 6 of the 8 nonblocking"
    )


def test_blocking_and_nonblocking_sends_are_decided_apart() -> None:
    cells = {cell: {"blocking": -0.4, "nonblocking": 0.3} for cell in paired_cells(0, 0, 0, 0)}
    smallest, tables = paired_rules(cells)
    packed = {table.operation: {cell for row in table.rows.values() for cell in row} for table in tables}
    assert (smallest, packed) == (8192, {"paired": {"+"}, "ipaired": {"-"}})
    assert "8 of the 8 blocking messages that were measured: 0.67 of the time, 0 of the 8 nonblocking" in (
        paired_in_words(cells)
    )


def test_measurements_without_pairing_say_nothing_of_it() -> None:
    cells = {("vector", 64, 8): costs("pp"), ("vector", 4096, 8): costs("pn")}
    old = Measured("MPICH", True, 1, cells).as_json()
    del old["paired"], old["paired_launches"]
    section = section_of("MPICH", "", [Measured.parse(old)])
    assert section.smallest_paired is None and not any(table.operation.endswith("paired") for table in section.tables)
    new = Measured("MPICH", True, 1, cells, (), paired_cells(0.5, 0.4, -0.5, -0.5), 3)
    again = Measured.parse(json.loads(json.dumps(new.as_json())))
    section = section_of("MPICH", "", [again])
    assert again == new and section.smallest_paired == 262144 and section.tables[-1].operation == "ipaired"
    assert "paired 262144\n" in rules.rules_text("", [section])
    never = Measured("MPICH", True, 1, cells, (), paired_cells(0.2, 0.2, 0.3, 0.2), 3)
    assert "paired never\n" in rules.rules_text("", [section_of("MPICH", "", [never])])


def test_packed_messages_go_in_two_pieces_where_that_gains_on_all_machines() -> None:
    cells = {("vector", 64, 8): costs("pp")}

    def said(*measured: measure.Ratios) -> tuple[int, int] | str | None:
        of = [Measured("MPICH", True, 1, cells, split=ratios) for ratios in measured]
        return section_of("MPICH", "", of).split

    # A lucky size, and the lengths by which it was looked for: not a longer range than one of more half octaves.
    lucky = ((1024, 1.1), (1280, 1.0), (1500, 0.9), (1520, 0.9), (1530, 0.9), (1536, 0.9), (2048, 1.1))
    here = (*lucky, (3072, 1.1), (4017, 0.3), (4096, 0.3), (8192, 0.5), (65536, 0.8), (131072, 1.0))
    there = ((2048, 1.1), (4000, 1.0), (4033, 0.3), (4096, 0.4), (8192, 0.5), (32768, 0.9), (65536, 0.95))
    assert said(here) == (4017, 65536) and said(here, ()) == (4017, 65536)
    assert said(here, there) == (4033, 32768)
    assert said(((2048, 1.0), (8192, 1.1))) == said(here, ((2048, 1.0), (8192, 0.99))) == "never"
    assert said(()) is None
    again = Measured.parse(json.loads(json.dumps(Measured("MPICH", True, 1, cells, split=here).as_json())))
    assert again.split == here
    assert "split 4017 65536\n" in rules.rules_text("", [section_of("MPICH", "", [again])])
    assert "split never\n" in rules.rules_text("", [Section("*", "", (), split="never")])


def test_the_rules_say_what_goes_in_two_pieces(build: Build, tmp_path: Path) -> None:
    file, log = tmp_path / "one.rules", tmp_path / "log"
    file.write_text("gapless-rules 1\nlibrary *\nsplit 4096 8192\nend\n")
    command = mpi_command(build, measure.PROGRAM, ["--seconds", "0", "--grid", "vector:2048,4096,8192,16384:8"])
    told = measure.PACK_ALWAYS | {"GAPLESS_LOG": str(log), "GAPLESS_RULES": str(file)}
    list(json_lines(build, command, True, 60, told))
    split = {line.partition(" of ")[2].partition(" bytes")[0] for line in log.read_text().splitlines()
             if line.endswith("packed, in two pieces")}  # fmt: skip
    assert split == {"4096", "8192"}


def test_the_rules_say_what_is_paired(build: Build, tmp_path: Path) -> None:
    file, log = tmp_path / "one.rules", tmp_path / "log"

    def paired(rule: str, run: int, said: str, **settings: str) -> tuple[int, int]:
        file.write_text(f"gapless-rules 1\nlibrary *\n{rule}\nend\n")
        log.unlink(missing_ok=True)
        command = mpi_command(build, measure.PROGRAM, ["--paired", "--seconds", "0", "--grid", f"vector:16384:{run}"])
        told = {"GAPLESS_STATS": "json:/dev/null", "GAPLESS_LOG": str(log), "GAPLESS_RULES": str(file)} | settings
        (last,) = [line for line in json_lines(build, command, True, 60, told) if line["kind"] == "paired"]
        assert log.read_text().count(f"shared memory: with this node; {said}\n") == 2
        return last["messages"] > 0, last["not"] > 0

    rows = "  16384 +-"
    by_runs = f"paired 8192\nruns 8 4096\ntable paired near vector\n{rows}\ntable ipaired near vector\n{rows}"
    set_to = {"GAPLESS_SMALLEST_PAIRED": "8192"}
    by_setting = "messages of 8192 bytes and more, by GAPLESS_SMALLEST_PAIRED"
    assert paired(by_runs, 8, "messages of 8192 bytes and more, by the rules") == (True, False)
    assert paired(by_runs, 4096, "messages of 8192 bytes and more, by the rules") == (False, True)
    assert paired(by_runs, 4096, by_setting, **set_to) == (True, False)
    assert paired("paired 32768", 8, "messages of 32768 bytes and more, by the rules") == (False, True)
    assert paired("paired never", 8, "no messages from point to point") == (False, True)
    assert paired("paired never", 8, by_setting, **set_to) == (True, False)


def test_the_users_word_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"XDG_CACHE_HOME": str(tmp_path)}
    monkeypatch.setattr(rules, "site_folder", lambda: None)
    assert cache_folder(environment) == tmp_path / "gapless" / "rules" / machine_name()
    assert rules_setting(environment) == {}
    cache_folder(environment).mkdir(parents=True)
    assert rules_setting(environment) == {"GAPLESS_RULES": str(cache_folder(environment))}
    assert rules_setting(environment | {"GAPLESS_RULES": "mine"}) == {"GAPLESS_RULES": "mine"}


@pytest.mark.parametrize("mpi", first_in_make_test(NAMES))
@pytest.mark.alone
def test_tune_and_run(gapless: Command, build: Build, tmp_path: Path, mpi: str) -> None:
    if mpi in PREFIXES and not PREFIXES[mpi].is_dir():
        pytest.skip(f"{mpi} is not installed")
    home = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    answer = gapless("tune", "--quick", "--mpi", mpi, **home)
    assert answer.returncode == 0, answer.stderr
    folder = cache_folder(home)
    (path,) = folder.glob("*.rules")
    assert path.name.startswith(VERSIONS[mpi])
    kept = json.loads(path.with_suffix(".json").read_text())
    assert kept["machine"] == machine_name()
    (measured,) = kept["measured"]
    assert measured["near"] and {cell["shape"] for cell in measured["cells"]} == {"vector", "nest", "list", "elements"}
    assert measured["peer_line_ns"][0]["plain"] > 0
    # Two sizes of three lengths of runs in four shapes; nothing counts that the layer did not pair.
    assert len(measured["paired"]) == 24 and measured["paired_launches"] == 1
    assert "\npaired " in path.read_text() and f"gapless: {mpi}, paired: " in answer.stderr
    assert gapless("tune", "--list", **home).stdout == f"{path}\n"
    assert path.read_text() in gapless("tune", "--show", **home).stdout
    if mpi != "mpich":
        return
    run = ("run", "--", build.mpiexec, "-n", 2, build.program("lab/mpich/doctor_probe"))
    log = tmp_path / "log"
    good = gapless(*run, **home, GAPLESS_LOG=str(log))
    assert good.returncode == 0, good.stderr
    assert log.read_text().count(f"gapless: rules in force: {path}\n") == 2
    assert "tune" not in good.stderr
    path.write_text(path.read_text()[:300])
    bad = gapless(*run, **home)
    assert bad.returncode == 0
    assert f"gapless: rules refused, the built-in ones were in force: {path}: " in bad.stderr


def test_it_is_said_once_that_tuning_helps(gapless: Command, build: Build, tmp_path: Path) -> None:
    run = ("run", "--", build.mpiexec, "-n", 2, build.program("lab/mpich/doctor_probe"))
    home = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert "'gapless tune' takes 20 seconds" in gapless(*run, **home).stderr
    assert "gapless tune" not in gapless(*run, **home).stderr


def test_ranks_with_other_rules_keep_collectives_native(gapless: Command, build: Build, tmp_path: Path) -> None:
    file = tmp_path / "one.rules"
    file.write_text("gapless-rules 1\nlibrary *\nruns 4\ntable * * *\n  32 +\nend\n")
    probe = build.program("lab/mpich/doctor_probe")
    log = tmp_path / "log"

    def collectives(first: str, second: str) -> str:
        log.unlink(missing_ok=True)
        ranks = ["-n", 1, "-env", "GAPLESS_RULES", first, probe, ":", "-n", 1, "-env", "GAPLESS_RULES", second, probe]
        settings = {"XDG_CACHE_HOME": str(tmp_path), "GAPLESS_LOG": str(log), "GAPLESS_FORCE": "1"}
        gapless("run", "--", build.mpiexec, *ranks, **settings)
        return log.read_text()

    assert "native (unproved)" not in collectives(str(file), str(file))
    assert "native (unproved)" in collectives(str(file), "")


def test_ctrl_c_leaves_what_was_there(build: Build, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    words = [sys.executable, "-m", "gapless", "tune", "--out", str(folder)]
    child = subprocess.Popen(words, env=dict(os.environ), stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=30)
    assert child.returncode == 130
    assert list(folder.iterdir()) == []


def test_the_built_in_rules_are_those_of_the_results() -> None:
    from gapless.launch.rules import rules_text
    from gapless.tune.default_rules import RULES, default_sections

    text = RULES.read_text()
    assert text.endswith(rules_text("", default_sections()).partition("\n")[2])
    assert measure.kept_measurements(Path("/nowhere")) == []
