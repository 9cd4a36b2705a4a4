"""Rulings: what a table decides where a game's rulebook is silent, or can be read in two ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tower_sim.errors import unknown


@dataclass(frozen=True, slots=True)
class Question:
    """What a ruling is about: where the rulebook speaks of it, and the `choices`, each said in one sentence.

    `source` is the rulebook's line or lines, or `silent`; the first choice is the default.
    """

    source: str
    choices: Mapping[str, str]


def check_names(names: Iterable[object], questions: Mapping[str, Question]) -> None:
    """Raise UsageError for a ruling that none of the questions is about."""
    for name in names:
        if name not in questions:
            raise unknown("a ruling's name", name, questions)


def check_choice(name: str, choice: object, question: Question) -> None:
    """Raise UsageError for a choice that is not offered."""
    if choice not in [*question.choices]:
        raise unknown(f"ruling {name}", choice, question.choices, "change it or leave it out")
