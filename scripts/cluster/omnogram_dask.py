#!/usr/bin/env python3
"""Counts or lists the solutions of a nonogram on a Dask cluster: `omnogram split`, `work` and `merge` on many machines.

The cubes go to the workers in small batches; each worker starts `omnogram work` on one core. A batch that takes longer than --slice, or
whose worker is told to go, comes back with the cubes that are still open, and these are handed out again. What a worker had that died is
done again by another. All results go into one file, line by line as they come, and `omnogram merge` alone says what they amount to: if
anything should be missing after all, it is handed out again. A run that is killed goes on with the same command.

    omnogram_dask.py puzzle.non                                   a cluster on this machine, one worker for each core
    omnogram_dask.py --scheduler tcp://head:8786 puzzle.non       workers that run already; omnogram must be on their path
    omnogram_dask.py --solutions-dir found --output all.txt puzzle.non    list them; `found` must be a folder that all workers share

It needs Python 3.9 and the packages dask and distributed.
"""

import argparse
import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

try:
    from dask.distributed import Client, LocalCluster, as_completed
except ImportError as error:
    # Whoever asks for help gets it all the same.
    MISSING = error
else:
    MISSING = None


def arguments():
    """What was typed."""
    head, _, more = __doc__.partition("\n")
    parser = argparse.ArgumentParser(description=head, epilog=more, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzle")
    parser.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="a cluster that runs already")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="of the cluster on this machine [all cores]")
    parser.add_argument("--cubes", type=int, help="how many to cut [60 for each core of the cluster]")
    parser.add_argument("--batch", type=int, default=4, help="cubes that a worker gets at once [4]")
    parser.add_argument("--slice", default="10m", help="hand back a cube that takes longer [10m]")
    parser.add_argument("--method", help="how to count: auto, tree, regions or frontier")
    parser.add_argument("--solutions-dir", metavar="DIR", help="list the solutions, into this folder that all workers share")
    parser.add_argument("--output", metavar="FILE", help="join the solutions into this file")
    parser.add_argument("--force", action="store_true", help="replace that file if it is there already")
    parser.add_argument("--sort", action="store_true", help="in canonical order")
    parser.add_argument("--keep", metavar="DIR", help="folder for the cubes and the results, so that the run can be gone on with")
    parser.add_argument("--omnogram", default=shutil.which("omnogram") or "omnogram", help="the command, here and on the workers")
    given = parser.parse_args()
    if given.output and not given.solutions_dir:
        parser.error("--output needs --solutions-dir")
    if given.output and os.path.isfile(given.output) and not given.force:
        parser.error(f"{given.output} is there already: --force replaces it")
    return given


def work(command, puzzle, cubes):
    """On a worker: answers some cubes. Returns the lines of its results, whatever became of the process: merge knows good ones."""
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
    # 3: some cubes were handed back open.
    if process.returncode not in (0, 3):
        raise RuntimeError(f"omnogram work ended with {process.returncode}: {err.strip()}")
    return [line + "\n" for line in out.splitlines()]


def die_with_parent():
    """When a worker is killed, what it has started is told to stop. Only Linux can do that; elsewhere it ends by itself, unheard."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    except (OSError, AttributeError):
        pass


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
        # A line that was torn when an earlier run was killed must not spoil the next one.
        with open(self.results, "ab") as file:
            if file.tell() > 0:
                file.write(b"\n")

    def merge(self, *more, **how):
        """What the results amount to; the cubes that are missing go into their file."""
        return subprocess.run([self.given.omnogram, "merge", *more, self.cubes, self.results], check=False, **how)

    def todo(self):
        """The lines of the cubes that nobody has answered."""
        self.merge("--quiet", "--force", "--missing", self.missing, stdout=subprocess.DEVNULL)
        with open(self.missing, encoding="utf-8") as file:
            return file.readlines()

    def command(self):
        """How a worker is to work."""
        given = self.given
        command = [given.omnogram, "work", "--quiet", "--threads", "1", "--time", given.slice]
        if given.solutions_dir:
            command += ["--solutions-dir", os.path.abspath(given.solutions_dir)]
        elif given.method:
            command += ["--method", given.method]
        return command

    def hand_out(self, client, cubes):
        """Has all these cubes worked on, as many at a time as there are cores, and writes down what comes back."""
        with open(self.given.puzzle, encoding="utf-8") as file:
            puzzle = file.read()
        # The largest first, so that none of them is left for the end.
        cubes.sort(key=lambda line: -json.loads(line)["size"])
        size, begun = self.given.batch, time.monotonic()
        # Cubes of much the same size do not lie in the same batch.
        stride = -(-len(cubes) // size) or 1
        batches = collections.deque(cubes[i::stride] for i in range(stride))
        running = as_completed()
        held, done, found = {}, 0, 0

        def feed():
            # A few more than there are cores: nobody waits, and what is added late finds work.
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
                    # Its workers died, again and again; the next round hands it out anew.
                    say(f"{len(batch)} cubes came to nothing: {future.exception()}")
                done += len(batch)
                seconds = time.monotonic() - begun
                left = seconds / done * (len(cubes) - done)
                say(f"{done} of {len(cubes)} cubes, {found} solutions, {seconds:.0f} s, about {left:.0f} s left",
                    end="\r" if sys.stderr.isatty() else "\n")
                feed()


def say(text, end="\n"):
    """To people, not to programs."""
    print(text.ljust(79) if end == "\r" else text, end=end, file=sys.stderr, flush=True)


def main():
    given = arguments()
    if MISSING:
        sys.exit(f"omnogram_dask.py needs the Python packages dask and distributed ({MISSING}): python3 -m pip install dask distributed")
    own = None if given.scheduler else LocalCluster(n_workers=given.workers, threads_per_worker=1, dashboard_address=None)
    with Client(given.scheduler or own) as client, tempfile.TemporaryDirectory() as scratch:
        say(f"cluster: {client.scheduler.address}")
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
