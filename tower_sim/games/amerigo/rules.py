"""The rules of Amerigo that players may change, as typed data. The defaults are the published rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, ClassVar, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from tower_sim.cubes import MAX_CUBES, Cube, supply
from tower_sim.door import HARDEST
from tower_sim.errors import check_kind, check_whole, fault, unknown
from tower_sim.games import rules
from tower_sim.games.rules import ruling


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


RULES_VERSION = 1
SETUP = "setup"

MAX_DROPS = 10_000  # of a game: the set-up and all phases of all rounds
MAX_COLOURS = 100
MAX_DIVISOR = 1_000
MAX_WORD = 100  # characters


def _one_line(word: str) -> str:
    if not word.isprintable():
        raise fault("a word in the rules", word, f"up to {MAX_WORD} characters on one line", "shorten it")
    return word


Word = Annotated[str, Field(max_length=MAX_WORD), AfterValidator(_one_line)]
Words = Annotated[tuple[Word, ...], Field(strict=False)]  # a list in TOML and JSON


def _number_keys(table: object) -> object:
    if not isinstance(table, Mapping):
        return table
    knocks: dict[object, object] = {}
    for key, strength in cast("Mapping[object, object]", table).items():
        text = str(key)
        if not (text.isascii() and text.isdecimal() and len(text) < 10 and text == str(int(text))):
            raise fault("number of a knock", text, "a drop's, from 0", "write knocks = { 3 = 0.5 }")
        knocks[int(text)] = strength
    return knocks


_G = Field(ge=0, le=HARDEST, json_schema_extra={"allowed": f"a number from 0 to {HARDEST} (peak acceleration in g)"})
Knocks = Annotated[dict[int, Annotated[float, _G]], BeforeValidator(_number_keys)]


class Rules(rules.Rules):
    """The part of the game that house rules change, and the knocks on the table; the default is the published game.

    Source: Amerigo rulebook, components and course of the game. That blue is first, white last and the order clockwise
    is said there; that the phases between follow the order in which the components list the colours is inferred.
    """

    unsaid: ClassVar[tuple[str, ...]] = ("rulings", "knocks")
    name: Word = Field(default="amerigo", description="the name of these rules")
    colours: Words = Field(
        default=("blue", "black", "red", "brown", "green", "yellow", "white"),
        description="the colours, each an action, in the order of the storage spaces around the wheel",
    )
    phases: Words = Field(
        default=(),
        description="whose storage space is thrown, phase by phase; an empty list means the order of the colours",
    )
    cubes: Annotated[int, Field(ge=1, le=MAX_CUBES)] | dict[str, Annotated[int, Field(ge=0, le=MAX_CUBES)]] = Field(
        default=7, description="cubes of each colour, or a number for each of them"
    )
    rounds: int = Field(default=5, ge=0, le=MAX_DROPS - 1, description="rounds of a game, each with all phases")
    gold_divisor: int = Field(
        default=3, ge=1, le=MAX_DIVISOR, description="passing pays one gold for so many cubes out, rounded up"
    )
    gold_divisor_with_token: int = Field(default=2, ge=1, le=MAX_DIVISOR, description="the same with the gold token")
    substitute: Word = Field(
        default="white", description='cubes of this colour stand in for an absent one; "" means none'
    )
    rulings: TokenRulings = Field(default=TokenRulings(), description="choices where the rulebook is silent")
    knocks: Knocks = Field(
        default={}, description="strength (g) of a knock on the table after a drop; the set-up is drop 0"
    )

    @model_validator(mode="after")
    def _one_form(self) -> Rules:
        colours = self.colours
        if not colours or len(set(colours)) < len(colours) or not {"", SETUP}.isdisjoint(colours):
            allowed = f"one or more different words, none of them empty or {SETUP!r}"
            raise fault("rules.colours", [*colours], allowed)
        _check_most("number of colours", len(colours), MAX_COLOURS)
        check_colours("rules.phases", self.phases, colours)
        if self.substitute:
            check_colours("rules.substitute", [self.substitute], colours, 'write substitute = "" for none')
        phases = self.phases or colours
        check_whole("rules.rounds", self.rounds, 0, (MAX_DROPS - 1) // len(phases))
        forms = {"phases": phases, "cubes": _cubes(self.cubes, colours), "knocks": dict(sorted(self.knocks.items()))}
        for name, value in forms.items():
            object.__setattr__(self, name, value)
        for drop in self.knocks:
            if drop >= self.drops:
                allowed = f"a drop's, from 0 to {self.drops - 1}, the last of these rules"
                raise fault("number of a knock", drop, allowed, "the set-up is drop 0")
        return self

    @property
    def counts(self) -> dict[str, int]:
        return dict(self.cubes) if isinstance(self.cubes, Mapping) else dict.fromkeys(self.colours, self.cubes)

    @property
    def drops(self) -> int:
        """The number of drops, with the set-up."""
        return 1 + self.rounds * len(self.phases)

    def supply(self, edge: float) -> tuple[Cube, ...]:
        """Return all cubes of the game, with edges of `edge` (m), numbered from 0 in colour order."""
        return supply(self.counts, edge)


def as_rules(rules: object) -> Rules:
    """Return `rules` if they are an object of `Rules`."""
    advice = "write Rules(rounds=3), or read a table with the game's read(...)"
    return check_kind("rules", rules, Rules, "Rules", advice)


def check_colours(what: str, some: Iterable[str], colours: Sequence[str], advice: str = "check its spelling") -> None:
    """Raise UsageError if one of `some`, which `what` names, is not one of `colours`."""
    for colour in some:
        if not isinstance(cast("object", colour), str) or colour not in colours:
            raise unknown(f"a colour in {what}", colour, colours, advice)


def _cubes(cubes: int | dict[str, int], colours: tuple[str, ...]) -> int | dict[str, int]:
    if isinstance(cubes, int):
        check_whole("rules.cubes", cubes, 1, MAX_CUBES // len(colours))
        return cubes
    if set(cubes) != set(colours):
        allowed = f"a number for each of {', '.join(colours)}"
        raise fault("rules.cubes", cubes, allowed, "list them all, 0 for none")
    if not any(cubes.values()):
        raise fault("rules.cubes", cubes, "one cube or more in all", "give a colour some")
    _check_most("number of cubes", sum(cubes.values()), MAX_CUBES)
    first = cubes[colours[0]]
    return first if set(cubes.values()) == {first} else {colour: cubes[colour] for colour in colours}


def _check_most(what: str, number: int, most: int) -> None:
    if number > most:
        raise fault(what, number, f"up to {most}", "take fewer")
