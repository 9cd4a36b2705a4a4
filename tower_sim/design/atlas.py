"""The atlas: what matters in a tower, from a campaign over many of them.

docs/atlas.md is written from it, by tests/measure/atlas.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tower_sim.design.effects import Influences, effects, told_by, with_dummy
from tower_sim.design.towers import OUTPUTS, Output, Towers
from tower_sim.errors import UsageError
from tower_sim.gaussian import GaussianProcess, Matern, fit
from tower_sim.progress import telling

Array = npt.NDArray[np.float64]

LEAST = 50  # towers of which an output can be told
REPEATED = 20  # towers with two runs or more, from which noise is told
SOUGHT = 2048  # towers at most from which lengths are found: from 400, far less of colours and exchange is told
WIDTH = 0.08  # of an output's range: the width over which noise is smoothed


@dataclass(frozen=True)
class Quality:
    """How well the emulator tells a tower that it has not seen: shares of the variance over towers.

    `told` is what it explains of a tower's figure; `chance` is what no emulator can, the noise of its games.
    """

    towers: int
    told: float
    chance: float

    @property
    def of_the_rest(self) -> float:
        """The share that is explained of what is not chance."""
        return self.told / (1 - self.chance)


@dataclass(frozen=True)
class AtlasPart:
    """The atlas of one output: its mean and sd over towers, the emulator's quality, and what matters."""

    output: Output
    mean: float
    sd: float
    quality: Quality
    effects: Influences
    emulator: GaussianProcess


@dataclass(frozen=True)
class Atlas:
    """What matters in a tower: a part for each output; `errors` are standard errors of the towers' values.

    The `towers` have the kernels of the emulators, without the dummy column.
    """

    towers: Towers
    errors: dict[str, Array]
    parts: dict[str, AtlasPart]


def make(
    towers: Towers,
    seed: int = 0,
    repeated: Towers | None = None,
    outputs: Sequence[Output] = OUTPUTS,
    known: Mapping[str, Array] | None = None,
) -> Atlas:
    """Make the atlas of `towers`, whose noise is told by `repeated`, towers with several runs each.

    Or standard errors of the towers' values are `known`, by output. With neither, noise is what the emulator cannot
    follow, the same for every tower. Random, from `seed`: the dummy column, groups of towers, samples.
    Raises UsageError for fewer than LEAST towers.
    """
    if len(towers) < LEAST:
        raise UsageError(f"towers = {len(towers)}; allowed are {LEAST} or more; run more of the campaign")
    parts: dict[str, AtlasPart] = {}
    errors: dict[str, Array] = {}
    with telling("outputs", len(outputs)) as tell:
        for i, output in enumerate(outputs):
            parts[output.name], errors[output.name] = _part(towers, output, seed + 100 * i, repeated, known)
            tell(i + 1)
    kernels = {
        name: replace(part.emulator.kernel, lengths=part.emulator.kernel.lengths[:-1]) for name, part in parts.items()
    }
    return Atlas(replace(towers, kernels=kernels), errors, parts)


def _part(
    towers: Towers, output: Output, seed: int, repeated: Towers | None, known: Mapping[str, Array] | None
) -> tuple[AtlasPart, Array]:
    rng = np.random.default_rng(seed)
    value = towers.values[output.name]
    mine = np.flatnonzero(~np.isnan(value))
    if len(mine) < LEAST:
        raise UsageError(f"towers that tell {output.name} = {len(mine)}; allowed are {LEAST} or more; run more of them")
    x, y = with_dummy(towers.numbers[mine], rng.random(len(mine))), value[mine]
    runs = towers.runs[mine]
    emulator = fit(x, y, None, rng, sought=SOUGHT)
    noise = np.full(len(mine), emulator.kernel.nugget)
    if known is not None:
        noise = known[output.name][mine] ** 2
    elif output.is_chance:  # the more surely a tower clogs or does not, the less its games differ
        chance = np.clip(emulator.held_out(), 0.02, 0.98)
        noise = chance * (1 - chance) / runs
    elif repeated is not None:
        noise = within(repeated, output.name, emulator.held_out()) / runs
    if output.is_chance or known is not None or repeated is not None:
        emulator = fit(x, y, noise, rng, _beside(emulator.kernel, noise))
    held_out = emulator.held_out()
    total = float(y.var())
    quality = Quality(len(mine), float(1 - ((y - held_out) ** 2).mean() / total), float(min(noise.mean() / total, 1.0)))
    errors = np.full(len(towers), np.nan)
    errors[mine] = np.sqrt(noise)
    part = AtlasPart(output, float(y.mean()), float(y.std()), quality, effects(told_by(emulator), seed), emulator)
    return part, errors


def _beside(kernel: Matern, noise: Array) -> Matern:
    """Return the kernel whose nugget is what is left beside the noise that is known, a tenth at least."""
    return replace(kernel, nugget=max(kernel.nugget - float(noise.mean()), 0.1 * kernel.nugget))


def within(repeated: Towers, name: str, at: Array) -> Array:
    """Return the variance of a run of a tower whose figure is about `at`, smoothed over towers with several runs.

    Raises UsageError for fewer than REPEATED of these.
    """
    variance, mean = repeated.within[name], repeated.values[name]
    there = ~np.isnan(variance)
    if there.sum() < REPEATED:
        raise UsageError(
            f"towers with two runs or more that tell {name} = {there.sum()}; allowed are {REPEATED} or more; "
            "run more of them, or leave them out"
        )
    variance, mean, weight = variance[there], mean[there], (repeated.runs[there] - 1).astype(float)
    width = WIDTH * (mean.max() - mean.min() or 1.0)
    near = np.exp(-0.5 * ((np.clip(at, mean.min(), mean.max())[:, None] - mean) / width) ** 2) * weight
    smooth = (near * variance).sum(1) / near.sum(1)
    return np.maximum(smooth, 0.02 * (variance * weight).sum() / weight.sum())
