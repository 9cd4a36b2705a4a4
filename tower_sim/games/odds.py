"""Statistics over many runs, with confidence intervals, and the types of the documents of runs and of statistics."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

import numpy as np
from pydantic import BaseModel, Field

from tower_sim.apparatus import Apparatus
from tower_sim.documents import Mean, Share, answers, make_type
from tower_sim.errors import UsageError
from tower_sim.games.running import TurnRecord, count_words, word_facts
from tower_sim.games.tower import Turn
from tower_sim.results import (
    CONFIDENCE,
    FEWEST,
    Array,
    Figure,
    average,
    ratio_of_sums,
    student_quantile,
    table,
    too_few,
    wilson,
)
from tower_sim.tools import count_noun


class ManyRuns(ABC):
    """Statistics over many runs with the same `rules` and root `seed`. Reports need a run, pictures two."""

    rules: Any = None
    seed: int = 0

    @abstractmethod
    def add(self, turns: Sequence[Turn]) -> None:
        pass

    @property
    @abstractmethod
    def runs(self) -> int:
        pass

    @abstractmethod
    def document(self) -> Mapping[str, Any]:
        pass

    @abstractmethod
    def words(self) -> str:
        pass

    @abstractmethod
    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        pass


def proportion(hits: int, games: int) -> Share:
    """Return a share with its 95 % Wilson interval.

    Args:
        hits: The number of games that count.
        games: The number of games.

    Returns:
        The share. Its interval is None for fewer than FEWEST games.

    >>> proportion(1, 4)
    {'n': 4, 'count': 1, 'share': 0.25, 'interval': None}
    """
    share = wilson(hits, games)
    interval = None if games < FEWEST else [share.low, share.high]
    return {"n": games, "count": hits, "share": share.value, "interval": interval}


def mean(values: Sequence[float], runs: int | None = None) -> Mean:
    """Return a mean with its 95 % Student interval.

    Args:
        values: The values.
        runs: The number of runs that they are of; None is one of each.

    Returns:
        The mean. Its interval is None for fewer than FEWEST runs and for equal values.

    >>> mean([3, 4, 5])
    {'n': 3, 'mean': 4.0, 'interval': None}
    """
    estimate, least = average(values), min(values)
    has_none = (estimate.n if runs is None else runs) < FEWEST or least == max(values)
    low = max(estimate.low, 0.0) if least >= 0 else estimate.low
    return {"n": estimate.n, "mean": estimate.value, "interval": None if has_none else [low, estimate.high]}


def shares(runs: Sequence[Counter[str]], words: Iterable[str]) -> dict[str, Share]:
    """Return the shares of `words`, and of others that were counted after them."""
    every = [*words, *sorted({word for run in runs for word in run if run[word]} - set(words))]
    return _shares(every, np.array([[run[word] for word in every] for run in runs]))


def _shares(words: Sequence[str], counts: Array) -> dict[str, Share]:
    """Return each word's count, its share of all `counts` (runs, words), and the share's 95 % interval.

    The interval is Student's for a ratio of sums over runs; None for fewer than FEWEST runs.
    """
    totals, runs = counts.sum(1).tolist(), len(counts)
    wide = float(student_quantile(runs - 1, (1 + CONFIDENCE) / 2)) if runs >= FEWEST else math.nan

    def share_of(counts: list[int]) -> Share:
        share, error = ratio_of_sums(counts, totals)
        half = wide * error
        interval = None if math.isnan(half) else [max(share - half, 0.0), min(share + half, 1.0)]
        return {"count": sum(counts), "share": share, "interval": interval}

    return {word: share_of(counts[:, i].tolist()) for i, word in enumerate(words)}


def mean_text(result: Mean, form: str = ".2f") -> str:
    """Return a result of `mean` as text."""
    return _with_interval(result["mean"], result["interval"], form)


def share_text(result: Share) -> str:
    """Return a result of `proportion` or `shares` as text, in percent."""
    return _with_interval(result["share"], result["interval"], ".1%")


def _with_interval(value: float, interval: Sequence[float] | None, form: str) -> str:
    ends = f" ({interval[0]:{form}} to {interval[1]:{form}})" if interval else ""
    return f"{value:{form}}{ends}"


def run_type(game: Any) -> Any:
    """Return the type of the document of a run."""
    name = _camel(game.name)
    kinds = {key: Literal[kind] if isinstance(kind, tuple) else kind for key, kind in game.facts.items()}
    fields = {key: NotRequired[kind | None] for key, kind in kinds.items()}
    facts = make_type(f"{name}Facts", f"What a turn of {game.title} lists.", fields)
    turn = make_type(f"{name}Turn", f"One turn of {game.title}.", answers.TurnAnswer.__annotations__ | {"facts": facts})
    turns = Annotated[list[turn], Field(description="The turns in order.")]
    fields = {"game_version": Literal[game.version], "turns": turns}
    return make_type(f"{name}Run", f"One run of {game.title}.", _head(game, "tower-sim/game-run", 2) | fields)


def odds_type(game: Any) -> Any:
    """Return the type of the document of `FigureOdds`."""
    name = _camel(game.name)
    means = {of.key: Annotated[Mean, Field(description=of.title)] for of in game.figures}
    about = {key: Field(description=f"The share of turns with each {key}.") for key in word_facts(game)}
    by_word = {key: Annotated[dict[str, Share], field] for key, field in about.items()}
    fields = {
        "runs": Annotated[int, Field(ge=0, description="How many were played.")],
        "confidence": Annotated[float, Field(description="The confidence of the intervals.")],
        "means": make_type(f"{name}Means", f"The means of the figures of {game.title}.", means),
        "shares": make_type(f"{name}Shares", f"The shares of turns of {game.title}.", by_word),
    }
    head = _head(game, "tower-sim/game-odds", 2)
    return make_type(f"{name}Odds", f"The odds of many runs of {game.title}.", head | fields)


def _head(game: Any, schema: str, version: int) -> dict[str, Any]:
    first, *others = game.tables
    rules: Any = game.Rules if issubclass(game.Rules, BaseModel) else dict[str, Any]
    tables = {first: Annotated[rules, Field(description="Every rule.")], **dict.fromkeys(others, dict[str, Any])}
    kind = {"schema": Literal[schema], "version": Literal[version], "game": Literal[game.name]}
    return kind | {"seed": answers.Seed, "model": answers.ModelName, "apparatus": answers.ApparatusName} | tables


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


class FigureOdds(ManyRuns):
    """Statistics over many runs: the mean of each figure, and the share of turns with each word."""

    def __init__(self, game: Any) -> None:
        self.game = game
        self.names = ("", "")

    @cached_property
    def record(self) -> TurnRecord:
        """The turns so far."""
        return TurnRecord(self.game, self.rules)

    def add(self, turns: Sequence[Turn]) -> None:
        self.record.add(turns)
        self.names = (turns[-1].state.model, turns[-1].state.apparatus) if turns else self.names

    @property
    def runs(self) -> int:
        return self.record.results.runs

    def document(self) -> dict[str, Any]:
        results, (model, apparatus) = self.record.results, self.names
        columns = table(results, self.game.figures).T
        return {
            "schema": "tower-sim/game-odds",
            "version": 2,
            "seed": str(self.seed),
            "model": model,
            "apparatus": apparatus,
            "game": self.game.name,
            **self.game.plain(self.rules),
            "runs": results.runs,
            "confidence": CONFIDENCE,
            "means": {
                of.key: _mean(of, values.tolist()) for of, values in zip(self.game.figures, columns, strict=True)
            },
            "shares": {name: _shares(word_facts(self.game)[name], counts)
                       for name, counts in count_words(results).items()},
        }  # fmt: skip

    def words(self) -> str:
        now, width = self.document(), max(len(figure.title) for figure in self.game.figures)
        head = f"{self.game.title}, {now['apparatus']}, {now['model']}, seed {self.seed}"
        few = too_few(self.runs, self.game.run)
        lines = [_summarize(self.game, now), "", head, *filter(None, [self.game.label(self.rules)])]
        lines += [few or f"{self.runs} {self.game.runs}; in brackets 95 % intervals", ""]
        lines += [f"{of.title:{width}}  {_format_mean(of, now)}" for of in self.game.figures]
        for name, words in now["shares"].items():
            if turns := sum(share["count"] for share in words.values()):
                lines += ["", f"{name.replace('_', ' ')}, shares of {count_noun(turns, 'turn')}"]
                seen = ((word.replace("_", " "), share) for word, share in words.items() if share["count"])
                lines += [f"{word:{width}}  {share_text(share)}" for word, share in seen]
        return "\n".join(lines)

    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        what = f"many {self.game.runs} of {self.game.name} have no picture"
        raise UsageError(f"{what}; allowed is one; leave --games out")


def _summarize(game: Any, now: Mapping[str, Any]) -> str:
    few = too_few(now["runs"], game.run)
    figures = [figure for figure in game.figures if figure.sentence] or game.figures
    many = f"{few}," if few else f"{now['runs']} {game.runs}"
    over = f"On average over {many}" if now["runs"] > 1 else f"In this {game.run}"
    means = [f'the figure "{figure.title}" is {_format_mean(figure, now)}' for figure in figures[:2]]
    for name, words in () if few else now["shares"].items():
        likely = sorted(words, key=lambda word: -words[word]["share"])[:2]
        first, second = ([words[word] for word in likely] * 2)[:2]
        ends = [share["interval"] for share in (first, second)]
        if len(likely) == 2 and first["count"] and ends[0][0] < ends[0][1]:
            sure = "that is sure" if ends[0][0] > ends[1][1] else "which of the two is more frequent is not sure"
            names = [word.replace("_", " ") for word in likely]
            frequent = (
                f"The most frequent {name.replace('_', ' ')} is {names[0]}, with {share_text(first)} of the turns"
            )
            return f"{frequent}, before {names[1]} with {share_text(second)}: {sure}. {over} {means[0]}."
    return f"{over} {', and '.join(means)}."


def _mean(figure: Figure, values: list[float]) -> Mean:
    value = mean(values)
    if figure.is_share and {*values} <= {0.0, 1.0}:  # of each run it is yes or no
        value["interval"] = proportion(int(sum(values)), len(values))["interval"]
    elif figure.is_share and value["interval"]:
        value["interval"] = np.clip(value["interval"], 0, 1).tolist()
    return value


def _format_mean(figure: Figure, now: Mapping[str, Any]) -> str:
    return mean_text(now["means"][figure.key], ".3g") + ("" if figure.is_share else f" {figure.unit}")
