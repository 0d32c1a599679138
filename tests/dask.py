"""Runs scripts/cluster/omnogram_dask.py on a cluster of separate worker processes, kills workers while they work, and adds one late.

    python3 tests/dask.py OMNOGRAM PUZZLE NUMBER

The number of solutions must come out exactly. Every step waits for a number of results, not for a time.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "..", "scripts", "cluster", "omnogram_dask.py")


def main():
    omnogram, puzzle, number = sys.argv[1:]
    started = []

    def start(*command, **how):
        process = subprocess.Popen([sys.executable, *command], **how)
        started.append(process)
        return process

    with tempfile.TemporaryDirectory() as folder:
        where = os.path.join(folder, "scheduler.json")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        start("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", where, "--no-dashboard",
              **quiet)

        def worker():
            return start("-m", "distributed.cli.dask_worker", "--scheduler-file", where, "--nthreads", "1", "--no-nanny",
                         "--no-dashboard", "--local-directory", folder, **quiet)

        def wait_for(there, what):
            end = time.monotonic() + 60
            while not there():
                assert time.monotonic() < end, f"no {what}"
                assert run is None or run.poll() is None, f"it ended before there was {what}"
                time.sleep(0.01)

        run = None
        results = os.path.join(folder, "keep", "results.jsonl")

        def lines():
            if not os.path.exists(results):
                return 0
            with open(results, "rb") as file:
                return file.read().count(b"\n")

        try:
            wait_for(lambda: os.path.exists(where), "a scheduler")
            import json

            time.sleep(0.2)
            with open(where, encoding="utf-8") as file:
                address = json.load(file)["address"]
            workers = [worker(), worker()]
            run = start(SCRIPT, "--scheduler", address, "--omnogram", omnogram, "--method", "tree", "--cubes", "240", "--batch", "3",
                        "--keep", os.path.join(folder, "keep"), puzzle, stdout=subprocess.PIPE, text=True)
            wait_for(lambda: lines() >= 12, "12 results")
            workers[0].send_signal(signal.SIGKILL)
            wait_for(lambda: lines() >= 40, "40 results")
            late = worker()
            wait_for(lambda: lines() >= 90, "90 results")
            workers[1].send_signal(signal.SIGKILL)
            told, _ = run.communicate(timeout=120)
            assert late.poll() is None, "the late one has lived"
        finally:
            for process in started:
                if process.poll() is None:
                    process.kill()
                process.wait()
        assert (told.strip(), run.returncode) == (number, 0), (told, run.returncode)


if __name__ == "__main__":
    main()
