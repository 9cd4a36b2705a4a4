"""Page: one HTML file with its style, its scripts and its data inside, which loads nothing and runs nothing else."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from tower_sim.errors import printable
from tower_sim.tools import check, write

FOLDER = Path(str(resources.files("tower_sim.web")))
DIGESTS = FOLDER / "built" / "digests.json"
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_APP = (
    '<div id="app"></div>\n<noscript><p class="trouble">This page draws and computes with JavaScript, which is '
    "switched off here.</p></noscript>"
)


@dataclass(frozen=True, slots=True)
class Page:
    """A page with a `view` of the web app, or without scripts a `body` and its `styles`, which are ours.

    With `more` views the address chooses: `#NAME` shows that one (see `shows` in browser.ts).

    `data` are JSON documents and `blobs` bytes (base64 of gzip) by the id of their element; they may hold anybody's
    words. A content security policy allows our scripts and styles by their digests, workers made from them, and
    WebAssembly.
    """

    title: str
    view: str | None = None
    body: str = _APP
    styles: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    blobs: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    def text(self) -> str:
        """Return the whole file; the same page gives the same text."""
        views = (self.view, *self.more) if self.view else ()
        own = (read_built("common.css"), *(read_built(f"{view}.css") for view in views)) if views else self.styles
        code = tuple(read_built(f"{view}-main.js") for view in views)
        of = ["", *(f' data-view="{view}"' for view in views)] if self.more else [""] * len(own)
        styles = "".join(f"<style{of[i]}>{_check_whole(style, 'style')}</style>\n" for i, style in enumerate(own))
        scripts = "".join(f"<script>{_check_whole(script, 'script')}</script>\n" for script in code)
        data = "".join(
            f'<script type="application/json" id="{html.escape(name)}">{json_text(value)}</script>\n'
            for name, value in self.data.items()
        )
        blobs = "".join(
            f'<script type="application/octet-stream" id="{html.escape(name)}">{pack(value)}</script>\n'
            for name, value in self.blobs.items()
        )
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(code, own)}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">\n'
            '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
            f"<title>{html.escape(printable(self.title))}</title>\n{styles}</head>\n<body>\n{self.body}\n{data}{blobs}{scripts}"
            "</body>\n</html>\n"
        )


def _policy(scripts: tuple[str, ...], styles: tuple[str, ...]) -> str:
    more = " 'wasm-unsafe-eval'" if scripts else ""
    return (
        f"default-src 'none'; script-src {_digests(scripts)}{more}; style-src {_digests(styles)}; "
        "img-src data: blob:; worker-src blob: 'self'; manifest-src data:; base-uri 'none'; form-action 'none'"
    )


def write_page(output: str | Path, make_text: Callable[[], str]) -> None:
    """Write a page, which is made once it is known that it can be written.

    Raises UsageError for a file that cannot be written; WritingFailed when the disk is full or fails.
    """
    check(output, "output")
    write(output, make_text(), "output")


def json_text(value: Any) -> str:
    """Return JSON that can stand inside an HTML element: no sign in it begins or ends one, and all can be written."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).translate(_ESCAPES)
    return text.encode("utf-8", "backslashreplace").decode()  # half a sign, as of a word that was no UTF-8


def pack(data: bytes) -> str:
    """Return bytes as base64 of gzip, without a date."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def read_built(name: str) -> str:
    """Return a script or a style of built/ by its file name."""
    return (DIGESTS.parent / name).read_text("utf-8")


def source(package: str, *names: str) -> str:
    """Return our own files of a package, one after the other, as one text."""
    folder = resources.files(package)
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def _check_whole(text: str, element: str) -> str:
    if f"</{element}" in text.lower() or "<!--" in text:
        raise ValueError(f"our {element} would end its element")
    return text


def _digests(texts: tuple[str, ...]) -> str:
    found = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii") for text in texts]
    return " ".join(f"'sha256-{digest}'" for digest in found) or "'none'"
