"""Puzzles: clues, notes, files, drawings."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, ones
from numpy.testing import assert_array_equal

import omnogram
from omnogram import Puzzle, PuzzleError

FLAG = Puzzle([[1], [2], [1]], [[1], [3]], title="Flag", author="A", license="CC0", goal=[[0, 1], [1, 1], [0, 1]])


def test_clues_and_notes() -> None:
    assert FLAG.rows == ((1,), (2,), (1,)) and FLAG.columns == ((1,), (3,)) and FLAG.shape == (3, 2)
    assert (FLAG.title, FLAG.author, FLAG.copyright, FLAG.license, FLAG.catalogue) == ("Flag", "A", None, "CC0", None)
    assert repr(FLAG) == "<Puzzle 'Flag' 3x2>" and repr(ones(2)) == "<Puzzle 2x2>"
    assert Puzzle([[0], []], [[]]).rows == ((), ())
    assert Puzzle(iter([iter([1])]), np.array([[1]])).rows == ((1,),)


def test_equality_and_hash_are_those_of_the_clues() -> None:
    same = Puzzle(FLAG.rows, FLAG.columns)
    assert same == FLAG and hash(same) == hash(FLAG) and len({same, FLAG, ones(2)}) == 2
    assert ones(2) != ones(3) and ones(2) != "puzzle"


def test_copies_and_pickles_keep_everything() -> None:
    for again in (pickle.loads(pickle.dumps(FLAG)), copy.copy(FLAG), copy.deepcopy(FLAG)):
        assert again == FLAG and again.title == "Flag" and again.license == "CC0"
        assert again.goal is not None and FLAG.goal is not None
        assert_array_equal(again.goal, FLAG.goal)


def test_given_cells_are_part_of_the_puzzle(tmp_path: Path) -> None:
    three = Puzzle([[1]] * 3, [[1]] * 3, given={(0, 0): 1, (1, 2): 0})
    assert three.given == {(0, 0): 1, (1, 2): 0} and three.count() == 1 and ones(3).given == {}
    assert three != ones(3) and len({three, ones(3)}) == 2
    assert [grid.tolist() for grid in three.solutions()] == [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]]
    assert three.space().count == 1 and three.check().unique
    assert three.count(given={(0, 0): 0}) == 0
    for again in (pickle.loads(pickle.dumps(three)), copy.copy(three)):
        assert again == three and again.given == three.given
    for ending, lost in [("non", []), ("json", []), ("xml", []), ("pattern", []), ("nin", ["the given cells"])]:
        assert three.write(tmp_path / f"three.{ending}") == lost
        again = Puzzle.read(tmp_path / f"three.{ending}")
        assert isinstance(again, Puzzle) and (again == three) == (not lost)
    with pytest.raises(IndexError, match="outside of 3 x 3"):
        Puzzle([[1]] * 3, [[1]] * 3, given={(3, 0): 1})
    with pytest.raises(ValueError, match="expected 0 or 1"):
        Puzzle([[1]] * 3, [[1]] * 3, given={(0, 0): 2})


def test_repairs_keep_the_given_cells() -> None:
    two = Puzzle([[1], [1], [1]], [[1], [1], [1]], given={(0, 0): 1})
    repair = two.repair(np.eye(3, dtype=int))
    assert repair.flips is not None and (0, 0) not in repair.flips and repair.puzzle is not None
    assert repair.puzzle.given == two.given and repair.puzzle.check().unique
    with pytest.raises(PuzzleError, match="row 1 column 1 is empty, but given as filled"):
        two.repair(np.fliplr(np.eye(3, dtype=int)))


def test_wrong_clues_are_refused() -> None:
    with pytest.raises(PuzzleError, match="needs 5 cells") as raised:
        Puzzle([[5]], [[1], [1]])
    assert isinstance(raised.value, ValueError) and raised.value.file is None
    for rows, columns in [([], []), ([[1]], []), ([[-1]], [[1]]), ([[1]] * 5000, [[1]])]:
        with pytest.raises(PuzzleError):
            Puzzle(rows, columns)
    for wrong in ("1", 1.0):
        with pytest.raises(TypeError):
            Puzzle([[wrong]], [[1]])  # type: ignore[list-item]


def test_pictures() -> None:
    grid = np.random.default_rng(1).random((70, 130)) < 0.5
    for cells in (grid, grid.astype(int), grid.astype(float) * 0.5, grid.tolist(), np.asfortranarray(grid), grid[::1, ::1]):
        puzzle = Puzzle.from_grid(cells)
        assert puzzle.shape == (70, 130) and puzzle.goal is not None
        assert_array_equal(puzzle.goal, grid)
    pictures: list[Any] = [[1, 0], [[[1]]], [], [[]], [["#"]], np.zeros((1, 5000))]
    for wrong in pictures:
        with pytest.raises(PuzzleError):
            Puzzle.from_grid(wrong)


def test_files(tmp_path: Path) -> None:
    for ending in ("non", "json", "toml", "cwd"):
        path = tmp_path / f"flag.{ending}"
        FLAG.write(path)
        assert Puzzle.read(path) == FLAG and omnogram.read(str(path)) == [FLAG]
    assert "title" in " ".join(FLAG.write(tmp_path / "flag.cwd"))
    (tmp_path / "pack.json").write_text(json.dumps([{"rows": [[1]], "columns": [[1]]}] * 3))
    pack = Puzzle.read(tmp_path / "pack.json")
    assert isinstance(pack, list) and len(pack) == 3
    with pytest.raises(PuzzleError, match="there is no format"):
        FLAG.write(tmp_path / "flag.xyz")
    with pytest.raises(PuzzleError, match="format="):
        FLAG.write(tmp_path / "flag")
    with pytest.raises(FileNotFoundError):
        Puzzle.read(tmp_path / "nothing")


def test_errors_have_their_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.non"
    path.write_text("width 2\nheight 1\nrows\nx\ncolumns\n1\n1\n")
    with pytest.raises(PuzzleError) as raised:
        Puzzle.read(path)
    error = raised.value
    assert (error.file, error.line) == (os.fspath(path), 4) and error.column is not None and error.message
    assert f"{path}:4:" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_errors_name_the_file() -> None:
    path = ROOT / "puzzles/bad/compressed.non.gz"
    with pytest.raises(PuzzleError) as raised:
        omnogram.read(path)
    assert raised.value.file == os.fspath(path) and str(raised.value).startswith(f"{path}: ")


def test_images(tmp_path: Path) -> None:
    grid = np.random.default_rng(2).random((9, 7)) < 0.5
    path = tmp_path / "picture.pbm"
    path.write_text(f"P1\n7 9\n{chr(10).join(' '.join('1' if cell else '0' for cell in row) for row in grid)}\n")
    for image in (path, str(path), path.read_bytes()):
        puzzle = Puzzle.from_image(image)
        assert puzzle.goal is not None
        assert_array_equal(puzzle.goal, grid)
    inverted = Puzzle.from_image(path, invert=True).goal
    assert inverted is not None and (inverted != grid).all()
    assert Puzzle.from_image(path, size=(14, 18)).shape == (18, 14)
    FLAG.write(tmp_path / "flag.png")
    assert Puzzle.from_image(tmp_path / "flag.png", size=2).shape == (3, 2)
    for text in ("families/permutation-10.non", "pictures/key.non"):
        with pytest.raises(PuzzleError, match="no image"):
            Puzzle.from_image(ROOT / "puzzles" / text, size=3)
    for size in (0, 5000, (3, 0)):
        with pytest.raises(ValueError, match="size="):
            Puzzle.from_image(path, size=size)
    with pytest.raises(ValueError, match="threshold=300"):
        Puzzle.from_image(path, threshold=300)
    # Few cells would be chance; 5x5 of 50 pixels a side are found, and warned of.
    heart = np.array([[0, 1, 0, 1, 0], [1, 1, 1, 1, 1], [1, 1, 1, 1, 1], [0, 1, 1, 1, 0], [0, 0, 1, 0, 0]])
    art = np.kron(heart, np.full((50, 50), 255, int))
    levels = "\n".join(str(level) for level in np.pad(art, 10).ravel())
    enlarged = f"P2 270 270 255\n{levels}\n".encode()
    with pytest.warns(UserWarning, match="each cell has 50x50 pixels, so there are 5x5 cells"):
        assert Puzzle.from_image(enlarged, invert=True).rows == ((1, 1), (5,), (5,), (3,), (1,))
    assert Puzzle.from_image(enlarged, size=17, threshold="local", keep_margin=True).shape == (17, 17)


def test_drawings() -> None:
    assert FLAG._repr_svg_().startswith("<svg") and "</svg>" in FLAG.to_svg(FLAG.solve().grid)
    assert FLAG.to_svg() != FLAG.to_svg(FLAG.goal)
    assert str(FLAG) == FLAG.to_text() and FLAG.to_text() != FLAG.to_text(FLAG.goal)
    with pytest.raises(PuzzleError, match="3 x 2"):
        FLAG.to_svg([[1]])


def command() -> str | None:
    found = os.environ.get("OMNOGRAM_COMMAND", ROOT / "target/release/omnogram")
    return os.fspath(found) if Path(found).exists() else None


@pytest.mark.skipif(command() is None, reason="compares with the command: build it, or name it in OMNOGRAM_COMMAND")
def test_the_command_gives_the_same_answers() -> None:
    """On the project's puzzles, and on those in the folders that OMNOGRAM_PUZZLES names."""
    folders = [ROOT / "puzzles", *map(Path, os.environ.get("OMNOGRAM_PUZZLES", "").split())]
    compared = 0
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        run = subprocess.run([str(command()), "check", "--json", "--quiet", "--nodes", "20000", path], capture_output=True, check=False)
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        try:
            puzzles = omnogram.read(path)
        except PuzzleError as error:
            assert any(line.get("error") for line in lines) or run.returncode in (65, 74), (path, error)
            continue
        assert len(puzzles) == len(lines), path
        for puzzle, line in zip(puzzles, lines, strict=True):
            check = puzzle.check(nodes=20_000)
            if check.complete and line["stopped"] in (None, "limit"):
                assert check.verdict == line["verdict"], path
                compared += 1
    assert compared > 50


def test_clues_that_no_line_can_have_are_refused() -> None:
    for clue in ([2**70], [-1], [5000], [1, 0, 1]):
        with pytest.raises(PuzzleError):
            Puzzle([clue], [[1]])


def test_a_wrong_limit_is_named_with_the_method() -> None:
    puzzle = Puzzle([[1]], [[1]])
    wrong: Any = {"tread": 1}
    with pytest.raises(TypeError, match=r"count\(\) got an unexpected keyword argument 'tread'"):
        puzzle.count(**wrong)
    with pytest.raises(TypeError, match=r"split\(\) got an unexpected keyword argument 'tread'"):
        puzzle.split(1, **wrong)


def test_annotations_can_be_evaluated() -> None:
    assert "limits" in typing.get_type_hints(Puzzle.count)
