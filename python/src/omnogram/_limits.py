"""The limits of a run, as callers give them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

if sys.version_info >= (3, 11):
    from typing import Unpack as Unpack
elif TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:

    class Unpack:
        """Stands for that of Python 3.11, so that annotations can be evaluated."""

        def __class_getitem__(cls, item: object) -> object:
            """Any type."""
            return Any


Seconds: TypeAlias = float | timedelta
Bytes: TypeAlias = int | str

#: What the native functions take: threads (0 means one per core), seconds, search tree nodes, bytes.
Bounds: TypeAlias = tuple[int, float | None, int | None, int | None]

MAX_THREADS = 4096
DEFAULT_MEMORY = 4 << 30
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    #: Search tree nodes so far.
    nodes: int
    #: Solutions found so far.
    solutions: int
    #: Share of the work that is done, from 0 to 1, or ``None`` if the method cannot tell.
    share: float | None
    #: Seconds since the run began.
    seconds: float


class TimeLimits(TypedDict, total=False):
    """The limits of every run: how many threads work, one per core if not given, and for how long."""

    threads: int | None
    time: Seconds | None


class MemoryLimits(TimeLimits, total=False):
    """The limits of a run whose memory grows."""

    memory: Bytes | None


class Limits(MemoryLimits, total=False):
    """The limits of a run that searches."""

    nodes: int | None


ProgressCallback: TypeAlias = Callable[[Progress], object]
_Report: TypeAlias = Callable[[int, int, float | None, float], object]


def _refuse(unknown: dict[str, object]) -> None:
    """Raises the error of unknown keywords, as the method that was called with them would."""
    if unknown:
        code = sys._getframe(2).f_code
        name = getattr(code, "co_qualname", code.co_name)
        raise TypeError(f"{name}() got an unexpected keyword argument {next(iter(unknown))!r}")


def time_bounds(*, threads: int | None = None, time: Seconds | None = None, **unknown: object) -> Bounds:
    """Limits of time, checked."""
    _refuse(unknown)
    return bounds(threads=threads, time=time)


def memory_bounds(*, threads: int | None = None, time: Seconds | None = None, memory: Bytes | None = None, **unknown: object) -> Bounds:
    """Limits of time and memory, checked."""
    _refuse(unknown)
    return bounds(threads=threads, time=time, memory=memory)


def bounds(
    *,
    threads: int | None = None,
    time: Seconds | None = None,
    nodes: int | None = None,
    memory: Bytes | None = None,
    **unknown: object,
) -> Bounds:
    """All limits, checked."""
    _refuse(unknown)
    if threads is not None and not 1 <= threads <= MAX_THREADS:
        raise ValueError(f"threads={threads}: expected 1 to {MAX_THREADS}")
    seconds = time.total_seconds() if isinstance(time, timedelta) else time
    # The comparison is false for a number that is none.
    if seconds is not None and not seconds >= 0:
        raise ValueError(f"time={time}: expected a number of seconds from 0 on")
    if nodes is not None and not 0 <= nodes < 1 << 64:
        raise ValueError(f"nodes={nodes}: expected a number from 0 to 2**64 - 1")
    return (threads or 0, seconds, nodes, None if memory is None else size(memory))


def seed_of(seed: int | None) -> int | None:
    """A seed, checked."""
    if seed is not None and not 0 <= seed < 1 << 64:
        raise ValueError(f"seed={seed}: expected a number from 0 to 2**64 - 1")
    return seed


def size(memory: Bytes) -> int:
    """A number of bytes, which may be given as a text such as ``"512M"``."""
    if isinstance(memory, str):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)", memory.strip())
        if match is None:
            raise ValueError(f"memory={memory!r}: expected a number of bytes, such as '512M' or '4G'")
        memory = int(float(match[1]) * 2 ** _UNITS[match[2]])
    if not 0 <= memory < 1 << 63:
        raise ValueError(f"memory={memory}: expected a number of bytes")
    return memory


def report(progress: ProgressCallback | None) -> _Report | None:
    """What the native functions call."""
    if progress is None:
        return None
    callback = progress
    return lambda nodes, solutions, share, seconds: callback(Progress(nodes, solutions, share, seconds))
