"""How a game is told and asked for beside its rules: words, a document, a request of its own, the odds of many runs.

A game brings them along in a module of its own, so that who only plays it imports none; most games need nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tower_sim.contract import DropModel
from tower_sim.cubes import check_colour
from tower_sim.errors import UsageError, fault, shown
from tower_sim.games import telling
from tower_sim.games.compared import Compared
from tower_sim.games.odds import ManyRuns
from tower_sim.games.turn import Turn
from tower_sim.reading import toml_table

MAX_WORD = 40  # characters of a word in a request of the service
MAX_WORDS = 100
MAX_RUNS = 100_000  # whose odds are told
FEWEST_DRAWN = 2  # runs whose odds are drawn


@dataclass(frozen=True, slots=True)
class Asked:
    """A run that is asked for: its rules, and the apparatus named with them (a profile or a file; empty: none)."""

    rules: Any
    apparatus: str = ""


class Ways:
    """The ways to one game; each attribute is empty where the game needs nothing of its own.

    `request` is a request of the service of its own, with its `fields` beside apparatus, model, games and seed;
    `document` is the schema and version of what answers it.
    `turns` is the word for several turns, `picture` what one run's picture shows.
    """

    request: str = ""
    fields: tuple[str, ...] = ()
    document: tuple[str, int] = ("", 0)
    turns: str = "drops"
    picture: str = "the game"

    def __init__(self, game: Any) -> None:
        self.game = game

    # The words and the document of a run

    def head(self, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
        """Return the lines before a run's first."""
        return telling.head(self.game, rules, apparatus=apparatus, model=model, seed=seed)

    def line(self, turn: Turn, rules: Any) -> str:
        """Return one turn as a line."""
        return telling.line(turn)

    def document_of(
        self, turns: Sequence[Turn], rules: Any, *, apparatus: str, model: str, seed: int
    ) -> dict[str, Any]:
        """Return the JSON document of a run, ready for `json.dumps`, with `schema` and `version`."""
        return telling.document(self.game, turns, rules, apparatus=apparatus, model=model, seed=seed)

    def compared(self, rules: tuple[Any, Any]) -> Compared:
        """Return how comparisons see this game played by the rules of A and of B."""
        return Compared(self.game, rules)

    # Asking for a run

    def of_fields(self, given: Mapping[str, Any], asked: Asked | None) -> Asked:
        """Return the run that the game's own request of the service asks for.

        `given` has those of its fields that are there; `asked` is what was read from its field `rules`, if any.
        """
        return asked or Asked(self.game.read({}))

    def check(self, model: DropModel, rules: Any) -> None:
        """Raise UsageError, before a run begins, for what `model` does not take."""

    def caption(self, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
        """Return what stands over the picture of a run."""
        return self.head(rules, apparatus=apparatus, model=model, seed=seed).splitlines()[0]

    def expected(self, rules: Any) -> int | None:
        """Return how many turns a run will have, for those who wait; None when nobody knows."""
        return None

    def odds(self) -> ManyRuns | None:
        """Return odds without any run yet; None for a game that tells none."""
        return telling.FigureOdds(self.game) if self.game.figures else None


def changed(game: Any, rules: Any, changes: Sequence[str]) -> Any:
    """Return rules with some changed, each KEY=VALUE with a value as in TOML, where a word needs no quotes.

    A dotted key is one in a table.
    """
    tables = game.plain(rules)
    first = tables[game.tables[0]]
    done: set[str] = set()
    for change in changes:
        key, equals, text = (part.strip() for part in change.partition("="))
        if not (key and equals) or key in done:
            allowed = f"KEY=VALUE, each key once; the keys are {', '.join(first) or 'none'}"
            raise UsageError(f"--set {shown(change)}; allowed is {allowed}")
        done.add(key)
        *path, last = key.split(".")
        inner = tables if path and path[0] in tables else first  # a key of a further table, such as knocks.3
        for word in path:
            below = inner.get(word)
            inner[word] = below if isinstance(below, dict) else {}
            inner = inner[word]
        inner[last] = value_of(text)
    return game.read(tables)


def value_of(text: str) -> Any:
    """Read a value as in TOML; a word needs no quotes."""
    try:
        return toml_table(f"value = {text}", "the value")["value"]
    except UsageError:
        return text


def check_words(what: str, words: Sequence[str]) -> None:
    """Raise UsageError for more or longer words than a request of the service may have."""
    if len(words) > MAX_WORDS:
        raise fault(f"number of {what}", len(words), f"up to {MAX_WORDS} in one request", "ask for less")
    for word in words:
        if not 0 < len(word) <= MAX_WORD:
            raise fault(f"a word in {what}", word, f"1 to {MAX_WORD} characters", "shorten it")
        check_colour(f"a word in {what}", word)
