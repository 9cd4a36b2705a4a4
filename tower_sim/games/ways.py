"""How a game is asked for beside its rules: options, a command and a request of its own, and the odds of many runs.

A game brings them along in a module of its own, so that who only plays it imports none; most games need nothing here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tower_sim.apparatus.parts import Apparatus

if TYPE_CHECKING:
    from tower_sim.games.game import Game, Turn


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


Reader = Callable[[str], "Asked"]
"""Reads what is asked for from a file of rules, or from a name that ships."""


class Odds(ABC):
    """What many runs of the same rules came to."""

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

    `options` are those of `tower-sim play GAME`. A `command` of its own, with `about` in its help, takes them too.
    `request` is a request of the service of its own, with its `fields` beside apparatus, model and seed. `on_board`:
    the game needs a model that knows a board. `runs` is the word for several runs, `most` how many at once may be
    asked for their odds, and `least` to have them drawn. `picture` is what one run's picture shows.
    """

    options: tuple[Option, ...] = ()
    command: str = ""
    about: str = ""
    request: str = ""
    fields: tuple[str, ...] = ()
    on_board: bool = False
    runs: str = "games"
    least: int = 2
    most: int = 100_000
    picture: str = "the game"

    def __init__(self, game: Game) -> None:
        self.game = game

    def of_options(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """Return the run that is asked for on the command line.

        `given` has the game's own options that were given, by name; `asked` is what was read from `--rules`, if any.
        Raises UsageError, in one line, for what is not allowed.
        """
        return asked or Asked(self.game.read({}))

    def of_fields(self, given: Mapping[str, Any], read: Reader) -> Asked:
        """Return the run that the game's own request of the service asks for; `given` has its fields that are there.

        `read` reads a file of rules. Raises UsageError, in one line, for what is not allowed.
        """
        raise NotImplementedError

    def odds(self) -> Odds | None:
        """Return odds without any run yet; None for a game that tells none."""
        return None
