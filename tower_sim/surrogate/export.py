"""The portable surrogate: its table as a JSON document, as a JavaScript module, and conformance vectors.

    Fitted of a tower --document--> table of whole numbers --json_text--> FILE.json
    Fitted of a board --document--> law in doubles         --js_text----> FILE.mjs (sampler.js or ship.js, words.js)
    Table --vectors--> (seed, state, throw -> outcome), a line of JSON each

docs/surrogate_portable.md says what an implementation in another language must do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from tower_sim.surrogate.generator import WordStream
from tower_sim.surrogate.store import TOWER, Fitted
from tower_sim.surrogate.table import Resting, Table, move, table_of

SCHEMA = "tower-sim/surrogate-table"
BOARD_SCHEMA = "tower-sim/surrogate-board"
VERSION = 1
GENERATOR = "xoshiro128**"
Seed = tuple[int, int, int, int]

# Of a vector: the most cubes inside and thrown, and how old those inside are; one of each is drawn.
_MOST = (98, 9, 5, 3, 2)
_AGES = (10, 300)
_SAMPLERS = {SCHEMA: "sampler.js", BOARD_SCHEMA: "ship.js"}
_LAW = ("places", "terms", "landing", "crowd", "changed", "slope", "quiet", "moves", "cover")
_MARKER = "export const MODEL = null;\n"


def document(fitted: Fitted) -> dict[str, Any]:
    """Return all that another language needs: a tower's table or a board's law, and whose it is."""
    digest = fitted.apparatus_digest
    if fitted.kind == TOWER:
        law = fitted.cascade_of(digest)
        return table_document(table_of(law), fitted.apparatus, digest, fitted.digest, fitted.covered)
    board = fitted.board_law_of(digest)
    plain = board.to_plain()
    return {
        **_head(BOARD_SCHEMA, fitted.apparatus, digest, fitted.digest, fitted.covered),
        "law": {key: plain[key] for key in _LAW}
        | {"most_thrown": board.most_thrown, "most_together": board.most_together},
    }


def table_document(
    table: Table, apparatus: str, apparatus_digest: str, model: str, covered: Sequence[Sequence[int]] = ()
) -> dict[str, Any]:
    """Return the document of a table, for the apparatus and the model of these digests; see Fitted for `covered`."""
    return {**_head(SCHEMA, apparatus, apparatus_digest, model, covered), "table": table.to_plain()}


def _head(schema: str, apparatus: str, digest: str, model: str, covered: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Return what documents begin with."""
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
    """Return the text of a document; a list of numbers takes one line."""
    text = json.dumps(plain, indent=1, ensure_ascii=False)
    return re.sub(r"\[[-+.e\d,\s]+\]", lambda numbers: re.sub(r"\s", "", numbers[0]).replace(",", ", "), text) + "\n"


def js_text(plain: Mapping[str, Any]) -> str:
    """Return a JavaScript module of one file that samples from a document: words.js and the sampler with it."""
    folder = resources.files("tower_sim.surrogate")
    words, template = ((folder / name).read_text("utf-8") for name in ("words.js", _SAMPLERS[plain["schema"]]))
    head, about = template.removesuffix(_MARKER).rsplit("\n/**", 1)
    return f"{head}\n{words}\n/**{about}export const MODEL = {json_text(plain).rstrip()};\n"


@dataclass(frozen=True, slots=True)
class Case:
    """What a drop begins with: its words' `seed` and `stream`, the cubes `inside` and `thrown`, by number."""

    seed: Seed
    stream: int
    inside: Mapping[int, Resting]
    thrown: tuple[int, ...]


def case(table: Table, number: int, seed: Seed) -> Case:
    """Make up a drop: up to 98 cubes inside, on any floor, and up to 98 thrown.

    Random: words of stream `number` of `seed`. Even numbers have young cubes, odd ones old.
    """
    word = WordStream(seed, number)
    most = _MOST[word() % len(_MOST)]
    inside_left = word() % (most + 1)
    most = _MOST[word() % len(_MOST)]
    thrown_left = word() % (most + 1)
    inside: dict[int, Resting] = {}
    thrown: list[int] = []
    cube = 0
    while inside_left + thrown_left:
        cube += 1 + word() % 2
        if word() % (inside_left + thrown_left) < inside_left:
            inside_left -= 1
            floor = word() % len(table.floors)
            age = 1 + word() % _AGES[number % 2]
            inside[cube] = Resting(floor, age, word() % 2 == 1)
        else:
            thrown_left -= 1
            thrown.append(cube)
    return Case((word(), word(), word(), word()), word(), inside, tuple(thrown))


def vectors(table: Table, count: int, seed: Seed) -> Iterator[str]:
    """Yield `count` conformance vectors, each a line of JSON without its end; see docs/surrogate_portable.md.

    `ends` has the floor of every cube, by number, after the drop; `next` is the word drawn after it, so that a sampler
    that draws too many words, or too few, fails. Cubes are listed backwards: their order is for the sampler to find.
    """
    for number in range(count):
        made = case(table, number, seed)
        word = WordStream(made.seed, made.stream)
        ends = move(table, [made.inside.get(cube) for cube in sorted((*made.inside, *made.thrown))], word)
        vector = {
            "seed": made.seed,
            "stream": made.stream,
            "inside": [[cube, x.floor, x.age, int(x.in_crowd)] for cube, x in [*made.inside.items()][::-1]],
            "thrown": made.thrown[::-1],
            "ends": ends,
            "next": word(),
        }
        yield json.dumps(vector, separators=(",", ":"))
