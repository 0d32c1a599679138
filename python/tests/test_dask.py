"""The script for Dask clusters counts with this package, exactly even if workers die."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import ROOT, ones

distributed = pytest.importorskip("distributed")
SCRIPT = ROOT / "scripts/cluster/omnogram_dask.py"


def test_a_count_on_a_cluster_whose_workers_die(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # The workers take the path along, and import the script by its name.
    monkeypatch.syspath_prepend(SCRIPT.parent)
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module("omnogram_dask")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    with cluster, distributed.Client(cluster) as client:
        puzzle = ones(10)
        killed: list[int] = []
        done = threading.Event()

        def kill() -> None:
            while len(killed) < 4 and not done.wait(0.5):
                # The processes of the workers; their nannies start new ones.
                for process in [worker.process.process.pid for worker in cluster.workers.values() if worker.process]:
                    if process is not None and process not in killed:
                        os.kill(process, signal.SIGKILL)
                        killed.append(process)
                        break

        killer = threading.Thread(target=kill)
        killer.start()
        # Cubes that take longer than the time are cut.
        try:
            number = module.count_with_package(client, puzzle, puzzle.split(40), method="tree", seconds=0.01)
        finally:
            done.set()
            killer.join()
    assert number == 3_628_800
    assert killed


def test_the_script_counts_without_files(tmp_path: Path) -> None:
    puzzle = ROOT / "puzzles/families/permutation-10.non"
    run = subprocess.run(
        [sys.executable, SCRIPT, "--workers", "2", "--cubes", "20", "--method", "tree", puzzle],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        check=False,
        # Without the command.
        env={**os.environ, "PATH": os.path.dirname(sys.executable)},
    )
    assert (run.stdout, run.returncode) == ("3628800\n", 0), run
    assert list(tmp_path.iterdir()) == []
