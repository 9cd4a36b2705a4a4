"""Run a game: give it a tower, check each turn that it yields, and compute its figures."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from types import GeneratorType
from typing import Any, cast

import numpy as np

from tower_sim.drops import DropModel, TooManyFailedDraws, as_model, until_landed
from tower_sim.errors import UsageError, check_kind, check_whole, fault, plain
from tower_sim.games.tower import Decision, GameTower, Turn
from tower_sim.results import NOWHERE, Array, Columns, Results, Words
from tower_sim.values import MAX_CUBES, check_seed, count_by_colour

SETUP, DROP = "setup", "drop"
MAX_RUN = 2**32 - 1  # the number of a run is a 32-bit word of its seed
MAX_TURNS = 20_000  # of a run; a generator that never ends is stopped here


Decide = Callable[[Decision], str]
"""Return the answer to a question, one of its options."""


def start_run(
    game: Any, model: DropModel, rules: Any, seed: int, run: int | None = None, decide: Decide | None = None
) -> Iterator[Turn]:
    """See `Game.start`."""
    events = ask_run(game, open_tower(game, model, rules, seed, run), rules)

    def turns() -> Iterator[Turn]:
        answer: str | None = None
        while True:
            try:
                event = events.send(answer)
            except StopIteration:
                return
            answer = None
            if isinstance(event, Turn):
                yield event
            else:
                answer = decide(event) if decide else event.usual

    return turns()


def open_tower(game: Any, model: DropModel, rules: Any, seed: int, run: int | None = None) -> GameTower:
    """See `Game.open_tower`."""
    as_model(model)
    seed, run = check_run(rules, game.Rules, seed, run)
    if has_board(model) != game.board:
        needed = "a ship with a board" if game.board else "a tower that keeps cubes"
        raise fault("apparatus", model.apparatus, needed, f"play {game.name} with another apparatus")
    cubes = _call_guarded(game, "cubes", lambda: dict(game.cubes(rules)))
    number = sum(cubes.values())
    with naming_line(game, partial(line_of_method, game, "cubes")):
        if not 1 <= number <= MAX_CUBES:
            raise fault(f"the number of cubes of {game.name}", number, f"1 to {MAX_CUBES}", "change the rules")
    return GameTower(model, cubes, seed, run)


def ask_run(game: Any, tower: GameTower, rules: Any) -> Generator[Turn | Decision, str | None, None]:
    """See `Game.ask`."""
    turns = _call_guarded(game, "play", lambda: game.play(tower, rules))
    with naming_line(game, partial(line_of_method, game, "play")):
        if not hasattr(turns, "__next__"):
            allowed = "a generator of turns: write yield Turn(...)"
            raise fault(f"the result of play of {game.name}", turns, allowed, "change the game")
    return _play_turns(game, tower, rules, turns)


def _play_turns(game: Any, tower: GameTower, rules: Any, turns: Any) -> Generator[Turn | Decision, str | None, None]:
    known = [column.name for column in game.columns]
    allowed = {*game.list_options(tower.model, rules)}, {"", *game.players(rules)}
    for index in range(MAX_TURNS):
        tower.begin(index)
        try:
            turn = _call_guarded(game, "play", lambda: next(turns, None))
            while isinstance(turn, Decision):
                turn = yield from _ask(game, turns, turn, index, *allowed)
        except TooManyFailedDraws as error:
            yield Turn(failed=error, index=index, state=tower.state, outcomes=tower.outcomes)
            return
        if turn is None:
            return
        with naming_line(game, partial(line_of_yield, game, turns)):
            if not isinstance(turn, Turn):
                raise fault(f"what turn {index} of {game.name} yields", turn, "a Turn", "write yield Turn(...)")
            turn = replace(turn, facts=plain(turn.facts), index=index, state=tower.state, outcomes=tower.outcomes)
            _check(game, tower, turn, index, known)
        yield turn
        if turn.failed is not None:
            return
    what, advice = f"the number of turns of {game.name}", "let play come to an end"
    with naming_line(game, partial(line_of_yield, game, turns)):
        raise fault(what, f"over {MAX_TURNS}", f"up to {MAX_TURNS}", advice)


def _ask(
    game: Any, turns: Any, question: Decision, index: int, options: set[str], players: set[str]
) -> Generator[Decision, str | None, Any]:
    """Yield a question, and return what the game yields when it has the answer."""
    with naming_line(game, partial(line_of_yield, game, turns)):
        what = f"the question before turn {index} of {game.name}"
        if question.usual not in question.options or not {*question.options} <= options:
            raise fault(what, question, "options of the game, and one of them as the usual one", "list them in options")
        if question.player not in players:
            raise fault(f"the player of {what}", question.player, f"one of {', '.join(players)}", "list it in players")
    answer = yield question
    if answer not in question.options:
        raise fault(
            f"the answer before turn {index}", answer, f"one of {', '.join(question.options)}", "change who decides"
        )

    def send() -> Any:
        try:
            return turns.send(answer)
        except StopIteration:
            return None

    return _call_guarded(game, "play", send)


def _check(game: Any, tower: GameTower, turn: Turn, index: int, known: Sequence[str]) -> None:
    for name, value in turn.facts.items():
        if name not in known:
            allowed = f"one of {', '.join(known) or 'none'}"
            raise fault(f"a fact of turn {index} of {game.name}", name, allowed, "list it in facts")
        if value is not None and not _fits(game.facts.get(name), value):
            words = word_facts(game).get(name)
            due = f"one of {', '.join(words)}" if words else str(getattr(game.facts[name], "__name__", "a value"))
            raise fault(f"the fact {name} of turn {index} of {game.name}", value, due, "change the game")
    there = [*tower.state.cubes, *tower.state.board.cubes]
    if len({*there}) < len(there) or not {*there} <= {*tower.cubes}:
        raise fault(f"turn {index} of {game.name}", "a turn that lost or doubled a cube", "every cube once", "mend it")


def _fits(kind: Any, value: object) -> bool:
    if isinstance(kind, tuple):
        return value in kind
    if kind in (int, float) and isinstance(value, bool):
        return False
    return kind is None or isinstance(value, (int, float) if kind is float else kind)


def guard(game: Any) -> None:
    """Turn exceptions of a user's game into UsageErrors with their line."""

    def guarded(name: str) -> Callable[..., Any]:
        method = getattr(game, name)
        return lambda *args, **kwargs: _call_guarded(game, name, lambda: method(*args, **kwargs))

    for name in ("cubes", "draw", "knocks", "most_cubes", "plan", "summary", "turns"):
        setattr(game, name, guarded(name))


def _call_guarded(game: Any, what: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except TooManyFailedDraws:
        raise
    except Exception as error:
        if not game.source or str(error).startswith(f"{game.file}, "):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        line = next((frame.lineno for frame in reversed(frames) if frame.filename == game.file), None)
        where = f"{game.file}, line {line}" if line else f"{game.file}, {what}"
        raise UsageError(f"{where}: {error_text(error)}") from error


def has_board(model: DropModel) -> bool:
    """Return whether `model` is of an apparatus with a board."""
    try:
        return getattr(model, "board", None) is not None
    except UsageError:  # a model that knows boards, of an apparatus that has none
        return False


def check_run(rules: object, kind: type, seed: object, run: object) -> tuple[int, int | None]:
    """Check the arguments of `Game.start`; return seed and run."""
    check_rules(rules, kind)
    return check_seed(seed), None if run is None else check_whole("run", run, 0, MAX_RUN)


def check_rules(rules: object, kind: type) -> None:
    """Raise UsageError unless `rules` are of the game's class `kind`."""
    check_kind("rules", rules, kind, "rules that the game has read", "make them with its read({}) or read(tables)")


def check_knocks(model: DropModel, knocks: Mapping[int, float]) -> None:
    """Raise UsageError if `model` refuses one of these knocks on the empty tower."""
    for strength in sorted(set(knocks.values())):
        until_landed(partial(model.knock, model.empty(), strength), np.random.SeedSequence(0))


# Figures


def word_facts(game: Any) -> dict[str, tuple[str, ...]]:
    """Return the facts of words, with the allowed words."""
    return {name: cast("tuple[str, ...]", kind) for name, kind in game.facts.items() if isinstance(kind, tuple)}


_TOGETHER = 256  # runs that are packed at once


class TurnRecord:
    """The turns of runs with the same rules as a table, without failed ones and without what a knock released."""

    def __init__(self, game: Any, rules: Any) -> None:
        self.game, self.rules = game, rules
        self._parts: list[Results] = []
        self._waiting: list[Sequence[Turn]] = []

    def add(self, turns: Sequence[Turn]) -> None:
        """Add the turns of a run."""
        self._waiting.append(turns)
        if len(self._waiting) == _TOGETHER:
            self._parts.append(_pack(self.game, self._waiting, self.rules))
            self._waiting = []

    @property
    def results(self) -> Results:
        """The table of all runs so far."""
        rest = [_pack(self.game, self._waiting, self.rules)] if self._waiting or not self._parts else []
        self._parts = [Results.together([*self._parts, *rest])]
        self._waiting = []
        return self._parts[0]


def record(game: Any, runs: Iterable[Sequence[Turn]], rules: Any) -> Results:
    """Return the turns of runs as a table; see TurnRecord."""
    record = TurnRecord(game, rules)
    for turns in runs:
        record.add(turns)
    return record.results


def _pack(game: Any, runs: Sequence[Sequence[Turn]], rules: Any) -> Results:
    colours = tuple(game.cubes(rules))
    words = word_facts(game)
    told = [column.name for column in game.columns if column.kind != "string" or column.name in words]
    codes: dict[str, dict[Any, int]] = {name: {word: i for i, word in enumerate(some)} for name, some in words.items()}
    where: list[tuple[int, int, bool, int]] = []
    cubes: list[list[list[int]]] = []
    facts: dict[str, list[Any]] = {name: [] for name in told}
    for run, turns in enumerate(runs):
        for drop, turn in enumerate(turn for turn in turns if turn.failed is None):
            outcomes = [outcome for outcome in turn.outcomes if outcome.thrown or turn.kind != DROP]
            thrown = [cube for outcome in outcomes for cube in outcome.thrown]
            out = [cube for outcome in outcomes for cube in outcome.emerged]
            cubes.append([[*count_by_colour(some, colours).values()] for some in (thrown, out, turn.state.cubes)])
            where.append((run, drop, turn.facts.get("phase") != SETUP, len({*out} - {*thrown})))
            for name in told:
                fact = turn.facts.get(name)
                facts[name].append(codes[name].get(fact, NOWHERE) if name in words else fact)
    run, drop, play, old_out = np.array(where, int).reshape(-1, 4).T
    by_colour = np.array(cubes, np.int16).reshape(len(where), 3, len(colours))
    terms = game.plain(rules).get(game.tables[0], {})
    return Results(
        rows=Columns({"run": run, "drop": drop, "play": play.astype(bool), "old_out": old_out}),
        shape=(len(runs),),
        facts=Columns({name: Words(tuple(map(str, words[name])), np.array(values, np.int16)) if name in words
                       else np.array(values, float) for name, values in facts.items()}),
        colours=colours,
        by_colour={name: by_colour[:, i] for i, name in enumerate(("thrown", "out", "inside"))},
        terms={name: float(value) for name, value in terms.items() if isinstance(value, int | float)},
    )  # fmt: skip


def count_words(results: Results) -> dict[str, Array]:
    """Return how many rows of each run tell each word, shape (runs, words), for each fact of words."""
    facts = {name: fact for name, fact in results.facts.by_name.items() if isinstance(fact, Words)}
    run = results.rows.run
    return {
        name: np.stack([np.bincount(run[fact.codes == i], minlength=results.runs) for i in range(len(fact.names))], 1)
        for name, fact in facts.items()
    }


def error_text(error: Exception) -> str:
    """Return an exception of a user's game in one line."""
    return str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"


@lru_cache(maxsize=8)
def _tree(text: str) -> ast.Module:
    return ast.parse(text)


def line_of_fault(text: str, error: Exception) -> int | None:
    """Return the line of what a UsageError is about, `fact NAME` or `figure FORMULA`, or None."""
    kind, _, word = getattr(error, "what", "").partition(" ")
    for node in ast.walk(_tree(text)):
        parts: list[ast.expr | None] = []
        if kind == "fact" and isinstance(node, ast.Dict):
            parts = node.keys
        elif kind == "figure" and isinstance(node, ast.Call):
            parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        for part in parts:
            if isinstance(part, ast.Constant) and part.value == word:
                return part.lineno
    return None


def find_line(text: str, name: str, within: str) -> int | None:
    """Return the line where the class `within` defines `name`, else that of the class."""
    for kind in ast.walk(_tree(text)):
        if isinstance(kind, ast.ClassDef) and kind.name == within:
            for node in ast.walk(kind):
                match node:
                    case ast.FunctionDef(name=word) | ast.Name(id=word, ctx=ast.Store()) if word == name:
                        return node.lineno
                    case _:
                        pass
            return kind.lineno
    return None


def line_of_method(game: Any, name: str) -> int | None:
    """Return the line of a game's method in its file."""
    return find_line(game.source, name, type(game).__name__)


def line_of_yield(game: Any, turns: Any) -> int | None:
    """Return the line at which the innermost generator of turns waits."""
    line, inner = None, turns
    while isinstance(inner, GeneratorType) and inner.gi_frame and inner.gi_frame.f_code.co_filename == game.file:
        line, inner = inner.gi_frame.f_lineno, cast("Any", inner.gi_yieldfrom)
    return line


@contextmanager
def naming_line(game: Any, line: Callable[[], int | None]) -> Generator[None]:
    """Begin each UsageError with a line of a user's game."""
    try:
        yield
    except UsageError as error:
        if not game.source:
            raise
        number = line()
        where = f"{game.file}, line {number}" if number else game.file
        raise UsageError(f"{where}: {error}", error.what, error.code) from None
