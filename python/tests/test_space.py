"""The space of solutions against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import ROUNDS, ones, random_puzzles
from numpy.testing import assert_allclose, assert_array_equal

from omnogram import Puzzle, Stopped


def test_spaces_hold_the_solutions_in_order() -> None:
    random = np.random.default_rng(5)
    for puzzle, expected in random_puzzles(ROUNDS // 2, 5):
        space = puzzle.space()
        assert space.count == len(space) == len(expected) and bool(space) == (len(expected) > 0)
        assert_array_equal(np.array(list(space), dtype=np.uint8).reshape(expected.shape), expected)
        assert_array_equal(space[:], expected)
        start, stop, step = (int(i) for i in random.integers([-9, -9, 1], [9, 9, 4]))
        for key in (slice(start, stop), slice(start, stop, step), slice(stop, start, -step), slice(None, None, -1)):
            assert_array_equal(space[key], expected[key])
        for k in range(-len(expected), len(expected)):
            assert_array_equal(space[k], expected[k])
        for k in (len(expected), -len(expected) - 1):
            with pytest.raises(IndexError, match="there is no solution"):
                space[k]
        cells = space.cells()
        assert cells.shape == puzzle.shape and cells.dtype == np.float64
        if len(expected):
            assert_allclose(cells, expected.mean(axis=0), rtol=1e-12)
        else:
            assert np.isnan(cells).all()
        samples = space.sample(3, seed=1)
        assert samples.shape == ((3 if len(expected) else 0), *puzzle.shape) and samples.dtype == np.uint8
        assert_array_equal(samples, space.sample(3, seed=1))
        assert all((expected == sample).all(axis=(1, 2)).any() for sample in samples)


def test_given_cells_leave_the_solutions_that_have_them() -> None:
    random = np.random.default_rng(6)
    for puzzle, expected in random_puzzles(ROUNDS // 2, 6):
        height, width = puzzle.shape
        cells = {(int(random.integers(height)), int(random.integers(width))): int(random.integers(2)) for _ in range(2)}
        fits = np.array([all(grid[cell] == value for cell, value in cells.items()) for grid in expected], dtype=bool)
        space = puzzle.space()
        assert_array_equal(space.given(cells)[:], expected[fits])
        for cell, value in cells.items():
            space = space.given({cell: bool(value)})
        assert_array_equal(space[:], expected[fits])


def test_samples_are_uniform() -> None:
    space = ones(4).space()
    samples = space.sample(24_000, seed=3)
    numbers = np.unique(samples.reshape(len(samples), -1), axis=0, return_counts=True)[1]
    assert len(numbers) == 24
    # The mean is 1000 and the standard deviation 31.
    assert abs(numbers - 1000).max() < 5 * 31
    assert not np.array_equal(space.sample(50), space.sample(50))


def test_wrong_questions_are_refused() -> None:
    space = ones(3).space()
    for cell in [(-1, 0), (3, 0), (0, 3)]:
        with pytest.raises(IndexError, match="outside"):
            space.given({cell: 1})
    with pytest.raises(ValueError, match="expected 0 or 1"):
        space.given({(0, 0): 2})
    with pytest.raises(ValueError, match="n=-1"):
        space.sample(-1)
    with pytest.raises(OverflowError, match="use count"):
        len(ones(30).space())
    assert "of 6 solutions" in repr(space)


def test_a_space_that_is_too_large_is_an_error(endless_count: Puzzle) -> None:
    with pytest.raises(Stopped, match="time"):
        endless_count.space(time=0.1)
    with pytest.raises(Stopped, match="memory"):
        ones(8).space().sample(100, memory="1K")


def test_cubes_hold_every_solution_once() -> None:
    random = np.random.default_rng(7)
    for puzzle, expected in random_puzzles(ROUNDS // 4, 7):
        number = int(random.integers(1, 9))
        cubes = puzzle.split(number)
        assert len(cubes) <= number + 1
        assert sum(puzzle.count(given=cube) for cube in cubes) == len(expected)
        again = [part for cube in cubes for part in puzzle.split(2, given=cube)]
        assert sum(puzzle.count(given=cube) for cube in again) == len(expected)
    assert len(ones(12).split(30)) in (30, 31)
    with pytest.raises(ValueError, match="cubes=0"):
        ones(3).split(0)
    with pytest.raises(IndexError, match="outside"):
        ones(3).count(given={(3, 0): 1})


def test_an_array_that_does_not_fit_is_a_memory_error(endless: Puzzle) -> None:
    space = endless.space()
    for key in (slice(None), slice(0, 10**14), slice(None, None, 2), slice(0, 10**15, 10)):
        with pytest.raises(MemoryError):
            space[key]
    for number in (10**14, 10**30):
        with pytest.raises(MemoryError):
            space.sample(number, seed=1)
    assert space[:: 10**18].shape == (3, 20, 20)
    # With a limit on memory, that is what stops it.
    with pytest.raises(Stopped):
        space.sample(10**14, seed=1, memory="1M")
