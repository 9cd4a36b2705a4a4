"""The site: `sphinx-build -W -c docs . out/site`. Its pages are those of the repository, so links work in both."""

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import download_reference
from sphinx.application import Sphinx

from tower_sim.cli import main
from tower_sim.tools import TOWER_SIM
from tower_sim.values import Status
from tower_sim.web import read_built

ROOT = Path(__file__).parents[1]
PAGES = ("live", "lab", "record")
"""Whole pages beside those of the site, as `tower-sim page` writes them."""

project, author = "tower_sim", "the authors of tower_sim"
version = release = TOWER_SIM
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_typehints = "description"
python_use_unqualified_type_names = True
default_role = "code"  # names in docstrings stand in single backticks
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/**.md",
    "calibration/*.md",
    "calibration/validation/*.md",
    "tower_sim/clients/npm/*.md",
]
exclude_patterns = [".*", "build", "dist", "out", "node_modules"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = f"tower_sim {TOWER_SIM}"
html_copy_source = False
html_show_search_summary = False  # from the disk a browser fetches none


def _link_pages(app: Sphinx, document: nodes.document) -> None:
    """Let a link to one of PAGES open it; Sphinx would offer it as a download."""
    for link in [*document.findall(download_reference)]:
        target = link["reftarget"]
        if Path(target).name in [f"{page}.html" for page in PAGES]:
            link.replace_self(nodes.reference("", "", *link.children, refuri=target, internal=False))


def _write_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write PAGES, what keeps them on a phone, and an index at the top that leads to the site's first page."""
    if exception is not None or app.builder.format != "html":
        return
    for page in PAGES:
        file = Path(app.outdir, "docs", f"{page}.html")
        file.unlink(missing_ok=True)
        main(["page", page, "-o", str(file)])
    Path(app.outdir, "docs/offline.js").write_text(read_built("offline.js"), "utf-8")
    Path(app.outdir, "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><title>tower_sim</title>'
        '<meta http-equiv="refresh" content="0; url=docs/index.html">',
        "utf-8",
    )


def _complete(app: Sphinx, what: str, name: str, entry: Any, options: object, lines: list[str]) -> None:
    """Leave out the package's docstring, and list the statuses with their sentences."""
    if what == "module":
        lines.clear()
    elif entry is Status:
        lines += ["", *(f"- `{status}`: {status.sentence}" for status in Status)]


def _without_arguments(app: Sphinx, what: str, name: str, entry: Any, *_: object) -> tuple[str, None] | None:
    """Show no arguments of a protocol, which nobody makes."""
    return ("", None) if getattr(entry, "_is_protocol", False) else None


def setup(app: Sphinx) -> None:
    """Connect what this file adds to Sphinx."""
    app.connect("autodoc-process-docstring", _complete)
    app.connect("autodoc-process-signature", _without_arguments)
    app.connect("doctree-read", _link_pages)
    app.connect("build-finished", _write_pages)
