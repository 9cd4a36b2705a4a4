"""ShipSurrogate, a combat ship and its board without physics."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from typing import Any

import numpy as np

from tower_sim.apparatus import Apparatus, Board, with_board
from tower_sim.drops import BaseModel, Door, as_zone, no_knocks
from tower_sim.errors import check_kind, fault
from tower_sim.surrogate.board_law import Array, BoardLaw
from tower_sim.surrogate.store import TOWER, Fitted
from tower_sim.surrogate.table import Table, table_of
from tower_sim.values import BORDER, TABLE, ZONE, Cube, Event, Landing, Outcome, Resident, Status, TowerState, rng_text


class ShipSurrogate(BaseModel):
    """A BoardModel that draws the places of cubes from a `BoardLaw`; it knows neither poses nor contacts.

    No cube stays inside, and colours do not matter. An outcome is `extrapolated` if the law was not fitted to such
    throws.
    """

    name = "surrogate"
    tells_contacts = False  # landings do not say what a cube touches or rests on

    def __init__(self, shape: Apparatus, law: BoardLaw, digest: str) -> None:
        """Make the surrogate of `shape`; `digest` identifies the fitted law in its states."""
        self.shape = with_board(shape)
        self.law = check_kind("law", law, BoardLaw, "a BoardLaw", "take fitted.board_law_of(shape.digest)")
        places = (*(ZONE + zone.name for zone in self.shape.board.zones), BORDER, TABLE)
        if law.places != places:
            raise fault("places of the surrogate", law.places, f"those of the board, {places}", "fit it to this board")
        self._number = {place: i for i, place in enumerate(places)}
        both = hashlib.sha256(f"{self.name} {self.shape.digest} {digest}".encode()).hexdigest()[:16]
        self._door = Door(self.name, self.shape.name, both, self.shape.cube_edge, frozenset(), frozenset(places))

    @property
    def board(self) -> Board:
        """The board with its zones."""
        return self.shape.board

    def drop(self, state: TowerState, cubes: Sequence[Cube], rng: np.random.Generator) -> Outcome:
        """Throw `cubes` and return the outcome; see BoardModel. Random: uniform numbers, in the order of `landing`."""
        thrown = self._door.check_throw(state, cubes)
        written = rng_text(rng)
        lying = [resident for resident in state.board.lying if resident.cube not in thrown]
        here = np.array([self._number[resident.region] for resident in lying], int)
        n, m = len(thrown), len(lying)
        landed, after = landing(self.law, n, here, rng.random(n + 2 * m))
        moved = zip((*(resident.cube for resident in lying), *thrown), (*after, *landed), strict=True)
        landings = [Landing(cube, self.law.places[int(k)]) for cube, k in moved]
        outcome = self._outcome(state, Event("drop", written, thrown, ()), lying, landings)
        return replace(outcome, extrapolated=not self.law.covers(n, m))

    def knock(self, state: TowerState, strength: float, rng: np.random.Generator) -> Outcome:
        """Raise UsageError: the surrogate was not fitted to knocks."""
        no_knocks(strength, f"{self.name} knows no knocks")

    def place(self, state: TowerState, cube: Cube, zone: str, rng: np.random.Generator) -> Outcome:
        """Put `cube` into `zone` and return the outcome; see BoardModel. Nothing is random, and no other cube moves."""
        (cube,) = self._door.check_throw(state, (cube,))
        zone = as_zone(zone, [item.name for item in self.board.zones])
        lying = [resident for resident in state.board.lying if resident.cube != cube]
        landings = [Landing(resident.cube, resident.region) for resident in lying] + [Landing(cube, ZONE + zone)]
        return self._outcome(state, Event("place", rng_text(rng), (cube,), (), place=zone), lying, landings)

    def _outcome(
        self, state: TowerState, event: Event, lying: Sequence[Resident], landings: Sequence[Landing]
    ) -> Outcome:
        left = tuple(resident.cube for resident in lying)
        outcome = Outcome(self.name, self.shape.name, Status.SETTLED, event.thrown, tuple(landings), state, left)
        since = {resident.cube: resident.since for resident in lying}
        rest = [Resident(x.cube, x.place, since.get(x.cube, state.drops)) for x in landings]
        event = replace(event, emerged=tuple(cube.id for cube in outcome.emerged))
        return replace(outcome, state=self._door.made(state.after((), event, rest)))


def landing(law: BoardLaw, thrown: int, here: Array, u: Array) -> tuple[Array, Array]:
    """Return the places, as indices into law.places, where `thrown` cubes land and lying cubes at `here` end.

    `u` are uniform numbers from 0 to 1, shape (thrown + 2 lying,): one for each thrown cube, one
    for each lying cube to decide whether it moves, and one to decide where it would move.
    """
    lying = len(here)
    counts = np.bincount(here, minlength=len(law.places))
    landed = draw_places(np.broadcast_to(law.shares(thrown, counts), (thrown, len(counts))), u[:thrown])
    hit = u[thrown : thrown + lying] < law.changes(thrown)[here]
    return landed, np.where(hit, draw_places(np.array(law.moves)[here], u[thrown + lying :]), here)


def draw_places(chances: Array, u: Array) -> Array:
    """Return the place drawn from each row of `chances`, shape (rows, places), with uniform numbers `u` from 0 to 1."""
    edges = np.cumsum(chances, axis=1)
    return np.minimum((edges <= u[:, None]).sum(1), chances.shape[1] - 1)


SCHEMA = "tower-sim/surrogate-table"
BOARD_SCHEMA = "tower-sim/surrogate-board"
VERSION = 1
GENERATOR = "xoshiro128**"
_SAMPLERS = {SCHEMA: ("sampler.js", "words.js", "games.js"), BOARD_SCHEMA: ("ship.js", "words.js")}
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
    template, *parts = ((folder / name).read_text("utf-8") for name in _SAMPLERS[plain["schema"]])
    if plain["schema"] == SCHEMA:
        parts.append(games_text())
    head, about = template.removesuffix(_MARKER).rsplit("\n/**", 1)
    return "\n".join([head, *parts, f"/**{about}export const MODEL = {json_text(plain).rstrip()};\n"])


def games_text() -> str:
    """Return the compiled functions as a constant of JavaScript."""
    wasm = (resources.files("tower_sim.surrogate") / "games.wasm").read_bytes()
    return f'/** The functions of kernel.py. */\nconst GAMES = "{base64.b64encode(wasm).decode()}";\n'
