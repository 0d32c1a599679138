"""The set of all solutions of a puzzle."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from . import _omnogram as native
from ._errors import Stopped
from ._limits import Bytes, Limits, Seconds, Unpack, bounds, seed_of
from ._results import Given, Grid, decisions

_UNLIMITED = bounds(threads=1)
#: Most grids, and about how many bytes, that an iterator reads at once.
_MAX_READ, _READ_BYTES = 4096, 1 << 22


class Space:
    """All solutions of a puzzle, in a fixed order. Made by :meth:`Puzzle.space`.

    Of two solutions, look at the first row in which they differ, and there at the rightmost cell that differs: the solution in which it is
    empty comes first. It is the order of ``omnogram enumerate --sort``.

    >>> import omnogram
    >>> space = omnogram.Puzzle([[1]] * 20, [[1]] * 20).space()
    >>> space.count
    2432902008176640000
    >>> space[10**18].shape
    (20, 20)
    >>> space.given({(0, 0): 1}).count
    121645100408832000
    """

    __slots__ = ("_native", "shape")

    #: Height and width of the puzzle.
    shape: tuple[int, int]

    def __init__(self, found: native.NativeSpace, shape: tuple[int, int]) -> None:
        self._native = found
        self.shape = shape

    @property
    def count(self) -> int:
        """The number of solutions."""
        return self._native.count()

    @property
    def size(self) -> tuple[int, int, int]:
        """Nodes and edges of the graph that holds the solutions, and its size in bytes."""
        return self._native.size()

    def cells(self, *, time: Seconds | None = None) -> npt.NDArray[np.float64]:
        """For each cell the share of the solutions in which it is filled; ``nan`` if there is no solution.

        >>> import omnogram
        >>> omnogram.Puzzle([[1], [1]], [[1], [1]]).space().cells()
        array([[0.5, 0.5],
               [0.5, 0.5]])
        """
        cells = self._native.cells(bounds(threads=1, time=time))
        if cells is None:
            raise Stopped("time")
        return cells

    def sample(self, n: int, seed: int | None = None, *, time: Seconds | None = None, memory: Bytes | None = None) -> npt.NDArray[np.uint8]:
        """``n`` random solutions, each with the same probability: an array of n x height x width.

        The same seed gives the same solutions. It is empty if there is no solution.
        """
        if n < 0:
            raise ValueError(f"n={n}: expected a number from 0 on")
        own = seed_of(seed)
        if own is None:
            own = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        grids = self._native.sample(self._fitting(n), own, bounds(threads=1, time=time, memory=memory))
        if grids is None:
            raise Stopped("time or memory")
        return grids

    def given(
        self,
        cells: Given,
        **limits: Unpack[Limits],
    ) -> Space:
        """The solutions in which these cells are filled (1) or empty (0). Cells are (row, column), from 0."""
        found, (stopped, _, _) = self._native.given(decisions(cells, self.shape), bounds(**limits))
        if found is None:
            raise Stopped(stopped or "memory")
        return Space(found, self.shape)

    def __len__(self) -> int:
        number = self.count
        if number > sys.maxsize:
            raise OverflowError("there are more solutions than len() can tell: use count")
        return number

    def __bool__(self) -> bool:
        return self.count > 0

    @overload
    def __getitem__(self, key: SupportsIndex) -> Grid: ...
    @overload
    def __getitem__(self, key: slice) -> npt.NDArray[np.uint8]: ...
    def __getitem__(self, key: SupportsIndex | slice) -> npt.NDArray[np.uint8]:
        """The k-th solution; for a slice, an array of n x height x width."""
        if isinstance(key, slice):
            places = range(*key.indices(self.count))
            number = max(0, -((places.start - places.stop) // places.step))
            if places.step == 1:
                return self._read(places.start, number)
            grids = np.empty((self._fitting(number), *self.shape), dtype=np.uint8)
            for i, place in enumerate(places):
                grids[i] = self._read(place, 1)[0]
            return grids
        place = key.__index__()
        count = self.count
        if not -count <= place < count:
            raise IndexError(f"there are {count} solutions, so there is no solution {place}")
        grid: Grid = self._read(place % count, 1)[0]
        return grid

    def _read(self, skip: int, number: int) -> npt.NDArray[np.uint8]:
        grids = self._native.slice(skip.to_bytes((skip.bit_length() + 7) // 8, "little"), self._fitting(number), _UNLIMITED)
        assert grids is not None, "nothing stops it"
        return grids

    def _fitting(self, number: int) -> int:
        """This number of solutions, if an array of them can be addressed."""
        height, width = self.shape
        if number * height * width > sys.maxsize:
            raise MemoryError(f"no memory for {number} solutions of {height} x {width} cells")
        return number

    def __iter__(self) -> Iterator[Grid]:
        height, width = self.shape
        most = max(1, min(_MAX_READ, _READ_BYTES // (height * width)))
        place, number, count = 0, 1, self.count
        while place < count:
            grids = self._read(place, number)
            for grid in grids:
                # Not a view, which would keep all of them in memory.
                yield grid.copy()
            place += len(grids)
            number = min(2 * number, most)

    def __repr__(self) -> str:
        height, width = self.shape
        return f"<Space {height}x{width} of {self.count} solutions>"
