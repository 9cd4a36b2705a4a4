"""A turn of a run, and what comparisons and the ways to a game ask of the game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tower_sim.contract import DropModel
from tower_sim.model import TooManyFailedDraws
from tower_sim.runs.figure import Figure
from tower_sim.state import TowerState


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of a run: usually one drop, which a knock may follow.

    `index` counts from 0; `kind` is a word for it; `facts` is its row in the game's own table, a value for each of the
    game's columns that it knows (others are null); `state` is the model's after it; `entry` is the game's own object,
    for its words, pictures and documents. `failed` tells why a run ends here before its time: five draws in a row were
    no landing; such a turn is the last, and its `entry` may be None.
    In a turn of the kind `drop` a knock is told apart from the drop before it; in any other all draws are the turn's.
    """

    index: int
    state: TowerState
    kind: str = "drop"
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    entry: Any = None
    failed: TooManyFailedDraws | None = None


class Playable(Protocol):
    """A game, as those see it who only ask for runs of it and look at what these came to; see Game."""

    @property
    def name(self) -> str:
        """See Game."""
        ...

    @property
    def title(self) -> str:
        """See Game."""
        ...

    @property
    def run(self) -> str:
        """See Game."""
        ...

    @property
    def tables(self) -> tuple[str, ...]:
        """See Game."""
        ...

    def read(self, tables: Mapping[str, Any]) -> Any:
        """See Game."""
        ...

    def plain(self, rules: Any) -> dict[str, Any]:
        """See Game."""
        ...

    def play(self, model: DropModel, rules: Any, seed: int, run: int | None = None) -> Iterator[Turn]:
        """See Game."""
        ...

    def figures(self) -> tuple[Figure, ...]:
        """See Game."""
        ...

    def measured(self, turns: Sequence[Turn], rules: Any) -> tuple[float, ...]:
        """See Game."""
        ...

    def head(self, rules: Any, *, apparatus: str, model: str, seed: int) -> str:
        """See Game."""
        ...

    def most_turns(self, rules: Any) -> int:
        """See Game."""
        ...
