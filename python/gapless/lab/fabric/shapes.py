"""Where the bytes of a message lie: as a type, and as loops by which the measuring program proves what arrives."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Shape:
    """A layout of equal runs.

    Attributes
    ----------
    type : str
        As docs/notation.md has it.
    loops : tuple of (int, int)
        Number and stride [bytes], outermost first.
    run : int
        What lies together [bytes].
    """

    type: str
    loops: tuple[tuple[int, int], ...]
    run: int

    @property
    def runs(self) -> int:
        """How many there are."""
        return prod(count for count, _ in self.loops)

    @property
    def bytes(self) -> int:
        """What is sent [bytes]."""
        return self.runs * self.run

    @property
    def span(self) -> int:
        """From the first byte to the last [bytes]."""
        return sum((count - 1) * stride for count, stride in self.loops) + self.run


def vector(count: int, length: int, gap: int) -> Shape:
    """Return blocks of so many bytes, whole doubles; from one to the next `gap` lengths.

    Examples
    --------
    >>> vector(640, 4096, 2).type, vector(640, 4096, 2).bytes
    ('vector(640, 512, 1024, double)', 2621440)
    """
    doubles = length // 8
    return Shape(f"vector({count}, {doubles}, {gap * doubles}, double)", ((count, gap * length),), length)


def _milc(lx: int, ly: int, lz: int, lt: int) -> Shape:
    volume = lx * ly * lz
    face = f"vector({lt}, {lx * ly // 2}, {volume // 2}, contiguous(6, float))"
    return Shape(f"hvector(2, 1, {12 * volume * lt}, {face})", ((2, 12 * volume * lt), (lt, 12 * volume)), 12 * lx * ly)


def _mg_x(d1: int, d2: int, d3: int) -> Shape:
    line = f"vector({d2 - 2}, 1, {d1}, double)"
    return Shape(f"hvector({d3 - 2}, 1, {8 * d1 * d2}, {line})", ((d3 - 2, 8 * d1 * d2), (d2 - 2, 8 * d1)), 8)


def _mg_y(d1: int, d2: int, d3: int) -> Shape:
    return Shape(f"vector({d3 - 2}, {d1 - 2}, {d1 * d2}, double)", ((d3 - 2, 8 * d1 * d2),), 8 * (d1 - 2))


def _wrf(ims: int, ime: int, first: int, last: int) -> Shape:
    # The nine arrays of DDTBench, 329 levels in all, as one: the same runs at the same distances.
    levels, rows, row, run = 329, 3, ime - ims + 1, last - first + 1
    line = f"vector({levels}, {run}, {row}, float)"
    stride = 4 * row * levels
    return Shape(f"hvector({rows}, 1, {stride}, {line})", ((rows, stride), (levels, 4 * row)), 4 * run)


def _specfem(d1: int, d2: int, d3: int) -> Shape:
    return Shape(f"vector({d3}, {d1}, {d1 * d2}, float)", ((d3, 4 * d1 * d2),), 4 * d1)


_MG = {"A": (256, 32, 32), "B": (512, 66, 66), "C": (2048, 66, 120), "D": (5120, 92, 120)}
# The inputs of the paper (Suresh et al., 2022): kernel/input to its layout.
KERNELS: dict[str, Shape] = {
    **{
        f"MILC_su3_zd/{name}": _milc(*sizes)
        for name, sizes in {
            "A": (16, 16, 32, 32), "B": (32, 32, 32, 32), "C": (64, 32, 32, 32), "D": (64, 64, 32, 32),
            "E": (64, 64, 32, 64),
        }.items()
    },
    **{f"NAS_MG_x/{name}": _mg_x(*sizes) for name, sizes in _MG.items()},
    **{f"NAS_MG_y/{name}": _mg_y(*sizes) for name, sizes in _MG.items()},
    **{
        f"WRF_y_vec/{name}": _wrf(*sizes)
        for name, sizes in {"A": (4, 4014, 8, 4010), "B": (4, 2060, 8, 2056), "C": (4, 6012, 8, 6008)}.items()
    },
    **{
        f"SPECFEM3D_mt/{name}": _specfem(*sizes)
        for name, sizes in {"A": (1024, 2, 512), "B": (2048, 2, 256), "C": (3072, 2, 200)}.items()
    },
}  # fmt: skip
