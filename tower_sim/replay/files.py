"""Replays as files: a page that shows itself in a browser, or a scene for programs that show those."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tower_sim import writing
from tower_sim.errors import UsageError, shown
from tower_sim.replay.document import Replay

_WHAT = "replay"


def _page(replay: Replay) -> bytes:
    from tower_sim.replay.page import page_of

    return page_of(replay).encode()


def _scene(replay: Replay) -> bytes:
    from tower_sim.replay.glb import glb_of

    return glb_of(replay)


_FORMATS: dict[str, Callable[[Replay], bytes]] = {".html": _page, ".glb": _scene}
SUFFIXES = tuple(_FORMATS)


def check_path(path: str | Path) -> None:
    """Refuse a replay's path before any work is done for it; leaves nothing behind.

    Raises UsageError for another suffix than .html and .glb, and when no file can be written there.
    """
    path = Path(path)
    if path.suffix.lower() not in _FORMATS:
        allowed = " and ".join(SUFFIXES)
        raise UsageError(
            f"replay {shown(str(path))} ends in {shown(path.suffix)}; allowed are {allowed}; try {SUFFIXES[0]}"
        )
    writing.check(path, _WHAT)


def write(path: str | Path, replay: Replay) -> None:
    """Write a replay in the format of the path's suffix, whole or not at all.

    Raises UsageError as `check_path` does, WritingFailed when the disk is full or fails.
    """
    check_path(path)
    writing.write(path, _FORMATS[Path(path).suffix.lower()](replay), _WHAT)
