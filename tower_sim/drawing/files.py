"""What every picture needs: where it may be written, how it is written, and the colours of cubes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

from tower_sim.errors import UsageError

INK = "0.1"
GREY = "0.45"
FONT = 8.5  # pt
_DOTS_PER_INCH = 180
_NOT_PICTURES = {"pgf", "raw", "rgba"}  # matplotlib's, but made for TeX or for programs

_CUBES = {
    "blue": "#2360b5",
    "black": "#26262a",
    "red": "#cf2233",
    "brown": "#8c5a30",
    "green": "#2f9149",
    "yellow": "#f5c61e",
    "white": "#ffffff",
    "purple": "#6a2c9c",
}
_OTHERS = ("#c07ab8", "#e8862e", "#35b5b0", "#9a9a9a", "#6b4fa0", "#a8c23a", "#f2a9b8", "#4f6d7a")


def check_path(path: str | Path) -> None:
    """Refuse a picture's path before any work is done for it; leaves nothing behind.

    Raises UsageError when matplotlib does not write its suffix, or no file can be opened there.
    """
    path = Path(path)
    known = sorted(set(FigureCanvasAgg(Figure()).get_supported_filetypes()) - _NOT_PICTURES)
    if path.suffix.lower().removeprefix(".") not in known:
        raise UsageError(
            f"picture {str(path)!r} ends in {path.suffix!r}; allowed are {', '.join('.' + x for x in known)}; try .png"
        )
    try:
        is_new = not path.exists()
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error


def save(figure: Any, path: str | Path) -> None:
    """Write `figure` in the format of the path's suffix, whole or not at all.

    Raises UsageError as `check_path` does.
    """
    check_path(path)
    for text in figure.findobj(Text):
        text.set_parse_math(False)  # names are names, also those with a dollar sign
    buffer = io.BytesIO()
    figure.savefig(buffer, format=Path(path).suffix.lower().removeprefix("."), dpi=_DOTS_PER_INCH)
    try:
        Path(path).write_bytes(buffer.getvalue())
    except OSError as error:
        raise _unwritable(Path(path), error) from error


def cube_colours(names: Sequence[str]) -> dict[str, str]:
    """Return what to paint the cubes of each colour name: the game's own, else matplotlib's, else one of a palette."""
    unknown = [name for name in names if name not in _CUBES and not _is_colour(name)]
    spare = {name: _OTHERS[i % len(_OTHERS)] for i, name in enumerate(unknown)}
    return {name: _CUBES.get(name, spare.get(name, name)) for name in names}


def ink_on(colour: Any) -> str:
    """Return the ink, dark or white, that is read best on `colour`."""
    red, green, blue, _ = to_rgba(colour)
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


def _is_colour(name: str) -> bool:
    try:
        return name.isalpha() and to_rgba(name)[3] == 1
    except ValueError:
        return False


def _unwritable(path: Path, error: Exception) -> UsageError:
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return UsageError(
        f"picture {str(path)!r} cannot be written ({why}); allowed is a file in an existing folder that you may write "
        "to; make the folder or choose another"
    )
