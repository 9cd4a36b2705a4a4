"""Rulings of Amerigo: decisions where the rulebook is silent. Lines are those of its French text."""

from __future__ import annotations

from typing import ClassVar, Literal

from tower_sim.games import rules
from tower_sim.games.rulings import ruling


class TokenRulings(rules.Rules):
    """The chosen answer to each question about progress tokens.

    Source: Amerigo rulebook, white action (lines 394-402, 412), progress tokens (lines 573-585, 611-615).
    """

    table: ClassVar[str] = "rules.rulings"
    stand_in_tokens: Literal["carried_out", "chosen", "both"] = ruling(
        "silent (lines 394-402, 573)",
        carried_out="White stands in for a colour: tokens of the action that is carried out pay.",
        chosen="White stands in for a colour: tokens of the white action pay, since white was chosen.",
        both="White stands in for a colour: tokens of both actions pay.",
    )
    stand_in_exchange: Literal["not_there", "there"] = ruling(
        "silent (lines 402, 611-615)",
        not_there="An exchange token asks for cubes of its colour; white that stands in for it is none.",
        there="An exchange token takes white that stands in for its colour for cubes of that colour.",
    )
