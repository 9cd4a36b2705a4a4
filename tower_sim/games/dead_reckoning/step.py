"""One step of a Dead Reckoning battle: what was done, and where every cube lay after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tower_sim.cubes import Cube, count_by_colour
from tower_sim.games.dead_reckoning.abilities import Use
from tower_sim.outcome import Landing, Status

StepKind = Literal["throw", "shake", "rethrow", "explosion", "ability", "pass"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened, and where every cube lay after it.

    `side` used `ability` (as `Ability.text`) in the way `use` says, or passed. `thrown` were thrown through the ship,
    `placed` put into a zone, `taken` taken off the board; `lost` left the battle by way of the table. `short`: how many
    cubes were missing, by colour. `drawn`: the model was asked; its `failures` came before the `status`.
    """

    kind: StepKind
    side: str = ""
    ability: str = ""
    use: Use | None = None
    thrown: tuple[Cube, ...] = ()
    placed: tuple[Cube, ...] = ()
    taken: tuple[Cube, ...] = ()
    lost: tuple[Cube, ...] = ()
    short: dict[str, int] = field(default_factory=dict[str, int])
    drawn: bool = False
    status: Status = Status.SETTLED
    failures: tuple[Status, ...] = ()
    landings: tuple[Landing, ...] = ()

    @property
    def attempts(self) -> int:
        """How many times the model was asked."""
        return self.drawn + len(self.failures)

    def to_json(self, colours: Sequence[str]) -> dict[str, Any]:
        """Return the entry of `battle --json`, ready for `json.dumps`."""
        counted = {
            name: count_by_colour(getattr(self, name), colours) for name in ("thrown", "placed", "taken", "lost")
        }
        use = {"ability": self.ability, "cube": self.use.cube, "zone": self.use.zone} if self.use else None
        return {
            "kind": self.kind,
            "side": self.side or None,
            "use": use,
            "status": str(self.status),
            "attempts": self.attempts,
            "failures": [str(status) for status in self.failures],
            "cubes": [cube.id for cube in (*self.thrown, *self.placed, *self.taken)],
            **counted,
            "short": dict.fromkeys(colours, 0) | self.short,
            "landings": [
                {"cube": x.cube.id, "colour": x.cube.colour, "place": x.place, "also": list(x.touches[1:])}
                for x in self.landings
            ],
        }
