"""The options of a player in a phase of Amerigo: actions, action points and gold, also with progress tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from tower_sim.drops import HARDEST
from tower_sim.errors import check_kind, check_whole, fault, unknown, word_list
from tower_sim.games import rules
from tower_sim.games.rules import ruling
from tower_sim.values import MAX_CUBES, Cube, as_counts, supply

GOLD_TRACK = 12
"""The last space of the gold track (rulebook, line 420)."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The progress tokens of one player that matter for the cubes in the central area.

    Args:
        extra: More action points for an action (published: 2 for one colour, 1 for each of two colours).
        once: Action points for each ship, usable one time (published: blue 5).
        exchange: Two colours (published: red, green). One of them alone also allows the action of the other.
        gold: Whether passing pays by `gold_divisor_with_token`.
        victory_points: Whether one time each cube is a victory point, instead of an action.

    >>> options({"blue": 3}, Rules(), tokens=Tokens(extra={"blue": 2})).choices[0].points
    5
    """

    extra: Mapping[str, int] = field(default_factory=dict[str, int])
    once: Mapping[str, int] = field(default_factory=dict[str, int])
    exchange: tuple[str, ...] = ()
    gold: bool = False
    victory_points: bool = False

    def __post_init__(self) -> None:
        for name, what in (("extra", "tokens' extra points"), ("once", "tokens' points once")):
            object.__setattr__(self, name, as_counts(what, getattr(self, name)))
        word_list("tokens' exchange", self.exchange)


@dataclass(frozen=True, slots=True)
class Choice:
    """An action that the `cubes` of a colour allow, with its points, and those `once` that a one-time token adds."""

    action: str
    cubes: str
    points: int
    once: int = 0


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one player in a phase: one of `choices`, a pass for `gold`, or `victory_points` of a token, else
    0.
    """

    choices: tuple[Choice, ...]
    gold: int
    victory_points: int


def actions_allowed(emerged: Mapping[str, int], rules: Rules) -> tuple[str, ...]:
    """Return the colours that emerged, each of which allows its action (Amerigo rulebook, line 222).

    Args:
        emerged: Counts by colour of the cubes in the central area.
        rules: The rules.

    Returns:
        The colours, in the order of the rules.

    >>> actions_allowed({"red": 1, "blue": 3}, Rules())
    ('blue', 'red')
    """
    counts = as_counts("emerged", emerged)
    check_colours("emerged", counts, as_rules(rules).colours)
    return tuple(colour for colour in rules.colours if counts.get(colour, 0) > 0)


def action_points(emerged: Mapping[str, int]) -> int:
    """Return the action points of a phase: the cubes of the most numerous colour (Amerigo rulebook, line 223).

    Args:
        emerged: Counts by colour.

    Returns:
        The points; 0 without a cube.

    >>> action_points({"red": 1, "blue": 3})
    3
    """
    return max(as_counts("emerged", emerged).values(), default=0)


def gold_for_passing(emerged: Mapping[str, int], divisor: int) -> int:
    """Return the gold for passing, rounded up (Amerigo rulebook, line 418).

    Args:
        emerged: Counts by colour.
        divisor: The cubes in the central area for each gold.

    Returns:
        The gold.

    >>> gold_for_passing({"red": 1, "blue": 3}, 3)
    2
    """
    return -(-sum(as_counts("emerged", emerged).values()) // check_whole("divisor", divisor, 1))


def on_gold_track(held: int, gained: int) -> tuple[int, int]:
    """Move a player on the gold track; beyond 12, gold is victory points (Amerigo rulebook, lines 420, 424, 495).

    Args:
        held: The gold that the player holds.
        gained: The gold that the player gains.

    Returns:
        The gold and the victory points afterwards.

    >>> on_gold_track(11, 3)
    (12, 2)
    """
    all_gold = check_whole("held", held, 0, GOLD_TRACK) + check_whole("gained", gained, 0)
    gold = min(all_gold, GOLD_TRACK)
    return gold, all_gold - gold


def options(
    emerged: Mapping[str, int], rules: Rules, marker: str | None = None, tokens: Tokens | None = None
) -> Options:
    """Return the options of a player in a phase.

    Each action appears once, in colour order, with cubes of its own colour if there are any. Otherwise, cubes of the
    substitute (white) allow the action of the marker's colour, and an exchange token an action with cubes of its other
    colour. Source: Amerigo rulebook, lines 394-402, 418, 573-585, 611-615 and 638-644; where it is silent,
    `rules.rulings`.

    Args:
        emerged: Counts by colour of the cubes that came out.
        rules: The rules.
        marker: The colour under the player's marker, or None before the marker has moved.
        tokens: The player's progress tokens.

    Returns:
        The choices, the gold for passing and the victory points of a token.

    >>> now = options({"white": 2, "blue": 3}, Rules(), marker="red")
    >>> [(choice.action, choice.cubes, choice.points) for choice in now.choices], now.gold
    ([('blue', 'blue', 3), ('red', 'white', 3), ('white', 'white', 3)], 2)
    """
    tokens = Tokens() if tokens is None else check_kind("tokens", tokens, Tokens, "Tokens", "write Tokens(...)")
    emerged = as_counts("emerged", emerged)
    present = actions_allowed(emerged, rules)
    check_colours("marker", [] if marker is None else [marker], rules.colours)
    check_colours("tokens", [*tokens.extra, *tokens.once, *tokens.exchange], rules.colours)
    cubes_for = dict(zip(present, present, strict=True))
    stands_in = marker is not None and marker not in present and rules.substitute in present
    if marker is not None and stands_in:
        cubes_for[marker] = rules.substitute
    takes_it = rules.rulings.stand_in_exchange == "there"
    there = [colour for colour in tokens.exchange if colour in (cubes_for if takes_it else present)]
    for action in tokens.exchange if there else ():
        cubes_for.setdefault(action, cubes_for[there[0]])
    points = action_points(emerged)
    choices: list[Choice] = []
    for action in (colour for colour in rules.colours if colour in cubes_for):
        payers = {"carried_out": (action,), "chosen": (rules.substitute,), "both": (action, rules.substitute)}
        choice = rules.rulings.stand_in_tokens if stands_in and action == marker else "carried_out"
        more, once = (sum(table.get(payer, 0) for payer in payers[choice]) for table in (tokens.extra, tokens.once))
        choices.append(Choice(action, cubes_for[action], points + more, once))
    divisor = rules.gold_divisor_with_token if tokens.gold else rules.gold_divisor
    victory_points = sum(emerged.values()) if tokens.victory_points else 0
    return Options(tuple(choices), gold_for_passing(emerged, divisor), victory_points)


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
