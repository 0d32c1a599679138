"""Iterators over solutions: what they give, and that nothing stays behind."""

from __future__ import annotations

import gc
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ones

from omnogram import Puzzle, Stopped


def native_threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_arrays_belong_to_the_caller(endless: Puzzle) -> None:
    solutions = endless.solutions()
    first = next(solutions)
    copy = first.copy()
    second = next(solutions)
    assert first.shape == (20, 20) and first.dtype == np.uint8 and first.flags.writeable and first.flags.c_contiguous
    first[:] = 7
    assert (second <= 1).all() and not (second == copy).all()
    batch = next(endless.solutions(batch=10))
    assert batch.shape == (10, 20, 20) and batch.flags.writeable
    assert ((batch.sum(axis=1) == 1) & (batch.sum(axis=2) == 1)).all()
    assert len(np.unique(batch.reshape(10, -1), axis=0)) == 10


def test_limits_and_ends() -> None:
    solutions = ones(6).solutions(limit=100)
    assert (solutions.given, solutions.complete) == (0, None)
    assert len(list(solutions)) == 100
    assert (solutions.given, solutions.complete, solutions.stopped) == (100, False, "limit")
    # An iterator that has ended stays at its end.
    assert list(solutions) == [] and next(solutions, None) is None
    solutions = ones(6).solutions(batch=1000)
    assert [len(batch) for batch in solutions] == [720]
    assert (solutions.given, solutions.complete, solutions.stopped) == (720, True, None)
    assert list(ones(3).solutions(limit=0)) == []
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="batch"):
            ones(3).solutions(batch=wrong)
    with pytest.raises(ValueError, match="limit"):
        ones(3).solutions(limit=-1)
    with pytest.raises(ValueError, match="batch"):
        ones(3).solutions(batch=2**62)


def test_a_stopped_search_says_so(endless: Puzzle) -> None:
    solutions = endless.solutions(nodes=1000)
    number = sum(1 for _ in solutions)
    assert (solutions.complete, solutions.stopped, solutions.given) == (False, "nodes", number)
    with pytest.raises(Stopped, match="nodes"):
        for _ in endless.solutions(nodes=1000, raise_on_stop=True):
            pass
    assert len(list(endless.solutions(limit=5, raise_on_stop=True))) == 5


def test_solutions_that_were_not_read_are_not_all() -> None:
    solutions = ones(3).solutions()
    time.sleep(0.2)
    solutions.close()
    assert (solutions.given, solutions.complete, solutions.stopped) == (0, False, "closed")


def test_leaving_the_loop_stops_the_search(endless: Puzzle) -> None:
    endless.count(nodes=10)
    before = native_threads()
    for _ in endless.solutions(threads=4):
        break
    with endless.solutions(threads=4) as solutions:
        next(solutions)
    assert solutions.complete is False and list(solutions) == []
    solutions = endless.solutions(threads=4, batch=8)
    next(solutions)
    solutions.close()
    solutions.close()
    del solutions
    wait_for_threads(before)


def wait_for_threads(most: int) -> None:
    """Waits until no more threads are left than before: those of a pool end a moment after it."""
    end = time.monotonic() + 5
    while native_threads() > most and time.monotonic() < end:
        time.sleep(0.01)
    assert native_threads() <= most


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads the threads and the memory of Linux")
def test_dropped_iterators_leave_nothing_behind(endless: Puzzle) -> None:
    number = int(os.environ.get("OMNOGRAM_DROPPED", "1000"))
    for _ in range(100):
        next(endless.solutions(threads=2))
    wait_for_threads(native_threads())
    gc.collect()
    threads = native_threads()
    growth: list[int] = []
    # What is free in the allocator's arenas stays mapped; a leak of one piece per iterator would be far more. On a busy machine more
    # threads end late and need arenas at once, so the memory may grow once, but not three times.
    while len(growth) < 3 and (not growth or growth[-1] >= 20_000 * number):
        memory = resident_bytes()
        for i in range(number):
            solutions = endless.solutions(threads=1 + i % 3, batch=None if i % 2 else 16)
            for _ in range(i % 3):
                next(solutions)
        del solutions
        wait_for_threads(threads)
        growth.append(resident_bytes() - memory)
    assert growth[-1] < 20_000 * number, growth


def test_memory_is_bounded(endless: Puzzle) -> None:
    solutions = endless.solutions(batch=256, threads=2)
    for _ in range(50):
        next(solutions)
    before = resident_bytes()
    for _ in range(500):
        next(solutions)
    time.sleep(0.3)
    assert resident_bytes() - before < 32 << 20


def test_iterators_run_side_by_side(endless: Puzzle) -> None:
    first, second = endless.solutions(threads=2), ones(6).solutions(threads=2)
    for _ in range(300):
        next(first)
        next(second)
        # A question while searches wait, on a pool of its own.
    assert ones(5).count(threads=2) == 120


def test_one_iterator_in_several_threads(endless: Puzzle) -> None:
    """Like a generator, an iterator may be refused while another thread is in it; no solution is given twice."""
    solutions = ones(6).solutions()
    found: list[bytes] = []

    def read() -> None:
        while True:
            try:
                grid = next(solutions, None)
            except RuntimeError:
                continue
            if grid is None:
                return
            found.append(grid.tobytes())

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(set(found)) == 720
