#!/usr/bin/env python3
"""Counts or lists the solutions of a nonogram on a Dask cluster: `omnogram split`, `work` and `merge` on many machines.

The cubes are sent to the workers in small batches; each worker runs `omnogram work` on one core. If a cube takes longer than --slice, or
if the worker is asked to terminate, the open cubes are returned and sent out again. The batch of a worker that died is repeated by
another worker. All results are appended to one file, and `omnogram merge` computes the total; cubes without an answer are sent out again.
With --keep, a run that was killed is resumed by the same command.

A count that is not kept needs no files where the Python package omnogram is installed, here and on the workers: the cubes are then tasks of
the cluster, and a cube that takes longer than --slice is cut into smaller ones. --command uses the command all the same.

    omnogram_dask.py puzzle.non                                   a cluster on this machine, one worker for each core
    omnogram_dask.py --scheduler tcp://head:8786 puzzle.non       running workers; omnogram must be on their PATH
    omnogram_dask.py --solutions-dir found --output all.txt puzzle.non    list them; `found` must be a folder that all workers share

It needs Python 3.9 and the packages dask and distributed; with the package omnogram, Python 3.10.
"""

import argparse
import collections
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    from dask.distributed import Client, KilledWorker, LocalCluster, as_completed
except ImportError as error:
    # --help works without these packages.
    MISSING = error
else:
    MISSING = None


def arguments():
    """The parsed command line."""
    head, _, more = __doc__.partition("\n")
    parser = argparse.ArgumentParser(description=head, epilog=more, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzle")
    parser.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="the scheduler of a running cluster")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="number of workers on this machine [all cores]")
    parser.add_argument("--cubes", type=int, help="number of cubes [60 per core of the cluster]")
    parser.add_argument("--batch", type=int, default=4, help="cubes per batch [4]")
    parser.add_argument("--slice", default="10m", help="time limit for a cube, after which its open cubes are returned [10m]")
    parser.add_argument("--method", help="counting method: auto, tree, regions or frontier")
    parser.add_argument("--solutions-dir", metavar="DIR", help="list the solutions into this folder, which all workers share")
    parser.add_argument("--output", metavar="FILE", help="combine the solutions into this file")
    parser.add_argument("--force", action="store_true", help="replace the output file if it exists")
    parser.add_argument("--sort", action="store_true", help="write the solutions in canonical order")
    parser.add_argument("--keep", metavar="DIR", help="keep the cubes and the results in this folder, so that the run can be resumed")
    parser.add_argument("--command", action="store_true", help="use the command even if the Python package omnogram is installed")
    parser.add_argument("--omnogram", default=shutil.which("omnogram") or "omnogram", help="the command, here and on the workers")
    given = parser.parse_args()
    if given.output and not given.solutions_dir:
        parser.error("--output needs --solutions-dir")
    if given.output and os.path.isfile(given.output) and not given.force:
        parser.error(f"{given.output} exists already: --force replaces it")
    return given


def work(command, puzzle, cubes):
    """On a worker: answers some cubes. Returns the lines of its results, even if the process failed: merge rejects damaged lines."""
    # The puzzle travels with the cubes, so that the machines need not share a disk.
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "puzzle")
        with open(name, "w", encoding="utf-8") as file:
            file.write(puzzle)
        process = subprocess.Popen(
            command + ["--puzzle", name, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=die_with_parent,
        )
        out, err = process.communicate("".join(cubes))
    # 3: some cubes were left open.
    if process.returncode not in (0, 3):
        raise RuntimeError(f"omnogram work ended with {process.returncode}: {err.strip()}")
    return [line + "\n" for line in out.splitlines()]


def die_with_parent():
    """Asks the system to send SIGTERM to this process when its parent dies. Linux only; elsewhere the process runs to its end."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    except (OSError, AttributeError):
        pass


def has_package():
    """Whether the Python package omnogram is installed."""
    return importlib.util.find_spec("omnogram") is not None


def seconds_of(text):
    """A time as the command takes it, such as 10m, in seconds."""
    parts = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|)", text)
    if parts is None:
        sys.exit(f"--slice {text}: expected a time such as 90s, 10m or 2h")
    return float(parts[1]) * {"ms": 0.001, "s": 1, "": 1, "m": 60, "h": 3600}[parts[2]]


def count_cube(puzzle, cube, method, seconds):
    """On a worker: the number of solutions in a cube, and the cubes that are left of it if it takes longer than this time."""
    number = puzzle.count(given=cube, method=method, threads=1, time=seconds)
    if number.exact:
        return int(number), []
    parts = puzzle.split(8, given=cube, threads=1, time=seconds)
    if len(parts) > 1:
        return 0, parts
    # It cannot be cut.
    return int(puzzle.count(given=cube, method=method, threads=1)), []


def count_with_package(client, puzzle, cubes, method="auto", seconds=600.0):
    """The number of solutions: each cube is a task. A task of a worker that died is repeated by another worker, and counts once."""
    begun, found, done, deaths = time.monotonic(), 0, 0, 0
    held, running = {}, as_completed()

    def submit(cubes):
        for cube in cubes:
            # The puzzle travels with each cube: what is scattered is lost with the workers that hold it.
            future = client.submit(count_cube, puzzle, cube, method, seconds, pure=False)
            held[future.key] = cube
            running.add(future)

    submit(cubes)
    for future in running:
        cube = held.pop(future.key)
        try:
            # If the worker that held the result has died since, this waits until another one has repeated the task.
            number, parts = future.result()
        except KilledWorker:
            # Several workers died on this cube.
            deaths += 1
            if deaths > 100:
                raise
            submit([cube])
        else:
            found += number
            done += 1
            submit(parts)
        say(f"{done} of {done + len(held)} cubes, {found} solutions, {time.monotonic() - begun:.0f} s",
            end="\r" if sys.stderr.isatty() else "\n")
    return found


class Run:
    """The cubes of one puzzle, and the file of their results."""

    def __init__(self, given, folder, cores):
        self.given = given
        self.cubes = os.path.join(folder, "cubes.jsonl")
        self.results = os.path.join(folder, "results.jsonl")
        self.missing = os.path.join(folder, "missing.jsonl")
        if not os.path.exists(self.cubes):
            cubes = given.cubes or 60 * cores
            subprocess.run([given.omnogram, "split", "--cubes", str(cubes), "--output", self.cubes, given.puzzle], check=True)
        # A line that was cut off when an earlier run was killed must not be joined to the next line.
        with open(self.results, "ab") as file:
            if file.tell() > 0:
                file.write(b"\n")

    def merge(self, *more, **how):
        """The total of the results; writes the cubes without an answer to their file."""
        return subprocess.run([self.given.omnogram, "merge", *more, self.cubes, self.results], check=False, **how)

    def todo(self):
        """The lines of the cubes without an answer."""
        self.merge("--quiet", "--force", "--missing", self.missing, stdout=subprocess.DEVNULL)
        with open(self.missing, encoding="utf-8") as file:
            return file.readlines()

    def command(self):
        """The command that a worker runs."""
        given = self.given
        command = [given.omnogram, "work", "--quiet", "--threads", "1", "--time", given.slice]
        if given.solutions_dir:
            command += ["--solutions-dir", os.path.abspath(given.solutions_dir)]
        elif given.method:
            command += ["--method", given.method]
        return command

    def hand_out(self, client, cubes):
        """Has the workers answer these cubes, one batch per core at a time, and appends the results to the file."""
        with open(self.given.puzzle, encoding="utf-8") as file:
            puzzle = file.read()
        # The largest first, so that none of them starts last.
        cubes.sort(key=lambda line: -json.loads(line)["size"])
        size, begun = self.given.batch, time.monotonic()
        # Spread cubes of similar size over the batches.
        stride = -(-len(cubes) // size) or 1
        batches = collections.deque(cubes[i::stride] for i in range(stride))
        running = as_completed()
        held, done, found = {}, 0, 0

        def feed():
            # A few more batches than cores, so that no core waits, and new workers find work.
            while batches and len(held) < 2 * max(1, sum(client.nthreads().values())):
                batch = batches.popleft()
                future = client.submit(work, self.command(), puzzle, batch, pure=False, retries=0)
                held[future.key] = batch
                running.add(future)

        with open(self.results, "a", encoding="utf-8") as results:
            feed()
            for future in running:
                batch = held.pop(future.key)
                if future.status == "finished":
                    lines = future.result()
                    results.writelines(lines)
                    results.flush()
                    found += sum(int(json.loads(line)["count"]) for line in lines)
                else:
                    # Several workers died on this batch; the next round sends it out again.
                    say(f"{len(batch)} cubes came to nothing: {future.exception()}")
                done += len(batch)
                seconds = time.monotonic() - begun
                left = seconds / done * (len(cubes) - done)
                say(f"{done} of {len(cubes)} cubes, {found} solutions, {seconds:.0f} s, about {left:.0f} s left",
                    end="\r" if sys.stderr.isatty() else "\n")
                feed()


def say(text, end="\n"):
    """Prints a message on standard error."""
    print(text.ljust(79) if end == "\r" else text, end=end, file=sys.stderr, flush=True)


def main():
    given = arguments()
    if MISSING:
        sys.exit(f"omnogram_dask.py needs the Python packages dask and distributed ({MISSING}): python3 -m pip install dask distributed")
    own = None if given.scheduler else LocalCluster(n_workers=given.workers, threads_per_worker=1, dashboard_address=None)
    with Client(given.scheduler or own) as client, tempfile.TemporaryDirectory() as scratch:
        say(f"cluster: {client.scheduler.address}")
        is_plain = not (given.command or given.keep or given.solutions_dir)
        if is_plain and has_package() and all(client.run(has_package).values()):
            import omnogram

            puzzles = omnogram.read(given.puzzle)
            if len(puzzles) != 1:
                sys.exit(f"{given.puzzle}: expected one puzzle, not {len(puzzles)}")
            cores = max(1, sum(client.nthreads().values()))
            cubes = puzzles[0].split(given.cubes or 60 * cores)
            print(count_with_package(client, puzzles[0], cubes, given.method or "auto", seconds_of(given.slice)))
            return 0
        folder = given.keep or scratch
        os.makedirs(folder, exist_ok=True)
        run = Run(given, folder, max(1, sum(client.nthreads().values())))
        rounds = fruitless = 0
        todo = run.todo()
        while todo and fruitless < 3:
            rounds += 1
            say(f"round {rounds}: {len(todo)} cubes")
            before = os.path.getsize(run.results)
            run.hand_out(client, todo)
            fruitless = fruitless + 1 if os.path.getsize(run.results) == before else 0
            todo = run.todo()
        join = ["--solutions-dir", given.solutions_dir] if given.solutions_dir else []
        join += ["--sort"] if given.sort else []
        join += ["--output", given.output] if given.output else []
        join += ["--force"] if given.force else []
        status = run.merge(*join).returncode
    if own:
        own.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
