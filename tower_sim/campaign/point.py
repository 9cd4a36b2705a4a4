"""One design point of a campaign: its apparatus, model, game and rules, made from checked tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tower_sim.apparatus.catalogue import from_tables
from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import fault
from tower_sim.games.game import Game
from tower_sim.games.running import check_knocks
from tower_sim.models import Model, open_model
from tower_sim.physics.settings import PhysicsSettings, read_settings
from tower_sim.surrogate.model import SurrogateModel
from tower_sim.surrogate.store import shipped

MAX_ROWS = 5_000_000  # of a shard's table of cubes, which takes a worker about 1 GB


@dataclass(frozen=True, slots=True)
class Point:
    """Everything that a shard needs to play a design point."""

    apparatus: Apparatus
    model: str
    settings: PhysicsSettings
    game: Game
    rules: Any

    def open_model(self) -> Model:
        """Return the model as a context manager."""
        return open_model(self.apparatus, self.model, self.settings)

    @property
    def model_digest(self) -> str | None:
        """The digest of physics settings or of a surrogate's law; None for other models."""
        if self.model == "physics":
            return self.settings.digest()
        return shipped(self.apparatus.name, self.apparatus.digest).digest if self.model == "surrogate" else None


def build(game: Game, name: str, model: str, tables: Mapping[str, Any]) -> Point:
    """Return a design point from its resolved tables: `profile`, `settings` and the tables of `game`.

    Raises UsageError for wrong values, an apparatus that does not fit the game, or one without a shipped surrogate.
    """
    apparatus = from_tables(tables["profile"], name)
    rules = game.read({key: tables[key] for key in game.tables})
    knocks = game.knocks(rules)
    if knocks and model == "two_thirds":
        allowed = f"none: the model {model!r} knows no knocks"
        raise fault(f"{game.tables[0]}.knocks", knocks, allowed, 'remove them, or write model = "physics"')
    if model == "surrogate":
        fitted = shipped(apparatus.name, apparatus.digest, 'write model = "physics"')
        if knocks:
            check_knocks(SurrogateModel(apparatus, fitted), knocks)
    game.check(apparatus)
    return Point(apparatus, model, read_settings(tables["settings"]), game, rules)


def count_rows(point: Point) -> int:
    """Return about how many rows a run adds to the table of cubes, or an upper bound."""
    return point.game.turns(point.rules) * point.game.most_cubes(point.rules)
