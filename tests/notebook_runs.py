"""Run the notebooks as a kernel does and keep what they show: `python tests/notebook_runs.py` renews their outputs.

Text that is printed, the value of a cell's last line, and figures at plt.show() are kept; a figure that is only the
value of a last line is kept as its text, as a notebook shows it when pyplot did not make it. Errors end the notebook.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import matplotlib

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
DOTS_PER_INCH = 100

Cell = dict[str, Any]


def notebooks() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text("utf-8"))


def code_cells(notebook: dict[str, Any]) -> list[Cell]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def execute(path: Path) -> list[list[Cell]]:
    """Run the code cells of a notebook in the present folder; return the outputs of each."""
    import matplotlib.pyplot as plt

    names: dict[str, object] = {"__name__": "__main__"}
    found: list[list[Cell]] = []
    with matplotlib.rc_context():
        plt.switch_backend("Agg")
        for i, cell in enumerate(code_cells(read(path))):
            found.append(_run("".join(cell["source"]), f"{path.name}, code cell {i}", names, plt))
        plt.close("all")
    return found


def _run(source: str, name: str, names: dict[str, object], plt: Any) -> list[Cell]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    outputs: list[Cell] = []
    printed = io.StringIO()

    def flush() -> None:
        if text := printed.getvalue():
            outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
        printed.seek(0)
        printed.truncate()

    def show(*_: object, **__: object) -> None:
        flush()
        for number in plt.get_fignums():
            outputs.append(
                {"data": {"image/png": _png(plt.figure(number))}, "metadata": {}, "output_type": "display_data"}
            )
        plt.close("all")

    before, plt.show = plt.show, show
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, name, "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), name, "eval"), names)
                flush()
                if value is not None:
                    outputs.append(
                        {"data": {"text/plain": [repr(value)]}, "metadata": {}, "output_type": "display_data"}
                    )
        flush()
    finally:
        plt.show = before
    return outputs


def _png(figure: Any) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return base64.b64encode(buffer.getvalue()).decode() + "\n"


def renew(path: Path) -> None:
    notebook = read(path)
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            found = execute(path)
        finally:
            os.chdir(here)
    for number, (cell, outputs) in enumerate(zip(code_cells(notebook), found, strict=True), 1):
        cell["execution_count"], cell["outputs"] = number, outputs
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    for each in notebooks():
        print(each.name, flush=True)
        renew(each)
