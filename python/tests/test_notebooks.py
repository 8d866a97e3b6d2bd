"""Every notebook runs from its first cell to its last. Those with a widget are also run in a browser (`widget`)."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"

# A part of the text that each prints.
PRINTS = {"gymnasium": "of 10", "openenv": "solved 20 of 20", "widget": ""}


def output_of(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "".join(output.get("text", "") for output in outputs)


@pytest.mark.parametrize("name", sorted(file.stem for file in FOLDER.glob("*.ipynb")))
def test_a_notebook_runs(name, tmp_path):
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not committed"
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    assert PRINTS[name] in output_of(notebook)
