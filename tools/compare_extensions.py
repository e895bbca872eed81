#!/usr/bin/env python3
"""Compare the kernels of two builds of the extension: whether one compiler makes slower ones than another.

    tools/compare_extensions.py build/release/python/_engine*.so UNPACKED_WHEEL/gapless/_engine*.so

One line for each layout and direction, tab-separated: the least time with each [us], and the second over the first.
Both run in turn, in processes of their own; GAPLESS_ISA chooses the kernels. Takes some seconds.
"""  # noqa: D208

from __future__ import annotations

import json
import subprocess
import sys

LAYOUTS = {
    "8 of 16 bytes": "vector(16384, 1, 2, double)",
    "4 of 8 bytes": "vector(16384, 1, 2, int32)",
    "16 of 32 bytes": "vector(8192, 2, 4, double)",
    "24 of 40 bytes": "vector(4096, 3, 5, double)",
    "64 of 512 bytes": "vector(2048, 8, 64, double)",
    "2 of 6 bytes": "vector(32768, 1, 3, int16)",
    "1 of 2 bytes": "vector(65536, 1, 2, byte)",
    "a column": "vector(256, 1, 256, double)",
    "a face": "subarray([64, 64, 64], [64, 64, 1], [0, 0, 1], C, double)",
    "a transpose": "hvector(512, 1, 8, vector(512, 1, 512, double))",
    "structs of 12 bytes": "contiguous(8192, resized(0, 16, struct([(1, 0, double), (1, 8, int32)])))",
    "a list of blocks": f"indexed({[1 + i % 3 for i in range(2000)]}, {[5 * i for i in range(2000)]}, double)",
    "a list of elements": f"indexed_block(1, {[7919 * i % 20011 for i in range(8000)]}, double)",
}
PROCESSES, REPETITIONS = 6, 300
MEASURE = """
import importlib.util, json, sys, time
spec = importlib.util.spec_from_file_location("gapless._engine", sys.argv[1])
sys.modules["gapless._engine"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
import gapless, numpy
result = {}
for name, text in json.loads(sys.argv[2]).items():
    layout = gapless.Datatype(text)
    field = numpy.zeros(layout.true_lower_bound + layout.true_extent, numpy.uint8)
    packed = numpy.zeros(layout.size, numpy.uint8)
    for way, move in (
        ("pack", lambda: layout.pack_into(field, packed)), ("unpack", lambda: layout.unpack(packed, field))
    ):
        least = 1e18
        for _ in range(int(sys.argv[3])):
            began = time.perf_counter_ns()
            move()
            least = min(least, time.perf_counter_ns() - began)
        result[f"{name}, {way}"] = least / 1000
print(json.dumps(result))
"""


def main() -> None:
    """Measure in turn, and print."""
    if len(sys.argv) != 3:
        sys.exit("usage: tools/compare_extensions.py EXTENSION EXTENSION")
    least: list[dict[str, float]] = [{}, {}]
    for _ in range(PROCESSES):
        for seen, extension in zip(least, sys.argv[1:], strict=True):
            command = [sys.executable, "-c", MEASURE, extension, json.dumps(LAYOUTS), str(REPETITIONS)]
            for name, us in json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout).items():
                seen[name] = min(us, seen.get(name, us))
    for name, first in least[0].items():
        print(f"{name}\t{first:.2f}\t{least[1][name]:.2f}\t{least[1][name] / first:.2f}")


if __name__ == "__main__":
    main()
