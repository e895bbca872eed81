"""The `gapless` command: runs programs under the layer, measures MPI libraries, and judges what was measured."""

__version__ = "0.1.0"
