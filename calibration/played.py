"""The table of simulated towers: points of the prior and the games of each tower, in independent files (pieces).

    python -m tower_sim.calibration.played 0 1 2

plays pieces 0, 1 and 2 and writes each as calibration/played/NN.npz; an existing piece is kept. The first pieces alone,
any number of them, are a valid table. A piece takes two and a half minutes of one core.
"""

from __future__ import annotations

import argparse
import io
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy.stats import qmc

from tower_sim.apparatus import Apparatus
from tower_sim.calibration.prior import NUMBERS, tower
from tower_sim.calibration.summaries import GAME, PLAN, RULES, Array
from tower_sim.errors import UsageError
from tower_sim.games import Turn, record
from tower_sim.results import COUNTS, UNKNOWN, Results
from tower_sim.simulator import PhysicsModel
from tower_sim.tools import in_threads, report_progress, writing

PLAYED = Path(__file__).with_name("played")
PIECES, TOWERS, GAMES = 20, 128, 2
SEED = 46  # of all games, and of the points
MORE = 3  # additional games of a heavy tower
AROUND, AGAIN = 400, 5  # towers of a further round, games of each
NEAR = 0.12  # standard deviation of a further round about a tower of those before, in the unit cube
CLOGGED = 24  # cubes: if the first set-up keeps more, nothing else is played; such towers hold up to 3 % of any weight


def draw_points(pieces: int = PIECES) -> Array:
    """Return the points of the first `pieces` pieces, shape (towers, 10): a scrambled Sobol sequence."""
    sequence = qmc.Sobol(len(NUMBERS), scramble=True, rng=SEED).random(2**12)
    return sequence[: pieces * TOWERS]


def play(shape: Apparatus, number: int, games: Sequence[int]) -> Results:
    """Play the games numbered `games` of a tower, shape (games, drops).

    Random: each game draws from (SEED, tower, game). If the first set-up of game 0 clogs, nothing else is played.
    """
    runs: list[list[Turn]] = []
    with PhysicsModel(shape) as model:
        for game in games:
            runs.append([])
            for turn in GAME.start(model, RULES, SEED, number * 1000 + game):
                runs[-1].append(turn)
                if game == turn.index == 0 and len(turn.state.residents) > CLOGGED:
                    return _as_games(runs, len(games))
    return _as_games(runs, len(games))


def _as_games(runs: Sequence[Sequence[Turn]], games: int) -> Results:
    return replace(record(GAME, runs, RULES), shape=(games,), plan=PLAN)


@dataclass(frozen=True, slots=True)
class Table:
    """The simulated towers: their points `unit`, shape (N, 10), and their `games`, shape (N, games, drops).

    `base` is their weight before any evidence, shape (N,): 1 for towers drawn from the prior alone.
    """

    unit: Array
    games: Results
    base: Array


def shipped(folder: str | Path = PLAYED, rounds: int | None = None) -> Table:
    """Read all pieces, the further rounds, and the first `rounds` files of additional games (None: all)."""
    folder = Path(folder)
    pieces = sorted(folder.glob("[0-9][0-9].npz"))
    if [piece.name for piece in pieces] != [f"{i:02}.npz" for i in range(len(pieces))] or not pieces:
        raise UsageError(
            f"pieces of played towers in {folder}: {len(pieces)}; allowed are all from 00 on; install again"
        )
    counts = [_read_counts(piece, (TOWERS, GAMES, PLAN.drops)) for piece in pieces]
    games = _make_games(lambda name: np.concatenate([each[name] for each in counts]))
    table = Table(draw_points(len(pieces)), games, np.ones(games.shape[0]))
    table = add_rounds(table, [read_round(file) for file in sorted(folder.glob("around-*.npz"))])
    for more in sorted(folder.glob("more-*.npz"))[:rounds]:
        table = add_games(table, _read_more(more, len(table.unit)))
    return table


def draw_around(centre: Array, share: Array, number: int = AROUND, seed: int = SEED) -> Array:
    """Return points about the towers at `centre`, shape (K, 10), drawn with probabilities `share`; shape (number, 10).

    Each coordinate is normal about its centre, and reflected at the ends of the unit interval.
    """
    rng = np.random.default_rng(seed)
    drawn = centre[rng.choice(len(centre), number, p=share)] + NEAR * rng.normal(size=(number, centre.shape[1]))
    return 1 - np.abs(1 - np.abs(drawn) % 2)


def density(unit: Array, centre: Array, share: Array) -> Array:
    """Return the density of `draw_around` at points, shape (N,); that of the prior is 1.

    A point that is a centre is left out of its own density, because it was a centre for its weight.
    """
    kernel, is_own = np.ones((len(unit), len(centre))), np.ones((len(unit), len(centre)), bool)
    for at, about in zip(unit.T[:, :, None], centre.T[:, None], strict=True):
        images = (about, -about, 2 - about)  # of reflections at both ends
        kernel *= sum(np.exp(-0.5 * ((at - image) / NEAR) ** 2) for image in images) / (NEAR * np.sqrt(2 * np.pi))
        is_own &= at == about
    kernel[is_own] = 0
    return kernel @ share / np.maximum(~is_own @ share, 1e-12)


def add_rounds(table: Table, rounds: Sequence[Mapping[str, Array]]) -> Table:
    """Return the table with the towers of further rounds; each was drawn about its `centre` with its `share`.

    A tower counts as one of the mixture of all rounds and the prior: the balance heuristic (Veach and Guibas, Optimally
    combining sampling techniques, 1995).
    """
    first, numbers = len(table.unit), [len(each["thrown"]) for each in rounds]
    drawn = [
        draw_around(each["centre"], each["share"], seed=SEED + place)[:number]
        for place, (each, number) in enumerate(zip(rounds, numbers, strict=True))
    ]
    unit = np.concatenate([table.unit, *drawn])
    most = max([table.games.shape[1], *(each["thrown"].shape[1] for each in rounds)])

    def columns(name: str) -> Array:
        return np.concatenate([_widen(part, most) for part in (table.games.grid(name), *(x[name] for x in rounds))])

    mixture = np.full(len(unit), float(first))
    for each, number in zip(rounds, numbers, strict=True):
        mixture += number * density(unit, each["centre"], each["share"])
    return Table(unit, _make_games(columns), len(unit) / mixture)


def play_around(centre: Array, share: Array, file: str | Path, before: int) -> None:
    """Play a further round about `centre` into `file`; a second call continues.

    `before` is the number of rounds before it, from which its seeds follow.
    """
    file = Path(file)
    done = dict(read_round(file)) if file.exists() else {"centre": centre, "share": share}
    unit, first = draw_around(done["centre"], done["share"], seed=SEED + before), len(draw_points()) + before * AROUND
    left = range(len(done.get("thrown", ())), len(unit))
    with report_progress("towers of a further round", len(left)) as tell:
        plays = in_threads(lambda i: play(tower(unit[i]), first + i, range(AGAIN)), left)
        for number, games in enumerate(plays, start=1):
            for name in COUNTS:
                row = games.grid(name)[None].astype(np.int8)
                done[name] = np.concatenate([done[name], row]) if name in done else row
            _write(file, done)
            tell(number)


def add_games(table: Table, more: Mapping[str, Array]) -> Table:
    """Return the table with `more` games of its towers `tower`, in counts of shape (towers, games, drops)."""
    first, games = table.games.shape[1], more["thrown"].shape[1]

    def columns(name: str) -> Array:
        counts = _widen(table.games.grid(name), first + games)
        counts[more["tower"], first:] = more[name]
        return counts

    return Table(table.unit, _make_games(columns), table.base)


def _widen(counts: Array, games: int) -> Array:
    return np.pad(counts, ((0, 0), (0, games - counts.shape[1]), (0, 0)), constant_values=UNKNOWN)


def play_on(table: Table, towers: Sequence[int] | Array, file: str | Path, games: int = MORE) -> Table:
    """Play `games` more games of some towers and store them in `file`; a second call continues."""
    file = Path(file)
    done = _read_more(file, len(table.unit)) if file.exists() else None
    first = table.games.shape[1]
    if done is not None and done["first"].tolist() != [first] * len(done["first"]):
        done = None  # stored for a table with fewer games, which has these games by now
    left = [int(number) for number in towers if done is None or number not in done["tower"]]
    with report_progress("games of towers that agree", len(left)) as tell:
        plays = in_threads(lambda number: play(tower(table.unit[number]), number, range(first, first + games)), left)
        for number, played in zip(left, plays, strict=True):
            row = {name: played.grid(name)[None].astype(np.int8) for name in COUNTS}
            row |= {"tower": np.array([number]), "first": np.array([first])}
            done = row if done is None else {name: np.concatenate([done[name], row[name]]) for name in row}
            _write(file, done)
            tell.step()
    return table if done is None else add_games(table, done)


def _make_games(column: Callable[[str], Array]) -> Results:
    counts: dict[str, Any] = {name: column(name).astype(np.int16) for name in COUNTS}
    return Results.of_counts(plan=PLAN, **counts)


def _read_counts(file: str | Path, shape: tuple[int | None, ...]) -> dict[str, Array]:
    try:
        with np.load(file, allow_pickle=False) as archive:
            counts = {name: archive[name] for name in archive.files}
        for name in COUNTS:
            size = counts[name].shape
            if len(size) != len(shape) or any(x not in (None, y) for x, y in zip(shape, size, strict=True)):
                raise ValueError(f"{name} has the shape {size}")
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
        raise UsageError(f"played towers {file} cannot be read ({error}); remove the file, or install again") from error
    return counts


def read_round(file: str | Path) -> dict[str, Array]:
    """Read a further round: counts, and its `centre` and `share`."""
    counts = _read_counts(file, (None, AGAIN, PLAN.drops))
    if counts.get("centre", np.zeros(0)).shape != (*counts.get("share", np.zeros(0)).shape, len(NUMBERS)):
        raise UsageError(f"played towers {file} have no centres; install again")
    return counts


def _read_more(file: Path, towers: int) -> dict[str, Array]:
    counts = _read_counts(file, (None, None, PLAN.drops))
    numbers = counts.get("tower", np.full(1, -1))
    is_right = numbers.shape == counts["thrown"].shape[:1] == counts.get("first", numbers[:0]).shape
    if not is_right or numbers.min(initial=0) < 0 or numbers.max(initial=0) >= towers:
        raise UsageError(f"played towers {file} are of another table; remove the file, or install again")
    return counts


def _write(file: Path, counts: Mapping[str, Array]) -> None:
    stream, columns = io.BytesIO(), dict[str, Any](counts)
    np.savez_compressed(stream, **columns)
    writing.make_folder(file, "folder for games")
    writing.replace(file, stream.getvalue(), "games")


def play_piece(piece: int) -> dict[str, Array]:
    """Play the towers of a piece, and return counts by name, each of shape (towers, games, drops)."""
    first = piece * TOWERS
    towers = enumerate(draw_points(piece + 1)[first:], first)
    played = list(in_threads(lambda each: play(tower(each[1]), each[0], range(GAMES)), towers))
    return {name: np.stack([games.grid(name) for games in played]).astype(np.int8) for name in COUNTS}


def main(words: Sequence[str] | None = None) -> None:
    """Play the pieces named on the command line, except those that exist."""
    parser = argparse.ArgumentParser(
        prog="python -m tower_sim.calibration.played",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pieces", type=int, nargs="+", choices=range(PIECES), metavar=f"0..{PIECES - 1}")
    for piece in parser.parse_args(words).pieces:
        file = PLAYED / f"{piece:02}.npz"
        if file.exists():
            continue
        counts = play_piece(piece)
        _write(file, counts)
        kept = counts["inside"][:, 0, 0]
        print(f"piece {piece}: {(kept <= CLOGGED).sum()} of {TOWERS} towers played on", flush=True)


if __name__ == "__main__":
    main()
