"""A report as one HTML file: its Markdown set by markdown-it, with every picture and table inside it."""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tower_sim.extras import extra
from tower_sim.pages.html import Page, source

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

_FEWEST_HEADS = 3  # of a report with a list of contents
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
    reader.add_render_rule("heading_open", _heading_open)
    held = {name: f"data:{_MEDIA[name.rpartition('.')[2]]};base64,{_base64(data)}" for name, data in files.items()}
    env: dict[str, Any] = {"held": held, "heads": [], "tables": 0, "pictures": 0}
    tokens = reader.parse(markdown, env)
    _unwrap_pictures(tokens)
    first = next((i for i, token in enumerate(tokens) if _is_section(token)), len(tokens))
    before, after = (reader.renderer.render(part, reader.options, env) for part in (tokens[:first], tokens[first:]))
    body = f"{before}{_contents(env['heads'])}{after}"
    title = next((line[2:] for line in markdown.splitlines() if line.startswith("# ")), "Report")
    styles = source("tower_sim.pages", "common.css"), source("tower_sim.study", "report.css")
    return Page(title, f"<main>\n{body}</main>", styles, ()).text()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _is_section(token: Token) -> bool:
    return token.type == "heading_open" and token.tag == "h2"


def _contents(heads: Sequence[str]) -> str:
    """Return the list of contents; nothing for a report of one section."""
    if len(heads) < _FEWEST_HEADS:
        return ""
    items = "".join(f'<li><a href="#s{i}">{html.escape(head)}</a></li>' for i, head in enumerate(heads, 1))
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>\n'


def _heading_open(self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
    """Set a heading; one of a section is in the list of contents."""
    if _is_section(tokens[i]):
        env["heads"].append(self.renderInlineAsText(tokens[i + 1].children or [], options, env))
        tokens[i].attrs["id"] = f"s{len(env['heads'])}"
    return self.renderToken(tokens, i, options, env)


def _table_open(self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
    """Set a table that scrolls by itself, also by key, under its number and the name of its file."""
    env["tables"] += 1
    end = next(j for j in range(i, len(tokens)) if tokens[j].type == "table_close")
    files = (child.attrGet("href") for token in tokens[end + 1 : end + 3] for child in token.children or []
             if child.type == "link_open")  # fmt: skip
    name = str(next(files, "") or "").rpartition("/")[2].removesuffix(".csv").replace("_", " ")
    caption = html.escape(f"Table {env['tables']}{f': {name}' if name else ''}")
    head = f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}">'
    return f"{head}<table><caption>{caption}</caption>\n"


def _table_close(*_: object) -> str:
    return "</table></div>\n"


def _unwrap_pictures(tokens: Sequence[Token]) -> None:
    """Take the paragraph away around a picture that stands alone: a figure is none of its parts."""
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        children = token.children or []
        if token.type == "inline" and len(children) == 1 and children[0].type == "image":
            before.hidden = after.hidden = before.type == "paragraph_open"


def _picture(self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
    """Set a picture that is held as itself over its number and caption; any other by its caption alone."""
    token = tokens[i]
    name = str(token.attrGet("src") or "")
    caption = self.renderInlineAsText(token.children or [], options, env)
    if name not in env["held"] or len(tokens) > 1:
        return f"<em>{html.escape(caption)}</em>"
    env["pictures"] += 1
    token.attrs |= {"alt": caption, "src": env["held"][name]}
    said = html.escape(f"Figure {env['pictures']}: {caption}")
    return f"<figure>{self.renderToken(tokens, i, options, env)}<figcaption>{said}</figcaption></figure>\n"


def _link(self: RendererHTML, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
    """Set a link to a table that is held as a download of it."""
    token = tokens[i]
    name = str(token.attrGet("href") or "")
    if name in env["held"]:
        token.attrs |= {"href": env["held"][name], "download": name.rpartition("/")[2]}
    return self.renderToken(tokens, i, options, env)
