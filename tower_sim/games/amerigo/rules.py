"""The rules of Amerigo that a table may change, as data: read from TOML, checked once; by default those published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import cast

from tower_sim.cubes import MAX_CUBES, Cube, supply
from tower_sim.errors import UsageError, check_kind, check_whole, fault, shown, unknown
from tower_sim.fields import read_fields
from tower_sim.games.amerigo.rulings import with_defaults
from tower_sim.reading import read_text, toml_table

RULES_VERSION = 1
SHIPPED = ("amerigo",)
SETUP = "setup"

MAX_DROPS = 10_000  # of a game: the set-up and all phases of all rounds
MAX_COLOURS = 100
MAX_DIVISOR = 1_000
MAX_WORD = 100  # characters


@dataclass(frozen=True, slots=True)
class Rules:
    """The part of the game that house rules change; the default is the published game.

    `cubes` is a number for every colour or a table with all of them; an empty `phases` means the order of
    `colours`; an empty `substitute` means that no colour stands in for another; `rulings` are choices by name, those
    left out the default ones. Raises UsageError for a value that no game can have, and beyond the limits above.
    Source: Amerigo rulebook, components and course of the game. That blue is first, white last and the order clockwise
    is said there; that the phases between follow the order in which the components list the colours is inferred.
    """

    name: str = "amerigo"
    colours: Sequence[str] = ("blue", "black", "red", "brown", "green", "yellow", "white")
    phases: Sequence[str] = ()
    cubes: int | Mapping[str, int] = field(default=7, hash=False)
    rounds: int = 5
    gold_divisor: int = 3
    gold_divisor_with_token: int = 2
    substitute: str = "white"
    rulings: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)

    def __post_init__(self) -> None:
        colours = _words("colours", self.colours)
        if not colours or len(set(colours)) < len(colours) or not {"", SETUP}.isdisjoint(colours):
            raise fault("colours", [*colours], f"one or more different words, none of them empty or {SETUP!r}")
        _check_most("number of colours", len(colours), MAX_COLOURS)
        phases = _words("phases", self.phases) or colours
        check_colours("phases", phases, colours)
        if not (isinstance(cast("object", self.substitute), str) and self.substitute == ""):
            check_colours("substitute", [self.substitute], colours, 'write substitute = "" for none')
        _words("name", [self.name])
        for key, least, most in (
            ("rounds", 0, (MAX_DROPS - 1) // len(phases)),
            ("gold_divisor", 1, MAX_DIVISOR),
            ("gold_divisor_with_token", 1, MAX_DIVISOR),
        ):
            check_whole(key, getattr(self, key), least, most)
        # One form for each meaning, so that rules that play alike compare equal.
        object.__setattr__(self, "colours", colours)
        object.__setattr__(self, "phases", phases)
        object.__setattr__(self, "cubes", _cubes(self.cubes, colours))
        object.__setattr__(self, "rulings", with_defaults(self.rulings))

    @staticmethod
    def load(path_or_name: str | Path) -> Rules:
        """Read rules from a TOML file, or those shipped under a name (`amerigo`).

        Raises UsageError, in one line that names the file, when it cannot be read or holds what is not allowed.
        """
        if str(path_or_name) in SHIPPED:
            file = resources.files("tower_sim.games.amerigo") / f"{path_or_name}.toml"
            return Rules.from_toml(file.read_text("utf-8"))
        text = read_text(path_or_name, "rules file", advice=f"give a TOML file or one of {', '.join(SHIPPED)}")
        try:
            return Rules.from_toml(text)
        except UsageError as error:
            raise UsageError(f"rules file {shown(str(path_or_name))}: {error}") from error

    @staticmethod
    def from_toml(text: str) -> Rules:
        """Read rules from TOML text whose keys are the names of the fields; a key left out keeps its default.

        Raises UsageError for text that is not TOML, an unknown key or a value that is not allowed.
        """
        return read_fields(Rules, toml_table(text, "the text"), "rules")

    @property
    def counts(self) -> dict[str, int]:
        """How many cubes of each colour there are, in colour order."""
        return dict(self.cubes) if isinstance(self.cubes, Mapping) else dict.fromkeys(self.colours, self.cubes)

    @property
    def drops(self) -> int:
        """How many drops a game has: the set-up and every phase of every round."""
        return 1 + self.rounds * len(self.phases)

    def supply(self, edge: float) -> tuple[Cube, ...]:
        """Make all cubes of the game, of edge `edge` (m), numbered from 0 in colour order; the set-up throws them all.

        Source: Amerigo rulebook, components and preparation 4.
        """
        return supply(self.counts, edge)


def as_rules(rules: object) -> Rules:
    """Return rules; raises UsageError for anything else, such as a table of them."""
    return check_kind(
        "rules", rules, Rules, "Rules", "write Rules(rounds=3), or read a table with the game's read(...)"
    )


def check_colours(what: str, given: Iterable[str], colours: Sequence[str], advice: str = "check its spelling") -> None:
    """Raise UsageError for a colour of `given`, called `what`, that is not among `colours`."""
    for colour in given:
        if not isinstance(cast("object", colour), str) or colour not in colours:
            raise unknown(f"a colour in {what}", colour, colours, advice)


def _words(what: str, value: object) -> tuple[str, ...]:
    words = cast("Sequence[object]", value if isinstance(value, (list, tuple)) else [None])
    if not all(isinstance(word, str) for word in words):
        raise fault(what, cast("object", value), "words in quotes", 'write ["blue", "red"] for a list')
    for word in cast("Sequence[str]", words):
        if len(word) > MAX_WORD or not word.isprintable():
            raise fault(f"a word in {what}", word, f"up to {MAX_WORD} characters on one line", "shorten it")
    return cast("tuple[str, ...]", tuple(words))


def _cubes(value: object, colours: tuple[str, ...]) -> int | dict[str, int]:
    if not isinstance(value, Mapping):
        check_whole("cubes", value, 1, MAX_CUBES // len(colours))
        return cast("int", value)
    counts = dict(cast("Mapping[str, int]", value))
    if set(counts) != set(colours):
        raise fault("cubes", counts, f"a number for each of {', '.join(colours)}", "list them all, 0 for none")
    for colour in colours:
        check_whole(f"cubes of {colour}", counts[colour], 0, MAX_CUBES)
    if not any(counts.values()):
        raise fault("cubes", counts, "one cube or more in all", "give a colour some")
    _check_most("number of cubes", sum(counts.values()), MAX_CUBES)
    first = counts[colours[0]]
    return first if set(counts.values()) == {first} else {colour: counts[colour] for colour in colours}


def _check_most(what: str, number: int, most: int) -> None:
    if number > most:
        raise fault(what, number, f"up to {most}", "take fewer")


@dataclass(frozen=True, slots=True)
class Played:
    """What is played: the rules, and the strength (g) of a knock on the table after some of the drops, by number."""

    rules: Rules = field(default_factory=Rules)
    knocks: Mapping[int, float] = field(default_factory=dict[int, float], hash=False)
