"""Statistics over many battles with one set-up: chances and means with intervals, places, explosions, redraws."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from tower_sim.apparatus import Apparatus, with_board
from tower_sim.documents import Answer, ApparatusName, Mean, ModelName, Seed, Share
from tower_sim.errors import UsageError
from tower_sim.games.dead_reckoning.battle import Battle, StepKind, list_places
from tower_sim.games.dead_reckoning.rules import BattleRules
from tower_sim.games.dead_reckoning.words import NUMBERS, describe_place, describe_rules
from tower_sim.games.odds import ManyRuns, mean, mean_text, proportion, run_type, share_text, shares
from tower_sim.games.rules import plain
from tower_sim.games.tower import Turn
from tower_sim.games.ways import Ways
from tower_sim.runs import CONFIDENCE, FEWEST, too_few
from tower_sim.tools import count_noun
from tower_sim.values import ZONE


class Chains(Answer):
    """How many explosive shots followed one another."""

    length: Mean
    histogram: dict[str, int]


class PlaceShares(Answer):
    """The share of cubes at each place, as thrown and in the end."""

    landed: dict[str, Share]
    final: dict[str, Share]


class CubesBrought(Answer):
    """How many cubes were in play, and where they were in the end."""

    brought: int
    by_place: dict[str, int]


class BattleDraws(Answer):
    """How many throws there were, and how many were drawn again."""

    landed: int
    redrawn: int
    redraw_rate: float
    failures: dict[str, int]


class BattleSummary(Answer):
    """The odds of many battles; shares and means by side."""

    games: int
    confidence: float
    win: dict[str, Share]
    sink: dict[str, Share]
    legendary: dict[str, Share]
    buildings_removed: Share | None
    means: dict[str, dict[str, Mean]]
    explosion_chains: Chains
    places: PlaceShares
    cubes: CubesBrought
    draws: BattleDraws
    steps: dict[str, int]


class BattleOddsAnswer(Answer):
    """The odds of many battles of Dead Reckoning."""

    schema: Literal["tower-sim/battle-odds"]
    version: Literal[2]
    seed: Seed
    model: ModelName
    apparatus: ApparatusName
    game: Literal["dead_reckoning"]
    battle: BattleRules
    summary: BattleSummary


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
        last = self._last()
        return {
            "schema": "tower-sim/battle-odds",
            "version": 2,
            "seed": str(last.seed),
            "model": last.state.model,
            "apparatus": last.state.apparatus,
            "game": "dead_reckoning",
            BattleRules.table: plain(last.rules),
            "summary": self.summary(),
        }

    def words(self) -> str:
        return odds_report(self.document(), self._last().rules)

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


def odds_report(document: Mapping[str, Any], rules: BattleRules) -> str:
    """Return the report of many battles from the document of `play dead_reckoning --games N --json`."""
    summary: Mapping[str, Any] = document["summary"]
    colours = list(rules.colours)
    width = max(len("landed"), *(len(colour) for colour in colours))
    lines = [*_summarize(summary, colours), "", describe_rules(rules)]
    few = too_few(summary["games"], "battle")
    lines += [few or f"{count_noun(summary['games'], 'battle')}; in brackets 95 % intervals", ""]
    for colour in colours:
        lines.append(f"{colour:{width}}  wins {share_text(summary['win'][colour])}")
        chances = {"its ship sinks": summary["sink"], "it puts a cube on Legendary": summary["legendary"]}
        shares = [f"{what} {share_text(of[colour])}" for what, of in chances.items() if colour in of]
        means = [f"{NUMBERS[name]} {mean_text(value)}" for name, value in summary["means"][colour].items()]
        lines += [f"{'':{width}}  {', '.join(part)}" for part in (shares, means[:4], means[4:]) if part]
    if summary["buildings_removed"]:
        lines.append(f"the buildings are removed {share_text(summary['buildings_removed'])}")
    chains = summary["explosion_chains"]
    histogram = ", ".join(f"{length}: {count}" for length, count in chains["histogram"].items())
    lines.append(f"\nexplosive shots in a chain: {mean_text(chains['length'])}; how often which length: {histogram}")
    lines += ["", "share of cubes  as thrown  in the end"]
    ends = {place: share["share"] for place, share in summary["places"]["final"].items()}
    for place, share in summary["places"]["landed"].items():
        if share["count"] or place.startswith(ZONE):
            lines.append(f"{describe_place(place):<17}{share['share']:8.1%}{ends.get(place, 0.0):12.1%}")
    draws, steps = summary["draws"], summary["steps"]
    lines.append(
        f"\n{count_noun(draws['landed'], 'throw')}, {draws['redrawn']} drawn again "
        f"({draws['redraw_rate']:.2%}); cubes thrown again "
        f"{count_noun(steps['rethrow'], 'time')}, ship shaken {count_noun(steps['shake'], 'time')}; "
        f"{count_noun(summary['cubes']['brought'], 'cube')} in all"
    )
    return "\n".join(lines)


def _summarize(summary: Mapping[str, Any], colours: Sequence[str]) -> list[str]:
    wins = {colour: summary["win"][colour] for colour in colours}
    first, *others = sorted(colours, key=lambda colour: -wins[colour]["share"])
    few = summary["games"] < FEWEST
    sure = not few and all(wins[first]["interval"][0] > wins[other]["interval"][1] for other in others)
    rest = ", ".join(f"{colour} {100 * wins[colour]['share']:.0f}" for colour in others)
    ahead = f"who is ahead is not sure after {summary['games']}"
    if few or sure:
        ahead = "too few battles to tell who is ahead" if few else f"{first} is ahead, that is sure"
    chances = f"{first} wins about {100 * wins[first]['share']:.0f} of 100 battles like this, {rest}: {ahead}."
    means = ((colour, summary["means"][colour]) for colour in colours)
    averages = [
        f"{colour} has a strength of {of['strength']['mean']:.1f} and takes {of['damage_taken']['mean']:.1f} damage"
        for colour, of in means
    ]
    return [chances, f"On average {'; '.join(averages)}."]


class BattleWays(Ways):
    """The statistics of many battles."""

    turns = "steps"

    def types(self) -> list[Any]:
        return [run_type(self.game), BattleOddsAnswer]

    def odds(self) -> ManyRuns:
        return BattleOdds()
