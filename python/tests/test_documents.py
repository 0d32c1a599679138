"""The documents: the examples print what is shown, and the notebooks run to their end."""

from __future__ import annotations

import doctest
import json
import os
from pathlib import Path

import pytest
from conftest import ROOT

DOCUMENT = ROOT / "docs/python.md"
NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))

#: Seconds for a cell of a notebook. A whole notebook takes about twenty seconds on an idle core.
CELL_SECONDS = int(os.environ.get("OMNOGRAM_CELL_SECONDS", "240"))


@pytest.mark.skipif(not DOCUMENT.exists(), reason="the documents of the repository are not here")
def test_examples_print_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(os.fspath(DOCUMENT), module_relative=False, optionflags=options, encoding="utf-8")
    assert result.attempted > 50 and result.failed == 0


def test_the_notebooks_are_there() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, cell["source"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_to_their_end(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    for needed in ("ipykernel", "matplotlib"):
        pytest.importorskip(needed)
    notebook = nbformat.read(path, as_version=4)
    executor = preprocessors.ExecutePreprocessor(timeout=CELL_SECONDS, kernel_name="python3")
    # An exception in a cell, such as that of an assertion, is raised here.
    executor.preprocess(notebook, {"metadata": {"path": os.fspath(path.parent)}})
