"""Puzzles, and everything that can be asked about one."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from . import _omnogram as native
from ._errors import PuzzleError, Stopped
from ._limits import (
    DEFAULT_MEMORY,
    Limits,
    MemoryLimits,
    ProgressCallback,
    TimeLimits,
    Unpack,
    bounds,
    memory_bounds,
    report,
    seed_of,
    time_bounds,
)
from ._results import (
    Backbone,
    Cell,
    Check,
    Count,
    Estimate,
    Explanation,
    Given,
    Grid,
    Profile,
    Region,
    Result,
    Round,
    Solution,
    Step,
    Verdict,
    decisions,
)
from ._space import Space

_R = TypeVar("_R")
#: Most cells of a line.
MAX_SIDE = 4096
Method = Literal["auto", "tree", "regions", "frontier"]


def _stop(result: _R, reason: str | None, raise_on_stop: bool) -> _R:
    if raise_on_stop and reason is not None:
        raise Stopped(reason, result)
    return result


def as_grid(cells: npt.ArrayLike) -> Grid:
    """A picture as an array of 0 and 1."""
    array = np.asarray(cells)
    if array.ndim != 2:
        raise PuzzleError(f"a picture has two dimensions, not {array.ndim}")
    if array.dtype == object or not (np.issubdtype(array.dtype, np.number) or array.dtype == np.bool_):
        raise PuzzleError(f"a picture holds numbers or truth values, not {array.dtype}")
    return np.ascontiguousarray(array != 0, dtype=np.uint8)


def _lengths(clues: Iterable[Iterable[int]], side: str) -> list[list[int]]:
    lengths: list[list[int]] = []
    for index, clue in enumerate(clues):
        blocks = [operator.index(length) for length in clue]
        if any(length < 0 for length in blocks):
            raise PuzzleError(f"{side} {index + 1}: a block cannot have a negative length")
        if any(length > sys.maxsize for length in blocks):
            raise PuzzleError(f"{side} {index + 1}: a block of {max(blocks)} cells does not fit a line")
        # A clue of one 0 is the usual notation for an empty line.
        lengths.append([] if blocks == [0] else blocks)
    return lengths


class Puzzle:
    """A nonogram: the lengths of the filled runs of its rows and columns, and the cells that are given from the start.

    >>> import omnogram
    >>> puzzle = omnogram.Puzzle([[1], [2], [1]], [[1], [3]], title="Flag")
    >>> puzzle
    <Puzzle 'Flag' 3x2>
    >>> puzzle.count()
    1
    >>> print(puzzle.solve().grid)
    [[0 1]
     [1 1]
     [0 1]]

    Puzzles are equal if their clues and given cells are. Rows and columns are counted from 0. All questions take the same limits:

    ``threads``
        How many threads work; one per core if not given.
    ``time``
        Seconds, or a ``datetime.timedelta``.
    ``nodes``
        Search tree nodes.
    ``memory``
        Bytes, or a text such as ``"512M"``.
    ``raise_on_stop``
        Raise :class:`Stopped` if a limit stops the run before it has the whole answer. Otherwise the result says so: ``result.complete``
        and ``result.stopped``.

    While a question is answered, other threads of Python run, and Ctrl-C stops it.
    """

    __slots__ = ("_clues", "_given", "_native")

    _native: native.NativePuzzle
    _clues: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    _given: tuple[tuple[int, int, bool], ...]

    def __init__(
        self,
        rows: Iterable[Iterable[int]],
        columns: Iterable[Iterable[int]],
        *,
        title: str | None = None,
        author: str | None = None,
        copyright: str | None = None,
        license: str | None = None,
        catalogue: str | None = None,
        goal: npt.ArrayLike | None = None,
        given: Given | None = None,
    ) -> None:
        texts = [title, author, copyright, license, catalogue]
        picture = None if goal is None else as_grid(goal)
        lengths = _lengths(rows, "row"), _lengths(columns, "column")
        cells = decisions(given or {}, (len(lengths[0]), len(lengths[1])))
        self._set(native.NativePuzzle.from_clues(*lengths, texts, picture, cells))

    def _set(self, puzzle: native.NativePuzzle) -> None:
        self._native = puzzle
        rows, columns = puzzle.rows(), puzzle.columns()
        self._clues = (tuple(map(tuple, rows)), tuple(map(tuple, columns)))
        self._given = tuple(puzzle.given())

    @classmethod
    def _of(cls, puzzle: native.NativePuzzle) -> Puzzle:
        self = cls.__new__(cls)
        self._set(puzzle)
        return self

    @classmethod
    def from_grid(
        cls,
        cells: npt.ArrayLike,
        *,
        title: str | None = None,
        author: str | None = None,
        copyright: str | None = None,
        license: str | None = None,
        catalogue: str | None = None,
    ) -> Puzzle:
        """The puzzle of a picture, which becomes its goal. Every value but 0 is a filled cell.

        >>> from omnogram import Puzzle
        >>> Puzzle.from_grid([[0, 1, 1], [1, 0, 1]]).rows
        ((2,), (1, 1))
        """
        return cls._of(native.NativePuzzle.from_grid(as_grid(cells), [title, author, copyright, license, catalogue]))

    @classmethod
    def from_image(
        cls,
        image: str | os.PathLike[str] | bytes,
        *,
        size: tuple[int, int | None] | int | None = None,
        threshold: int | Literal["auto", "local"] = "auto",
        dither: bool = False,
        invert: bool = False,
        keep_margin: bool = False,
    ) -> Puzzle:
        """The puzzle of an image: a file or its bytes (PNG, JPEG, GIF, BMP, WebP, PBM, PGM, PPM).

        ``size`` is the width and the height in cells; with the width alone, the height follows from the image; without it, the cells of
        enlarged pixel art are found, or else one pixel is one cell. ``threshold`` is the level of grey from 0 to 255 below which a cell is
        filled, found from the image with ``"auto"``, and around each pixel with ``"local"``. An empty margin is cut off where several
        pixels become a cell, unless ``keep_margin`` is true. What is found or cut off is warned of.
        """
        if isinstance(image, bytes):
            data, name = image, "<bytes>"
        else:
            data, name = Path(image).read_bytes(), os.fspath(image)
        cells = (size, None) if isinstance(size, int) else size
        if threshold not in ("auto", "local") and not (isinstance(threshold, int) and 0 <= threshold <= 255):
            raise ValueError(f"threshold={threshold}: expected 0 to 255, 'auto' or 'local'")
        if any(side is not None and not 1 <= side <= MAX_SIDE for side in cells or ()):
            raise ValueError(f"size={size}: expected 1 to {MAX_SIDE} cells a side")
        return cls._of(native.read(data, name, None, (cells, str(threshold), dither, invert, keep_margin), True)[0])

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, format: str | None = None) -> Puzzle | list[Puzzle]:
        """The puzzle in a file, or a list if the file holds several. The format is detected unless it is given.

        :func:`omnogram.read` gives a list in any case.
        """
        puzzles = read(path, format=format)
        return puzzles[0] if len(puzzles) == 1 else puzzles

    def write(self, path: str | os.PathLike[str], *, format: str | None = None) -> list[str]:
        """Writes the puzzle to a file, in the format of its ending unless another one is given.

        Returns what the format cannot keep, such as ``["the author"]``.
        """
        target = Path(path)
        name = format if format is not None else target.suffix.removeprefix(".")
        if not name:
            raise PuzzleError("this name does not tell the format: give format=", os.fspath(path))
        data, lost = self._native.write(name)
        target.write_bytes(data)
        return lost

    @property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """The lengths of the blocks of each row, from left to right."""
        return self._clues[0]

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """The lengths of the blocks of each column, from top to bottom."""
        return self._clues[1]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width, as of the arrays of its solutions."""
        return self._native.shape()

    @property
    def title(self) -> str | None:
        """The title."""
        return self._native.texts()[0]

    @property
    def author(self) -> str | None:
        """Who made it."""
        return self._native.texts()[1]

    @property
    def copyright(self) -> str | None:
        """Whose it is."""
        return self._native.texts()[2]

    @property
    def license(self) -> str | None:
        """Under which licence it may be used."""
        return self._native.texts()[3]

    @property
    def catalogue(self) -> str | None:
        """Its number in a catalogue."""
        return self._native.texts()[4]

    @property
    def goal(self) -> Grid | None:
        """The picture from which it was made, if the file gives it. It need not be a solution."""
        return self._native.goal()

    @property
    def given(self) -> dict[Cell, int]:
        """The cells that are given from the start, which bind as clues do: 1 for a filled cell, 0 for an empty one.

        >>> puzzle = Puzzle([[1], [1]], [[1], [1]], given={(0, 0): 1})
        >>> puzzle.given, puzzle.count()
        ({(0, 0): 1}, 1)
        """
        return {(row, column): int(filled) for row, column, filled in self._given}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Puzzle):
            return NotImplemented
        return (self._clues, self._given) == (other._clues, other._given)

    def __hash__(self) -> int:
        return hash((self._clues, self._given))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickle, (*self._clues, self._native.texts(), self.goal, list(self._given)))

    def __repr__(self) -> str:
        height, width = self.shape
        title = "" if self.title is None else f" {self.title!r}"
        return f"<Puzzle{title} {height}x{width}>"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, grid: npt.ArrayLike | None = None) -> str:
        """A drawing in characters: the clues, and a picture if one is given.

        >>> print(Puzzle([[1], [2]], [[1], [2]]).to_text([[0, 1], [1, 1]]))
            1 2
          ┌────┐
        1 │  ██│
        2 │████│
          └────┘
        """
        return self._native.text(None if grid is None else as_grid(grid))

    def to_svg(self, grid: npt.ArrayLike | None = None) -> str:
        """A drawing in SVG: the clues, and a picture if one is given."""
        return self._native.svg(None if grid is None else as_grid(grid))

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def solve(
        self,
        *,
        progress: ProgressCallback | None = None,
        raise_on_stop: bool = False,
        **limits: Unpack[Limits],
    ) -> Solution:
        """Finds one solution, or proves that there is none.

        >>> Puzzle([[1], [1]], [[2], [0]]).solve().grid
        array([[1, 0],
               [1, 0]], dtype=uint8)
        """
        checked = bounds(**limits)
        grid, _, (stopped, visited, seconds) = native.solve(self._native, checked, report(progress))
        return _stop(Solution(grid, visited, stopped=stopped, seconds=seconds), stopped, raise_on_stop)

    def check(
        self,
        *,
        full: bool = False,
        progress: ProgressCallback | None = None,
        raise_on_stop: bool = False,
        **limits: Unpack[Limits],
    ) -> Check:
        """Finds out whether there is no solution, one, or several.

        With ``full``, all cells that differ between solutions are found, and the regions in which they lie; the two solutions are then the
        closest that were found.

        >>> check = Puzzle([[1], [1]], [[1], [1]]).check()
        >>> check.verdict
        'multiple'
        >>> int(check.differs.sum())
        4
        """
        checked = bounds(**limits)
        found = native.check(self._native, full, checked, report(progress))
        result = _check(found, self.shape)
        return _stop(result, result.stopped, raise_on_stop)

    def count(
        self,
        *,
        given: Given | None = None,
        method: Method = "auto",
        progress: ProgressCallback | None = None,
        raise_on_stop: bool = False,
        **limits: Unpack[Limits],
    ) -> Count:
        """The number of solutions, without listing them; with ``given``, of those in which these cells are filled (1) or empty (0).

        >>> Puzzle([[1]] * 5, [[1]] * 5).count(given={(0, 0): 1})
        24
        >>> number = Puzzle([[1]] * 20, [[1]] * 20).count(method="tree", nodes=100)
        >>> number.exact, number.stopped
        (False, 'nodes')
        """
        checked = bounds(**limits)
        cells = decisions(given or {}, self.shape)
        number, exact, (stopped, visited, seconds) = native.count(self._native, method, cells, checked, report(progress))
        return _stop(Count(number, exact, stopped, visited, seconds), stopped, raise_on_stop)

    def split(
        self,
        cubes: int,
        *,
        given: Given | None = None,
        seed: int = 1,
        **limits: Unpack[TimeLimits],
    ) -> list[dict[Cell, int]]:
        """Cuts the search into about this number of cubes, for several machines or processes.

        A cube is a dict of given cells. Every solution lies in exactly one of them, so that the counts of the cubes add up to the number of
        solutions. The cubes that are expected to take longest come first. If nothing more can be cut, there are fewer. A cube can be cut
        again: it is then ``given``.

        >>> puzzle = Puzzle([[1]] * 8, [[1]] * 8)
        >>> sum(puzzle.count(given=cube) for cube in puzzle.split(10))
        40320
        """
        if cubes < 1:
            raise ValueError(f"cubes={cubes}: expected 1 or more")
        cells = decisions(given or {}, self.shape)
        found = native.split(self._native, cubes, cells, seed_of(seed) or 0, time_bounds(**limits))
        return [{(row, column): int(filled) for row, column, filled in cube} for cube, _ in found]

    def estimate(
        self,
        *,
        populations: int | None = None,
        seed: int | None = None,
        raise_on_stop: bool = False,
        **limits: Unpack[MemoryLimits],
    ) -> Estimate:
        """About how many solutions there are, from random dives into the search tree, in populations that are independent of each other.

        The same ``seed``, 1 if not given, makes the same dives, if no time limit ends them.
        """
        checked = memory_bounds(**limits)
        found, (number, exact), (stopped, _, seconds) = native.estimate(self._native, populations, seed_of(seed), checked)
        log10, error, doubt, dives, used = found
        certain = Count(number, exact)
        result = Estimate(log10, error, doubt, dives, used, certain, stopped=stopped, seconds=seconds)
        return _stop(result, stopped, raise_on_stop)

    def backbone(
        self,
        *,
        progress: ProgressCallback | None = None,
        raise_on_stop: bool = False,
        **limits: Unpack[Limits],
    ) -> Backbone:
        """The cells that have the same value in every solution.

        >>> Puzzle([[2], [1]], [[1], [1], [1]]).backbone().filled.astype(int)
        array([[0, 1, 0],
               [0, 0, 0]])
        """
        checked = bounds(**limits)
        cells, verdict, (stopped, visited, seconds) = native.backbone(self._native, checked, report(progress))
        filled, empty, ambiguous = (part.view(np.bool_) for part in cells)
        result = Backbone(filled, empty, ambiguous, cast(Verdict, verdict), visited, stopped=stopped, seconds=seconds)
        return _stop(result, stopped, raise_on_stop)

    def repair(
        self,
        picture: npt.ArrayLike | None = None,
        *,
        keep: npt.ArrayLike | None = None,
        only: Literal["add", "remove"] | None = None,
        budget: int | None = None,
        line_solvable: bool = False,
        alternatives: int = 0,
        progress: ProgressCallback | None = None,
        raise_on_stop: bool = False,
        **limits: Unpack[MemoryLimits],
    ) -> Repair:
        """The smallest edit of a picture that makes its puzzle unique.

        The picture is the one given, else the goal, else a solution. Cells for which ``keep`` is true are not flipped; ``only="add"`` fills
        cells alone, ``only="remove"`` empties cells alone; ``budget`` is the largest number of flips. With ``line_solvable``, looking at
        one line at a time must solve the edited puzzle. Up to ``alternatives`` further edits of the same size are given, at most 1000.

        >>> repair = Puzzle.from_grid([[1, 0], [0, 1]]).repair()
        >>> len(repair.flips), repair.minimal, repair.puzzle.count()
        (1, True, 1)
        """
        checked = memory_bounds(**limits)
        if picture is not None:
            cells = as_grid(picture)
        elif (goal := self.goal) is not None:
            cells = goal
        else:
            found = self.solve(raise_on_stop=raise_on_stop, **limits)
            if found.grid is None:
                if found.complete:
                    raise PuzzleError("this puzzle has no solution, so there is no picture to repair")
                return Repair(None, False, None, [], None, None, stopped=found.stopped, seconds=found.seconds)
            cells = found.grid
        mask = None if keep is None else as_grid(keep)
        flips, minimal, none_within, others, (stopped, seconds) = native.repair(
            self._native, cells, mask, only, budget, line_solvable, alternatives, checked, report(progress)
        )
        grid = None
        if flips is not None:
            grid = cells.copy()
            for row, column in flips:
                grid[row, column] ^= 1
        puzzle = None if grid is None else self._edited(grid)
        result = Repair(flips, minimal, none_within, others, grid, puzzle, stopped=stopped, seconds=seconds)
        return _stop(result, stopped, raise_on_stop)

    def _edited(self, grid: Grid) -> Puzzle:
        """The puzzle of a picture, with the title, the author and the given cells of this one."""
        clues = Puzzle.from_grid(grid)
        return Puzzle(clues.rows, clues.columns, title=self.title, author=self.author, goal=grid, given=self.given)

    def explain(
        self,
        *,
        raise_on_stop: bool = False,
        **limits: Unpack[MemoryLimits],
    ) -> Explanation:
        """How a person solves it, step by step.

        >>> print(Puzzle([[2], [1]], [[1], [2]]).explain())
          1. Row 1: the 2 fills the whole row.
          2. Column 2: the 2 fills the whole column.
          3. Row 2: the 1 is there, so the other cells are empty.
        """
        checked = memory_bounds(**limits)
        found, ending, stopped, position, seconds = native.explain(self._native, checked)
        steps = [Step(cast(Any, line), cells, rule, text) for line, cells, rule, text in found]
        return _stop(Explanation(steps, ending, position, stopped=stopped, seconds=seconds), stopped, raise_on_stop)

    def profile(
        self,
        *,
        raise_on_stop: bool = False,
        **limits: Unpack[MemoryLimits],
    ) -> Profile:
        """By which method it is solved, and how hard that is.

        >>> Puzzle([[2], [1]], [[1], [2]]).profile().method
        'lines'
        """
        checked = memory_bounds(**limits)
        found = native.profile(self._native, checked)
        method, sweeps, rounds, probes, depth, unknown, hardest, stopped, seconds = found
        all_rounds = [Round(*numbers) for numbers in rounds]
        result = Profile(method, sweeps, all_rounds, probes, depth, unknown, hardest, stopped=stopped, seconds=seconds)
        return _stop(result, stopped, raise_on_stop)

    def space(
        self,
        *,
        progress: ProgressCallback | None = None,
        **limits: Unpack[Limits],
    ) -> Space:
        """All solutions as one object: their number, the share of each cell, samples, the k-th solution.

        It costs about what counting does. If a limit stops it, :class:`Stopped` is raised.

        >>> space = Puzzle([[1]] * 20, [[1]] * 20).space()
        >>> space.count
        2432902008176640000
        """
        checked = bounds(**limits)
        found, (stopped, _, _) = native.space(self._native, DEFAULT_MEMORY if checked[3] is None else checked[3], checked, report(progress))
        if found is None:
            raise Stopped(stopped or "memory")
        return Space(found, self.shape)

    def solutions(
        self,
        *,
        limit: int | None = None,
        batch: int | None = None,
        raise_on_stop: bool = False,
        **limits: Unpack[Limits],
    ) -> Solutions:
        """An iterator over the solutions, in the order in which the search finds them.

        The search runs on threads of its own, and pauses while some hundred solutions are unread. Leaving the loop stops it. With
        ``batch``, the iterator gives arrays of ``batch`` x height x width; the last one may have fewer grids.

        >>> sum(1 for grid in Puzzle([[1]] * 5, [[1]] * 5).solutions())
        120
        >>> [batch.shape for batch in Puzzle([[1]] * 5, [[1]] * 5).solutions(batch=50)]
        [(50, 5, 5), (50, 5, 5), (20, 5, 5)]
        """
        if batch is not None and batch < 1:
            raise ValueError(f"batch={batch}: expected 1 or more")
        if limit is not None and limit < 0:
            raise ValueError(f"limit={limit}: expected a number from 0 on")
        found = native.solutions(self._native, limit, batch, bounds(**limits))
        return Solutions(found, raise_on_stop)


@dataclass(frozen=True, eq=False)
class Repair(Result):
    """The smallest edit of a picture that makes its puzzle unique."""

    #: The cells to flip; empty if the picture's puzzle is unique; ``None`` if no edit was found.
    flips: list[Cell] | None
    #: Whether there is no smaller edit.
    minimal: bool
    #: There is no edit of up to this number of flips; ``None`` if not even zero flips are excluded.
    none_within: int | None
    #: Further edits of the same size.
    alternatives: list[list[Cell]]
    #: The edited picture and its puzzle; ``None`` if no edit was found.
    grid: Grid | None
    puzzle: Puzzle | None


class Solutions(Iterator[Grid]):
    """An iterator over the solutions of a puzzle, made by :meth:`Puzzle.solutions`.

    In a ``with`` statement, the search is stopped at the end of the block. Once the iterator has ended, ``complete`` says whether it gave
    all solutions.

    >>> with Puzzle([[1]] * 5, [[1]] * 5).solutions(limit=3) as solutions:
    ...     found = list(solutions)
    >>> len(found), solutions.complete, solutions.stopped
    (3, False, 'limit')
    """

    def __init__(self, found: native.NativeSolutions, raise_on_stop: bool) -> None:
        self._native = found
        self._raise_on_stop = raise_on_stop

    def __iter__(self) -> Iterator[Grid]:
        # The native iterator is faster than a call of __next__ for each solution.
        return self if self._raise_on_stop else self._native

    def __next__(self) -> Grid:
        try:
            return next(self._native)
        except StopIteration:
            stopped = self.stopped
            if self._raise_on_stop and stopped not in (None, "limit", "closed", "interrupt"):
                raise Stopped(stopped) from None
            raise

    def close(self) -> None:
        """Stops the search. What was found and not read is lost."""
        self._native.close()

    def __enter__(self) -> Solutions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def given(self) -> int:
        """Number of solutions given so far."""
        return self._native.given

    @property
    def complete(self) -> bool | None:
        """Whether these were all solutions; ``None`` until the iterator has ended."""
        figures = self._native.figures
        return None if figures is None else figures[0] is None

    @property
    def stopped(self) -> str | None:
        """What stopped the search: a limit by its name, or ``"interrupt"`` or ``"closed"`` after ``close``."""
        figures = self._native.figures
        return None if figures is None else figures[0]


def _unpickle(
    rows: tuple[tuple[int, ...], ...],
    columns: tuple[tuple[int, ...], ...],
    texts: Sequence[str | None],
    goal: Grid | None,
    given: list[tuple[int, int, bool]],
) -> Puzzle:
    return Puzzle._of(native.NativePuzzle.from_clues([*map(list, rows)], [*map(list, columns)], list(texts), goal, given))


def _check(found: native._Checked, shape: tuple[int, int]) -> Check:
    verdict, grids, ambiguous, (stopped, visited, seconds) = found
    mask, regions = None, None
    if ambiguous is not None:
        (_, _, cells), parts = ambiguous
        mask = cells.view(np.bool_)
        regions = [Region(where, Count(number, exact)) for where, number, exact in parts]
    return Check(cast(Verdict, verdict), grids, shape, visited, mask, regions, stopped=stopped, seconds=seconds)


def read(path: str | os.PathLike[str], *, format: str | None = None) -> list[Puzzle]:
    """All puzzles in a file. The format is detected unless it is given."""
    data = Path(path).read_bytes()
    return [Puzzle._of(puzzle) for puzzle in native.read(data, os.fspath(path), format, (None, None, False, False, False), False)]


def check_many(
    puzzles: Iterable[Puzzle],
    *,
    progress: Callable[[Check], object] | None = None,
    raise_on_stop: bool = False,
    **limits: Unpack[Limits],
) -> list[Check]:
    """Checks puzzles, several at once; the results are in the order of the puzzles.

    The limits are for each puzzle. ``progress`` is called with each result as it comes, so that a bar of tqdm is
    ``progress=lambda check: bar.update()``. If it raises an exception, the run stops and the exception is raised here.

    >>> import omnogram
    >>> puzzles = [omnogram.Puzzle([[1]] * size, [[1]] * size) for size in (1, 2, 3)]
    >>> [check.verdict for check in omnogram.check_many(puzzles)]
    ['unique', 'multiple', 'multiple']
    """
    checked = bounds(**limits)
    puzzles = list(puzzles)
    results: list[Check | None] = [None] * len(puzzles)

    def done(index: int, found: native._Checked) -> None:
        result = results[index] = _check(found, puzzles[index].shape)
        _stop(result, result.stopped, raise_on_stop)
        if progress is not None:
            progress(result)

    native.check_many([puzzle._native for puzzle in puzzles], checked, done)
    return [cast(Check, result) for result in results]
