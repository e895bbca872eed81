"""Expectation Tests 1 to 11 of the paper, and the further layouts of its program: what is compared with what.

A table in `TESTS` says it all; nothing here measures. Facts that the paper leaves open are decided here: S of
Vector-tiled is 10, or 5 or 2 where 10 tiles do not fit twice; the sizes of Test 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gapless.lab.layouts.dynamic import contiguous_subtype
from gapless.lab.layouts.layout import Layout, Message, Parameters, Refused, find_layout
from gapless.lab.layouts.notation import Base

NOT_SLOWER, SIMILAR = "not slower", "similar"
PATTERNS = ("pingpong", "bcast", "allgather")
CONTIGUOUS = "contiguous"
SMALL, TINY, LARGE = 3200, 2000, 2_560_000  # [bytes], as in the paper
BLOCKS = (2, 10, 100, 1000, 1024, 10000)
BASIC = ("tiled", "block", "bucket", "alternating")


@dataclass(frozen=True)
class Description:
    """One way to describe a layout: a name within its family, a layout of MPI-Datatybe, its parameters."""

    name: str
    layout: str
    parameters: Parameters = field(hash=False)
    inside: bool = False  # as the subtype of one contiguous type

    @property
    def form(self) -> Layout:
        """The layout's own rules."""
        return find_layout(self.layout)

    def message(self, n: int, base: Base) -> Message:
        """Return the message of n elements; Refused if they are not whole units."""
        if self.inside:
            return contiguous_subtype(self.layout, self.parameters, n, base)
        return self.form.message(self.parameters, n, base)


@dataclass(frozen=True)
class Comparison:
    """One line of a test: a description against another of the same elements, or against another way to send it.

    Attributes
    ----------
    family : str
        The layout that both describe, with variant and A: ``tiled/v1/A=2``.
    reference, compared : Description or None
        None: the contiguous elements.
    packed : str
        Not empty: the compared description itself, packed in this way, is the reference.
    mixed : bool
        The elements are bytes of a struct of several base types.
    """

    test: str
    guideline: str
    expectation: str
    layout: str
    variant: int
    A: int
    compared: Description
    reference: Description | None = None
    packed: str = ""
    mixed: bool = False

    @property
    def family(self) -> str:
        """The layout with its variant and block size."""
        return f"{self.layout}/v{self.variant}/A={self.A}"


@dataclass(frozen=True)
class Test:
    """An expectation test: its comparisons for a block size, and where it is measured."""

    name: str
    blocks: tuple[int, ...]
    sizes: tuple[int, ...]
    patterns: tuple[str, ...]
    compare: Callable[[int], Iterator[Comparison]]


def basic_parameters(layout: str, variant: int, a: int) -> Parameters:
    """Return the parameters of a basic layout in a variant (the paper's Table 2)."""
    narrow = variant == 1
    if layout == "tiled":
        return Parameters(A=a, B=a + 2 if narrow else 3 * a)
    gaps = Parameters(B1=a + 1, B2=a + 3) if narrow else Parameters(B1=2 * a, B2=4 * a)
    runs = Parameters(A1=a - 1, A2=a + 1) if narrow else Parameters(A1=a // 2, A2=3 * a // 2)
    if layout == "block":
        return Parameters(A=a, **gaps)
    if layout == "bucket":
        return Parameters(runs, B=a + 2 if narrow else 3 * a)
    return Parameters(runs, **gaps)


def _basic(layout: str, variant: int, a: int) -> Description:
    return Description(layout, layout, basic_parameters(layout, variant, a))


def _baseline(a: int) -> Iterator[Comparison]:
    for layout in BASIC:
        for variant in (1, 2):
            basic = _basic(layout, variant, a)
            yield Comparison("ET1", "baseline", NOT_SLOWER, layout, variant, a, basic)


def _alignment(a: int) -> Iterator[Comparison]:
    mixed = Description("heterogeneous", "tiled_heterogeneous", Parameters(A=a, B=a))
    # The unit of 15 A bytes is rounded up to the alignment of double: with gaps it is no longer the same as contiguous.
    guideline = "alignment" if a % 8 == 0 else "baseline"
    yield Comparison("ET2", guideline, NOT_SLOWER, "heterogeneous", 1, a, mixed, mixed=True)


def _packing(a: int) -> Iterator[Comparison]:
    # The paper packs the basic layouts; a vector, which everybody writes, is another type to a library.
    vector = Description("tiled_vector", "tiled_vector", basic_parameters("tiled", 1, a))
    for description in (*(_basic(layout, 1, a) for layout in BASIC), vector):
        layout = "tiled" if description is vector else description.name
        for guideline, way in (("GL2", "pack_send"), ("GL3", "unpack_receive"), ("GL2+GL3", "pack")):
            yield Comparison("ET3", guideline, NOT_SLOWER, layout, 1, a, description, packed=way)


def _subtype(a: int) -> Iterator[Comparison]:
    for layout in BASIC:
        basic = _basic(layout, 1, a)
        inside = Description("contiguous_subtype", layout, basic.parameters, inside=True)
        yield Comparison("ET4", "GL1", SIMILAR, layout, 1, a, inside, basic)


def _tiles(test: str, names: tuple[str, ...]) -> Callable[[int], Iterator[Comparison]]:
    def compare(a: int) -> Iterator[Comparison]:
        basic = _basic("tiled", 1, a)
        others = {
            "tiled_struct_11": Description("tiled_struct_11", "tiled_struct", Parameters(basic.parameters, S1=1, S2=1)),
            "tiled_struct_23": Description("tiled_struct_23", "tiled_struct", Parameters(basic.parameters, S1=2, S2=3)),
            "tiled_vector": Description("tiled_vector", "tiled_vector", basic.parameters),
            "vector_tiled": Description("vector_tiled", "vector_tiled", Parameters(basic.parameters, S=10)),
            "struct_indexed_all": Description("struct_indexed_all", "tiled_struct_indexed_all", basic.parameters),
            "struct_indexed_10": Description(
                "struct_indexed_10", "tiled_struct_indexed_Sblocks", Parameters(basic.parameters, S=10)
            ),
        }
        for name in names:
            yield Comparison(test, "GL4", SIMILAR, "tiled", 1, a, others[name], basic)

    return compare


def _listed(test: str, layout: str) -> Callable[[int], Iterator[Comparison]]:
    def compare(a: int) -> Iterator[Comparison]:
        basic = _basic(layout, 1, a)
        listed = Description(f"{layout}_indexed", f"{layout}_indexed", basic.parameters)
        yield Comparison(test, "GL4", SIMILAR, layout, 1, a, listed, basic)

    return compare


def _repeated(a: int) -> Iterator[Comparison]:
    parameters = Parameters(A1=a - 1, A2=a + 1, B=a + 1)
    repeated = Description("repeated", "alternating_repeated", parameters)
    struct = Description("alternating_struct", "alternating_struct", parameters)
    yield Comparison("ET10", "GL4", SIMILAR, "repeated", 1, a, struct, repeated)


def _row_column(a: int) -> Iterator[Comparison]:
    struct, full, part = (
        Description(name, f"rowcol_{name}", Parameters(A=a))
        for name in ("struct", "full_indexed", "contiguous_and_indexed")
    )
    for indexed in (full, part):
        yield Comparison("ET11", "GL4", SIMILAR, "row_column", 1, a, indexed, struct)


def _further(a: int) -> Iterator[Comparison]:
    yield from _tiles("X", ("struct_indexed_all", "struct_indexed_10"))(a)
    aligned = Description("aligned", "alternating_aligned", basic_parameters("alternating", 1, a))
    yield Comparison("X", "GL4", SIMILAR, "alternating", 1, a, aligned, _basic("alternating", 1, a))
    pair = Parameters(A1=a - 1, A2=a + 1, B=2 * a + 2)
    repeated = Description("repeated", "alternating_repeated", Parameters(pair, B=a + 1))
    for name in ("alternating_indexed_fixed", "contig_alternating_indexed_fixed"):
        fixed = Description(name, name, Parameters(pair, S=11))
        yield Comparison("X", "GL4", SIMILAR, "repeated", 1, a, fixed, repeated)
    times = max(1, 64 // a)
    wide = Parameters(A=a * times, B=(a + 2) * times)
    blocks = Description("blocks", "blocks", Parameters(A=a, B=a + 2, l=a * times))
    yield Comparison("X", "GL4", SIMILAR, "wide_tiles", 1, a, blocks, Description("tiled", "tiled", wide))
    whole = Description("contig_type", "contig_type", Parameters())
    base = Description("basetype", "basetype", Parameters())
    yield Comparison("X", "GL1", SIMILAR, "basetype", 1, a, whole, base)


_PP = ("pingpong",)
TESTS = {
    test.name: test
    for test in (
        Test("ET1", BLOCKS, (SMALL, LARGE), PATTERNS, _baseline),
        Test("ET2", (2, 6, 8, 10, 16, 100, 128, 200), (48_000, 1_500_000), _PP, _alignment),
        Test("ET3", (2, 10, 10000), (64_000, 640_000, LARGE), PATTERNS, _packing),
        Test("ET4", BLOCKS, (TINY, LARGE), _PP, _subtype),
        Test("ET5", BLOCKS, (TINY, LARGE), _PP, _tiles("ET5", ("tiled_struct_11", "tiled_struct_23"))),
        Test("ET6", BLOCKS, (TINY, LARGE), _PP, _tiles("ET6", ("tiled_vector",))),
        Test("ET7", BLOCKS, (TINY, LARGE), _PP, _tiles("ET7", ("vector_tiled",))),
        Test("ET8", BLOCKS, (SMALL, LARGE), _PP, _listed("ET8", "block")),
        Test("ET9", BLOCKS, (SMALL, LARGE), _PP, _listed("ET9", "alternating")),
        Test("ET10", BLOCKS, (SMALL, LARGE), _PP, _repeated),
        Test("ET11", (2, 10, 100, 128, 512, 1000, 1024, 5000, 10000), (400, 40_960), _PP, _row_column),
        Test("X", (2, 10, 1000), (LARGE,), _PP, _further),
    )
}


def fitting(description: Description, n: int) -> Description:
    """Return Vector-tiled with a smaller S where 10 tiles do not fit; any other description as it is.

    The paper says that S is a constant, and not which.
    """
    if description.name != "vector_tiled":
        return description
    for s in (10, 5, 2):
        smaller = Description("vector_tiled", "vector_tiled", Parameters(description.parameters, S=s))
        if smaller.form.fewest(smaller.parameters) <= n:
            return smaller
    raise Refused(f"two vectors of two tiles of {description.parameters.A} elements do not fit into {n} elements")
