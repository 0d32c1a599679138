"""What the runs return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

#: A grid: ``uint8``, height x width, 1 for a filled cell.
Grid: TypeAlias = npt.NDArray[np.uint8]
Mask: TypeAlias = npt.NDArray[np.bool_]
#: Row and column of a cell, from 0.
Cell: TypeAlias = tuple[int, int]
#: Cells with their values: 1 for a filled cell, 0 for an empty one.
Given: TypeAlias = Mapping[Cell, int | bool]
Verdict: TypeAlias = Literal["unique", "none", "multiple", "undecided"]


def decisions(cells: Given, shape: tuple[int, int]) -> list[tuple[int, int, bool]]:
    """Given cells as the native functions take them."""
    height, width = shape
    found: list[tuple[int, int, bool]] = []
    for (row, column), value in cells.items():
        if not (0 <= row < height and 0 <= column < width):
            raise IndexError(f"cell ({row}, {column}) is outside of {height} x {width}")
        if value not in (0, 1):
            raise ValueError(f"cell ({row}, {column}): expected 0 or 1, not {value!r}")
        found.append((row, column, bool(value)))
    return found


class Count(int):
    """A number of solutions: an ``int`` that also says whether it is exact.

    If ``exact`` is false, the run was stopped by the limit that ``stopped`` names, and the number is a lower bound.

    >>> import omnogram
    >>> ones = [[1]] * 20
    >>> number = omnogram.Puzzle(ones, ones).count()
    >>> number, number.exact
    (2432902008176640000, True)
    """

    exact: bool
    stopped: str | None
    nodes: int
    seconds: float

    def __new__(cls, number: int, exact: bool = True, stopped: str | None = None, nodes: int = 0, seconds: float = 0.0) -> Count:
        count = super().__new__(cls, number)
        count.exact = exact
        count.stopped = stopped
        count.nodes = nodes
        count.seconds = seconds
        return count

    @property
    def complete(self) -> bool:
        """Whether the run was not stopped."""
        return self.exact

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (int(self), self.exact, self.stopped, self.nodes, self.seconds)


@dataclass(frozen=True, eq=False)
class Result:
    """What all results have."""

    #: The limit that stopped the run: ``"time"``, ``"nodes"``, ``"memory"``; ``None`` if it has its whole answer.
    stopped: str | None = field(kw_only=True)
    #: Seconds that the run took.
    seconds: float = field(kw_only=True)

    @property
    def complete(self) -> bool:
        """Whether the answer is whole."""
        return self.stopped is None


@dataclass(frozen=True, eq=False)
class Solution(Result):
    """One solution, or that there is none."""

    #: A solution. ``None`` means that there is none if ``complete`` is true, and that none was found if it is false.
    grid: Grid | None
    nodes: int


@dataclass(frozen=True, eq=False)
class Region:
    """Cells that differ between solutions, and can be filled independently of all other regions."""

    cells: list[Cell]
    #: In how many ways they can be filled.
    fillings: Count

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The smallest rectangle around the region: its top row, left column, height and width."""
        rows = [row for row, _ in self.cells]
        columns = [column for _, column in self.cells]
        return (min(rows), min(columns), max(rows) - min(rows) + 1, max(columns) - min(columns) + 1)


@dataclass(frozen=True, eq=False)
class Check(Result):
    """Whether a puzzle has one solution."""

    #: ``"unique"``, ``"none"``, ``"multiple"``, or ``"undecided"`` if the run was stopped too early.
    verdict: Verdict
    #: Up to two solutions. The puzzle's goal is the first, if it is a solution.
    solutions: list[Grid]
    #: Height and width of the puzzle.
    shape: tuple[int, int]
    nodes: int
    #: The cells that differ between solutions, and the regions in which they lie: with ``check(full=True)`` alone.
    ambiguous: Mask | None = None
    regions: list[Region] | None = None

    @property
    def unique(self) -> bool:
        """Whether there is exactly one solution."""
        return self.verdict == "unique"

    @property
    def differs(self) -> Mask:
        """The cells in which the two solutions differ; none if there are not two."""
        if len(self.solutions) == 2:
            return np.not_equal(*self.solutions)
        return np.zeros(self.shape, dtype=np.bool_)

    def __bool__(self) -> bool:
        return self.unique


@dataclass(frozen=True, eq=False)
class Estimate(Result):
    """About how many solutions there are."""

    #: Decimal logarithm of the number; ``None`` if no solution was found.
    log10: float | None
    #: Standard error relative to the number; ``None`` if there are too few dives to tell.
    standard_error: float | None
    #: Why the estimate should not be trusted; ``None`` if nothing speaks against it.
    doubt: str | None
    #: How many dives were made, and the seed with which they can be made again.
    dives: int
    seed: int
    #: The number of solutions that is certain: exact if the estimate turned out to be a count.
    certain: Count

    @property
    def number(self) -> float:
        """The estimate; ``inf`` if it is too large for a ``float``, 0 if no solution was found."""
        if self.log10 is None:
            return 0.0
        return 10.0**self.log10 if self.log10 < 308 else float("inf")


@dataclass(frozen=True, eq=False)
class Backbone(Result):
    """The cells that have the same value in every solution."""

    #: The cells that are filled in all solutions, empty in all, and filled in some but not in all. If the run was stopped, some cells may
    #: be in none of them.
    filled: Mask
    empty: Mask
    ambiguous: Mask
    verdict: Verdict
    nodes: int


@dataclass(frozen=True)
class Step:
    """One step of a person who solves a puzzle."""

    #: ``("row", index)`` or ``("column", index)``, from 0.
    line: tuple[Literal["row", "column"], int]
    #: The cells that become known: row, column, whether the cell is filled.
    cells: list[tuple[int, int, bool]]
    #: The name of the rule.
    rule: str
    #: The step as a sentence.
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False)
class Explanation(Result):
    """How a person solves a puzzle, step by step."""

    steps: list[Step]
    #: How it ends: ``"solved"``, or why no further step was found.
    ending: str
    #: What is known in the end, as rows of ``#``, ``.`` and ``?``.
    position: list[str]

    def __str__(self) -> str:
        lines = [f"{number:>3}. {step.text}" for number, step in enumerate(self.steps, 1)]
        return "\n".join(lines)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)


@dataclass(frozen=True)
class Round:
    """A round of line solving: every line that can help is used once."""

    #: Lines that give a cell, lines that are not complete, and cells that are not known, at the beginning of the round.
    helping: int
    open: int
    unknown: int


@dataclass(frozen=True, eq=False)
class Profile(Result):
    """How a puzzle is solved, and how hard that is."""

    #: The easiest method that solves it: ``"lines"``, ``"probing"``, ``"nested 2"``, ``"search"``; or why none does.
    method: str
    sweeps: int
    rounds: list[Round]
    probes: int
    #: How deep a search guesses.
    depth: int | None
    #: Cells that the method leaves unknown.
    unknown: int
    #: The most arrangements that a line has when it helps.
    hardest: int | None

    @property
    def line_solvable(self) -> bool:
        """Whether looking at one line at a time solves the puzzle."""
        return self.method == "lines"
