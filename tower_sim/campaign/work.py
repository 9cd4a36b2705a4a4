"""Play the runs of one shard, and return its tables as bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tower_sim.campaign.point import Point
from tower_sim.campaign.spec import Spec
from tower_sim.campaign.tables import ShardRows
from tower_sim.drops.recorder import Draw, Recorder
from tower_sim.errors import check_kind, check_whole
from tower_sim.games.tower import Turn


@dataclass(frozen=True, slots=True)
class Shard:
    """The Parquet bytes and the number of rows of each table of shard `index`."""

    index: int
    tables: dict[str, bytes]
    rows: dict[str, int]


def run_shard(spec: Spec, index: int) -> Shard:
    r"""Play the runs of a shard; every byte depends only on the arguments.

    Args:
        spec: The campaign.
        index: The number of the shard, from 0.

    Returns:
        Its tables as Parquet files, and their numbers of rows.

    >>> from tower_sim.campaign import parse
    >>> spec = parse('[campaign]\ngame = "amerigo"\nmodel = "surrogate"\nseed = "7"\ngames = 4\nshard = 2')
    >>> run_shard(spec, 1).rows["drops"]
    72
    """
    check_kind("spec", spec, Spec, "a Spec", "read one with campaign.load(PATH) or campaign.parse(TEXT)")
    index = check_whole("index", index, 0, spec.shards - 1)
    rows = ShardRows()
    for number, runs in groupby(spec.runs_of(index), key=lambda run: run // spec.runs):
        point = spec.point(number)
        with point.open_model() as model:
            for run in runs:
                play_run(point, Recorder(model), spec.seed, (number, run), rows)
    counts = {name: len(of_table) for name, of_table in rows.by_table(spec.game).items()}
    return Shard(index, rows.to_parquet(spec.game, spec.family, index, spec.points), counts)


def play_run(point: Point, model: Recorder, seed: int, where: tuple[int, int], rows: ShardRows) -> bool:
    """Play run `where` (point, run), add its rows, and return whether it came to its end."""
    is_whole = True
    for turn in point.game.start(model.as_model, point.rules, seed, where[1]):
        _add((*where, turn.index), turn, model.take_draws(), rows)
        rows.tell((*where, turn.index), point.game, turn.facts)
        is_whole = turn.failed is None
    return is_whole


def _add(where: tuple[int, int, int], turn: Turn, draws: Sequence[Draw], rows: ShardRows) -> None:
    blows = [draw for draw in draws if draw.knock and turn.kind == "drop"]
    falls = [draw for draw in draws if not draw.knock or turn.kind != "drop"]
    rows.add(where, turn.kind, falls, blows[0].state if blows else turn.state)
    if blows:
        rows.add(where, "knock", blows, turn.state)
