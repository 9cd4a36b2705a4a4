"""The tower lab's page: one HTML file in which house rules are tried without a server."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from tower_sim.lab.contents import contents
from tower_sim.pages import Page
from tower_sim.writing import check, write


def lab_command(output: Path, given: Sequence[str | Path]) -> None:
    """Write the page into `output`, with the apparatus `given` beside those that ship.

    Raises UsageError for an apparatus without a surrogate, and for a file that cannot be written; WritingFailed when
    the disk is full or fails.
    """
    check(output, "output")
    write(output, lab_page(given), "output")


def lab_page(given: Sequence[str | Path] = ()) -> str:
    """Return the page's text; raises UsageError as `contents` does."""
    return Page(
        title="Tower lab",
        view="lab",
        data={"lab": contents(given)},
        blobs={"kernel": (resources.files("tower_sim.surrogate") / "games.wasm").read_bytes()},
    ).text()
