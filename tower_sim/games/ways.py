"""How a game is asked for beside its rules: options, a command and a request of its own, and the odds of many runs.

A game brings them along in a module of its own, so that who only plays it imports none; most games need nothing here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tower_sim.apparatus.parts import Apparatus
from tower_sim.contract import DropModel
from tower_sim.cubes import check_colour
from tower_sim.errors import fault
from tower_sim.games.turn import Playable, Turn

MAX_WORD = 40  # characters of a word in a request of the service
MAX_WORDS = 100
MAX_RUNS = 100_000  # whose odds are told
FEWEST_DRAWN = 2  # runs whose odds are drawn


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the command line: its `name` without dashes, what stands for its value in the help, what it does.

    An empty `metavar` makes a switch, unless there are `choices`. `whole`: its value is a whole number; `repeated`: it
    may be given several times, and its value is a list. `required` is it by the game's own command only.
    """

    name: str
    metavar: str
    help: str
    default: str = ""
    choices: tuple[str, ...] = ()
    whole: bool = False
    repeated: bool = False
    required: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A run that is asked for: its rules, and the apparatus named with them (a profile or a file; empty: none)."""

    rules: Any
    apparatus: str = ""


class ManyRuns(ABC):
    """What many runs of the same `rules` and root `seed` came to.

    `beside` is what rules of thumb make of as many runs, by their names.
    """

    rules: Any = None
    seed: int = 0
    beside: Mapping[str, ManyRuns] = MappingProxyType({})

    @abstractmethod
    def add(self, turns: Sequence[Turn]) -> None:
        """Add a whole run."""

    @property
    @abstractmethod
    def runs(self) -> int:
        """How many runs were added."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return the JSON document, ready for `json.dumps`, with `schema` and `version`; of one run or more."""

    @abstractmethod
    def words(self) -> str:
        """Return what people read: first two plain sentences; of one run or more."""

    @abstractmethod
    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        """Draw them into the file `path`, of two runs or more; raises UsageError for one that cannot be written."""


class Ways:
    """The ways to one game; each attribute is empty where the game needs nothing of its own.

    `options` are those of `tower-sim play GAME`. A `command` of its own, `command_help` in the help, takes them too.
    `request` is a request of the service of its own, with its `fields` beside apparatus, model, games and seed;
    `document` is the schema and version of what answers it. `beside` are rules of thumb whose odds are told too.
    Several games may bring the same `command`: its option `--game` then chooses one, the first if it is not given.
    `turns` is the word for several turns, `picture` what one run's picture shows.
    """

    options: tuple[Option, ...] = ()
    command: str = ""
    command_help: str = ""
    request: str = ""
    fields: tuple[str, ...] = ()
    document: tuple[str, int] = ("", 0)
    beside: tuple[str, ...] = ()
    turns: str = "drops"
    picture: str = "the game"

    def __init__(self, game: Playable) -> None:
        self.game = game

    def of_options(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """Return the run that is asked for on the command line.

        `given` has the game's own options that were given, by name; `asked` is what was read from `--rules`, if any.
        Raises UsageError, in one line, for what is not allowed.
        """
        return asked or Asked(self.game.read({}))

    def of_fields(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """Return the run that the game's own request of the service asks for.

        `given` has those of its fields that are there; `asked` is what was read from its field `rules`, if any.
        Raises UsageError, in one line, for what is not allowed.
        """
        return asked or Asked(self.game.read({}))

    def check(self, model: DropModel, rules: Any) -> None:
        """Raise UsageError, before a run begins, for what `model` does not take."""

    def caption(self, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
        """Return what stands over the picture of a run."""
        return self.game.head(rules, apparatus=apparatus, model=model, seed=seed).splitlines()[0]

    def expected(self, rules: Any) -> int | None:
        """Return how many turns a run will have, for those who wait; None when nobody knows."""
        return self.game.most_turns(rules)

    def odds(self) -> ManyRuns | None:
        """Return odds without any run yet; None for a game that tells none."""
        return None


def check_words(what: str, words: Sequence[str]) -> None:
    """Raise UsageError for more or longer words than a request of the service may have."""
    if len(words) > MAX_WORDS:
        raise fault(f"number of {what}", len(words), f"up to {MAX_WORDS} in one request", "ask for less")
    for word in words:
        if not 0 < len(word) <= MAX_WORD:
            raise fault(f"a word in {what}", word, f"1 to {MAX_WORD} characters", "shorten it")
        check_colour(f"a word in {what}", word)
