"""The live page's file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tower_sim import web
from tower_sim.live.contents import contents
from tower_sim.pages import Page
from tower_sim.physics.plain import core
from tower_sim.writing import check, write


def live_command(output: Path, given: Sequence[str | Path] = ()) -> None:
    """Write the page into `output`, with the apparatus `given`, or all that ship.

    Raises UsageError as `contents` does, and for a file that cannot be written; WritingFailed when the disk is full.
    """
    check(output, "output")
    write(output, live_page(given), "output")


def live_page(given: Sequence[str | Path] = ()) -> str:
    """Return the page's text; raises UsageError as `contents` does."""
    return Page(
        title="Cube tower",
        view="live",
        data={"live": contents(given)},
        blobs={"core": core(), "worker": web.text_of("live-worker.js").encode()},
    ).text()
