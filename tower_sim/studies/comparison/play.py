"""What a search may change, each rule with its values; and the playing of runs, of one variant or in pairs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from tower_sim.compiled import way
from tower_sim.drops import DropModel, Recorder, TooManyFailedDraws
from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.games import Compared, Sampler, Values, parse_value
from tower_sim.requests import APPARATUS, Variant, read_variant, to_its_end
from tower_sim.results import Array
from tower_sim.studies.comparison.paired import Comparison, group_rows
from tower_sim.surrogate import ShipSurrogate, SurrogateModel
from tower_sim.tools import toml_table, toml_text
from tower_sim.values import check_seed

MOST = 1000  # values of one rule
_NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*(?:\.\.\s*({_NUMBER})\s*)?\Z")
_FORM = "KEY=VALUES, such as cubes=5..12, knock=0..1..0.25 or gold_divisor=2,3"


@dataclass(frozen=True)
class RuleValues:
    """A rule `key` and the `values` that the search may give it, in order, each a text as after `--set KEY=`."""

    key: str
    values: tuple[str, ...]


Way = Mapping[str, str]
"""Changes to rules: the text of the new value by the key of the rule."""


def read_vary(text: str) -> RuleValues:
    """Return what a text such as `cubes=5..12` lets vary."""
    key, equals, values = (part.strip() for part in text.partition("="))
    if not (key and equals and values):
        raise UsageError(f"--vary {text!r}; allowed is {_FORM}; write --vary cubes=5..12")
    if found := _RANGE.match(values):
        return parse_vary(key, _list_range(text, *found.groups()))
    try:
        return parse_vary(key, toml_table(f"value = [{values}]", "the values")["value"])
    except UsageError:
        return parse_vary(key, [parse_value(word) for word in map(str.strip, values.split(",")) if word])


def parse_vary(key: str, values: Any) -> RuleValues:
    """Return what a key and its values let vary: a text as after `--vary KEY=`, a range, or a list."""
    if isinstance(values, str):
        return read_vary(f"{key}={values}")
    if not isinstance(values, (Sequence, range)):
        raise fault(f"vary {key}", values, 'a range, a list of values, or a text such as "5..12"')
    every = [toml_text(value) for value in cast("Sequence[Any]", values)]
    if not 1 <= len(every) <= MOST:
        raise fault(f"the number of values of --vary {key}", len(every), f"1 to {MOST}", "give fewer, or a step")
    return RuleValues(key, tuple(dict.fromkeys(every)))


def usual(base: Variant) -> tuple[RuleValues, ...]:
    """Return every rule that is a whole number above 0, from half to twice its value.

    Values that the game refuses are left out, and so are rules without two values.
    """
    keys = base.game.compared((base.rules, base.rules)).keys(0)
    found: list[RuleValues] = []
    for key, value in keys.items():
        if isinstance(value, int) and not isinstance(value, bool) and value > 0 and "." not in key:
            every = [str(each) for each in range(math.ceil(value / 2), 2 * value + 1)]
            allowed = [each for each in every if _is_allowed(base, {key: each})]
            found += [RuleValues(key, tuple(allowed))] * (len(allowed) > 1)
    if not found:
        raise fault("--vary", "nothing", _FORM, f"{base.game.name} has no rule that is a whole number: name one")
    return tuple(found)


def check_values(base: Variant, varied: Sequence[RuleValues]) -> tuple[RuleValues, ...]:
    """Return what varies, without values that change nothing; raise UsageError for a value that is not allowed."""
    keys = [vary.key for vary in varied]
    if twice := next((key for key in keys if keys.count(key) > 1), None):
        raise fault("--vary", twice, "each rule once", "write all its values in one --vary")

    def changes(key: str, value: str) -> bool:
        other = varied_by(base, {key: value})
        return other.rules != base.rules or other.apparatus.digest != base.apparatus.digest

    return tuple(
        RuleValues(vary.key, tuple(value for value in vary.values if changes(vary.key, value))) for vary in varied
    )


def varied_by(base: Variant, way: Way) -> Variant:
    """Return `base` with the changes of a way."""
    own = [change for change in base.changes if change.partition("=")[0].strip() not in way]
    return read_variant(base.file, [*own, *(f"{key}={value}" for key, value in way.items())])


def as_it_was(base: Variant, key: str) -> Any:
    """Return the value that a rule has in `base`."""
    if key == APPARATUS:
        return base.apparatus.name
    tables = base.game.plain(base.rules)
    found: Any = {**tables, **tables.get(base.game.tables[0], {})}
    for word in key.split("."):
        found = cast("dict[str, Any]", found).get(word) if isinstance(found, dict) else None
    return found


def _list_range(text: str, first: str, last: str, step: str | None) -> list[Any]:
    if step is None and not (first.lstrip("-").isdigit() and last.lstrip("-").isdigit()):
        raise UsageError(f"--vary {text!r} has no step; allowed is FIRST..LAST..STEP; write {first}..{last}..0.1")
    by = float(step or 1)
    number = (float(last) - float(first)) / by if by > 0 else -1
    if not 0 <= number < MOST:
        allowed = f"up to {MOST} values from less to more"
        raise UsageError(f"--vary {text!r}; allowed are {allowed}; write --vary cubes=5..12")
    every = [round(float(first) + i * by, 12) for i in range(math.floor(number + 1e-9) + 1)]
    is_whole = all(each.lstrip("-").isdigit() for each in (first, last, step or "1"))
    return [int(each) for each in every] if is_whole else every


def _is_allowed(base: Variant, way: Way) -> bool:
    try:
        varied_by(base, way)
    except UsageError:
        return False
    return True


MAX_GAMES = 1_000_000  # a minute; half a gigabyte
_BATCH, _PLAIN_BATCH = 4096, 16  # games in a batch; in plain Python about a second, so that it can be interrupted
_BATCH_COUNTS = 10_000_000  # numbers in a batch


def compare(
    variants: tuple[Variant, Variant],
    models: tuple[DropModel, DropModel],
    games: int,
    seed: int,
    note: Callable[[int], None] = lambda done: None,
) -> Comparison:
    """Play pairs of runs of A and B and compare them; after an interrupt compare those done.

    Run r of both draws from stream r of `seed` if both models can sample runs, else it is played as run r of `seed`.
    Equal variants with one model play a run once. A pair with a drop that failed 5 times is left out. `note` is called
    with the number of pairs done. Raises TooManyFailedDraws if fewer than 2 pairs succeed, and KeyboardInterrupt if
    fewer than 2 were done.
    """
    games, seed = check_whole("games", games, 2, MAX_GAMES), check_seed(seed)
    compared = variants[0].game.compared((variants[0].rules, variants[1].rules))
    samplers = [compared.sampler(model) for model in models]
    samplers = samplers if all(samplers) else [None, None]
    a, b = (_play_runs(compared, side, models[side], samplers[side], games, seed) for side in (0, 1))
    is_same = models[0] is models[1] and compared.rules[0] == compared.rules[1]
    parts: list[tuple[Values, Values]] = []
    failures: list[TooManyFailedDraws] = []
    done, interrupted = 0, False
    try:
        for pair in ((each, each) for each in a) if is_same else zip(a, b, strict=True):
            errors = [each for each in pair if isinstance(each, TooManyFailedDraws)]
            failures += errors[:1]
            if not errors:
                parts.append(cast("tuple[Values, Values]", pair))
                done += len(parts[-1][0])
            note(done + len(failures))
    except KeyboardInterrupt:
        interrupted = True
    if done < 2:
        raise failures[-1] if failures and not interrupted else KeyboardInterrupt
    values = Values.together([part[0] for part in parts]), Values.together([part[1] for part in parts])
    names = [model.name for model in models]
    name = names[0] if names[0] == names[1] else f"{names[0]} (A), {names[1]} (B)"
    of = group_rows(compared, values)
    return Comparison(*variants, name, seed, games, compared, values, of, len(failures), interrupted)


def play_side(
    compared: Compared,
    model: DropModel,
    games: int,
    seed: int,
    first: int = 0,
    note: Callable[[int], None] = lambda games: None,
) -> Array:
    """Play runs of variant B alone, as `compare` does, from run `first` on; return their figures (run, figure).

    Runs with a drop that failed 5 times are left out. `note` is called with the games of each batch.
    """
    parts = [np.zeros((0, compared.width))]
    for each in _play_runs(compared, 1, model, compared.sampler(model), games, seed, first):
        if isinstance(each, Values):
            parts.append(each.values)
        note(len(each) if isinstance(each, Values) else 1)
    return np.concatenate(parts)


def _play_runs(
    compared: Compared, side: int, model: DropModel, sampler: Sampler | None, games: int, seed: int, first: int = 0
) -> Iterator[Values | TooManyFailedDraws]:
    if sampler:
        size = max(1, min(_BATCH if way() != "python" else _PLAIN_BATCH, _BATCH_COUNTS // compared.numbers()))
        for start in range(0, games, size):
            yield sampler(side, min(size, games - start), seed, first + start)
        return
    for run in range(first, first + games):
        try:
            yield _play(compared, model, side, seed, run)
        except TooManyFailedDraws as error:
            yield error


def _play(compared: Compared, model: DropModel, side: int, seed: int, run: int) -> Values:
    recorder = Recorder(model)
    turns = list(to_its_end(compared.game.start(recorder.as_model, compared.rules[side], seed, run)))
    draws = recorder.take_draws()
    landed = sum(draw.outcome.status.is_landing for draw in draws)
    values = replace(compared.run(turns, side), draws=(landed, len(draws) - landed))
    if isinstance(model, SurrogateModel | ShipSurrogate):
        values = replace(values, drops=len(draws), beyond=sum(draw.outcome.extrapolated for draw in draws))
    return values
