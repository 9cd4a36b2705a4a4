"""How one game is presented and requested: report lines, JSON document, request of the service, statistics.

Playing a game does not import the module with its subclass of `Ways`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tower_sim.drops import DropModel
from tower_sim.errors import UsageError, fault, quote
from tower_sim.games.compared import leaves
from tower_sim.games.odds import ManyRuns, odds_type, run_type
from tower_sim.games.places import ManyBoards, board_odds_type
from tower_sim.games.running import check_knocks
from tower_sim.games.tower import Turn
from tower_sim.tools import count_noun, toml_table
from tower_sim.values import check_colour

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

    `turns` is the word for several turns.
    """

    turns: str = "drops"

    def __init__(self, game: Any) -> None:
        self.game = game

    # The words and the document of a run

    def head(self, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
        """Return the heading of a run."""
        usual, own = (self.game.plain(some) for some in (self.game.read({}), rules))
        known = {key: value for table in usual.values() for key, value in leaves(table)}
        pairs = [pair for table in own.values() for pair in leaves(table)]
        changed = [(key, value) for key, value in pairs if (known[key] != value if key in known else value)]
        changes = ", ".join(f"{key} {value}" for key, value in changed)
        lines = [f"{self.game.title}, {'ship' if self.game.board else 'tower'} {apparatus}, {model}, seed {seed}"]
        lines += [*filter(None, self.game.label(rules).split("; ")), *[f"house rules: {changes}"] * bool(changes)]
        return "\n".join([*lines, "turn: thrown, out, inside"])

    def line(self, turn: Turn, rules: Any) -> str:
        if turn.failed is not None:
            return f"{turn.index:4}  {turn.failed}"
        cubes = f"{sum(turn.thrown.values()):3} {sum(turn.out.values()):3} {len(turn.state.residents):3}"
        says = turn.says or ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in turn.facts.items())
        attempts = sum(outcome.attempts - 1 for outcome in turn.outcomes)
        again = f" (drawn again {count_noun(attempts, 'time')})" if attempts else ""
        return f"{turn.index:4}: {cubes}  {says}{again}".rstrip()

    def document_of(
        self, turns: Sequence[Turn], rules: Any, *, apparatus: str, model: str, seed: int
    ) -> Mapping[str, Any]:
        zeros = dict.fromkeys(self.game.cubes(rules), 0)
        cubes = ("thrown", "out", "inside")
        return {
            "schema": "tower-sim/game-run",
            "version": 2,
            "seed": str(seed),
            "model": model,
            "apparatus": apparatus,
            "game": self.game.name,
            "game_version": self.game.version,
            **self.game.plain(rules),
            "turns": [
                {"index": turn.index, "kind": turn.kind}
                | ({"board": turn.state.board.by_place} if self.game.board else {})
                | {name: zeros | getattr(turn, name) for name in cubes}
                | {"facts": dict(turn.facts), "says": turn.says}
                for turn in turns
                if turn.failed is None
            ],
        }

    def types(self) -> list[Any]:
        kind = board_odds_type if self.game.board else odds_type
        return [run_type(self.game), *[kind(self.game)] * bool(self.game.figures)]

    # Asking for a run

    def check(self, model: DropModel, rules: Any) -> None:
        """Raise UsageError if `model` cannot play these rules."""
        check_knocks(model, self.game.knocks(rules))

    def caption(self, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
        return self.head(rules, apparatus=apparatus, model=model, seed=seed).splitlines()[0]

    def expected(self, rules: Any) -> int | None:
        """Return the exact number of turns of a run, or None."""
        return self.game.turns(rules) if self.game.plan(rules) else None

    def odds(self, rules: Any, seed: int) -> ManyRuns:
        """Return empty statistics over many runs with these rules and root seed."""
        return (ManyBoards if self.game.board else ManyRuns)(self.game, rules, seed)


def change(game: Any, rules: Any, changes: Sequence[str]) -> Any:
    """Return rules with some values changed by words KEY=VALUE.

    A dotted key is a key in a nested table. A value is written as in TOML, except that a word needs no quotes.
    """
    tables = game.plain(rules)
    first = tables[game.tables[0]]
    keys: set[str] = set()
    for words in changes:
        key, equals, text = (part.strip() for part in words.partition("="))
        if not (key and equals) or key in keys:
            allowed = f"KEY=VALUE, each key once; the keys are {', '.join(first) or 'none'}"
            raise UsageError(f"--set {quote(words)}; allowed is {allowed}")
        keys.add(key)
        table, _, rest = key.partition(".")
        set_value(tables if rest and table in tables else first, key, text)  # a further table: as in knocks.3
    return game.read(tables)


def set_value(table: dict[str, Any], key: str, text: str) -> None:
    """Set a dotted key of a table to `parse_value(text)`."""
    *path, last = key.split(".")
    for word in path:
        below: Any = table.get(word)
        table[word] = dict(cast("dict[str, Any]", below)) if isinstance(below, dict) else {}
        table = table[word]
    table[last] = parse_value(text)


def parse_value(text: str) -> Any:
    """Return the value of a text in TOML, or the text if it is not TOML."""
    try:
        return toml_table(f"value = {text}", "the value")["value"]
    except UsageError:
        return text


def check_words(what: str, words: Sequence[str]) -> None:
    """Raise UsageError for words too many or too long."""
    if len(words) > MAX_WORDS:
        raise fault(f"number of {what}", len(words), f"up to {MAX_WORDS} in one request", "ask for less")
    for word in words:
        if not 0 < len(word) <= MAX_WORD:
            raise fault(f"a word in {what}", word, f"1 to {MAX_WORD} characters", "shorten it")
        check_colour(f"a word in {what}", word)
