"""Every solution of a nonogram: one, all, their number, or a proof that there is only one.

>>> import omnogram
>>> puzzle = omnogram.Puzzle(rows=[[2], [1], [1]], columns=[[1, 1], [2]])
>>> puzzle.check().verdict
'unique'
>>> omnogram.Puzzle([[1]] * 20, [[1]] * 20).count()
2432902008176640000
"""

from ._errors import PuzzleError, Stopped
from ._limits import Progress
from ._omnogram import __version__
from ._puzzle import Puzzle, Repair, Solutions, check_many, read
from ._results import (
    Backbone,
    Check,
    Count,
    Estimate,
    Explanation,
    Profile,
    Region,
    Result,
    Round,
    Solution,
    Step,
)
from ._space import Space

__all__ = [
    "Backbone",
    "Check",
    "Count",
    "Estimate",
    "Explanation",
    "Profile",
    "Progress",
    "Puzzle",
    "PuzzleError",
    "Region",
    "Repair",
    "Result",
    "Round",
    "Solution",
    "Solutions",
    "Space",
    "Step",
    "Stopped",
    "__version__",
    "check_many",
    "read",
]
