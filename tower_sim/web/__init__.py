"""The web app: views live, lab and replay and the element <cube-tower>, in TypeScript under src/.

READ FIRST: src/live/main.tsx. `python -m tests.measure.web` writes built/, which pages/html.py puts into files: who
installs tower_sim needs no node.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

FOLDER = Path(str(resources.files("tower_sim.web")))
DIGESTS = FOLDER / "built" / "digests.json"


def text_of(name: str) -> str:
    """Return a built script or style."""
    return (DIGESTS.parent / name).read_text("utf-8")
