"""The names of the places where a cube can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from tower_sim.errors import word_list
from tower_sim.values.cubes import Cube, count_by_colour, in_order
from tower_sim.values.state import Pose, TowerState, check_seed

if TYPE_CHECKING:
    from tower_sim.documents import ThrowAnswer


INSIDE = "inside:"
ZONE = "zone:"
DOORWAY = "doorway"
TRAY = "tray"
TABLE = "table"
BORDER = "border"
LOST = "lost"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a cube is: its `place` and, on a board, the zones it `touches` and the rows of the cubes it is `on`."""

    place: str
    touches: tuple[str, ...] = ()
    on: tuple[int, ...] = ()


class Status(StrEnum):
    """The end of a drop. Only `SETTLED` and `JAMMED` are landings; after any other status the drop is repeated.

    >>> [status.value for status in Status if status.is_landing]
    ['settled', 'jammed']
    >>> Status.SETTLED.sentence
    'Every cube came to rest.'
    """

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
    """The place of one cube after a drop.

    Args:
        cube: The cube.
        place: `inside:REGION`, `doorway`, `tray`, `table`, `zone:NAME`, `border` or `lost`. A cube that rests only on
            cubes has the place of the cube under it.
        pose: None if the model has no poses.
        touches: On a board, the zones whose floor the cube touches. The first is nearest to its centre: its place.
        on: The numbers of the cubes under it.

    >>> Landing(Cube(3, "blue", 0.009), "inside:ramp").inside
    True
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
    """The facts of one drop or knock.

    Args:
        model: The name of the model.
        apparatus: The name of the apparatus.
        status: How the drop ended.
        thrown: The cubes thrown or placed.
        landings: One entry for every cube thrown, lying or resident.
        state: The next state, or the input state if the drop failed.
        lying: The cubes left on a board.
        knocked_out: The cubes that a knock released: all `emerged` after a knock alone, else among the `thrown`.
        failures: The statuses of earlier attempts.
        extrapolated: Whether the counts thrown and inside lie outside the training data of a surrogate.
        missed: How often a cube missed the funnel and was thrown again within the drop.

    >>> from tower_sim import Tower
    >>> with Tower("amerigo", "surrogate", seed=7) as tower:
    ...     outcome = tower.throw(blue=7, red=7)
    >>> print(outcome.status, outcome.attempts, len(outcome.emerged), len(outcome.inside))
    settled 1 10 4
    >>> outcome.landings[0].place
    'tray'
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
        """Return the document of `throw --json`.

        Args:
            seed: The seed of the throw.
            colours: Colours that its counts list first, zeros included, before other colours.

        Returns:
            The document, ready for `json.dumps`.

        >>> from tower_sim import Tower
        >>> with Tower("amerigo", "surrogate") as tower:
        ...     tower.throw(blue=4, seed=2).to_json(2, ["blue", "red"])["emerged"]
        {'blue': 3, 'red': 0}
        """
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
