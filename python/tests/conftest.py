"""What the tests share: a brute-force oracle, random puzzles, and puzzles that no test waits for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from omnogram import Puzzle

Grids = npt.NDArray[np.uint8]

#: The root of the repository, with the puzzles and the command.
ROOT = Path(__file__).resolve().parents[2]

#: Random puzzles per test; more with OMNOGRAM_ROUNDS.
ROUNDS = int(os.environ.get("OMNOGRAM_ROUNDS", "400"))

#: Sizes with at most 2^16 pictures.
SHAPES = [(1, 1), (1, 6), (2, 2), (2, 5), (3, 3), (3, 5), (4, 3), (4, 4), (5, 3), (8, 2)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The notebooks take longest, so they come first: of several processes none then has to wait for another one at the end."""
    items.sort(key=lambda item: not item.name.startswith("test_notebooks_run_to_their_end"))


def runs(line: npt.ArrayLike) -> tuple[int, ...]:
    """The clue of a line."""
    text = "".join("#" if cell else "." for cell in np.asarray(line))
    return tuple(len(run) for run in text.split(".") if run)


@cache
def _pictures(height: int, width: int) -> tuple[Grids, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All pictures in the order of spaces, and a number for each clue of each row and column."""
    size = height * width
    bits = np.arange(2**size, dtype=np.int64)
    grids = np.stack([bits >> (size - 1 - i) & 1 for i in range(size)], axis=1).astype(np.uint8)
    # Row by row, a filled cell comes before an empty one.
    grids = grids[::-1].reshape(-1, height, width)

    def numbers(lines: Grids) -> npt.NDArray[np.int64]:
        length = lines.shape[-1]
        clues = [runs([word >> i & 1 for i in range(length)]) for word in range(2**length)]
        ids = {clue: i for i, clue in enumerate(sorted(set(clues)))}
        table = np.array([ids[clue] for clue in clues])
        words = (lines.astype(np.int64) << np.arange(length)).sum(axis=-1)
        return np.asarray(table[words])

    return grids, numbers(grids), numbers(grids.transpose(0, 2, 1))


def brute_force(rows_of: int, columns_of: int, shape: tuple[int, int]) -> tuple[Puzzle, Grids]:
    """The puzzle with the rows of one picture and the columns of another, and all its solutions in the order of spaces."""
    grids, rows, columns = _pictures(*shape)
    fits = (rows == rows[rows_of]).all(axis=1) & (columns == columns[columns_of]).all(axis=1)
    puzzle = Puzzle([runs(row) for row in grids[rows_of]], [runs(column) for column in grids[columns_of].T])
    return puzzle, grids[fits]


def random_puzzles(rounds: int, seed: int) -> Iterator[tuple[Puzzle, Grids]]:
    """Random puzzles with their solutions. A third of them has the columns of another picture, and so mostly no solution."""
    random = np.random.default_rng(seed)
    for _ in range(rounds):
        shape = SHAPES[random.integers(len(SHAPES))]
        first, second = random.integers(2 ** (shape[0] * shape[1]), size=2)
        yield brute_force(int(first), int(second if random.random() < 1 / 3 else first), shape)


def ones(size: int) -> Puzzle:
    """The puzzle with size! solutions."""
    return Puzzle([[1]] * size, [[1]] * size)


@pytest.fixture
def endless() -> Puzzle:
    """A puzzle whose solutions no test waits for, listed or counted by the tree."""
    return ones(20)


@pytest.fixture
def endless_count() -> Puzzle:
    """A puzzle that no method counts while a test waits: random, 60x60, half of it filled."""
    return Puzzle.from_grid(np.random.default_rng(1).random((60, 60)) < 0.4)
