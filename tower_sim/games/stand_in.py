"""What the tower of a game stands in for: a deck, a bag or dice whose events it gives instead."""

from __future__ import annotations

from dataclasses import dataclass

from tower_sim.games.devices import Device


@dataclass(frozen=True, slots=True)
class StandIn:
    """The `device` that a game's tower replaces; `kind` is the word for it: deck, bag or dice.

    Its events are what the game's own table has in `column`, one draw a row that is not null; a whole run has `draws`.
    """

    kind: str
    device: Device
    column: str
    draws: int

    @property
    def is_whole(self) -> bool:
        """Whether a run draws all there is, so that every event comes as often as it is there."""
        return self.kind == "deck" and self.draws == self.device.size
