"""The outcome of a drop or a knock: a status, the place of every cube, and the next state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from tower_sim.cubes import Cube, count_by_colour, in_order
from tower_sim.errors import word_list
from tower_sim.state import Pose, TowerState, check_seed

if TYPE_CHECKING:  # the types of documents are made with pydantic, which a drop does not need
    from tower_sim.answers import ThrowAnswer


class Status(StrEnum):
    """The end of a drop. Only `SETTLED` and `JAMMED` are landings; after any other status the drop is repeated."""

    SETTLED = "settled"
    JAMMED = "jammed"
    TIMED_OUT = "timed_out"
    ESCAPED = "escaped"

    @property
    def sentence(self) -> str:
        """The status as a sentence."""
        return _SENTENCES[self]

    @property
    def is_landing(self) -> bool:
        """Whether the drop is a landing, whose places a game may use."""
        return self in (Status.SETTLED, Status.JAMMED)


_SENTENCES = {
    Status.SETTLED: "Every cube came to rest.",
    Status.JAMMED: "Time ran out while some cubes crept, none of them faster than the creep bound.",
    Status.TIMED_OUT: "Time ran out while a cube was still moving, or lay too deep in another or in a part.",
    Status.ESCAPED: "A cube left the apparatus where it cannot.",
}


@dataclass(frozen=True, slots=True)
class Landing:
    """The place of one cube: `inside:REGION`, `doorway`, `tray`, `table`, `zone:NAME`, `border` or `lost`.

    `pose` is None if the model has no poses. On a board, `touches` names the zones whose floor the cube touches. The
    first is nearest to the cube's centre and is its place. `on` has the numbers of the cubes under it. A cube that
    rests only on cubes has the place of the cube under it.
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

    `thrown` are the cubes thrown or placed, `lying` those left on a board. `landings` has one entry for every cube
    thrown, lying or resident. `state` is the next state, or the input state if the drop failed. `failures` are the
    statuses of earlier attempts. `knocked_out` are the cubes that a knock released: all `emerged` after a knock alone,
    else among the `thrown`. `missed` counts how often a cube missed the funnel and was thrown again within the drop.
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

    def __deepcopy__(self, memo: object) -> Outcome:
        return self

    @property
    def attempts(self) -> int:
        """The number of attempts at this drop."""
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

    def to_json(self, seed: int, colours: Sequence[str] = ()) -> ThrowAnswer:
        """Return the `throw --json` document; its counts list `colours` first, zeros included, then other colours."""
        every = [*word_list("colours", colours), *sorted({x.cube.colour for x in self.landings} - set(colours))]
        return {
            "schema": "tower-sim/outcome",
            "version": 1,
            "seed": str(check_seed(seed)),
            "model": self.model,
            "apparatus": self.apparatus,
            "status": cast("Any", self.status.value),  # what is answered is a landing
            "attempts": self.attempts,
            "thrown": count_by_colour(self.thrown, every),
            "emerged": count_by_colour(self._out(), every),
            "inside": count_by_colour([x.cube for x in self.landings if x.inside], every),
            "knocked_out": count_by_colour(self.knocked_out, every),
            "extrapolated": self.extrapolated,
            "missed": self.missed,
            "landings": [{"cube": x.cube.id, "colour": x.cube.colour, "place": x.place} for x in self.landings],
            "state": self.state.token(),
        }
