"""The data of a campaign as arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from tower_sim.campaign.spec import find_game
from tower_sim.games import Game
from tower_sim.results import Array, Columns, Results, Words

INSIDE = "inside:"
SETUP = "setup"  # the phase of a drop that only fills the tower


@dataclass(frozen=True, eq=False, kw_only=True)
class Campaign(Results):
    """The dataset of one campaign.

    - `rows` has the drops that succeeded (in battles: the steps), sorted by run and number. `run` counts from 0 over
      all design points; `kind` is that of the step; `drawn` is whether the model was called. Cubes are counted as in
      Results, `before` too. `phase` and `winner` are copied from the `facts`, null if the game has none.
    - `cubes` has all cubes of all rows, sorted by `row`: `cube`, `colour`, `thrown`, `age`, `before` and `after`.
    - `failed` has the `run`, the `drop` and the `status` of each failed attempt.
    - `run_point[r]` is the design point of run r; `points` has the values of the varied fields. `digest` is the spec's.
      `made_with` has the software versions. `missing` are the shards not run yet.
    """

    spec: Mapping[str, Any]
    points: Sequence[Mapping[str, Any]]
    run_point: Array
    cubes: Columns
    failed: Columns
    digest: str = ""
    made_with: Mapping[str, str] = field(default_factory=dict[str, str])
    shards: int = 0
    missing: tuple[int, ...] = ()

    @staticmethod
    def of(rows: Columns, cubes: Columns, facts: Columns, **others: Any) -> Campaign:
        """Return a campaign with the columns that follow from these: counts by colour, drops of play, old cubes out."""
        none = Columns({"run": np.zeros(0, int), "drop": np.zeros(0, int), "status": Words.none(0)})
        has_setup = SETUP in rows.phase.names
        is_out = ~cubes.after.starts(INSIDE)
        colours, count = cubes.colour.names, len(rows)

        def by_colour(chosen: Array) -> Array:
            some = cubes.row[chosen].astype(np.int64) * len(colours) + cubes.colour.codes[chosen]
            return np.bincount(some, minlength=count * len(colours)).reshape(count, len(colours))

        changed = np.where((rows.thrown > 0) | (rows.drop == 0), np.arange(count), 0)
        counts = {"thrown": by_colour(cubes.thrown), "out": by_colour(is_out)}
        counts["inside"] = by_colour(~is_out)[np.maximum.accumulate(changed)]
        old_out = np.bincount(cubes.row[is_out & ~cubes.thrown], minlength=count)
        made = Campaign(
            rows=rows.having(play=rows.drop >= has_setup, old_out=old_out),
            cubes=cubes.having(out=is_out),
            facts=facts,
            shape=(len(others["run_point"]),),
            colours=colours,
            by_colour=counts,
            **cast("dict[str, Any]", {"failed": none} | others),
        )
        return replace(made, terms={name: float(x) for name, x in made.rules.items() if isinstance(x, int | float)})

    def changed(self, **parts: Any) -> Campaign:
        """Return the campaign with other parts, such as `rows`, and with the columns that follow from these."""
        own = {name: getattr(self, name) for name in _PARTS}
        return Campaign.of(**own | parts)

    @property
    def kind(self) -> str:
        """The kind of game, such as `chain`."""
        return str(self.spec.get("kind", "game"))

    @cached_property
    def game(self) -> Game | None:
        """The game of this kind; None if it is not installed."""
        return find_game(self.kind, self.spec.get("code"))

    @cached_property
    def rules(self) -> Mapping[str, Any]:
        """The rules with all defaults; empty if the game is not installed."""
        if self.game is None:
            return {}
        name = self.game.tables[0]
        return self.game.plain(self.game.read({})).get(name, {}) | (self.spec.get(name) or {})

    @property
    def has_setup(self) -> bool:
        """Whether the first drop of a run only fills the tower."""
        return SETUP in self.rows.phase.names

    @property
    def unit(self) -> str:
        """The game's word for a run."""
        return "run" if self.game is None else self.game.run

    @cached_property
    def unfinished(self) -> Array:
        """Whether each run ends in a drop that never succeeded, shape (runs,)."""
        last = np.full(self.runs, -1)
        np.maximum.at(last, self.rows.run, self.rows.drop)
        is_unfinished = np.zeros(self.runs, bool)
        is_unfinished[self.failed.run[self.failed.drop > last[self.failed.run]]] = True
        return is_unfinished

    @cached_property
    def strata(self) -> Array:
        """The stratum of each run (runs,): its design point, or 0 for all if a point has only one run."""
        counts = np.bincount(self.run_point)
        if counts[counts > 0].min() < 2:
            return np.zeros(self.runs, np.int64)
        return np.unique(self.run_point, return_inverse=True)[1]

    @cached_property
    def is_phase(self) -> Array:
        """Whether each drop is studied as a phase, shape (rows,): it throws cubes and is no set-up."""
        return (self.rows.thrown > 0) & self.rows.play

    def rng(self, name: str) -> np.random.Generator:
        """Return a generator seeded only by the spec and `name`."""
        words = hashlib.sha256(f"{self.digest} {name}".encode()).digest()
        return np.random.default_rng(np.frombuffer(words, np.uint32))

    def by_run(self, values: Array, rows: Array | None = None) -> Array:
        """Return the sums of `values` (rows,) or (rows, K) over the rows of each run, shape (runs, K).

        `values` covers the rows of the mask `rows`, or all.
        """
        run = self.rows.run if rows is None else self.rows.run[rows]
        columns = values if values.ndim == 2 else values[:, None]
        return np.stack([np.bincount(run, column, self.runs) for column in columns.T.astype(float)], 1)

    def tally(self, run: Array, group: Array, groups: int, weights: Array | None = None) -> Array:
        """Return the number of things, or the sum of their `weights`, by run and group, shape (runs, groups)."""
        code = run.astype(np.int64) * groups + group
        return np.bincount(code, weights, self.runs * groups).reshape(self.runs, groups)


_PARTS = ("rows", "cubes", "facts", *(each.name for each in fields(Campaign) if each.name in Campaign.__annotations__))
"""The fields of a campaign from which the others follow."""
