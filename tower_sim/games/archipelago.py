"""Archipelago, with a cube tower that decides the crises of phases 4 and 6. Cubes of the bank are thrown into it.

Lines are those of the text of the French rulebook. "Ours" marks a house rule of this project. The back of a card has a
half for the interior market and one for the exterior market (lines 427 and 459). The rulebook does not print the backs,
so the players throw instead when they resolve a half (ours).

Ours, where the rulebook is silent: only crises and events move the rebellion marker, from 0 (line 176) and never below.
In every crisis players pay all they can, and citizens in revolt can be raised again. The back on top at the set-up
waits for phase 4. Backs never run out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, model_validator

from tower_sim.errors import fault
from tower_sim.games import Figure, Game, GameTower, Rules, Turn
from tower_sim.results import INSIDE, MOST, SHARE, SUM
from tower_sim.tools import count_noun

PRINTED = {"fruit": 15, "cattle": 15, "fish": 15, "wood": 15, "stone": 12, "iron": 10}  # lines 65 to 85
MARKETS = INTERIOR, EXTERIOR = ("interior", "exterior")
TRACK, SKULL = 5, 3  # cards on the track (line 828); quarter turns that discard a card (lines 842, 852 and 908)
TOKENS = 13  # each is a town or a temple (line 119)
# Events move the rebellion marker by so many steps for each building (lines 476, 867 and 872).
EVENT, RED_EVENTS = (-2, "temple"), ((-1, "temple"), (1, "town"))
NUMBERS = ("turn", "phase", "per_cube", "asked", "paid", "missing", "revolting", "rebellion", "marker")
FACTS = {"resource": tuple(PRINTED), "crisis": MARKETS, **dict.fromkeys(NUMBERS, int), "independence": bool}
SUMS = (
    ("revolting", "number of citizens in revolt", "citizens", "citizens in revolt in a game, each crisis anew"),
    ("paid", "number of cubes paid", "cubes", "cubes that the players pay in a game"),
    ("missing", "number of cubes missing", "cubes", "cubes asked for and not paid in a game"),
    ("rebellion", "rise of the rebellion", "steps", "steps that crises and events move the rebellion marker up"),
)
ENDS = "games that end because the rebellion marker is beyond the number of citizens"


class ArchipelagoRules(Rules):
    """The length of a game, how the result of the tower is read, and what the players have and do."""

    players: int = Field(4, ge=2, le=5, description="players")  # lines 20 and 34
    turns: int = Field(10, ge=2, le=40, description="turns of a game")  # ours: a secret card ends it (line 250)
    sample: int = Field(10, ge=1, le=30, description="cubes of the bank that are thrown for a crisis")  # ours
    pick: Literal["uniform", "most"] = Field("uniform", description="resource of a random cube out, or of most")  # ours
    # Ours: a cube then satisfies about 6 citizens on average, as in the example (line 429).
    satisfies: int = Field(3, ge=1, le=10, description="citizens satisfied by a cube, for each of its kind that is out")
    # The bounds are those of lines 101, 119 and 668. The numbers from here on are ours.
    citizens: int = Field(5, ge=1, le=10, description="citizens of each player on the archipelago")
    temples: int = Field(1, ge=0, le=TOKENS, description="temples, each with a citizen")
    helped: int = Field(1, ge=0, le=14, description="other citizens in the region of each temple, whom it raises")
    towns: int = Field(2, ge=0, le=TOKENS, description="towns")
    stock: int = Field(4, ge=0, le=15, description="cubes that all players together can pay for a crisis")
    event: int = Field(25, ge=0, le=100, description="chance in % that a card has an event")
    red: int = Field(25, ge=0, le=100, description="chance in % that a card has a red half")
    angry: int = Field(50, ge=0, le=100, description="chance in % that a red event is about towns, not temples")
    buys: int = Field(50, ge=0, le=100, description="chance in % that a player buys a card in phase 6")

    @model_validator(mode="after")
    def _tokens(self) -> ArchipelagoRules:
        if self.towns > TOKENS - self.temples:
            allowed = f"0 to {TOKENS - self.temples}: a town or a temple takes one of {TOKENS} tokens"
            raise fault("rules.towns", self.towns, allowed, "take fewer towns or temples")
        return self


@dataclass
class Half:
    """Half of the card on top: an event, or a crisis whose resource and number of cubes a throw determines."""

    market: str
    red: bool = False
    event: tuple[int, str] = (0, "")
    resource: str = ""
    number: int = 0


class Archipelago(Game):
    """the crises of the archipelago and the continent, out of a tower of the bank's cubes"""

    name, title, apparatus = "archipelago", "Archipelago", "amerigo"  # ours: the printed game has no tower
    version = 3  # version 2 had one new card a turn, one kind of red event, and no rebellion marker
    Rules, facts = ArchipelagoRules, FACTS
    figures = (
        *(Figure(*texts, of=texts[0], take=SUM) for texts in SUMS),
        Figure("independence", "games ended by independence", SHARE, ENDS, of="independence", take=MOST),
        INSIDE,
    )

    def cubes(self, rules: ArchipelagoRules) -> dict[str, int]:
        """Return the bank without the cubes on the interior market, one of each resource (lines 87, 174)."""
        return {resource: count - 1 for resource, count in PRINTED.items()}

    def turns(self, rules: ArchipelagoRules) -> int:
        return rules.turns * (2 + rules.players * rules.red // 100)

    def play(self, tower: GameTower, rules: ArchipelagoRules) -> Iterator[Turn]:
        """The game ends at once if rebels are more than citizens (lines 284, 339 and 508)."""
        marker = 0
        for turn, phase, half in _list_halves(tower, rules):
            again = ", as before" * bool(half.number)
            when = f"turn {turn}, phase {phase}, {half.market} market{' (red)' * half.red}{again}: "
            while not (half.event[0] or half.number):  # ours: a new crisis is thrown for until a cube comes out
                if not any(tower.outside.values()):
                    tower.take()
                tower.throw(tower.sample(tower.outside, rules.sample))  # ours; what comes out goes back to the bank
                if out := tower.out:
                    half.resource = tower.pick(out, rules.pick)
                    half.number = out[half.resource]
                else:
                    yield Turn(f"{when}nothing comes out, throw again")
            says, rise, facts = _resolve(rules, half)
            rise = max(-marker, rise)
            marker += rise
            ends = marker > rules.citizens * rules.players
            facts |= {"turn": turn, "phase": phase, "rebellion": rise, "marker": marker, "independence": ends}
            yield Turn(f"{when}{says}; the rebellion is at {marker}{', independence' * ends}", facts)
            if ends:
                return

    def summary(self, turns: Sequence[Turn], rules: ArchipelagoRules) -> str:
        total = {key: sum(turn.facts.get(key) or 0 for turn in turns) for key, *_ in (*SUMS, ("asked",))}
        crises = _count(sum("crisis" in turn.facts for turn in turns), "crisis", "crises")
        independence = any(turn.facts.get("independence") for turn in turns)
        return (
            f"The {rules.players} players paid {total['paid']} of {count_noun(total['asked'], 'cube')} asked "
            f"for in {crises}. "
            f"Citizens revolted {count_noun(total['revolting'], 'time')}, and the rebellion marker ends at "
            f"{total['rebellion']}"
            f"{': independence' * independence}."
        )


def _list_halves(tower: GameTower, rules: ArchipelagoRules) -> Iterator[tuple[int, int, Half]]:
    """Yield the turn, the phase, and the half to resolve, in the order of the rulebook.

    The card on top applies in phase 4 of every turn but the first (lines 409, 411 and 484), a red half once, in the
    phase 6 that uncovers it (lines 423, 480 and 858). There each player buys a card and turns another, or turns two
    (lines 828 to 836). Ours: the cards are chosen by lot.
    """
    track, top = [0] * TRACK, _draw_card(tower, rules)  # quarter turns of each card
    for turn in range(1, rules.turns + 1):
        yield from ((turn, 4, half) for half in top if turn > 1 and not half.red)
        for _ in range(rules.players):
            first, second = tower.rng.choice(TRACK, 2, replace=False)
            track[first] += SKULL if tower.rng.integers(100) < rules.buys else 1
            track[second] += 1
            for place in (place for place, turns in enumerate(track) if turns >= SKULL):
                track[place], top = 0, _draw_card(tower, rules)  # the card on top takes the place (line 844)
                yield from ((turn, 6, half) for half in top if half.red)


def _draw_card(tower: GameTower, rules: ArchipelagoRules) -> list[Half]:
    """Draw the two halves of a card: at most one is an event (line 472), and at most one is red (line 874)."""
    event, red, angry = (int(tower.rng.integers(100)) < x for x in (rules.event, rules.red, rules.angry))
    one, other = (MARKETS[int(tower.rng.integers(2))] for _ in MARKETS)  # ours: either half, by lot
    halves = [Half(market, red and market == one) for market in MARKETS]
    for half in (half for half in halves if event and half.market == other):
        half.event = RED_EVENTS[angry] if half.red else EVENT
    return halves


def _resolve(rules: ArchipelagoRules, half: Half) -> tuple[str, int, dict[str, Any]]:
    (steps, building), number = half.event, half.number
    if building:
        rise = steps * (rules.towns if building == "town" else rules.temples)
        return f"an event moves the rebellion by {steps:+} for each {building}", rise, {}
    facts = {"crisis": half.market, "resource": half.resource}
    if half.market == EXTERIOR:  # the continent wants as many cubes as came out (line 459)
        paid = min(number, rules.stock)  # from the market or the players (lines 435 and 463)
        says = f"the continent wants {_count(number, 'cube', 'cubes')} of {half.resource}; {paid} paid"
        return says, number - paid, facts | {"asked": number, "paid": paid, "missing": number - paid}  # line 466
    lying = max(0, rules.citizens * rules.players - rules.temples * (1 + rules.helped))  # lines 433 and 790
    per_cube = rules.satisfies * number  # the more cubes came out, the more citizens a cube satisfies (line 427)
    asked = -(-lying // per_cube)
    paid = min(asked, rules.stock)
    revolting = max(0, lying - per_cube * paid)  # each moves the rebellion marker by one (line 455)
    says = f"each cube of {half.resource} satisfies {_count(per_cube, 'citizen', 'citizens')}; {paid} paid of {asked}, "
    facts |= {"per_cube": per_cube, "asked": asked, "paid": paid, "missing": asked - paid, "revolting": revolting}
    return says + _count(revolting, "citizen revolts", "citizens revolt"), revolting, facts


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


GAME = Archipelago()
