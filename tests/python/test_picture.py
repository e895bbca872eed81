"""Pictures of datatypes: read back as XML and compared with the runs, whatever the type."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from gapless import picture
from gapless.engine import explain_type
from gapless.picture.canvas import BYTE, LEFT, SPAN
from gapless.picture.view import LINE_BYTES, lines_of, matrix_of

SVG = "{http://www.w3.org/2000/svg}"
LARGEST_FILE = 200_000
NAMED = ("byte", "int16", "int32", "double", "double_int", "long_double_complex")
TYPES = [
    ("resized(0, 8, vector(100, 1, 100, double))", 1),
    ("resized(0, 8, vector(100, 1, 100, double))", 3),
    ("resized(0, 8, vector(20, 1, 20, double))", 20),
    ("subarray([64, 64, 64], [62, 62, 1], [1, 1, 1], C, double)", 1),
    ("subarray([6, 8, 10], [4, 6, 1], [1, 1, 1], C, double)", 1),
    ("indexed([2, 1, 4], [0, 4, 7], double)", 2),
    ("struct([(1, 0, char), (1, 8, double), (3, 16, int16)])", 9),
    ("resized(-24, 64, hindexed([4, 8], [-16, 8], byte))", 2),
    ("hindexed_block(8, [0, 4, 20, 6], byte)", 2),
    ("resized(-4, 100, contiguous(0, int32))", 2),
    ("contiguous(0, int32)", 1),
    ("double", 0),
    ("byte", 1),
    ("resized(0, -8, double)", 3),
    ("resized(0, 8, vector(30, 1, 30, double))", 30),
    ("hvector(4, 1, 100000, hvector(25, 1, 1000, vector(10, 1, 12, double)))", 1),
    ("hvector(250, 1, 1000, vector(16, 1, 4, int32))", 1),
    ("vector(500, 1, 2, byte)", 999),
    ("contiguous(1000000, double)", 1),
    ("vector(1000000, 1, 4, double)", 1),
    ("vector(1000000000, 1, 2, int32)", 1),
    ("vector(12, 2, -7, double)", 1),
    ("hvector(20, 1, 1600, vector(50, 1, 2, double))", 1),
    ("hindexed_block(8, [140737488355328, 140737488355428, 140737488356328], byte)", 1),
    ("vector(4000, 1, 2, byte)", 1),
    ("hindexed_block(8, [0*5000], byte)", 1),
    ("hindexed_block(1, [4999..0:-1, 0..9000:7, 8], byte)", 4),
    ("contiguous(9223372036854775807, byte)", 1),
]


def random_type(source: random.Random, depth: int = 3) -> str:
    """Return a small type, often with gaps, overlaps and negative displacements."""
    if depth == 0 or source.random() < 0.2:
        return source.choice(NAMED)
    old, n = random_type(source, depth - 1), source.randint(0, 5)
    lengths = [source.randint(0, 3) for _ in range(n)]
    places = [source.randint(-20, 60) for _ in range(n)]
    members = ", ".join(
        f"({length}, {8 * place}, {random_type(source, depth - 1)})"
        for length, place in zip(lengths, places, strict=True)
    )
    return source.choice(
        [
            f"contiguous({n}, {old})",
            f"vector({n}, {source.randint(0, 4)}, {source.randint(-9, 30)}, {old})",
            f"hvector({n}, {source.randint(0, 2)}, {source.randint(-200, 900)}, {old})",
            f"indexed({lengths}, {places}, {old})",
            f"hindexed_block({source.randint(0, 3)}, {places}, {old})",
            f"struct([{members}])",
            f"resized({source.randint(-30, 30)}, {source.randint(0, 300)}, {old})",
        ]
    )


def explained(count: int = 400) -> list[dict[str, Any]]:
    source = random.Random(8)
    messages = [(random_type(source), source.randint(0, 5)) for _ in range(count)]
    return [explain_type(*message) for message in [*TYPES, *messages]]


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    return explained()


def group(root: ElementTree.Element, name: str) -> ElementTree.Element | None:
    return root.find(f".//{SVG}g[@class='{name}']")


def bytes_of(rect: ElementTree.Element, left: float = LEFT, scale: float = BYTE) -> tuple[int, int]:
    """Return which bytes of its row a rectangle stands for."""
    begin = (float(rect.get("x", "nan")) - left) / scale
    end = begin + float(rect.get("width", "nan")) / scale
    assert abs(begin - round(begin)) < 0.06 and abs(end - round(end)) < 0.06, rect.attrib
    return round(begin), round(end)


def rows_drawn(lines: ElementTree.Element) -> list[tuple[int, list[tuple[int, int, int]]]]:
    """Return what a group of rows of 64 bytes shows: the displacement in the margin; order, begin, end of its runs."""
    rows: list[tuple[int, list[tuple[int, int, int]]]] = []
    for shape in lines:
        if shape.tag == f"{SVG}text" and shape.get("text-anchor") == "end":
            digits = "".join(shape.itertext()).replace("\u202f", "").replace("\u2212", "-")
            rows.append((int(digits), []))
        elif shape.tag == f"{SVG}rect" and shape.get("data-run") is not None:
            rows[-1][1].append((int(shape.get("data-run", "")), *bytes_of(shape)))
    return rows


def in_line(runs: list[list[int]], line: int) -> list[tuple[int, int, int]]:
    """Return order, begin and end of what the listed runs have in a cache line."""
    found = []
    for at, length, order, _ in runs:
        begin, end = max(at, line), min(at + length, line + LINE_BYTES)
        if begin < end:
            found.append((order, begin - line, end - line))
    return found


def test_every_run_is_drawn_once_and_in_its_place(documents: list[dict[str, Any]]) -> None:
    compared = complete = 0
    for document in documents:
        root = ElementTree.fromstring(picture.svg(document))
        lines = group(root, "lines")
        runs = document["lowest_runs"]
        assert (lines is None) == (not runs)
        shown = lines_of(document, 8 if matrix_of(document) else 16)
        if lines is None or shown.cut:
            continue
        text = "".join(root.itertext())
        base = next((int(n.replace("\u202f", "")) for n in re.findall(r"displacements from ([\d\u202f]+) on", text)), 0)
        drawn = rows_drawn(lines)
        for line, pieces in drawn:
            assert (line + base) % LINE_BYTES == 0 or base
            assert sorted(pieces) == sorted(in_line(runs, line + base)), document["type"]
            compared += len(pieces)
        assert [line for line, _ in drawn] == sorted({line for line, _ in drawn})
        if shown.complete and shown.drawn == len(drawn):
            assert shown.drawn == document["cache_lines"]
            assert {order for _, pieces in drawn for order, _, _ in pieces} == set(range(document["runs"]))
            complete += 1
    assert compared > 3000 and complete > 100


def test_drawn_lines_are_the_lowest_ones_that_are_touched(documents: list[dict[str, Any]]) -> None:
    for document in documents:
        shown = lines_of(document, 16)
        touched: list[int] = []
        for at, length, *_ in sorted(document["lowest_runs"]):
            touched += range(at // 64 * 64, min(at + length, at + 64 * 40), 64)
        expected = sorted(set(touched))
        drawn = [row.at for row in shown.rows]
        if not any(row.alike for row in shown.rows):
            assert drawn == expected[: len(drawn)]
            assert len(drawn) == min(16, len(expected)) or not shown.complete


def test_the_lines_of_one_long_run_are_counted_not_drawn() -> None:
    shown = lines_of(explain_type("contiguous(1000000, double)"), 16)
    assert [(row.at, row.alike) for row in shown.rows] == [(0, 0), (64, 0), (7999872, 124996), (7999936, 0)]
    assert shown.drawn == 125000 and shown.complete
    assert "124\u202f996 lines more of run 0" in picture.svg(explain_type("contiguous(1000000, double)"))


@pytest.mark.parametrize(
    ("runs", "complete", "cut"), [(32 * 15 + 20, True, False), (32 * 15 + 21, False, True), (32 * 16 + 1, False, True)]
)
def test_the_lines_of_many_runs_are_cut(runs: int, complete: bool, cut: bool) -> None:
    shown = lines_of(explain_type(f"vector({runs}, 1, 2, byte)"), 16)
    assert (len(shown.rows), shown.complete, shown.cut) == (16, complete, cut)
    assert sum(len(row.pieces) for row in shown.rows) == 500
    shown = lines_of(explain_type("hindexed_block(1, [0*500, 64], byte)"), 16)
    assert (len(shown.rows), shown.complete, shown.cut) == (1, False, False)


def test_the_packed_stream_has_the_runs_in_order(documents: list[dict[str, Any]]) -> None:
    compared = 0
    for document in documents:
        packed = group(ElementTree.fromstring(picture.svg(document)), "packed")
        if packed is None:
            continue
        pieces = [(line + begin, line + end, order) for line, row in rows_drawn(packed) for order, begin, end in row]
        assert [begin for begin, _, _ in pieces] == [0, *(end for _, end, _ in pieces[:-1])]
        assert pieces[-1][1] == min(192, document["bytes_touched"])
        lengths = Counter[int]()
        for begin, end, order in pieces:
            lengths[order] += end - begin
        last = pieces[-1][2]
        assert [lengths[order] for order in range(last)] == [n for _, n in document["first_runs"][:last]]
        assert lengths[last] <= document["first_runs"][last][1]
        compared += 1
    assert compared > 150


def test_rows_are_where_the_matrix_says(documents: list[dict[str, Any]]) -> None:
    compared = 0
    for document in documents:
        matrix, rows = matrix_of(document), group(ElementTree.fromstring(picture.svg(document)), "rows")
        assert (matrix is None) == (rows is None)
        if matrix is None or rows is None:
            continue
        slices = len(matrix.slices)
        units = (SPAN - 8 * (slices > 1) * (slices - 1)) / slices
        behind = group(ElementTree.fromstring(picture.svg(document)), "behind")
        assert behind is not None
        rects, places = iter(rows.iter(f"{SVG}rect")), iter(behind.iter(f"{SVG}rect"))
        for index in range(matrix.shown):
            for place, slice_rows in enumerate(matrix.slices):
                at, place_drawn = slice_rows[index].at, next(places)
                left = float(place_drawn.get("x", "nan"))
                assert abs(left - LEFT - place * (units + 8)) < 0.01
                scale = units / matrix.pitch
                for piece in slice_rows[index].pieces:
                    rect = next(rects)
                    run = next(r for r in document["lowest_runs"] if r[2] == int(rect.get("data-run", "")))
                    assert abs(float(rect.get("x", "")) - left - (max(run[0], at) - at) * scale) < 1.7
                    if (piece.end - piece.begin) * scale > 1.7:
                        width = min(run[0] + run[1], at + matrix.pitch) - max(run[0], at)
                        assert abs(float(rect.get("width", "")) - width * scale) < 0.52
                    compared += 1
        assert next(rects, None) is next(places, None) is None
        drawn = [int(r.get("data-run", "")) for r in rows.iter(f"{SVG}rect") if r.get("data-run") is not None]
        for order, times in Counter(drawn).items():
            at, length, *_ = next(r for r in document["lowest_runs"] if r[2] == order)
            assert times == 1 or length > matrix.pitch - at % matrix.pitch
    assert compared > 1000


@pytest.mark.parametrize(
    ("text", "count", "pitch", "shown", "of", "begins"),
    [
        ("resized(0, 8, vector(100, 1, 100, double))", 1, 800, 64, 100, [0]),
        ("resized(0, 8, vector(20, 1, 20, double))", 20, 160, 20, 20, [0]),  # all of it, but column after column
        ("hvector(20, 1, 1600, vector(50, 1, 2, double))", 1, 1600, 20, 20, [0]),
        ("subarray([32, 32], [8, 16], [4, 8], C, double)", 1, 256, 32, 32, [0]),
        ("subarray([6, 8, 10], [4, 6, 1], [1, 1, 1], C, double)", 1, 80, 8, 8, [640, 1280, 1920, 2560]),
        ("subarray([64, 64, 64], [62, 62, 1], [1, 1, 1], C, double)", 1, 512, 64, 64, [32768, 65536, 98304, 131072]),
        ("subarray([9, 80, 9], [9, 70, 1], [0, 5, 4], C, double)", 1, 72, 64, 80, [360, 6120, 11880, 17640]),
        ("vector(12, 2, -70, double)", 1, 560, 12, 12, [-6160]),
    ],
)
def test_what_lies_in_rows_is_drawn_in_rows(
    text: str, count: int, pitch: int, shown: int, of: int, begins: list[int]
) -> None:
    matrix = matrix_of(explain_type(text, count))
    assert matrix is not None
    assert (matrix.pitch, matrix.shown, matrix.rows, [rows[0].at for rows in matrix.slices]) == (
        pitch,
        shown,
        of,
        begins,
    )


@pytest.mark.parametrize(
    "text",
    [
        "double",
        "contiguous(0, byte)",
        "vector(3, 2, 4, int32)",
        "hindexed_block(8, [0, 4, 200, 900, 6], byte)",
        "hindexed_block(8, [0, 100, 1000], byte)",
        "indexed([1, 3, 2, 1, 5, 1, 1, 2], [90, 3, 17, 400, 250, 0, 31, 333], int32)",
    ],
)
def test_what_is_irregular_is_not(text: str) -> None:
    assert matrix_of(explain_type(text)) is None


def bounds_bars(text: str, count: int = 1) -> list[list[tuple[float, float, float]]]:
    """Return of each element in the bounds what is drawn as data: left, right [bytes], and the share of them."""
    document = explain_type(text, count)
    root = ElementTree.fromstring(picture.svg(document))
    group = root.find(f".//{SVG}g[@class='bounds']")
    assert group is not None
    elements: list[list[tuple[float, float, float]]] = []
    for rect in group.iter(f"{SVG}rect"):
        x, width, opacity = (float(rect.get(key, "1")) for key in ("x", "width", "fill-opacity"))
        if opacity == 0.12:  # an element's extent
            elements.append([])
            continue
        elements[-1].append((x - LEFT, x - LEFT + width, (opacity - 0.2) / 0.8))
    return elements


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("vector(1000, 2, 4, int32)", 1 / 2),
        ("vector(1000, 3, 5, double)", 3 / 5),
        ("vector(777, 7, 11, int16)", 7 / 11),
        ("vector(300, 1, 3, double)", 1 / 3),
        ("vector(457, 1, 2, hvector(1, 3, 4, int32))", 1 / 2),
        ("vector(400, 7, 8, double)", 7 / 8),
    ],
)
def test_the_bounds_of_a_regular_layout_show_no_pattern_of_their_own(text: str, share: float, count: int) -> None:
    # The runs are too thin to be told apart, and bins that are no multiple of the period hold now more, now less of it.
    for bars in bounds_bars(text, count):
        assert len(bars) == 1
        assert bars[0][2] == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(
    "text",
    [
        "vector(37, 3, 5, double)",
        "vector(100, 1, 3, double)",
        "bucket(8, [1, 5, 7, 2, 3, 3, 8, 1], double)",
        "indexed([1, 3, 2, 1, 5, 1, 1, 2], [90, 3, 17, 400, 250, 0, 31, 333], int32)",
        "resized(0, 8, vector(20, 1, 1000, double))",
    ],
)
def test_runs_that_can_be_told_apart_are_drawn_where_they_are(text: str) -> None:
    document = explain_type(text)
    runs: list[list[int]] = []
    for at, length, *_ in sorted(document["lowest_runs"]):
        if runs and at == runs[-1][1]:
            runs[-1][1] = at + length
        else:
            runs.append([at, at + length])
    low = min(document["lb"], document["true_lb"])
    high = max(document["lb"] + document["extent"], document["true_lb"] + document["true_extent"])
    scale = SPAN / (high - low)
    (bars,) = bounds_bars(text)
    assert len(bars) == len(runs)
    for (left, right, share), (at, end) in zip(bars, runs, strict=True):
        assert left == pytest.approx((at - low) * scale, abs=0.02)
        assert right - left == pytest.approx(max((end - at) * scale, 1), abs=0.02)
        assert share == 1


def test_a_gap_of_the_bounds_stays_one_and_dense_parts_keep_their_share() -> None:
    part = "vector(300, 1, 2, double)"
    text = f"struct([(1, 0, {part}), (1, 20000, {part})])"
    (bars,) = bounds_bars(text)
    scale = SPAN / 24792
    assert not [bar for bar in bars if bar[0] < 10000 * scale < bar[1]]
    drawn = sum((right - left) * share for left, right, share in bars) / scale
    assert drawn == pytest.approx(explain_type(text)["size"], rel=0.02)
    (few,) = bounds_bars("struct([(1, 0, vector(300, 1, 2, double)), (1, 6000, contiguous(600, double))])")
    assert (round(few[0][2], 1), round(few[-1][2], 1)) == (0.5, 1.0)


def test_pictures_are_bounded_and_ask_for_nothing(documents: list[dict[str, Any]]) -> None:
    for document in documents:
        for text in (picture.svg(document), picture.html(document), picture.page(document)):
            assert len(text.encode()) < LARGEST_FILE, document["type"][:200]
            assert "nan" not in text and "inf" not in text.replace("infinity", "")
            assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
            assert not re.search(r"<script|href|url\(|\bon\w+=", text)


def test_nothing_leaves_the_picture(documents: list[dict[str, Any]]) -> None:
    for document in documents:
        root = ElementTree.fromstring(picture.svg(document))
        _, _, width, height = map(float, root.get("viewBox", "").split())
        for rect in root.iter(f"{SVG}rect"):
            x, y, w, h = (float(rect.get(key, "0")) for key in ("x", "y", "width", "height"))
            assert w >= 0 and h >= 0
            assert x >= -0.01 and y >= 0 and x + w <= width + 0.01 and y + h <= height + 0.01, document["type"]


def test_what_a_picture_says_without_colours() -> None:
    document = explain_type("indexed([2, 1, 4], [0, 4, 7], double)", 2)
    root = ElementTree.fromstring(picture.svg(document))
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title" and root[0].text == "2 × indexed([2, 1, 4], [0, 4, 7], double)"
    assert root[1].tag == f"{SVG}desc" and "112 bytes of data in 5 runs" in str(root[1].text)
    text = " ".join(root.itertext())
    assert "extent 88: 0 … 88" in text
    assert "Whoever reads it moves 3 cache lines: 192 bytes, 1.71 × the data." in text
    assert "run 3: bytes 120 to 127, packed 72 to 79" in text
    labels = root.find(f".//{SVG}g[@class='lines']/{SVG}g[@class='labels']")
    assert labels is not None
    assert {label.text for label in labels} == set("01234")


def test_what_is_left_out_is_said() -> None:
    text = picture.svg(explain_type("resized(0, 8, vector(1000, 1, 100, double))"))
    assert "the first 64 of 1\u202f000" in text
    assert "the first 8 of 1\u202f000 touched" in text
    assert "the first 192 of 8\u202f000 bytes" in text
    assert "of the first million runs" in picture.svg(explain_type("vector(1000000000, 1, 2, int32)"))
    assert "not all runs of the last line are drawn" in picture.svg(explain_type("hindexed_block(8, [0*5000], byte)"))


def test_any_text_is_escaped() -> None:
    document = explain_type("double")
    document["type"] = "<script>\"'&]]>"
    for text in (picture.svg(document), picture.html(document)):
        assert "".join(str(ElementTree.fromstring(text)[0].text)) == document["type"]
    assert "<script>" not in picture.page(document)


def test_the_same_document_gives_the_same_picture(documents: list[dict[str, Any]]) -> None:
    again = json.loads(json.dumps(documents[5]))
    assert picture.svg(again) == picture.svg(documents[5])
    program = "import json, sys; from gapless.picture import svg; sys.stdout.write(svg(json.load(sys.stdin)))"
    pictures = {
        subprocess.run(
            [sys.executable, "-c", program], input=json.dumps(documents[5]), capture_output=True, text=True, check=True,
            timeout=60, env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert pictures == {picture.svg(documents[5])}


def test_a_notebook_gets_a_picture_in_its_own_colours() -> None:
    text = picture.html(explain_type("vector(3, 2, 4, int32)"))
    assert text.startswith("<svg ") and "<style" not in text and 'class="page"' not in text
    assert 'fill="currentColor"' in text


def test_the_pictures_of_the_documentation_are_current(repository: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, repository / "tools" / "draw_pictures.py", tmp_path], check=True, timeout=120)
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text(encoding="utf-8") for path in (repository / "docs" / "pictures").iterdir()}
    assert drawn == kept and drawn
