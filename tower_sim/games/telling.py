"""Reports and JSON documents for one run, or many runs, of any game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tower_sim.apparatus.parts import Apparatus
from tower_sim.errors import UsageError
from tower_sim.games.odds import ManyRuns, mean, proportion
from tower_sim.games.running import word_facts
from tower_sim.games.turn import Turn
from tower_sim.statistics import CONFIDENCE

SCHEMA, ODDS, VERSION = "tower-sim/game-run", "tower-sim/game-odds", 1
_SHOWN = 8  # words in a sentence


def head(game: Any, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
    """Return the heading of a run: the game, the house rules, and the names of the columns."""
    usual, now = game.plain(game.read({})), game.plain(rules)
    changed = [
        f"{key} {value}" for name, table in now.items() for key, value in table.items() if usual[name].get(key) != value
    ]
    lines = [f"{game.title}, tower {apparatus}, {model}, seed {seed}"]
    lines += [f"house rules: {', '.join(changed)}"] * bool(changed)
    return "\n".join([*lines, "turn: thrown, out, inside"])


def line(turn: Turn) -> str:
    """Return one turn as a line of text: the counts of cubes, then the game's sentence or facts."""
    if turn.failed is not None:
        return f"{turn.index:4}  {turn.failed}"
    cubes = f"{sum(turn.thrown.values()):3} {sum(turn.out.values()):3} {len(turn.state.residents):3}"
    says = turn.says or ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in turn.facts.items())
    attempts = sum(outcome.attempts - 1 for outcome in turn.outcomes)
    again = f" (drawn again {attempts} times)" if attempts else ""
    return f"{turn.index:4}: {cubes}  {says}{again}".rstrip()


def summary(game: Any, turns: Sequence[Turn]) -> str:
    """Return the result of a run in two sentences: the words that the game reported, and the cubes in the tower."""
    landed = [turn for turn in turns if turn.failed is None]
    if not landed:
        return f"{game.title} was cut short before its first turn. Nothing was thrown."
    inside = [len(turn.state.residents) for turn in landed]
    held = f"The tower held {sum(inside) / len(inside):.1f} cubes on average, {inside[-1]} at the end."
    for name in word_facts(game):
        words = Counter(str(turn.facts[name]) for turn in landed if turn.facts.get(name) is not None)
        if words:
            counts = ", ".join(f"{word.replace('_', ' ')} {count}" for word, count in words.most_common(_SHOWN))
            more = ", and others" if len(words) > _SHOWN else ""
            return f"The {name.replace('_', ' ')} in {words.total()} turns: {counts}{more}. {held}"
    return f"{game.title} took {len(landed)} turns. {held}"


def document(game: Any, turns: Sequence[Turn], rules: Any, *, apparatus: str, model: str, seed: int) -> dict[str, Any]:
    """Return the JSON document of a run, ready for `json.dumps`: counts by colour and the facts of each turn."""
    colours = dict.fromkeys(game.cubes(rules), 0)
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "seed": str(seed),
        "model": model,
        "apparatus": apparatus,
        "game": game.name,
        "game_version": game.version,
        **game.plain(rules),
        "turns": [
            {
                "index": turn.index,
                "thrown": colours | turn.thrown,
                "out": colours | turn.out,
                "inside": colours | turn.inside,
                "facts": dict(turn.facts),
                "says": turn.says,
            }
            for turn in turns
            if turn.failed is None
        ],
    }


class FigureOdds(ManyRuns):
    """Statistics over many runs: the mean of each figure, and how often a run ended with each word of a fact."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.values: list[tuple[float, ...]] = []
        self.last: dict[str, Counter[str]] = {name: Counter() for name in word_facts(game)}
        self.names = ("", "")

    def add(self, turns: Sequence[Turn]) -> None:
        """Add the turns of a complete run."""
        self.values.append(self.game.measured(turns, self.rules))
        self.names = (turns[-1].state.model, turns[-1].state.apparatus) if turns else self.names
        for name, counts in self.last.items():
            told = [turn.facts[name] for turn in turns if turn.facts.get(name) is not None]
            counts.update(map(str, told[-1:]))

    @property
    def runs(self) -> int:
        """The number of runs that were added."""
        return len(self.values)

    def document(self) -> dict[str, Any]:
        """Return the JSON document with means, shares and their 95 % intervals."""
        model, apparatus = self.names
        head = {"schema": ODDS, "version": VERSION, "seed": str(self.seed), "model": model, "apparatus": apparatus}
        columns = np.array(self.values).reshape(self.runs, -1).T
        means = {figure.key: mean(column.tolist()) for figure, column in zip(self.game.figures, columns, strict=True)}
        ends = {
            name: {word: proportion(counts[word], self.runs) for word in word_facts(self.game)[name]}
            for name, counts in self.last.items()
        }
        told = {"game": self.game.name, **self.game.plain(self.rules), "runs": self.runs, "confidence": CONFIDENCE}
        return head | told | {"means": means, "last": ends}

    def words(self) -> str:
        """Return the report as text."""
        now, width = self.document(), max(len(figure.title) for figure in self.game.figures)
        lines = [_plain(self.game, now), "", f"{self.game.title}, {now['apparatus']}, {now['model']}, seed {self.seed}"]
        lines += [f"{self.runs} {self.game.runs}; in brackets 95 % intervals", ""]
        lines += [
            f"{of.title:{width}}  {_said(now['means'][of.key], 'mean')} {of.unit if of.unit != '1' else ''}".rstrip()
            for of in self.game.figures
        ]
        for name, words in now["last"].items():
            lines += ["", f"the last {name.replace('_', ' ')} of a {self.game.run}"]
            lines += [
                f"{word.replace('_', ' '):{width}}  {_said(share, 'share')}"
                for word, share in words.items()
                if share["count"]
            ]
        return "\n".join(lines)

    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        """Raise UsageError: this class has no picture."""
        raise UsageError(
            f"many {self.game.runs} of {self.game.name} have no picture; allowed is one; leave --games out"
        )


def _plain(game: Any, now: Mapping[str, Any]) -> str:
    """Return two sentences about what a player notices, and how sure it is."""
    for name, words in now["last"].items():
        likely = sorted(words, key=lambda word: -words[word]["share"])[:2]
        if len(likely) == 2 and words[likely[0]]["count"]:
            first, second = (words[word] for word in likely)
            sure = "that is sure" if first["interval"][0] > second["interval"][1] else "which is likelier is not sure"
            told = " and ".join(f"{word.replace('_', ' ')} in {100 * words[word]['share']:.0f}" for word in likely)
            what = name.replace("_", " ")
            return f"Of 100 {game.runs} the last {what} is {told}: {sure}. {_first(game, now)}"
    return f"{_first(game, now)} The brackets say how sure the means are."


def _first(game: Any, now: Mapping[str, Any]) -> str:
    of = game.figures[0]
    return f"On average the {of.title} is {now['means'][of.key]['mean']:.3g} over {now['runs']} {game.runs}."


def _said(value: Mapping[str, Any], key: str) -> str:
    low, high = value["interval"] or (value[key], value[key])
    if key == "share":
        return f"{value[key]:.1%} ({low:.1%} to {high:.1%})"
    return f"{value[key]:.3g} ({low:.3g} to {high:.3g})"
