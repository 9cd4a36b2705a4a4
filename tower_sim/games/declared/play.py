"""The turns of a run of a declared game: what is thrown, what comes out, how it is read, where the cubes go.

Throw i of a run draws from SeedSequence(seed, spawn_key=(i, DROP_STREAM)), a knock after it from (i, KNOCK_STREAM),
what the game itself picks around it (a sample, one cube, a tie) from (i, GAME_STREAM), in the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from tower_sim.contract import DropModel
from tower_sim.cubes import Cube, in_order
from tower_sim.games.declared.declaration import AGAIN, MAX_AGAIN, READ, SETUP, EventEffect, Move, Phase
from tower_sim.games.declared.expressions import DROP, OUT, PHASE, ROUND, THROWN, Names, Value
from tower_sim.games.declared.readings import NOTHING, Read, Reading
from tower_sim.games.declared.rules import DeclaredRules
from tower_sim.games.declared.table import Tabletop
from tower_sim.games.game import Turn
from tower_sim.model import TooManyFailedDraws, until_landed
from tower_sim.outcome import Outcome, Status

DROP_STREAM = 0
KNOCK_STREAM = 1
GAME_STREAM = 2


@dataclass(frozen=True, slots=True)
class Throw:
    """One throw of a run: the cubes `thrown` and `out`, what was `read` by name, the `table` with all cubes after it.

    `status`, `attempts` and `failures` are the model's; a throw of nothing is `settled` after 0 attempts. `amount` is
    how much the `effect` does. `unloaded`: the tower was emptied before it.
    """

    index: int
    round: int
    phase: str
    thrown: tuple[Cube, ...]
    out: tuple[Cube, ...]
    table: Tabletop
    read: Mapping[str, Read] = field(default_factory=dict[str, Read])
    effect: EventEffect | None = None
    amount: int | None = None
    unloaded: bool = False
    status: Status = Status.SETTLED
    attempts: int = 0
    failures: tuple[Status, ...] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """Its row in the game's own table."""
        told = {name: len(x.value) if isinstance(x.value, tuple) else x.value for name, x in self.read.items()}
        facts = {"round": self.round, "phase": self.phase, "skipped": not self.out, **told}
        return facts if self.effect is None else facts | {"effect": self.effect.event, "amount": self.amount}


def play(model: DropModel, rules: DeclaredRules, seed: int) -> Iterator[Turn]:
    """Play once, a throw a turn; see Game.play. The entry of a turn is a `Throw`."""
    run = _Run(model, rules, seed)
    try:
        for throw in run.throws():
            yield Turn(throw.index, throw.table.tower, facts=throw.facts, entry=throw)
    except TooManyFailedDraws as error:
        facts = {"round": run.round, "phase": run.colour or run.phase}
        yield Turn(run.index, run.table.tower, facts=facts, failed=error)


class _Run:
    """A run under way; it is also what the names of expressions mean at that moment."""

    def __init__(self, model: DropModel, rules: DeclaredRules, seed: int) -> None:
        self.model, self.rules, self.seed = model, rules, seed
        self.game = rules.declaration
        self.table = Tabletop.start(rules.supply(model.cube_edge), model.empty())
        self.index = self.round = 0
        self.phase, self.colour = SETUP, ""
        self.reads = dict.fromkeys(self.game.readings, NOTHING)
        self.thrown: tuple[Cube, ...] = ()
        self.came_out: tuple[Cube, ...] = ()
        self.rng = np.random.default_rng(self._stream(GAME_STREAM))

    # What names mean: see expressions.Scope and readings.Moment

    @property
    def names(self) -> Names:
        return self.game.names

    def number(self, name: str) -> Value:
        if name in (ROUND, DROP):
            return self.round if name == ROUND else self.index
        if name in self.reads:
            value = self.reads[name].value
            return None if isinstance(value, tuple) else value
        if name in self.game.policies:
            value = self.chosen(name).read(self, self.rng).value
            return None if isinstance(value, tuple) else value
        return self.rules.values[name]

    def word(self, name: str) -> str | None:
        if name == PHASE:
            return self.colour or None
        value = self.reads[name].value if name in self.reads else self.rules.values[name]
        return value if isinstance(value, str) else None

    def cubes(self, place: str) -> Sequence[Cube]:
        return self.thrown if place == THROWN else self.came_out if place == OUT else self.table.at(place)

    def read(self, name: str) -> Read:
        return self.reads[name]

    def chosen(self, policy: str) -> Reading:
        return self.game.policies[policy].choices[str(self.rules.values[policy])]

    # The course of a run

    def throws(self) -> Iterator[Throw]:
        if self.game.setup:
            yield from self._phase(self.game.setup)
        for number in range(1, self.rules.rounds + 1):
            self.round = number
            for phase in self.game.phases:
                for colour in phase.each or ("",):
                    yield from self._phase(phase, colour)
                    if self.game.until and self.game.until.holds(self):
                        return

    def _phase(self, phase: Phase, colour: str = "") -> Iterator[Throw]:
        """Play a phase: one throw, or more where nothing comes out and it is thrown again."""
        self.phase, self.colour = phase.name, colour
        self.thrown = self.came_out = ()
        self.reads |= dict.fromkeys(phase.read, NOTHING)
        if phase.when and not phase.when.holds(self):
            return
        self._move(phase.before)
        last = MAX_AGAIN if phase.nothing == AGAIN else 1
        for attempt in range(1, last + 1):
            self.rng = np.random.default_rng(self._stream(GAME_STREAM))
            inside = bool(self.table.tower.cubes)
            self.thrown = self._to_throw(phase)
            unloaded = inside and not self.thrown and phase.unload != ""
            if unloaded:
                self.table = self.table.moved(self.table.tower.cubes, phase.unload)
                self.thrown = self._to_throw(phase)
            drop = self._throw()
            is_over = self._is_enough(phase) or not self.thrown or attempt == last
            effect, amount = self._end(phase) if is_over else (None, None)
            if self.came_out and not is_over:
                self._move(phase.after)
            self._knock()
            told = {name: self.reads[name] for name in phase.read} if is_over else {}
            yield self._told(drop, told, effect, amount, unloaded=unloaded)
            self.index += 1
            if is_over:
                return

    def _stream(self, word: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed, spawn_key=(self.index, word))

    def _to_throw(self, phase: Phase) -> tuple[Cube, ...]:
        cubes: list[Cube] = in_order({cube for each in phase.throw for cube in each.at(self)})
        number = phase.sample.whole(self, 0) if phase.sample else None
        if phase.sample and (number or 0) < len(cubes):
            picked: list[int] = self.rng.choice(len(cubes), number or 0, replace=False).tolist()
            cubes = [cubes[i] for i in sorted(picked)]
        along = {cube for each in phase.along for cube in each.at(self)} if cubes else set[Cube]()
        return tuple(in_order({*cubes, *along}))

    def _throw(self) -> Outcome | None:
        self.came_out = ()
        if not self.thrown:
            return None
        drop = until_landed(partial(self.model.drop, self.table.tower, self.thrown), self._stream(DROP_STREAM))
        self.table = self.table.thrown(self.thrown, drop)
        self.came_out = drop.emerged
        return drop

    def _is_enough(self, phase: Phase) -> bool:
        """Say whether anything came out, and some of all that the phase needs."""
        return bool(self.came_out) and all(needed.at(self) for needed in phase.needs)

    def _end(self, phase: Phase) -> tuple[EventEffect | None, int | None]:
        """Read the outcome, tell its effect, and put the cubes away."""
        effect, amount = None, None
        if phase.nothing == READ or self._is_enough(phase):
            for name, reading in phase.read.items():
                self.reads[name] = reading.read(self, self.rng)
            value = self.reads[phase.effects.on].value if phase.effects else None
            effect = phase.effects.by.get(value) if phase.effects and isinstance(value, str) else None
            amount = effect.amount.whole(self) if effect and effect.amount else None
        self._move(phase.after)
        return effect, amount

    def _move(self, moves: Sequence[Move]) -> None:
        for move in moves:
            if move.when and not move.when.holds(self):
                continue
            cubes = self._moving(move)
            if move.number:
                cubes = cubes[: move.number.whole(self, 0) or 0]
            self.table = self.table.moved(cubes, move.to)

    def _moving(self, move: Move) -> Sequence[Cube]:
        """Return the cubes that a move means, of those that are still there."""
        if move.cubes is None:
            read = self.reads[move.read]
            if read.cube:
                return [] if read.cube in self.table.tower.cubes else [read.cube]
            return [cube for cube in self.table.out if cube.colour == read.value]
        there = self.table.at(move.cubes.place)
        meant = move.cubes.colours(self)
        return in_order(cube for cube in there if cube.colour in meant)

    def _knock(self) -> None:
        if (strength := self.rules.knocks.get(self.index)) is not None:
            blow = until_landed(partial(self.model.knock, self.table.tower, strength), self._stream(KNOCK_STREAM))
            self.table = self.table.knocked(blow, self.game.knocked)

    def _told(
        self,
        drop: Outcome | None,
        read: Mapping[str, Read],
        effect: EventEffect | None,
        amount: int | None,
        *,
        unloaded: bool,
    ) -> Throw:
        throw = Throw(
            index=self.index,
            round=self.round,
            phase=self.colour or self.phase,
            thrown=self.thrown,
            out=self.came_out,
            table=self.table,
            read=read,
            effect=effect,
            amount=amount,
            unloaded=unloaded,
        )
        if drop is None:
            return throw
        return replace(throw, status=drop.status, attempts=drop.attempts, failures=drop.failures)
