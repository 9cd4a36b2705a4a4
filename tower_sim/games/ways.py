"""How one game is presented and requested: report lines, JSON document, request of the service, statistics.

Playing a game does not import the module with its subclass of `Ways`.
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
from tower_sim.tools.reading import toml_table

MAX_WORD = 40  # characters of a word in a request of the service
MAX_WORDS = 100
MAX_RUNS = 100_000  # runs in one set of statistics
FEWEST_DRAWN = 2  # runs needed for a picture of the statistics


@dataclass(frozen=True, slots=True)
class Asked:
    """A requested run: its rules, and the apparatus that was named with them, or ""."""

    rules: Any
    apparatus: str = ""


class Ways:
    """The reports and documents of one game.

    `turns` is the word for several turns. `picture` says what the picture of a run shows.
    """

    turns: str = "drops"
    picture: str = "the game"

    def __init__(self, game: Any) -> None:
        self.game = game

    # The words and the document of a run

    def head(self, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
        """Return the heading of a run."""
        return telling.head(self.game, rules, apparatus=apparatus, model=model, seed=seed)

    def line(self, turn: Turn, rules: Any) -> str:
        """Return one turn as a line of text."""
        return telling.line(turn)

    def document_of(
        self, turns: Sequence[Turn], rules: Any, *, apparatus: str, model: str, seed: int
    ) -> Mapping[str, Any]:
        """Return the JSON document of a run, ready for `json.dumps`, with `schema` and `version`."""
        return telling.document(self.game, turns, rules, apparatus=apparatus, model=model, seed=seed)

    def types(self) -> list[Any]:
        """Return the types of the documents: of a run, and of the odds of many if there are any."""
        return [telling.run_type(self.game), *[telling.odds_type(self.game)] * bool(self.game.figures)]

    def compared(self, rules: tuple[Any, Any]) -> Compared:
        """Return the description of this game for a comparison of two variants with these rules."""
        return Compared(self.game, rules)

    # Asking for a run

    def check(self, model: DropModel, rules: Any) -> None:
        """Raise UsageError, before a run begins, if `model` cannot play these rules."""

    def caption(self, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
        """Return the title of the picture of a run."""
        return self.head(rules, apparatus=apparatus, model=model, seed=seed).splitlines()[0]

    def expected(self, rules: Any) -> int | None:
        """Return the exact number of turns of a run, or None if it is not known."""
        return None

    def odds(self) -> ManyRuns | None:
        """Return statistics over many runs, still without any run, or None if the game has no figures."""
        return telling.FigureOdds(self.game) if self.game.figures else None


def changed(game: Any, rules: Any, changes: Sequence[str]) -> Any:
    """Return rules with some values changed by words KEY=VALUE.

    A dotted key is a key in a nested table. A value is written as in TOML, except that a word needs no quotes.
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
    """Return the value of a text in TOML. Text that is not valid TOML is returned as it is."""
    try:
        return toml_table(f"value = {text}", "the value")["value"]
    except UsageError:
        return text


def check_words(what: str, words: Sequence[str]) -> None:
    """Raise UsageError if there are too many words for a request of the service, or if one is too long."""
    if len(words) > MAX_WORDS:
        raise fault(f"number of {what}", len(words), f"up to {MAX_WORDS} in one request", "ask for less")
    for word in words:
        if not 0 < len(word) <= MAX_WORD:
            raise fault(f"a word in {what}", word, f"1 to {MAX_WORD} characters", "shorten it")
        check_colour(f"a word in {what}", word)
