"""Dead Reckoning as a game of the registry: one run is a battle, one turn a step of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus.parts import Apparatus
from tower_sim.apparatus.with_board import with_board
from tower_sim.columns import Column
from tower_sim.contract import BoardModel, DropModel
from tower_sim.cubes import MAX_CUBES
from tower_sim.errors import check_whole, fault, shown
from tower_sim.fields import refuse_unknown
from tower_sim.games.dead_reckoning import battle, words
from tower_sim.games.dead_reckoning.battle import Battle
from tower_sim.games.dead_reckoning.combat import RULES_VERSION
from tower_sim.games.dead_reckoning.compared import FIGURES, ComparedBattles, measured
from tower_sim.games.dead_reckoning.document import battle_json, setup_json
from tower_sim.games.dead_reckoning.policies import when_behind
from tower_sim.games.dead_reckoning.rulings import Rulings
from tower_sim.games.dead_reckoning.sides import PLAYER_SUPPLY, Kind, Setup, read_sides, side_words
from tower_sim.games.dead_reckoning.worths import legible
from tower_sim.games.game import Game, Turn, check_rules, check_run
from tower_sim.games.ways import Ways
from tower_sim.model import TooManyFailedDraws
from tower_sim.runs.figure import Figure

_KEYS = ("cubes", "combat", "active", "sides", "provoked", "abilities", "rulings")
_BATTLE = {"cubes": {"purple": 6, "green": 3}}  # what is fought where nothing is said
_DEFAULTS = ("combat", "active", "abilities", "rulings")  # of a resolved table, beside its cubes
_STEPS = 100  # a guess: explosions and shakes have no end


class DeadReckoning(Game):
    """Combats of Dead Reckoning; the rules are a `Setup`, a turn's entry is the `Battle` after its step.

    Both sides use abilities when they are behind. Of a run that is cut short the last entry is the battle before that.
    """

    name = "dead_reckoning"
    title = "Dead Reckoning"
    about = "a battle: cubes fall through a ship onto a board, whose zones say what each is worth"
    version = RULES_VERSION
    kind = "battle"
    run = "battle"
    apparatus = "dead_reckoning"
    board = True
    tables = ("battle",)
    shard = 300
    columns = (
        Column("side", "string", True, "side that used the ability or passed; null in other steps"),
        Column("winner", "string", True, "winner, in the last row of a battle; null everywhere else"),
    )

    def read(self, tables: Mapping[str, Any]) -> Setup:
        """See Game; no table is a battle of two ships, six cubes against three."""
        refuse_unknown(tables, dict.fromkeys(self.tables), "tables")
        table = _table({"": tables.get("battle", _BATTLE)}, "")
        is_resolved = {"cubes", *_DEFAULTS} <= set(table)
        return _setup(table if is_resolved else _resolved(table))  # a design may have put in other sides

    def plain(self, rules: Setup) -> dict[str, Any]:
        """See Game."""
        check_rules(rules, Setup)
        table = {
            "cubes": {side.colour: side.cubes for side in rules.sides},
            "combat": rules.kind,
            "active": rules.active,
            "abilities": {side.colour: [ability.text for ability in side.abilities] for side in rules.sides},
            "rulings": dict(rules.rulings.choices),
            "sides": {side.colour: side_words(side) for side in rules.sides},
            "provoked": rules.provoked,
        }
        return {"battle": table}

    def resolved(self, tables: Mapping[str, Any], varied: Collection[str] = ()) -> dict[str, Any]:
        """See Game; what most battles do not have is left out where it is not given."""
        refuse_unknown(tables, dict.fromkeys(self.tables), "tables")
        return {"battle": _resolved(_table({"": tables.get("battle", _BATTLE)}, ""))}

    def check(self, apparatus: Apparatus) -> None:
        """See Game; also for a board with zones whose print this game does not know."""
        super().check(apparatus)
        legible(with_board(apparatus).board, apparatus.name)

    def play(self, model: DropModel, rules: Setup, seed: int, run: int | None = None) -> Iterator[Turn]:
        """See Game; step i of run r draws from SeedSequence(seed, spawn_key=(r, i)), r being 0 where there is none."""
        check_run(model, rules, Setup, seed, run)
        with_its_board = cast("BoardModel", model)
        return _turns(with_its_board, battle.start(with_its_board, rules, seed, run or 0))

    def figures(self) -> tuple[Figure, ...]:
        """See Game."""
        return FIGURES

    def measured(self, turns: Sequence[Turn], rules: Setup) -> tuple[float, ...]:
        """See Game."""
        return measured(turns[-1].entry)

    def compared(self, rules: tuple[Setup, Setup]) -> ComparedBattles:
        """See Game."""
        return ComparedBattles(self, rules)

    def most_cubes(self, rules: Setup) -> int:
        """See Game; those that the sides take at first."""
        return sum(side.cubes for side in rules.sides)

    def most_turns(self, rules: Setup) -> int:
        """See Game."""
        return _STEPS

    def head(self, rules: Setup, *, apparatus: str, model: str, seed: int) -> str:
        """See Game."""
        return words.head_words(setup_json(rules, seed=seed, model=model, apparatus=apparatus))

    def line(self, turn: Turn, rules: Setup) -> str:
        """See Game."""
        if turn.failed is not None:
            return f"{turn.index:3}  {turn.kind}: {turn.failed}"
        now: Battle = turn.entry
        return words.step_line(turn.index, now.steps[-1], rules)

    def summary(self, turns: Sequence[Turn], rules: Setup) -> str:
        """See Game."""
        if turns[-1].failed is not None:
            return f"\nThe battle was cut short, and nobody won: {turns[-1].failed}."
        return words.battle_summary(turns[-1].entry)

    def document(self, turns: Sequence[Turn], rules: Setup, *, apparatus: str, model: str, seed: int) -> dict[str, Any]:
        """See Game."""
        return battle_json(turns[-1].entry)

    def draw(self, turns: Sequence[Turn], rules: Setup, apparatus: Apparatus, path: str | Path, *, title: str) -> None:
        """See Game; the board as it is in the end."""
        from tower_sim.games.dead_reckoning.picture import draw_board

        draw_board(with_board(apparatus), turns[-1].state, path, title=title)

    @property
    def ways(self) -> Ways:
        """See Game."""
        from tower_sim.games.dead_reckoning.ways import BattleWays

        return BattleWays(self)


GAME = DeadReckoning()


def _turns(model: BoardModel, first: Battle) -> Iterator[Turn]:
    now = first
    try:
        for now in battle.play(model, first, dict.fromkeys(first.setup.colours, when_behind)):
            step = now.steps[-1]
            facts = {"side": step.side or None, "winner": now.result().winner if now.over else None}
            yield Turn(len(now.steps) - 1, now.state, step.kind, facts, now)
    except TooManyFailedDraws as error:
        kind = battle.due(now)
        side = {"side": now.turn} if kind == "ability" else {}
        yield Turn(len(now.steps), now.state, kind, side, now, error)


# Reading


def _setup(table: Mapping[str, Any]) -> Setup:
    """Make a combat from a resolved table `battle`; raises UsageError for a combat that cannot be."""
    refuse_unknown(table, dict.fromkeys(_KEYS), "battle")
    abilities, cubes, rulings = (_table(table, key) for key in ("abilities", "cubes", "rulings"))
    for colour in cubes:
        check_whole(f"battle.cubes.{shown(colour)[1:-1]}", cubes[colour], 0, PLAYER_SUPPLY)
    if (number := sum(cubes.values())) > MAX_CUBES:
        raise fault("number of cubes in battle.cubes", number, f"up to {MAX_CUBES} in all", "take fewer")
    said: Mapping[str, Any] = _table(table, "sides") if "sides" in table else {}
    sides = read_sides(cubes, said, abilities, "battle.")
    provoked = cast("bool", table.get("provoked", False))
    kind, active = cast("Kind", table.get("combat")), cast("str", table.get("active"))
    return Setup(kind, sides, active, Rulings.from_mapping(rulings), provoked)


def _resolved(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table `battle` with its defaults, those of `sides` and `provoked` only where something is said."""
    refuse_unknown(table, dict.fromkeys(_KEYS), "battle")
    cubes, sides, abilities, rulings = (
        _table({key: table.get(key, {})}, key, f"write {key} = {example}")
        for key, example in (
            ("cubes", "{ purple = 6, green = 3 }"),
            ("sides", "{ green = { supply = 20, island = 2, damage = 1, pirate = true } }"),
            ("abilities", '{ green = ["throw:2"] }'),
            ("rulings", '{ two_zones = "nearest" }'),
        )
    )
    refuse_unknown(abilities, cubes, "battle.abilities")
    refuse_unknown(sides, cubes, "battle.sides")
    read = {side.colour: side for side in read_sides(dict.fromkeys(cubes, 0), sides, abilities, "battle.")}
    said = {"sides": {colour: side_words(read[colour]) for colour in sides}}
    return {
        "cubes": dict(cubes),
        "combat": table.get("combat", "ship"),
        "active": table.get("active", ""),
        "abilities": {colour: [ability.text for ability in read[colour].abilities] for colour in cubes},
        "rulings": dict(Rulings.from_mapping(rulings).choices),
        **(said if sides else {}),
        **({} if table.get("provoked", False) is False else {"provoked": table["provoked"]}),
    }


def _table(table: Mapping[str, Any], key: str, advice: str = "change it or leave it out") -> Mapping[str, Any]:
    value: object = table.get(key)
    if not isinstance(value, Mapping):
        raise fault(f"battle.{key}".rstrip("."), value, "a table", advice)
    return cast("Mapping[str, Any]", value)
