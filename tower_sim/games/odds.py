"""Statistics over many runs, with confidence intervals, and the types of the documents of runs and of statistics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
    Estimate,
    Estimates,
    Figure,
    average,
    ratios_of_sums,
    student_quantile,
    tell,
    tell_share,
    too_few,
    wilson,
)
from tower_sim.tools import count_noun


def mean_of(figure: Figure, values: Sequence[float]) -> Estimate:
    """Return the mean of a figure over runs, with Student's interval within the limits of the figure.

    A share that is 0 or 1 in each run has Wilson's. There is none for fewer than FEWEST runs, and for equal values.
    """
    mean, least = average(values), min(values)
    if figure.is_share and mean.n >= FEWEST and {*values} <= {0, 1}:
        return wilson(round(sum(values)), mean.n)
    if mean.n < FEWEST or least == max(values):
        return Estimate(mean.value, math.nan, math.nan, mean.n)
    low = max(mean.low, 0.0) if least >= 0 else mean.low
    return Estimate(mean.value, low, min(mean.high, 1.0) if figure.is_share else mean.high, mean.n)


def shares_of(counts: Array) -> list[Estimate]:
    """Return the share of each column in all counts, shape (runs, columns), with n as its count.

    The interval is Student's for a ratio of sums over runs; there is none for fewer than FEWEST runs.
    """
    share, error, freedom = ratios_of_sums(counts, counts.sum(1, keepdims=True))
    half = np.where(freedom + 1 >= FEWEST, student_quantile(freedom, (1 + CONFIDENCE) / 2) * error, np.nan)
    return [*Estimates(share, np.maximum(share - half, 0.0), np.minimum(share + half, 1.0), counts.sum(0))]


def plain_mean(mean: Estimate) -> Mean:
    """Return a mean as plain JSON values."""
    return {"n": mean.n, "mean": mean.value, "interval": _interval(mean)}


def plain_shares(shares: Mapping[str, Estimate]) -> dict[str, Share]:
    """Return shares by name as plain JSON values."""
    return {
        name: {"count": share.n, "share": share.value, "interval": _interval(share)} for name, share in shares.items()
    }


def _interval(of: Estimate) -> list[float] | None:
    return None if math.isnan(of.low) else [float(of.low), float(of.high)]


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
    """Return the type of the document of `ManyRuns`."""
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


class ManyRuns:
    """Statistics over many runs: the mean of each figure, and the share of turns with each word.

    Reports need a run, pictures two.
    """

    def __init__(self, game: Any, rules: Any, seed: int) -> None:
        self.game, self.rules, self.seed = game, rules, seed
        self.record = TurnRecord(game, rules)
        self.names = ("", "")

    def add(self, turns: Sequence[Turn]) -> None:
        self.record.add(turns)
        self.names = (turns[-1].state.model, turns[-1].state.apparatus) if turns else self.names

    @property
    def runs(self) -> int:
        return self.record.results.runs

    @property
    def means(self) -> dict[str, Estimate]:
        """The mean of each figure over runs, by key."""
        results = self.record.results
        return {of.key: mean_of(of, of.value(results, none=0.0).tolist()) for of in self.game.figures}

    @property
    def shares(self) -> dict[str, dict[str, Estimate]]:
        """The share of each word among the turns that tell a fact, by fact and word."""
        return {
            name: dict(zip(word_facts(self.game)[name], shares_of(counts), strict=True))
            for name, counts in count_words(self.record.results).items()
        }

    def document(self) -> dict[str, Any]:
        return {
            "schema": "tower-sim/game-odds",
            "version": 2,
            "seed": str(self.seed),
            "model": self.names[0],
            "apparatus": self.names[1],
            "game": self.game.name,
            **self.game.plain(self.rules),
            "runs": self.runs,
            "confidence": CONFIDENCE,
            "means": {key: plain_mean(mean) for key, mean in self.means.items()},
            "shares": {name: plain_shares(words) for name, words in self.shares.items()},
        }

    def words(self) -> str:
        means, shares = self.means, self.shares
        width = max(len(figure.title) for figure in self.game.figures)
        few = too_few(self.runs, self.game.run)
        lines = [self._summarize(means, shares), ""]
        lines += [f"{self.game.title}, {self.names[1]}, {self.names[0]}, seed {self.seed}"]
        lines += filter(None, [self.game.label(self.rules)])
        lines += [few or f"{self.runs} {self.game.runs}; in brackets 95 % intervals", ""]
        lines += [f"{of.title:{width}}  {_tell_mean(of, means)}" for of in self.game.figures]
        for name, words in shares.items():
            if turns := sum(share.n for share in words.values()):
                lines += ["", f"{name.replace('_', ' ')}, shares of {count_noun(turns, 'turn')}"]
                seen = ((str(word).replace("_", " "), share) for word, share in words.items() if share.n)
                lines += [f"{word:{width}}  {tell_share(share)}" for word, share in seen]
        return "\n".join(lines)

    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        what = f"many {self.game.runs} of {self.game.name} have no picture"
        raise UsageError(f"{what}; allowed is one; leave --games out")

    def _summarize(self, means: Mapping[str, Estimate], shares: Mapping[str, Mapping[str, Estimate]]) -> str:
        game, few = self.game, too_few(self.runs, self.game.run)
        figures = [figure for figure in game.figures if figure.sentence] or game.figures
        many = f"{few}," if few else f"{self.runs} {game.runs}"
        over = f"On average over {many}" if self.runs > 1 else f"In this {game.run}"
        told = [f'the figure "{figure.title}" is {_tell_mean(figure, means)}' for figure in figures[:2]]
        for name, words in () if few else shares.items():
            (first, most), (second, next_most) = (sorted(words.items(), key=lambda word: -word[1].value) * 2)[:2]
            if len(words) > 1 and most.n and most.low < most.high:
                sure = "that is sure" if most.low > next_most.high else "which of the two is more frequent is not sure"
                one, other = (str(word).replace("_", " ") for word in (first, second))
                frequent = f"The most frequent {name.replace('_', ' ')} is {one}, with {tell_share(most)} of the turns"
                return f"{frequent}, before {other} with {tell_share(next_most)}: {sure}. {over} {told[0]}."
        return f"{over} {', and '.join(told)}."


def _tell_mean(figure: Figure, means: Mapping[str, Estimate]) -> str:
    return tell(means[figure.key], "" if figure.is_share else figure.unit)
