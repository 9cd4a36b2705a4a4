"""Datasets made by hand, for studies."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from support.amerigo import read
from support.fakes import CoinTower

from tower_sim.campaign import Campaign, Shard, ShardRows, Spec, list_tables, parse
from tower_sim.campaign.store import Store, make_head
from tower_sim.games import amerigo
from tower_sim.results import Columns, Words
from tower_sim.studies import study

Row = dict[str, Any]
DROP = {
    "point": 0, "attempt": 0, "kind": "drop", "status": "settled", "drawn": True, "inside_before": 0,
}  # fmt: skip
SPEC = """
[campaign]
game = "amerigo"
apparatus = "amerigo"
games = 1
seed = "7"
"""


def study_text(campaign: Path, out: Path, point: int | None = None) -> str:
    """Study a campaign and return the text of the report."""
    study(campaign, out, point)
    return (out / "report.md").read_text("utf-8")


def table(report: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((report / "tables" / f"{name}.csv").read_text("utf-8").splitlines()))


def series(out: Any, thrown: Any = None, inside: Any = None, strata: Any = None) -> Campaign:
    """A campaign of chains that knows numbers of cubes only; arguments are of shape (runs, drops)."""
    out = np.asarray(out)
    runs, drops = out.shape
    thrown = np.full(out.shape, 5) if thrown is None else np.asarray(thrown)
    inside = np.zeros_like(out) if inside is None else np.asarray(inside)
    n = out.size
    counts = {"thrown": thrown, "before": inside, "out": out, "inside": inside + thrown - out}
    rows = {
        "run": np.repeat(np.arange(runs), drops),
        "drop": np.tile(np.arange(drops), runs),
        "drawn": np.ones(n, bool),
    }
    return Campaign.of(
        rows=Columns(
            rows
            | {name: column.ravel() for name, column in counts.items()}
            | dict.fromkeys(("kind", "phase", "winner"), Words.none(n))
        ),
        cubes=with_cubes([]),
        facts=Columns(),
        spec={"kind": "chain"},
        points=[{}],
        run_point=np.zeros(runs, int) if strata is None else np.asarray(strata),
    )


def with_cubes(rows: Sequence[tuple[int, int, str, bool, int, str | None, str]]) -> Columns:
    """The entries (row of the drop, cube, colour, thrown, age, before, after), sorted by the first."""
    row, cube, colour, thrown, age, before, after = zip(*rows, strict=True) if rows else ([],) * 7
    numbers = {"row": np.array(row, int), "cube": np.array(cube, int), "age": np.array(age, int)}
    words = {name: Words.of(some) for name, some in (("colour", colour), ("before", before), ("after", after))}
    return Columns(numbers | words | {"thrown": np.array(thrown, bool)})


def write(
    directory: Path,
    drops: Sequence[Row],
    cubes: Sequence[Row],
    spec: str = SPEC,
    points: Sequence[Mapping[str, Any]] = (),
    design: str = "list",
    shards: Sequence[int] = (0, 1),
):
    """Write a campaign's directory in two shards; a drop leaves out what `DROP` has, and may have the game's facts.

    `spec` is of one run; there are as many at each point as the rows need. Only `shards` are done.
    """
    plain = parse(spec)
    runs = 1 + max((int(row["run"]) for row in drops), default=1)
    number = max(len(points), 1)
    changes = {"runs": -(-runs // number), "shard": -(-(-(-runs // number) * number) // 2)}
    changes |= {"design": design, "points": [dict(each) for each in points]} if points else {}
    plan = Spec.of(plain.plain | changes)
    with Store.open(directory, make_head(plan), plan) as store:
        for index in [index for index in shards if index < plan.shards]:
            of_shard, rows = plan.runs_of(index), ShardRows()
            unsaid = {
                "round": 0,
                "phase": "setup",
            }  # which every drop of a game has, and once, however often it is drawn
            told = {(row["run"], row["drop"]): unsaid | row for row in drops}.values()
            given = ([DROP | row for row in drops], cubes, told)
            lists = (rows.drops, rows.cubes, rows.own)
            for table, rows_of, into in zip(list_tables(plan.game), given, lists, strict=False):
                names = [column.name for column in table.columns]
                mine = [{"point": 0} | row for row in rows_of if row["run"] in of_shard]
                into.extend(tuple(row.get(name) for name in names) for row in mine)
            store.put(Shard(index, rows.to_parquet(plan.game, plan.family, index, plan.points), {}))


def coin_games(games: int, rules: amerigo.Rules | None = None, point: int = 0, first: int = 0, failures: float = 0):
    """Play games with the coin tower through the game's own rules; return the rows of both tables."""
    drops: list[Row] = []
    cubes: list[Row] = []
    rules = rules or amerigo.Rules()
    for run in range(first, first + games):
        before: dict[int, Any] = {}
        turns = list(amerigo.GAME.start(CoinTower(failure_rate=failures), rules, run))
        for turn, entry in zip(turns, read(iter(turns), rules), strict=True):
            where = {"point": point, "run": run, "drop": entry.index}
            state = turn.state
            failed = [status for outcome in turn.outcomes for status in outcome.failures]
            now = {resident.cube.id: resident for resident in state.residents}
            thrown = [cube for cube in rules.supply(0.008) if entry.attempts and state.log[-1].thrown.count(cube)]
            emerged = sum(entry.emerged.values())
            told = {
                "round": entry.round, "phase": entry.phase, "skipped": entry.skipped, "gold": entry.gold,
                "colours_out": sum(n > 0 for n in entry.emerged.values()), "action_points": entry.action_points,
            }  # fmt: skip
            counts = {"thrown": len(thrown), "inside_before": len(before)}
            for i, status in enumerate(failed):
                drops.append(where | counts | {"attempt": i, "status": str(status), "emerged": None})
            counts |= {"emerged": emerged, "inside_after": len(now), "attempt": len(failed)}
            drops.append(where | told | counts | {"drawn": entry.attempts > 0})
            known = [(cube, None) for cube in thrown] + [(r.cube, r) for r in before.values()]
            for cube, was in known if entry.attempts else ():
                cubes.append(
                    where
                    | {"cube": cube.id, "colour": cube.colour, "thrown": was is None}
                    | {"age": state.drops - 1 - was.since if was else 0, "before": was and f"inside:{was.region}"}
                    | {"after": f"inside:{now[cube.id].region}" if cube.id in now else "tray"}
                )
            before = now
    return drops, cubes


BATTLE = """
[campaign]
game = "dead_reckoning"
apparatus = "dead_reckoning"
battles = 1
seed = "7"

[battle]
cubes = { purple = 2, green = 2 }
"""


def a_battle(run: int, winner: str, point: int = 0) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A throw of four, an explosion that knocks cube 0 from a to b, a cube put into a zone, a pass."""
    steps = {
        "throw": [(0, "purple", None, "a"), (1, "purple", None, "boom"), (2, "green", None, "b"),
                  (4, "green", None, "c")],
        "explosion": [(0, "purple", "a", "b"), (1, "purple", None, "b"), (2, "green", "b", "b"),
                      (3, "purple", None, "a"), (4, "green", "c", "c")],
        "ability": [(0, "purple", "b", "b"), (1, "purple", "b", "b"), (2, "green", None, "a"), (3, "purple", "a", "a"),
                    (4, "green", "c", "c")],
        "pass": [],
    }  # fmt: skip
    drops: list[dict[str, Any]] = []
    cubes: list[dict[str, Any]] = []
    for i, (kind, landed) in enumerate(steps.items()):
        where = {"point": point, "run": run, "drop": i}
        thrown = sum(before is None for _, _, before, _ in landed)
        counts = {"thrown": thrown, "emerged": len(landed), "inside_after": 0, "drawn": bool(landed)}
        drops.append(where | counts | {"kind": kind, "winner": winner if kind == "pass" else None})
        for cube, colour, before, after in landed:
            places = {"before": before and f"zone:{before}", "after": f"zone:{after}"}
            cubes.append(
                where | places | {"cube": cube, "colour": colour, "thrown": before is None, "age": i if before else 0}
            )
    return drops, cubes


def write_battles(directory: Path, winners: list[str], points: list[int], overrides: Any = ()) -> None:
    played = [a_battle(run, winner, point) for run, (winner, point) in enumerate(zip(winners, points, strict=True))]
    drops, cubes = ([row for each in played for row in each[i]] for i in (0, 1))
    write(directory, drops, cubes[::-1], BATTLE, overrides)
