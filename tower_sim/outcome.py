"""What one drop (or knock) did: a status, where every cube is, and the state that carries over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tower_sim.cubes import Cube, count_by_colour, in_order
from tower_sim.errors import word_list
from tower_sim.state import Pose, TowerState, check_seed

SCHEMA = "tower-sim/outcome"
VERSION = 1


class Status(StrEnum):
    """How a drop ended; only `SETTLED` and `JAMMED` are landings, the others are drawn again."""

    SETTLED = "settled"
    JAMMED = "jammed"
    TIMED_OUT = "timed_out"
    ESCAPED = "escaped"

    @property
    def sentence(self) -> str:
        """The status said in one sentence."""
        return _SENTENCES[self]

    @property
    def is_landing(self) -> bool:
        """Whether every cube came to a place that a game may use."""
        return self in (Status.SETTLED, Status.JAMMED)


_SENTENCES = {
    Status.SETTLED: "Every cube came to rest.",
    Status.JAMMED: "Time ran out while some cubes crept, none of them faster than the creep bound.",
    Status.TIMED_OUT: "Time ran out while a cube was still moving, or lay too deep in another or in a part.",
    Status.ESCAPED: "A cube left the apparatus where it cannot.",
}


@dataclass(frozen=True, slots=True)
class Landing:
    """Where one cube came to rest: `inside:REGION`, `doorway`, `tray`, `table`, `zone:NAME`, `border`; `lost` if none.

    `pose` is given where the model knows one. On a board, `touches` names the zones
    whose floor the cube touches, the one nearest to its centre (its place) first, and `on` the numbers of the cubes it
    rests on; a cube that rests only on others has the place of the one under it.
    """

    cube: Cube
    place: str
    pose: Pose | None = None
    touches: tuple[str, ...] = ()
    on: tuple[int, ...] = ()

    @property
    def inside(self) -> bool:
        """Whether the cube is still inside the apparatus."""
        return self.place.startswith("inside:")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The facts of one drop.

    `thrown` are the cubes let go (or placed), `lying` those that lay on a board and were left there, `emerged` those
    that came out, `landings` has one entry for every cube thrown, lying or resident, `state` is what carries over (the
    input state again when the drop failed), `failures` the statuses of the draws before this one. `knocked_out` are the
    cubes that a knock released: of a knock alone they are the `emerged`, of a throw after it among the `thrown`.
    `missed` counts how often a cube fell beside the funnel and was thrown again within the drop.
    """

    model: str
    apparatus: str
    status: Status
    thrown: tuple[Cube, ...]
    landings: tuple[Landing, ...]
    state: TowerState
    lying: tuple[Cube, ...] = ()
    knocked_out: tuple[Cube, ...] = ()
    failures: tuple[Status, ...] = ()
    extrapolated: bool = False
    missed: int = 0

    @property
    def attempts(self) -> int:
        """How many times the drop was drawn, this one included."""
        return 1 + len(self.failures)

    @property
    def emerged(self) -> tuple[Cube, ...]:
        """The cubes that came out, by number."""
        return tuple(in_order(self._out()))

    @property
    def inside(self) -> tuple[Cube, ...]:
        """The cubes that stayed, by number."""
        return tuple(in_order(landing.cube for landing in self.landings if landing.inside))

    def _out(self) -> list[Cube]:
        before = set(self.lying)
        return [x.cube for x in self.landings if not x.inside and x.cube not in before]

    def to_json(self, seed: int, colours: Sequence[str] = ()) -> dict[str, Any]:
        """Return the `throw --json` document; `colours` fixes the order and the zeros of the counts."""
        return self.facts(seed, colours) | {"state": self.state.token()}

    def facts(self, seed: int, colours: Sequence[str] = ()) -> dict[str, Any]:
        """Return that document without the state, which holds all its past and takes the longest to write."""
        check_seed(seed)
        every = [*word_list("colours", colours), *sorted({x.cube.colour for x in self.landings} - set(colours))]
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "seed": str(seed),
            "model": self.model,
            "apparatus": self.apparatus,
            "status": str(self.status),
            "attempts": self.attempts,
            "thrown": count_by_colour(self.thrown, every),
            "emerged": count_by_colour(self._out(), every),
            "inside": count_by_colour([x.cube for x in self.landings if x.inside], every),
            "knocked_out": count_by_colour(self.knocked_out, every),
            "extrapolated": self.extrapolated,
            "missed": self.missed,
            "landings": [{"cube": x.cube.id, "colour": x.cube.colour, "place": x.place} for x in self.landings],
        }
