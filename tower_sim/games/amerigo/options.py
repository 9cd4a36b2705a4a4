"""The options of a player in a phase of Amerigo: actions, action points and gold, also with progress tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tower_sim.cubes import as_counts
from tower_sim.errors import check_kind, check_whole, word_list
from tower_sim.games.amerigo.rules import Rules, as_rules, check_colours

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
