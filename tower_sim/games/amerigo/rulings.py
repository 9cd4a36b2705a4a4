"""Rulings of Amerigo: what a table decides where the rulebook is silent. Lines are those of its French text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from tower_sim.errors import fault
from tower_sim.games.rulings import Question, check_choice, check_names


def questions() -> dict[str, Question]:
    """Return every ruling by name: where the rulebook speaks of it, and its choices, the default first.

    Source: Amerigo rulebook, white action (lines 394-402, 412), progress tokens (lines 573-585, 611-615).
    """
    return {
        "stand_in_tokens": Question(
            "silent (lines 394-402, 573)",
            {
                "carried_out": "White stands in for a colour: tokens of the action that is carried out pay.",
                "chosen": "White stands in for a colour: tokens of the white action pay, since white was chosen.",
                "both": "White stands in for a colour: tokens of both actions pay.",
            },
        ),
        "stand_in_exchange": Question(
            "silent (lines 402, 611-615)",
            {
                "not_there": "An exchange token asks for cubes of its colour; white that stands in for it is none.",
                "there": "An exchange token takes white that stands in for its colour for cubes of that colour.",
            },
        ),
    }


def with_defaults(choices: object) -> dict[str, str]:
    """Return the choice in force for every ruling: that of `choices`, a table by name, or the default.

    Raises UsageError for anything but a table, an unknown name and a choice that is not offered.
    """
    known = questions()
    if not isinstance(choices, Mapping):
        example = 'write rulings = { stand_in_tokens = "chosen" }'
        raise fault("rulings", choices, f"a table of choices by name: {', '.join(known)}", example)
    given = cast("Mapping[object, object]", choices)
    check_names(given, known)
    chosen = {name: given.get(name, next(iter(question.choices))) for name, question in known.items()}
    for name, question in known.items():
        check_choice(name, chosen[name], question)
    return cast("dict[str, str]", chosen)
