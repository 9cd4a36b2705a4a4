"""Where every cube of a declared game is: in a pool, in the tower, or out of it and not put anywhere yet.

    pools ---thrown---> tower + out ---moved---> pools          tower ---knocked, unloaded---> pools

Every step is looked through: each cube of the game is in exactly one place after it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from tower_sim.cubes import Cube, in_order
from tower_sim.games.declared.expressions import OUT, TOWER
from tower_sim.outcome import Outcome
from tower_sim.state import TowerState


class LostCube(RuntimeError):
    """A step after which a cube is nowhere, or in two places: a fault of the program or of its model."""


@dataclass(frozen=True, slots=True)
class Tabletop:
    """All `cubes` of a game and where they are: `pools` by name, the `tower`, and those `out` of the last throw."""

    cubes: tuple[Cube, ...]
    pools: Mapping[str, tuple[Cube, ...]]
    tower: TowerState
    out: tuple[Cube, ...] = ()

    @staticmethod
    def start(pools: Mapping[str, tuple[Cube, ...]], tower: TowerState) -> Tabletop:
        """Return the table before a run: the tower is empty."""
        return Tabletop(tuple(in_order(cube for cubes in pools.values() for cube in cubes)), pools, tower)._whole()

    def at(self, place: str) -> tuple[Cube, ...]:
        """Return the cubes at a pool, in the tower, or out."""
        return self.tower.cubes if place == TOWER else self.out if place == OUT else self.pools[place]

    def thrown(self, cubes: Collection[Cube], outcome: Outcome) -> Tabletop:
        """Return the table after `cubes` of the pools were thrown, with that outcome."""
        left = self._without(cubes)
        return replace(left, tower=outcome.state, out=(*left.out, *outcome.emerged))._whole()

    def knocked(self, outcome: Outcome, to: str) -> Tabletop:
        """Return the table after a knock whose released cubes go to a pool."""
        return replace(self, tower=outcome.state, pools=self._with(outcome.emerged, to))._whole()

    def moved(self, cubes: Collection[Cube], to: str) -> Tabletop:
        """Return the table with `cubes`, wherever they are, in a pool."""
        if not cubes:
            return self
        left = self._without(cubes)
        return replace(left, pools=left._with(cubes, to))._whole()

    def _without(self, cubes: Collection[Cube]) -> Tabletop:
        gone = set(cubes)
        inside = [cube for cube in self.tower.cubes if cube in gone]
        return replace(
            self,
            pools={name: tuple(cube for cube in pool if cube not in gone) for name, pool in self.pools.items()},
            tower=self.tower.take(inside) if inside else self.tower,
            out=tuple(cube for cube in self.out if cube not in gone),
        )

    def _with(self, cubes: Collection[Cube], to: str) -> dict[str, tuple[Cube, ...]]:
        return {**self.pools, to: tuple(in_order((*self.pools[to], *cubes)))}

    def _whole(self) -> Tabletop:
        """Return the table itself; raises LostCube unless each cube is in exactly one place."""
        there = in_order((*(cube for pool in self.pools.values() for cube in pool), *self.tower.cubes, *self.out))
        if tuple(there) != self.cubes:
            raise LostCube(f"{len(there)} cubes are there instead of {len(self.cubes)}, or one is another")
        return self
