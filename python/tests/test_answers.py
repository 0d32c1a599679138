"""Every answer against brute force in numpy."""

from __future__ import annotations

import numpy as np
from conftest import ROUNDS, Grids, ones, random_puzzles
from numpy.testing import assert_array_equal

import omnogram
from omnogram import Puzzle


def verdict(number: int) -> str:
    return ("none", "unique", "multiple")[min(number, 2)]


def test_all_answers_are_those_of_brute_force() -> None:
    for number, (puzzle, expected) in enumerate(random_puzzles(ROUNDS, 1)):
        threads = 1 + number % 3
        count = puzzle.count(threads=threads)
        assert count == len(expected) and count.exact and count.stopped is None, puzzle
        check = puzzle.check(threads=threads)
        assert check.verdict == verdict(len(expected)) and check.complete
        assert bool(check) == check.unique == (len(expected) == 1)
        assert len(check.solutions) == min(2, len(expected))
        solved = puzzle.solve(threads=threads)
        assert solved.complete and (solved.grid is None) == (len(expected) == 0)
        for grid in [*check.solutions, *([] if solved.grid is None else [solved.grid])]:
            assert is_among(grid, expected)
        found = np.array(list(puzzle.solutions(threads=threads)), dtype=np.uint8).reshape(expected.shape)
        assert_array_equal(np.unique(found, axis=0), np.unique(expected, axis=0))
        assert len(found) == len(expected)
        batch = 1 + number % 7
        pieces = list(puzzle.solutions(batch=batch, threads=threads))
        assert all(len(piece) == batch for piece in pieces[:-1])
        assert sum(map(len, pieces)) == len(expected)


def is_among(grid: Grids, grids: Grids) -> bool:
    return bool((grids == grid).all(axis=(1, 2)).any())


def test_backbones_are_those_of_brute_force() -> None:
    for puzzle, expected in random_puzzles(ROUNDS // 2, 2):
        backbone = puzzle.backbone()
        assert backbone.complete and backbone.verdict == verdict(len(expected))
        if len(expected):
            assert_array_equal(backbone.filled, expected.all(axis=0))
            assert_array_equal(backbone.empty, ~expected.any(axis=0))
            assert_array_equal(backbone.ambiguous, expected.any(axis=0) & ~expected.all(axis=0))
        full = puzzle.check(full=True)
        assert full.verdict == verdict(len(expected))
        if len(expected) > 1:
            assert full.ambiguous is not None and full.regions is not None
            assert_array_equal(full.ambiguous, backbone.ambiguous)
            assert sorted(cell for region in full.regions for cell in region.cells) == list(zip(*np.nonzero(full.ambiguous), strict=True))
            top, left, height, width = full.regions[0].box
            assert full.ambiguous[top : top + height, left : left + width].any()


def test_check_many_gives_the_answers_in_order() -> None:
    both = list(random_puzzles(ROUNDS, 3))
    seen: list[omnogram.Check] = []
    checks = omnogram.check_many([puzzle for puzzle, _ in both], progress=seen.append)
    assert [check.verdict for check in checks] == [verdict(len(expected)) for _, expected in both]
    assert sorted(map(id, seen)) == sorted(map(id, checks))
    assert omnogram.check_many([]) == []


def test_counts_beyond_64_bits() -> None:
    for size in (20, 21, 22):
        expected = 1
        for factor in range(2, size + 1):
            expected *= factor
        assert ones(size).count() == expected
        space = ones(size).space()
        assert space.count == expected
        assert_array_equal(space[-1], np.eye(size, dtype=np.uint8)[::-1])
        assert_array_equal(space[expected - 1], space[-1])


def test_repairs_are_right() -> None:
    random = np.random.default_rng(4)
    for _ in range(ROUNDS // 8):
        picture = random.random((5, 5)) < 0.5
        repair = Puzzle.from_grid(picture).repair(alternatives=2)
        assert repair.complete and repair.minimal and repair.flips is not None and repair.puzzle is not None
        assert repair.grid is not None and (repair.grid != picture).sum() == len(repair.flips)
        assert repair.puzzle.check().unique
        keep = np.zeros((5, 5), dtype=bool)
        keep[:2] = True
        kept = Puzzle.from_grid(picture).repair(keep=keep, only="add")
        if kept.flips is not None:
            assert all(row >= 2 and not picture[row, column] for row, column in kept.flips)


def test_explanations_and_profiles() -> None:
    puzzle = Puzzle([[2], [1, 1], [4]], [[2], [1, 1], [1, 1], [2]])
    if not puzzle.check().unique:
        puzzle = Puzzle([[2], [1], [1]], [[1, 1], [2]])
    explanation = puzzle.explain()
    assert explanation.ending == "solved" and len(explanation) == len(explanation.steps) > 0
    known = {(row, column): filled for step in explanation for row, column, filled in step.cells}
    grid = puzzle.solve().grid
    assert grid is not None and all(grid[cell] == filled for cell, filled in known.items())
    profile = puzzle.profile()
    assert profile.line_solvable and profile.unknown == 0 and profile.rounds[0].helping > 0


def test_estimates_are_near_the_number() -> None:
    estimate = ones(12).estimate(seed=1)
    assert estimate.log10 is not None and abs(estimate.log10 - np.log10(float(479001600))) < 0.1
    assert ones(12).estimate(seed=1).log10 == estimate.log10
    assert estimate.doubt is None and estimate.standard_error is not None
    none = Puzzle([[1], [1]], [[2], [0]]).estimate(seed=1)
    assert none.certain == 1 and none.certain.exact
