"""The phases of Amerigo with a player, who chooses what to take for the cubes that come out."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from pydantic import Field

from tower_sim.env.environment import GameEnv
from tower_sim.games import Decision, GameTower, amerigo


def phases_env(**options: Any) -> GameEnv:
    """Return an environment of `PhasesGame`; its reward is the worth of the choice."""
    return GameEnv(PhasesGame(), "worth", **options)


class PhasesRules(amerigo.Rules):
    """The rules of Amerigo, and our assumptions about the worth of a choice."""

    need: int = Field(20, ge=0, le=1000, description="action points of each colour worth 1; more are worth 0")
    gold: float = Field(0.5, ge=0, le=1000, description="the worth of a piece of gold or a victory point")


class PhasesGame(type(amerigo.GAME)):
    """Amerigo with one player, who chooses in every phase in which a cube comes out.

    The choices are an action of a colour that came out, gold, or once the token for victory points. They change nothing
    in the tower.
    """

    name, title, Rules = "amerigo_phases", "Amerigo", PhasesRules
    facts = {**amerigo.GAME.facts, "worth": float}

    def list_options(self, model: Any, rules: PhasesRules) -> tuple[str, ...]:
        return "gold", *(f"action {colour}" for colour in rules.colours), "token"

    def play(self, tower: GameTower, rules: Any) -> Generator[Any, str]:
        has_token = True
        need: dict[str, int] = {f"action {colour}": rules.need for colour in rules.colours}
        for index, turn in enumerate(super().play(tower, rules)):
            worth = 0.0
            if index and not turn.facts["skipped"]:
                out = replace(turn, outcomes=tower.outcomes).thrown_out
                offer = amerigo.options(out, rules, tokens=amerigo.Tokens(victory_points=has_token))
                points = {f"action {choice.action}": choice.points for choice in offer.choices}
                worths = {"gold": rules.gold * offer.gold} | {of: float(min(points[of], need[of])) for of in points}
                worths |= {"token": rules.gold * offer.victory_points} if has_token else {}
                seen: dict[str, tuple[float, float]] = {"phase": (index, rules.drops), "token": (has_token, 1)}
                seen |= {f"need_{of.removeprefix('action ')}": (left, rules.need) for of, left in need.items()}
                choice = yield Decision((*worths,), max(worths, key=worths.__getitem__), seen)
                worth, has_token = worths[choice], has_token and choice != "token"
                if choice in need:
                    need[choice] -= int(worth)
            yield replace(turn, facts={**turn.facts, "worth": worth})
