"""Statistics over many battles with one set-up: chances and means with intervals, places, explosions, redraws."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from tower_sim.apparatus import Apparatus, with_board
from tower_sim.documents import Share
from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning.answers import BattleOddsAnswer, BattleSummary, StepKind
from tower_sim.games.dead_reckoning.battle import Battle, list_places
from tower_sim.games.dead_reckoning.words import NUMBERS, head_json, odds_report
from tower_sim.games.odds import ManyRuns, mean, proportion, shares
from tower_sim.games.tower import Turn
from tower_sim.runs import CONFIDENCE
from tower_sim.tools import count_noun
from tower_sim.values import ZONE

_UNUSED = ("hand", "supply", "island")  # places of cubes that were not thrown


@dataclass(slots=True)
class BattleOdds(ManyRuns):
    """Statistics over finished battles with one set-up and one seed, which are added one by one.

    `happened` counts battles by event and side. `numbers` has each number of each side, by battle. `rests` has the x
    and y (m) of the cubes that came to rest on the board.
    """

    last: Battle | None = None
    happened: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    numbers: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    chains: Counter[int] = field(default_factory=Counter[int])
    landed: list[Counter[str]] = field(default_factory=list[Counter[str]])
    final: list[Counter[str]] = field(default_factory=list[Counter[str]])
    steps: Counter[str] = field(default_factory=Counter[str])
    failures: Counter[str] = field(default_factory=Counter[str])
    rests: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    cubes: int = 0
    draws: int = 0

    def add(self, turns: Sequence[Turn]) -> None:
        self.add_battle(turns[-1].entry)

    def add_battle(self, battle: Battle) -> None:
        """Raises UsageError for a battle that is not over, or has another set-up, model or seed."""
        if not battle.over:
            raise UsageError("battle is not over; allowed is a finished one; play it to its end")
        if self.last is not None and _origin(battle) != _origin(self.last):
            raise UsageError("battle is of another set-up, model or seed; allowed is the same; add it to other odds")
        self.last = battle
        self.cubes += battle.numbered
        result = battle.result()
        self.happened.update([("win", result.winner or ""), ("legendary", result.legendary or "")])
        self.happened.update(("sink", colour) for colour in result.sunk)
        self.happened["removed", ""] += result.removed
        for colour, side in result.sides.items():
            for name in NUMBERS:
                self.numbers[colour, name].append(getattr(side, name))
        self.chains.update(chains(battle))
        landed: Counter[str] = Counter()
        for step in battle.steps:
            self.steps[step.kind] += 1
            self.draws += step.drawn
            self.failures.update(map(str, step.failures))
            thrown = set(step.thrown)
            landed.update(x.place for x in step.landings if x.cube in thrown)
        self.landed.append(landed)
        self.final.append(Counter({place: sum(counts.values()) for place, counts in battle.account().items()}))
        self.rests += [lying.pose.position[:2] for lying in battle.state.board.lying if lying.pose]

    @property
    def runs(self) -> int:
        return len(self.final)

    @property
    def in_play(self) -> list[Counter[str]]:
        """For each battle, the thrown cubes by their last place."""
        return [Counter({place: n for place, n in places.items() if place not in _UNUSED}) for places in self.final]

    def summary(self) -> BattleSummary:
        """Return the `summary` of `play dead_reckoning --games N --json`, ready for `json.dumps`.

        Intervals have a confidence level of 95 %: Wilson's for chances, Student's t over battles for means and places.
        Explosion chains of one battle are not independent, so their interval is somewhat too narrow.
        """
        battle = self._last()
        rules, redrawn = battle.rules, self.failures.total()
        places = list_places(battle.board)
        by_place = sum(self.final, Counter[str]())

        def chances(what: str, colours: Iterable[str]) -> dict[str, Share]:
            return {colour: proportion(self.happened[what, colour], self.runs) for colour in colours}

        return {
            "games": self.runs,
            "confidence": CONFIDENCE,
            "win": chances("win", rules.colours),
            "sink": chances("sink", rules.can_sink),
            "legendary": chances("legendary", rules.ships if rules.combat != "building" else ()),
            "buildings_removed": proportion(self.happened["removed", ""], self.runs) if rules.buildings else None,
            "means": {colour: {name: mean(self.numbers[colour, name]) for name in NUMBERS} for colour in rules.colours},
            "explosion_chains": {
                "length": mean(list(self.chains.elements()), self.runs),
                "histogram": {str(length): self.chains[length] for length in sorted(self.chains)},
            },
            "places": {"landed": shares(self.landed, places), "final": shares(self.in_play, places)},
            "cubes": {"brought": self.cubes, "by_place": {place: by_place[place] for place in battle.account()}},
            "draws": {
                "landed": self.draws,
                "redrawn": redrawn,
                "redraw_rate": redrawn / (self.draws + redrawn) if self.draws else 0.0,
                "failures": dict(sorted(self.failures.items())),
            },
            "steps": {kind: self.steps[kind] for kind in get_args(StepKind)},
        }

    def document(self) -> dict[str, Any]:
        head = head_json(self._last())
        answer: BattleOddsAnswer = {"schema": "tower-sim/battle-odds", "version": 1, **head, "summary": self.summary()}
        return {**answer}

    def words(self) -> str:
        return odds_report(self.document())

    def draw(self, apparatus: Apparatus, path: str | Path) -> None:
        from tower_sim.games.dead_reckoning.picture import draw_densities

        last, in_play, ship = self._last(), self.in_play, with_board(apparatus)
        counts = {zone.name: [places[ZONE + zone.name] for places in in_play] for zone in ship.board.zones}
        sides = " against ".join(f"{colour} {cubes}" for colour, cubes in last.rules.cubes.items())
        title = f"{ship.name}, {count_noun(self.runs, 'battle')}, {sides}, {last.state.model}, seed {last.seed}"
        draw_densities(ship, self.rests, counts, [places.total() for places in in_play], path, title=title)

    def _last(self) -> Battle:
        if self.last is None:
            raise UsageError("number of battles is 0; allowed is 1 or more; add finished battles first")
        return self.last


def chains(battle: Battle) -> list[int]:
    """Return, for each throw, the number of explosions that followed it (rulebook, lines 999 and 1007).

    Abilities that moved cubes count as throws. Shakes and rethrows do not end a chain.
    """
    lengths: list[int] = []
    for step in battle.steps:
        if step.kind == "throw" or (step.kind == "ability" and step.drawn):
            lengths.append(0)
        elif step.kind == "explosion":
            lengths[-1] += 1
    return lengths


def _origin(battle: Battle) -> tuple[object, ...]:
    state = battle.state
    return (battle.rules, battle.seed, state.model, state.apparatus, state.digest)
