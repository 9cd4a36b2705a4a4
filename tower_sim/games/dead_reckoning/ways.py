"""The ways to a battle: the command `battle`, its request of the service, and the odds of many battles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from tower_sim.cubes import parse_counts
from tower_sim.errors import UsageError, check_whole, fault, near, shown
from tower_sim.fields import refuse_unknown
from tower_sim.games.dead_reckoning.abilities import Ability
from tower_sim.games.dead_reckoning.document import SCHEMA, VERSION
from tower_sim.games.dead_reckoning.odds import BattleOdds
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.games.dead_reckoning.sides import KINDS, Kind, Setup, parse_said, read_side, read_sides
from tower_sim.games.ways import Asked, ManyRuns, Option, Ways, check_words


class BattleWays(Ways):
    """Who fights, with what: on the command line in words, in a request as tables."""

    options = (
        Option("cubes", "COLOUR=N,...", "the cubes of each side, as in purple=6,green=3", required=True),
        Option(
            "kind",
            "",
            "ship against ship, a non-player (merchant) or buildings; or a tie-break",
            default="ship",
            choices=KINDS,
        ),
        Option("active", "COLOUR", "whose turn it is (default: the first side)"),
        Option(
            "ability", "COLOUR=ABILITY", "an ability of a side, as in green=throw:2; may be repeated", repeated=True
        ),
        Option(
            "side",
            "COLOUR=WORDS",
            "what else a side has, as in green=supply:20,island:2,damage:1,pirate; may be repeated",
            repeated=True,
        ),
        Option("provoked", "", "say that the active ship moved onto the other, a pirate"),
        Option("rulings", "FILE", "rulings as TOML (default: see docs/dead_reckoning.md)"),
    )
    command = "battle"
    command_help = "fight a battle, or many for the odds (of Dead Reckoning, or of another --game)"
    request = "battle"
    fields = ("cubes", "kind", "active", "sides", "provoked", "abilities", "rulings")
    document = (SCHEMA, VERSION)
    turns = "steps"
    picture = "the board with the cubes"

    def of_options(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """See Ways; the battle is either that of the rules or that of the options."""
        if not given:
            return super().of_options(given, asked)
        if "cubes" not in given:
            allowed = f"allowed with --{next(iter(given))} are those of each side"
            raise UsageError(f"--cubes is missing; {allowed}; try --cubes purple=6,green=3")
        if asked is not None:
            raise UsageError("--cubes and --rules are both given; allowed is one of them; leave one out")
        return Asked(_of_words(given))

    def of_fields(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """See Ways."""
        return Asked(_of_tables(given))

    def expected(self, rules: Setup) -> None:
        """See Ways; explosions and shakes have no end."""

    def odds(self) -> ManyRuns:
        """See Ways."""
        return BattleOdds()


# Words


def _of_words(given: Mapping[str, Any]) -> Setup:
    cubes = parse_counts(given["cubes"], "--cubes")
    abilities: dict[str, list[Ability]] = {}
    for colour, text in _of_sides(given.get("ability", []), "--ability", "throw:2", cubes):
        abilities.setdefault(colour, []).append(Ability.parse(text))
    said: dict[str, dict[str, object]] = {}
    for colour, text in _of_sides(given.get("side", []), "--side", "damage:1,pirate", cubes):
        of_side = said.setdefault(colour, {})
        more = parse_said(text)
        if again := [word for word in more if word in of_side]:
            raise UsageError(
                f"--side {shown(f'{colour}={text}')} says {again[0]} again; allowed is each word once; leave one out"
            )
        of_side |= more
    sides = tuple(
        read_side(colour, count, said.get(colour), tuple(abilities.get(colour, []))) for colour, count in cubes.items()
    )
    rulings = Rulings.load(given["rulings"]) if "rulings" in given else Rulings()
    return Setup(given.get("kind", "ship"), sides, given.get("active", ""), rulings, given.get("provoked", False))


def _of_sides(items: Sequence[str], option: str, example: str, cubes: Mapping[str, int]) -> list[tuple[str, str]]:
    """Read the items COLOUR=TEXT of a repeated option; raises UsageError for a colour that is no side's."""
    of_sides: list[tuple[str, str]] = []
    for item in items:
        colour, _, text = item.partition("=")
        if colour not in cubes:
            raise UsageError(
                f"{option} {shown(item)} names no side; allowed is COLOUR={example} with {' or '.join(cubes)}; "
                f"try {option} {next(iter(cubes), 'purple')}={example}{near(colour, cubes)}"
            )
        of_sides.append((colour, text))
    return of_sides


# Tables


def _of_tables(given: Mapping[str, Any]) -> Setup:
    cubes = _table(given, "cubes", '{"purple": 6, "green": 3}')
    check_words("cubes", list(cubes))
    for colour, count in cubes.items():
        check_whole(f"cubes of {colour}", count, 0)
    abilities = _table(given, "abilities", '{"green": ["throw:2"]}')
    refuse_unknown(abilities, cubes, "abilities")
    said = _table(given, "sides", '{"green": {"supply": 20, "damage": 1, "pirate": true}}')
    refuse_unknown(said, cubes, "sides")
    sides = read_sides(cubes, said, abilities)
    rulings = Rulings.from_mapping(_table(given, "rulings", '{"left_board": "lost"}'))
    kind = cast("Kind", _text(given, "kind", "ship"))  # Setup refuses any other
    return Setup(kind, sides, _text(given, "active", ""), rulings, given.get("provoked", False))


def _text(given: Mapping[str, Any], key: str, default: str) -> str:
    value = given.get(key, default)
    if not isinstance(value, str):
        raise fault(key, value, "a text in quotes")
    return value


def _table(given: Mapping[str, Any], key: str, example: str) -> dict[str, Any]:
    value = given.get(key, {})
    if not isinstance(value, dict):
        raise fault(key, value, "an object", f'write "{key}": {example}')
    return cast("dict[str, Any]", value)
