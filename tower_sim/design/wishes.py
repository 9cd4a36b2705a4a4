"""What a designer may wish of a tower, what a miss weighs, and what is held while one is sought."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tower_sim.apparatus import space
from tower_sim.errors import UsageError, check_number, check_one, check_table, fault, word_list

Array = npt.NDArray[np.float64]

CUBES, COLOURS = 49, 7  # of the game that towers are measured by
CLOGGED = "clogged"
MOST_BED = 1000.0  # mm
MATERIAL = ("cube_friction", "tower_friction", "restitution")
HAND = ("release_height", "release_spread", "poured")
GROUPS: Mapping[str, tuple[str, ...]] = {"material": MATERIAL, "hand": HAND}
"""Numbers that can be held as usual by one word: a designer may have to take wood and hands as they are."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of wish: its option's `name`, the `output` it is about, from `low` to `high`, and `why` not beyond.

    `grain` is what matters: a tower nearer than that does what was wished. `words` say a value.
    A wish that `is_most` is met by less, too.
    """

    name: str
    output: str
    low: float
    high: float
    why: str
    grain: float
    words: str
    is_most: bool = False


_CUBES, _COLOURS, _SHARE = f"there are {CUBES} cubes", f"there are {COLOURS} colours", "it is a share"
_PHASE = f"a phase throws the cubes of one of {COLOURS} colours, of {CUBES} in all"
_KEEPS = f"keeps {{}} of the {CUBES} cubes of the set-up"
_OLD = "brings out cubes that were inside before, a share of {}"
KINDS = (
    Kind("keep", "setup", 0, CUBES, _CUBES, 1.0, _KEEPS),
    Kind("inside", "inside", 0, CUBES, _CUBES, 1.0, "has {} cubes inside after a phase"),
    Kind("out", "out", 0, CUBES / COLOURS, _PHASE, 0.3, "lets {} cubes out in a phase"),
    Kind("colours", "colours", 0, COLOURS, _COLOURS, 0.2, "shows {} colours in a phase"),
    Kind("exchange", "exchange", 0, 1, _SHARE, 0.05, _OLD),
    Kind("clogged", "clogged", 0, 1, _SHARE, 0.1, "clogs in a share of {} of its games", is_most=True),
)
BY_NAME: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish: so much of a kind; `is_tacit`: nobody said it, but who wants a tower that clogs?"""

    kind: Kind
    wanted: float
    is_tacit: bool = False

    def said(self) -> str:
        """Say it as what the tower does."""
        if self.is_tacit:
            return "clogs in hardly any game"
        return self.kind.words.format(f"{self.wanted:g}")


def wish(name: str, wanted: float) -> Wish:
    """Return a wish; raises UsageError for a value that no tower can have."""
    kind = BY_NAME[check_one("wish", name, BY_NAME)]
    return Wish(kind, check_number(f"--{name}", wanted, kind.low, kind.high, f"{kind.why}; wish less or more"))


@dataclass(frozen=True, slots=True)
class Brief:
    """What is sought: `wishes`, the numbers that are `held`, and the side of the print `bed` (mm; None: any tower)."""

    wishes: tuple[Wish, ...]
    held: Mapping[str, float]
    bed: float | None = None

    @property
    def grains(self) -> Array:
        """What matters of each wish."""
        return np.array([each.kind.grain for each in self.wishes])

    def misses(self, values: Array) -> Array:
        """Return how far `values`, shape (..., wishes), are from what was wished, in grains."""
        wanted = np.array([each.wanted for each in self.wishes])
        most = np.array([each.kind.is_most for each in self.wishes])
        off = (values - wanted) / self.grains
        return np.where(most & (off < 0), 0.0, off)

    def miss(self, values: Array) -> Array:
        """Return the miss of `values`, shape (..., wishes): the root mean square over wishes, in grains."""
        return np.sqrt((self.misses(values) ** 2).mean(-1))

    def allows(self, numbers: Array) -> npt.NDArray[np.bool_]:
        """Say which towers at `numbers`, shape (T, parameters), have what is held and fit the bed: shape (T,)."""
        at = space.by_name(numbers)
        held = [np.isclose(at[name], value) for name, value in self.held.items()]
        fits = np.ones(len(numbers), bool) if self.bed is None else largest(numbers) <= self.bed
        return np.all([*held, fits], 0)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The output of each wish."""
        return tuple(each.kind.output for each in self.wishes)

    @property
    def surplus(self) -> int | None:
        """The wish, by its place, that is believed as a surplus: that of `out`, where `inside` is wished too.

        These two are nearly one figure. A phase throws the cubes of its colour that are not inside, so in the long run
        as many come out as that balance, (CUBES - inside) / COLOURS; the surplus over it is small, and its own.
        """
        return self.outputs.index("out") if {"inside", "out"} <= set(self.outputs) else None

    def _balance(self, values: Array) -> Array:
        """Return what comes out in the long run in the place of the surplus, zero elsewhere."""
        balance = np.zeros_like(values)
        if self.surplus is not None:
            balance[..., self.surplus] = (CUBES - values[..., self.outputs.index("inside")]) / COLOURS
        return balance

    def parted(self, values: Array) -> Array:
        """Return the figures that are believed each by itself, of the `values` of each wish: both (..., wishes)."""
        return values - self._balance(values)

    def joined(self, figures: Array) -> Array:
        """Return the value of each wish, of what `parted` returns."""
        return figures + self._balance(figures)

    def joined_sd(self, sd: Array) -> Array:
        """Return the sd of the value of each wish, of those of what `parted` returns: both (..., wishes)."""
        return np.hypot(sd, self._balance(np.zeros_like(sd)) - self._balance(sd))


def asked(
    wished: Mapping[str, float],
    *,
    cube: float | None = None,
    bed: float | None = None,
    hold: Sequence[str] = (),
) -> Brief:
    """Check what is asked for. `wished` is by option, `cube` and `bed` are in mm.

    `hold` are words: those of GROUPS hold numbers as usual, NAME=X holds one of the design space. Raises UsageError, in
    one line, for a wish or a number that cannot be, for no wish, and for a bed on which no tower of these numbers fits.
    """
    if not check_table("wishes", wished):
        names = ", ".join(f"--{kind.name}" for kind in KINDS)
        raise UsageError(f"no wish is given; allowed are {names}; try --keep 12 --out 5")
    wishes = tuple(wish(name, wanted) for name, wanted in wished.items())
    wishes = tuple(sorted(wishes, key=lambda one: [*BY_NAME].index(one.kind.name)))
    if CLOGGED not in wished:
        wishes = (*wishes, Wish(BY_NAME[CLOGGED], 0.0, is_tacit=True))
    held = dict(pair for word in word_list("--hold", hold) for pair in _held(word))
    if cube is not None:
        edge = space.BY_NAME["edge_mm"]
        check_number("--cube (mm)", cube, edge.low, edge.high, "that is what towers are built for")
        held["edge_mm"] = cube
    if bed is not None:
        _check_bed(bed, held)
    return Brief(wishes, held, bed)


def _held(word: str) -> list[tuple[str, float]]:
    """Read a word of `--hold`: the numbers that it holds."""
    if word in GROUPS:
        return [(name, float(space.BY_NAME[name].usual)) for name in GROUPS[word]]
    name, _, text = word.partition("=")
    try:
        value = float(text)
    except ValueError:
        raise fault("--hold", word, f"{', '.join(GROUPS)} or NAME=NUMBER", "try --hold material, or tube=7.5") from None
    return [(name, float(space.checked({name: value})[name]))]


def _check_bed(bed: float, held: Mapping[str, float]) -> None:
    from tower_sim.printing.walls import WALL  # half a second, so only where a bed is given

    edge = held.get("edge_mm", space.BY_NAME["edge_mm"].low)
    least = math.floor(held.get("funnel_rim", space.BY_NAME["funnel_rim"].low) * edge + 2 * WALL) + 1
    why = f"the narrowest funnel for cubes of {edge:g} mm is {least} mm wide outside"
    check_number("--print-bed (mm)", bed, least, MOST_BED, f"{why}; take another bed or smaller cubes")


def largest(numbers: Array) -> Array:
    """Return the longest side (mm) of any piece of the towers at `numbers`, shape (T, parameters): shape (T,).

    The pieces are the funnel and the tube as `tower_sim.printing` makes them: cut under each floor, over the exit and
    under the funnel, with printed walls, of which the funnel's lean, ears, and pegs on top. The tray and what is under
    the exit's upper edge are not among them: they can be cut anywhere. Higher than wide is only what is over the ramp.
    """
    from tower_sim.apparatus.tower_parts import WALL as SIMULATED
    from tower_sim.printing.joints import EAR, LONG  # half a second, so only where a bed is given
    from tower_sim.printing.walls import WALL

    at = space.by_name(numbers)
    edge = at["edge_mm"]
    wide = WALL * np.hypot(1.0, (at["funnel_rim"] - at["tube"]) / 2 / at["funnel_height"])  # level through the funnel
    over_ramp = np.tan(np.radians(at["ramp_deg"])) * at["tube"] + at["clearance"] - at["exit_height"]
    tube = at["tube"] * edge + 2 * (wide + EAR) + 1e3 * SIMULATED - WALL  # the wall over the exit is as simulated
    return np.max((at["funnel_rim"] * edge + 2 * wide, tube, over_ramp * edge + LONG), 0)


def listed_misses(asked: Brief, mean: Array, sd: Array) -> str:
    """Say what a tower is believed to do, with its sd, beside what was wished: for progress."""
    kinds = [wish.kind for wish in asked.wishes]
    mean = np.clip(mean, [kind.low for kind in kinds], [kind.high for kind in kinds])
    each = zip(asked.wishes, mean.tolist(), sd.tolist(), strict=True)
    return ", ".join(f"{wish.kind.name} {value:.1f} ± {error:.1f} ({wish.wanted:g})" for wish, value, error in each)
