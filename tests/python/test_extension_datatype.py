"""gapless.Datatype: what it says, what it refuses, how it travels, and what `import gapless` costs."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys

import extension_needed  # noqa: F401
import gapless
import numpy as np
import pytest
from gapless.paths import REPOSITORY


def test_a_type_says_what_mpi_asks_of_it() -> None:
    datatype = gapless.resized(-4, 40, gapless.vector(3, 1, 2, "int32"))
    assert (datatype.size, datatype.lower_bound, datatype.extent) == (12, -4, 40)
    assert (datatype.true_lower_bound, datatype.true_extent) == (0, 20)
    assert datatype.signature == gapless.contiguous(3, gapless.int32)
    assert str(datatype) == "resized(-4, 40, vector(3, 1, 2, int32))"
    assert repr(datatype) == "gapless.Datatype('resized(-4, 40, vector(3, 1, 2, int32))')"
    assert datatype.commit() is datatype
    assert list(datatype.iov(2)) == [(0, 4), (8, 4), (16, 4), (40, 4), (48, 4), (56, 4)]
    assert datatype.explain(2)["runs"] == 6


def test_every_named_type_has_its_name() -> None:
    names = "byte char packed bool wchar float double long_double float_complex double_complex long_double_complex aint"
    names += " int8 int16 int32 int64 uint8 uint16 uint32 uint64 short_int long_int float_int double_int"
    for name in [*names.split(), "long_double_int"]:
        assert str(getattr(gapless, name)) == name
    assert str(gapless.two_int) == "2int"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (gapless.contiguous(2, "byte"), "contiguous(2, byte)"),
        (gapless.hvector(2, 1, 9, "byte"), "hvector(2, 1, 9, byte)"),
        (gapless.indexed([1, 2], [3, 0], "byte"), "indexed([1, 2], [3, 0], byte)"),
        (gapless.hindexed(np.array([1, 2]), (3, 0), "byte"), "hindexed([1, 2], [3, 0], byte)"),
        (gapless.indexed_block(2, range(3), "byte"), "indexed_block(2, [0, 1, 2], byte)"),
        (gapless.hindexed_block(2, [5], "byte"), "hindexed_block(2, [5], byte)"),
        (gapless.struct([1, 2], [0, 8], ["int32", "double"]), "struct([(1, 0, int32), (2, 8, double)])"),
        (gapless.subarray([4, 6], [2, 3], [1, 2], "byte"), "subarray([4, 6], [2, 3], [1, 2], C, byte)"),
        (
            gapless.darray(4, 1, [8, 8], ["block", ("cyclic", 2)], [2, 2], "byte", "Fortran"),
            "darray(4, 1, [8, 8], [block, cyclic(2)], [2, 2], Fortran, byte)",
        ),
        (gapless.bounded_vector(7, 2, 3, "byte"), "bounded_vector(7, 2, 3, byte)"),
        (gapless.circular_vector(10, 8, 7, 2, 3, "byte"), "circular_vector(10, 8, 7, 2, 3, byte)"),
        (gapless.bucket(4, [1, 0, 3], "byte"), "bucket(4, [1, 0, 3], byte)"),
        (gapless.dup(gapless.resized(1, 2, "byte")), "dup(resized(1, 2, byte))"),
    ],
)
def test_constructors_are_the_notations(made: gapless.Datatype, text: str) -> None:
    assert str(made) == text
    assert made == gapless.parse(text) == gapless.Datatype(text)
    assert copy.copy(made) is made and copy.deepcopy(made) is made
    again = pickle.loads(pickle.dumps(made))
    assert str(again) == text and hash(again) == hash(made)


def test_equal_types_can_stand_for_each_other() -> None:
    assert gapless.vector(2, 1, 1, "int32") == gapless.contiguous(2, "int32") != gapless.contiguous(2, "float")
    assert gapless.contiguous(2, "int32").layout_equal(gapless.contiguous(2, "float"))
    assert gapless.int32 != gapless.resized(0, 8, "int32") and gapless.int32 != "int32"
    assert gapless.int32.message_equal(gapless.contiguous(3, "int32"), 6, 2)
    assert gapless.int32.signature_equal(gapless.vector(3, 1, 5, "int32"), 6, 2)
    assert len({gapless.vector(2, 1, 1, "int32"), gapless.contiguous(2, "int32"), gapless.int32}) == 2


def test_long_types_have_short_reprs() -> None:
    many = gapless.indexed_block(1, range(0, 100_000, 2), "byte")
    assert len(repr(many)) < 300
    assert len(str(many)) > 200_000
    doubling = gapless.byte
    for _ in range(64):
        doubling = gapless.struct([1, 0], [0, 0], [doubling, doubling])
    assert len(repr(doubling)) < 300
    with pytest.raises(ValueError, match="longer than"):
        str(doubling)


def test_what_is_refused_says_why() -> None:
    with pytest.raises(ValueError, match="did you mean 'vector'"):
        gapless.Datatype("vectr(1, 1, 1, byte)")
    with pytest.raises(ValueError, match="NUL"):
        gapless.Datatype("byte\0")
    with pytest.raises(ValueError, match="no named type is called quad"):
        gapless.named("quad")
    with pytest.raises(ValueError, match="count"):
        gapless.contiguous(-1, "byte")
    with pytest.raises(OverflowError, match="64 bits"):
        gapless.contiguous(1 << 62, "double")
    with pytest.raises(OverflowError, match="stride: the number does not fit"):
        gapless.vector(1, 1, 1 << 64, "byte")
    with pytest.raises(TypeError, match=r"count: an integer is needed, not 'float'"):
        gapless.contiguous(1.0, "byte")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="displacements: a sequence of integers is needed, not 'str'"):
        gapless.indexed([1], "1", "byte")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="2 blocklengths, but 1 displacements"):
        gapless.indexed([1, 2], [1], "byte")
    with pytest.raises(TypeError, match=r"a gapless\.Datatype, or one's text such as 'double', is needed, not 'type'"):
        gapless.contiguous(1, float)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a gapless\.Datatype is needed, not 'str'"):
        gapless.byte.layout_equal("byte")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'C' or 'Fortran', not 'F'"):
        gapless.subarray([1], [1], [0], "byte", "F")
    with pytest.raises(AttributeError, match="no attribute 'quad'"):
        _ = gapless.quad  # type: ignore[attr-defined]


def test_a_list_that_changes_while_it_is_read() -> None:
    class Shrinking:
        def __index__(self) -> int:
            lengths.clear()
            return 1

    lengths: list[object] = [Shrinking(), 1, 1]
    with pytest.raises(IndexError):
        gapless.indexed(lengths, [0, 1, 2], "byte")  # type: ignore[arg-type]


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in this package's Python."""
    values = {**os.environ, "PYTHONPATH": str(REPOSITORY / "python"), **environment}
    return subprocess.run([sys.executable, "-c", code], env=values, capture_output=True, text=True, timeout=60)


def test_import_loads_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import gapless; print(*(set(sys.modules) - before))"
    loaded = {name.partition(".")[0] for name in run_python(code).stdout.split()}
    assert loaded - sys.stdlib_module_names == {"gapless"}
    code = "import sys, gapless; gapless.double.pack(bytes(8)); print('numpy' in sys.modules or 'typer' in sys.modules)"
    assert run_python(code).stdout == "False\n"


def test_without_the_extension_the_error_says_what_to_do(tmp_path: object) -> None:
    code = "import gapless, gapless.cli.main; print(gapless.__version__, 'Datatype' in dir(gapless)); gapless.Datatype"
    answer = run_python(code, GAPLESS_BUILD_DIR=str(tmp_path))
    assert answer.stdout == f"{gapless.__version__} True\n"
    assert "ImportError: the extension gapless._engine is neither" in answer.stderr
    assert "run 'pip install .' or 'make build'" in answer.stderr


def test_a_notebook_gets_the_picture() -> None:
    assert "<svg" in gapless.vector(3, 2, 4, "int32")._repr_html_()
