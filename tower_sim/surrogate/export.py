"""The portable surrogate, as a JSON document or a JavaScript module.

    Fitted of a tower --document--> table of whole numbers --json_text--> FILE.json
    Fitted of a board --document--> law in doubles         --js_text----> FILE.mjs (sampler.js or ship.js, words.js)

docs/surrogate.md says what an implementation in another language must do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from tower_sim.surrogate.store import TOWER, Fitted
from tower_sim.surrogate.table import Table, table_of

SCHEMA = "tower-sim/surrogate-table"
BOARD_SCHEMA = "tower-sim/surrogate-board"
VERSION = 1
GENERATOR = "xoshiro128**"
_SAMPLERS = {SCHEMA: "sampler.js", BOARD_SCHEMA: "ship.js"}
_LAW = ("places", "terms", "landing", "crowd", "changed", "slope", "quiet", "moves", "cover")
_MARKER = "export const MODEL = null;\n"


def document(fitted: Fitted) -> dict[str, Any]:
    """Return a tower's table or a board's parameters, with the digests of the apparatus and of the fitted law."""
    digest = fitted.apparatus_digest
    if fitted.kind == TOWER:
        table = table_of(fitted.cascade_of(digest))
        return table_document(table, fitted.apparatus, digest, fitted.digest, fitted.covered)
    board = fitted.board_law_of(digest)
    plain = board.to_plain() | {"most_thrown": board.most_thrown, "most_together": board.most_together}
    law = {key: plain[key] for key in (*_LAW, "most_thrown", "most_together")}
    return {**_head(BOARD_SCHEMA, fitted.apparatus, digest, fitted.digest, fitted.covered), "law": law}


def table_document(
    table: Table, apparatus: str, apparatus_digest: str, model: str, covered: Sequence[Sequence[int]] = ()
) -> dict[str, Any]:
    """Return the document of a tower's table; `model` is the digest of the law, `covered` as in Fitted."""
    return {**_head(SCHEMA, apparatus, apparatus_digest, model, covered), "table": table.to_plain()}


def _head(schema: str, apparatus: str, digest: str, model: str, covered: Sequence[Sequence[int]]) -> dict[str, Any]:
    return {
        "schema": schema,
        "version": VERSION,
        "apparatus": apparatus,
        "apparatus_digest": digest,
        "model": model,
        "covered": [list(row) for row in covered],
        "generator": GENERATOR,
    }


def json_text(plain: Mapping[str, Any]) -> str:
    """Return the JSON text of a document, with each list of numbers on one line."""
    text = json.dumps(plain, indent=1, ensure_ascii=False)
    return re.sub(r"\[[-+.e\d,\s]+\]", lambda numbers: re.sub(r"\s", "", numbers[0]).replace(",", ", "), text) + "\n"


def js_text(plain: Mapping[str, Any]) -> str:
    """Return a self-contained JavaScript module that samples from a document."""
    folder = resources.files("tower_sim.surrogate")
    words, template = ((folder / name).read_text("utf-8") for name in ("words.js", _SAMPLERS[plain["schema"]]))
    head, about = template.removesuffix(_MARKER).rsplit("\n/**", 1)
    return f"{head}\n{words}\n/**{about}export const MODEL = {json_text(plain).rstrip()};\n"
