"""Rulings: what a table decides where a game's rulebook is silent, or can be read in two ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, Field


@dataclass(frozen=True, slots=True)
class Question:
    """The question of a ruling: its place in the rulebook and the `choices`, with one sentence for each.

    `source` is the rulebook's line or lines, or `silent`; the first choice is the default.
    """

    source: str
    choices: Mapping[str, str]


def ruled(source: str, **choices: str) -> Any:
    """Declare a field of rulings: where the rulebook speaks of it, and a sentence for each choice, the default first.

    The field's type is a Literal of the same choices.
    """
    told = " ".join(f"{choice}: {meaning}" for choice, meaning in choices.items())
    more: dict[str, Any] = {"source": source, "choices": choices}
    return Field(next(iter(choices)), description=f"rulebook: {source}. {told}", json_schema_extra=more)


def questions(rulings: type[BaseModel]) -> dict[str, Question]:
    """Return what can be ruled, by name, in the order of the fields of `rulings`."""
    extra = {name: cast("dict[str, Any]", field.json_schema_extra) for name, field in rulings.model_fields.items()}
    return {name: Question(more["source"], more["choices"]) for name, more in extra.items()}


def choices(rulings: BaseModel) -> dict[str, str]:
    """Return the choice in force by name."""
    return rulings.model_dump()
