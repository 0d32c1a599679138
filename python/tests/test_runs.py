"""Runs: limits, signals, threads, forks, processes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import numpy as np
import pytest
from conftest import ones

import omnogram
from omnogram import Count, Progress, Puzzle, Stopped


def test_a_stopped_run_says_so(endless: Puzzle, endless_count: Puzzle) -> None:
    count = endless.count(method="tree", nodes=1000)
    assert (count.exact, count.complete, count.stopped) == (False, False, "nodes") and count > 0
    for limit in (0.05, timedelta(milliseconds=50)):
        started = time.monotonic()
        count = endless_count.count(time=limit)
        assert (count.exact, count.stopped) == (False, "time")
        assert time.monotonic() - started < 2
    with pytest.raises(Stopped, match="time") as raised:
        endless_count.count(time=0.05, raise_on_stop=True)
    assert isinstance(raised.value.result, Count) and raised.value.reason == "time"
    check = endless_count.check(time=0)
    assert check.verdict in ("undecided", "multiple", "unique")
    assert ones(5).count(memory="1M") == 120
    checks = omnogram.check_many([ones(3), endless_count], time=0.2)
    assert checks[0].verdict == "multiple"


@pytest.mark.parametrize(
    "limits",
    [
        {"threads": 0},
        {"threads": 5000},
        {"time": -1},
        {"time": float("nan")},
        {"nodes": -1},
        {"nodes": 2**64},
        {"memory": -1},
        {"memory": "1X"},
    ],
)
def test_wrong_limits_are_refused(limits: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=str(*limits)):
        ones(3).count(**limits)  # type: ignore[arg-type]


def test_a_full_check_that_was_stopped_says_so() -> None:
    """Once, it was complete as soon as the verdict was known, although the regions were not counted."""
    puzzle = Puzzle.from_grid(np.random.default_rng(1).random((30, 30)) < 0.3)
    check = puzzle.check(full=True, nodes=2000, threads=1)
    assert (check.complete, check.stopped) == (False, "nodes")
    with pytest.raises(Stopped, match="nodes"):
        puzzle.check(full=True, nodes=2000, threads=1, raise_on_stop=True)


def test_results_can_be_pickled(endless: Puzzle) -> None:
    count = endless.count(method="tree", nodes=1000)
    again = pickle.loads(pickle.dumps(count))
    assert again == count and (again.exact, again.stopped, again.nodes) == (False, "nodes", count.nodes)
    assert pickle.loads(pickle.dumps(ones(3).check())).verdict == "multiple"
    error = pickle.loads(pickle.dumps(Stopped("time", count)))
    assert (error.reason, error.result) == ("time", count)


def test_progress_is_reported(endless_count: Puzzle) -> None:
    seen: list[Progress] = []
    endless_count.count(time=1.5, progress=seen.append)
    assert seen and all(isinstance(progress, Progress) for progress in seen)
    assert [progress.seconds for progress in seen] == sorted(progress.seconds for progress in seen)


def test_an_exception_in_the_callback_ends_the_run(endless_count: Puzzle) -> None:
    class Enough(Exception):
        pass

    def enough(_: object) -> None:
        raise Enough

    started = time.monotonic()
    with pytest.raises(Enough):
        endless_count.count(progress=enough)
    with pytest.raises(Enough):
        omnogram.check_many([ones(3), endless_count], progress=enough)
    assert time.monotonic() - started < 10
    # The threads are free again.
    assert ones(5).count() == 120


CALLS = [
    "puzzle.count()",
    "puzzle.count(method='tree')",
    "puzzle.space()",
    "puzzle.estimate(populations=10**9)",
    "puzzle.repair(line_solvable=True)",
    "omnogram.check_many([puzzle] * 100_000)",
    "list(omnogram.Puzzle([[1]] * 20, [[1]] * 20).solutions(batch=10**6))",
    "sum(1 for _ in omnogram.Puzzle([[1]] * 20, [[1]] * 20).solutions())",
]


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_interrupts_at_once(call: str) -> None:
    script = f"""
        import os, signal, threading, time
        import numpy as np
        import omnogram
        puzzle = omnogram.Puzzle.from_grid(np.random.default_rng(1).random((60, 60)) < 0.4)
        # A process in the background may have been started with the signal ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sent = []
        def send():
            time.sleep(0.7)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=send).start()
        try:
            {call}
        except KeyboardInterrupt:
            print(time.monotonic() - sent[0])
        else:
            print("not interrupted")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60, check=True)
    # It takes about 0.05 s; more on a machine with other work.
    assert float(done.stdout) < 1, done


def test_threads_of_python_run_side_by_side(endless_count: Puzzle) -> None:
    """While one thread counts, others go on, and their questions are answered."""
    counting = threading.Thread(target=endless_count.count, kwargs={"time": 2, "threads": 1})
    counting.start()
    with ThreadPoolExecutor(4) as pool:
        counts = list(pool.map(lambda size: ones(size).count(threads=2), [3, 4, 5, 6] * 20))
    assert counts == [6, 24, 120, 720] * 20
    assert counting.is_alive()
    counting.join()


def _count(puzzle: Puzzle) -> Count:
    return puzzle.count()


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_worker_processes(method: str) -> None:
    # The parent has threads of its own, which a fork does not take along.
    assert ones(4).count() == 24
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_count, [ones(3), ones(4), ones(5)]) == [6, 24, 120]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_answers_and_leaves_the_parents_iterator_alone(endless: Puzzle) -> None:
    solutions = endless.solutions()
    next(solutions)
    ones(4).count(threads=2)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for _ in range(300):
                next(solutions)
        except RuntimeError as error:
            if "forked" in str(error) and ones(5).count(threads=2) == 120 and len(list(ones(4).solutions())) == 24:
                status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    # The parent's search goes on.
    for _ in range(1000):
        next(solutions)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_fork_ends_as_usual() -> None:
    script = """
        import os, sys, omnogram
        puzzle = omnogram.Puzzle([[1]] * 20, [[1]] * 20)
        solutions = puzzle.solutions()
        next(solutions)
        child = os.fork()
        if child == 0:
            del solutions
            sys.exit(7)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 7, done


def test_sigterm_ends_the_process() -> None:
    script = "import omnogram; print(flush=True); omnogram.Puzzle([[1]] * 20, [[1]] * 20).count(method='tree')"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(0.2)
        child.send_signal(signal.SIGTERM)
        assert child.wait(10) == -signal.SIGTERM
