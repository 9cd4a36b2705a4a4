"""Picture files: which paths are allowed, how figures are written, and the colours of cubes."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from matplotlib import rc_context  # pyright: ignore[reportUnknownVariableType]
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

from tower_sim.errors import UsageError, quote
from tower_sim.tools import writing

INK = "0.1"
MARK = "#b03060"  # of lines that are no part
GREY = "0.45"
FONT = 8.5  # pt
DOTS_PER_INCH = 180
_NO_DATE: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
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
_OTHERS = ("#c07ab8", "#e8862e", "#35b5b0", "#9a9a9a", "#6b4fa0", "#a8c23a", "#f2a9b8", "#4f6d7a",
           "#b5483a", "#8fd0f0", "#5d7a1f", "#d9c7a0", "#3d3a6b", "#e9e04b", "#8a5d86", "#0f7f78")  # fmt: skip


def check_path(path: str | Path) -> None:
    """Refuse a path that no picture can be written to; leave nothing behind."""
    path = Path(path)
    known = sorted(set(FigureCanvasAgg(Figure()).get_supported_filetypes()) - _NOT_PICTURES)
    if path.suffix.lower().removeprefix(".") not in known:
        allowed = ", ".join(f".{suffix}" for suffix in known)
        raise UsageError(f"picture {quote(str(path))} ends in {quote(path.suffix)}; allowed are {allowed}; try .png")
    writing.check(path, "picture")


def save(figure: Any, path: str | Path) -> None:
    """Write `figure` in the format of the path's suffix, whole or not at all; equal figures give equal bytes.

    Raises WritingFailed if the disk is full or fails.
    """
    check_path(path)
    writing.write(path, picture_bytes(figure, path), "picture")


def picture_bytes(figure: Any, path: str | Path) -> bytes:
    """Return the bytes of the picture that `save` writes."""
    form = Path(path).suffix.lower().removeprefix(".")
    for text in figure.findobj(Text):
        text.set_parse_math(False)  # names are names, also those with a dollar sign
    plain = "svg" if form == "svgz" else form
    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "tower_sim"}):
        figure.savefig(buffer, format=plain, dpi=DOTS_PER_INCH, metadata=_NO_DATE.get(plain))
    data = buffer.getvalue()
    if form in ("ps", "eps"):
        return re.sub(rb"(?m)^%%CreationDate: .*\n", b"", data)
    return gzip.compress(data, mtime=0) if form == "svgz" else data


def cube_colours(names: Sequence[str], given: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """Return each name's colour: from `given`, ours, matplotlib's, or a palette."""
    known = _CUBES | dict(given)
    unknown = [name for name in names if name not in known and not _is_colour(name)]
    spare = {name: _OTHERS[i % len(_OTHERS)] for i, name in enumerate(unknown)}
    return {name: known.get(name, spare.get(name, name)) for name in names}


def ink_on(colour: Any) -> str:
    """Return the ink, dark or white, to read on `colour`."""
    red, green, blue, _ = to_rgba(colour)
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"


def _is_colour(name: str) -> bool:
    try:
        return name.isalpha() and to_rgba(name)[3] == 1
    except ValueError:
        return False
