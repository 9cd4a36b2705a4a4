"""A report as one HTML file: its Markdown set by markdown-it, with every picture and table inside it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tower_sim.extras import extra
from tower_sim.pages.html import Page, source

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

_MEDIA = {"png": "image/png", "csv": "text/csv"}


def page_of(markdown: str, files: Mapping[str, bytes]) -> str:
    """Return the HTML file of a report; `files` are the pictures and tables that its text links to, by that link.

    Words of the report may be anybody's: no HTML in them is taken as such, and the page runs no script. Raises
    UsageError without markdown-it.
    """
    reader = extra("markdown_it", "campaign").MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.add_render_rule("image", _picture)
    reader.add_render_rule("link_open", _link)
    reader.add_render_rule("table_open", _table_open)
    reader.add_render_rule("table_close", _table_close)
    held = {name: f"data:{_MEDIA[name.rpartition('.')[2]]};base64,{_base64(data)}" for name, data in files.items()}
    body = reader.render(markdown, {"held": held})
    title = next((line[2:] for line in markdown.splitlines() if line.startswith("# ")), "Report")
    styles = source("tower_sim.pages", "common.css"), source("tower_sim.study", "report.css")
    return Page(title, f"<main>\n{body}</main>", styles, ()).text()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _table_open(*_: object) -> str:
    return '<div class="scroll"><table>\n'


def _table_close(*_: object) -> str:
    return "</table></div>\n"


def _picture(self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
    """Set a picture that is held as itself; any other by its caption alone."""
    token = tokens[i]
    name = str(token.attrGet("src") or "")
    token.attrs["alt"] = self.renderInlineAsText(token.children or [], options, env)
    if name not in env["held"]:
        return f"<em>{self.renderInlineAsText(token.children or [], options, env)}</em>"
    token.attrs["src"] = env["held"][name]
    return self.renderToken(tokens, i, options, env)


def _link(self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
    """Set a link to a table that is held as a download of it."""
    token = tokens[i]
    name = str(token.attrGet("href") or "")
    if name in env["held"]:
        token.attrs |= {"href": env["held"][name], "download": name.rpartition("/")[2]}
    return self.renderToken(tokens, i, options, env)
