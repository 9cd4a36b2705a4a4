"""The replay page: a drop, game or battle as one HTML file that runs its physics again (docs/replay.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tower_sim import web, writing
from tower_sim.errors import UsageError, shown
from tower_sim.pages import Page
from tower_sim.physics.plain import core

_WHAT = "replay"


def page_of(replay: dict[str, Any]) -> str:
    """Return the page that shows a replay; equal replays give equal pages."""
    return Page(
        title=replay["title"],
        view="replay",
        data={"replay": replay},
        blobs={"core": core(), "worker": web.text_of("replay-worker.js").encode()},
    ).text()


def check_path(path: str | Path) -> None:
    """Refuse a replay's path before any work is done for it; leaves nothing behind.

    Raises UsageError if its suffix is not .html, and if no file can be written there.
    """
    suffix = Path(path).suffix
    if suffix.lower() != ".html":
        raise UsageError(
            f"replay {shown(str(path))} ends in {shown(suffix)}; allowed is .html; try a name such as game.html"
        )
    writing.check(path, _WHAT)


def write(path: str | Path, replay: dict[str, Any]) -> None:
    """Write the page that shows a replay, whole or not at all.

    Raises UsageError as `check_path` does, WritingFailed when the disk is full or fails.
    """
    check_path(path)
    writing.write(path, page_of(replay).encode(), _WHAT)
