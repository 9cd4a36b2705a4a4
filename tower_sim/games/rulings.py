"""Rulings: decisions of the players where a game's rulebook is silent or ambiguous."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, Field


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a ruling answers: the rulebook's line or lines, or `silent`, and a sentence for each answer."""

    source: str
    choices: Mapping[str, str]


def ruling(source: str, **choices: str) -> Any:
    """Return a field for a class of rulings. Its type must be a Literal of the same choices; see `Question`."""
    meanings = " ".join(f"{choice}: {meaning}" for choice, meaning in choices.items())
    more: dict[str, Any] = {"source": source, "choices": choices}
    return Field(next(iter(choices)), description=f"rulebook: {source}. {meanings}", json_schema_extra=more)


def questions(rulings: type[BaseModel]) -> dict[str, Question]:
    """Return the questions of a class of rulings, by field name."""
    extra = {name: cast("dict[str, Any]", field.json_schema_extra) for name, field in rulings.model_fields.items()}
    return {name: Question(more["source"], more["choices"]) for name, more in extra.items()}
