"""Rules of a game as typed data, and rulings: decisions of the players where a rulebook is silent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tower_sim.documents import describe_allowed, mistake, typed
from tower_sim.errors import check_table


class Rules(BaseModel):
    """The rules of a game. Each field has a default, bounds and a description; see pydantic's `Field`.

        class Rules(tower_sim.games.Rules):
            cubes: int = Field(7, ge=1, le=40, description="cubes of each colour")
            pick: Literal["one", "most"] = Field("one", description="how the event is chosen")

    Objects are immutable. `plain` leaves out the fields named in `unsaid` at their defaults, so that the text of older
    campaigns stays the same.
    """

    table: ClassVar[str] = "rules"  # the table of a campaign file that has them, for messages
    unsaid: ClassVar[tuple[str, ...]] = ()
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid", strict=True, validate_default=True)

    def __init__(self, **values: Any) -> None:
        """Raise UsageError for the first key or value that is not allowed."""
        values = check_table(self.table, values)
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise mistake(type(self).model_fields, error.errors(include_url=False), values, self.table) from None

    def but(self, **changes: Any) -> Self:
        """Return a copy with other values.

        Args:
            changes: The fields to change.

        Returns:
            Rules of the same class, checked.

        >>> from tower_sim.games import amerigo
        >>> amerigo.Rules().but(cubes=6).cubes
        6
        """
        return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | changes)


R = TypeVar("R", bound=BaseModel)


def read(kind: type[R], table: object) -> R:
    """Return the rules of class `kind` that a table gives."""
    where = str(getattr(kind, "table", "rules"))
    return kind(**check_table(where, table))


def plain(rules: BaseModel) -> dict[str, Any]:
    """Return the fields of rules by name, ready for `json.dumps`, without those in `unsaid` at their default."""
    values = rules.model_dump(mode="json")
    for name, field in type(rules).model_fields.items():
        value: object = getattr(rules, name)
        if name in getattr(rules, "unsaid", ()) and value == field.get_default(call_default_factory=True):
            del values[name]
        elif isinstance(value, BaseModel):
            values[name] = plain(value)
    return values


def describe_rules(kind: type[BaseModel]) -> list[tuple[str, Any, str, str]]:
    """Return the dotted name, default, allowed values and description of each rule."""
    usual = kind().model_dump(mode="json")
    return [
        (key, reduce(lambda table, key: table[key], key.split("."), usual), describe_allowed(it), it.description or "")
        for key, it in typed.iter_fields(kind)
    ]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a ruling answers: the rulebook's line or lines, or `silent`, and a sentence for each answer."""

    source: str
    choices: Mapping[str, str]


def ruling(source: str, **choices: str) -> Any:
    """Return a field for a class of rulings, whose type must be a Literal of the same choices."""
    meanings = " ".join(f"{choice}: {meaning}" for choice, meaning in choices.items())
    more: dict[str, Any] = {"source": source, "choices": choices}
    return Field(next(iter(choices)), description=f"rulebook: {source}. {meanings}", json_schema_extra=more)


def questions(rulings: type[BaseModel]) -> dict[str, Question]:
    """Return the questions of a class of rulings, by field name."""
    extra = {name: cast("dict[str, Any]", field.json_schema_extra) for name, field in rulings.model_fields.items()}
    return {name: Question(more["source"], more["choices"]) for name, more in extra.items()}
