"""The table of played towers: its pieces, games that are added to it, and files that are damaged."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.coins import leaving
from support.coins import play as toss

from tower_sim.apparatus import Apparatus, from_tables, load
from tower_sim.calibration import played
from tower_sim.calibration.played import COUNTS, GAMES, PLAN, PLAYED, TOWERS, Table, draw_points, play, play_on, shipped
from tower_sim.calibration.prior import profile, tower
from tower_sim.calibration.readings import KEPT
from tower_sim.errors import UsageError
from tower_sim.results import UNKNOWN, Results
from tower_sim.tools import WritingFailed

FEW = 3  # towers of a piece in tests


def coins(_: Apparatus, number: int, games: Sequence[int]) -> Results:
    """Play the games of a tower of coins, drawn as the table draws them: from its number and the game's."""
    unit = draw_points()[number : number + 1]
    each = [toss(*leaving(unit), 1, np.random.default_rng((number, game))).take(0) for game in games]
    return Results.together(each)


@pytest.fixture(name="coined")
def _coined(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Pieces of FEW towers of coins, kept in a folder of their own."""
    monkeypatch.setattr(played, "play", coins)
    monkeypatch.setattr(played, "TOWERS", FEW)
    monkeypatch.setattr(played, "PLAYED", tmp_path)
    return tmp_path


def same(one: Table, other: Table) -> bool:
    return all((one.games.grid(name) == other.games.grid(name)).all() for name in COUNTS)


def test_pieces_are_written_once_and_any_number_of_first_ones_is_a_table(coined: Path):
    with pytest.raises(UsageError, match=r"pieces of played towers in .*: 0; allowed are all from 00 on; install"):
        shipped(coined)
    played.main(["0"])
    first = (coined / "00.npz").read_bytes()
    one = shipped(coined)
    assert one.games.grid("thrown").shape == (FEW, GAMES, PLAN.drops)
    played.main(["0", "1"])
    assert (coined / "00.npz").read_bytes() == first
    both = shipped(coined)
    assert (both.unit == draw_points()[: 2 * FEW]).all()
    assert (both.games.grid("inside")[:FEW] == one.games.grid("inside")).all()
    assert [file.name for file in sorted(coined.iterdir())] == ["00.npz", "01.npz"]


@pytest.mark.usefixtures("coined")
def test_a_piece_that_was_killed_leaves_nothing_and_is_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def killed(*_: object) -> Results:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(played, "play", killed)
        with pytest.raises(KeyboardInterrupt):
            played.main(["0"])
    assert list(tmp_path.iterdir()) == []
    played.main(["0"])
    games = [coins(tower(draw_points()[i]), i, (0, 1)).grid("thrown") for i in range(FEW)]
    assert (shipped(tmp_path).games.grid("thrown") == np.stack(games)).all()


@pytest.mark.usefixtures("coined")
@each_case(
    ("name", "data", "says"),
    [
        ("00.npz", None, "pieces of played towers in .*: 1; allowed are all from 00 on"),
        ("00.npz", b"", "00.npz cannot be read"),
        ("00.npz", b"no archive", "00.npz cannot be read"),
        ("01.npz", b"half", "01.npz cannot be read"),
        ("01.npz", b"cut", "01.npz cannot be read"),
        ("01.npz", b"other", "01.npz cannot be read .*inside"),
        ("01.npz", b"short", r"01.npz cannot be read .*shape \(1, 2, 36\)"),
        ("more-1.npz", b"no archive", "more-1.npz cannot be read"),
        ("more-1.npz", b"short", "more-1.npz are of another table"),
    ],
)
def test_a_damaged_or_missing_piece_is_one_line(name: str, data: bytes | None, says: str, tmp_path: Path):
    counts: dict[str, Any] = {key: value[:FEW] for key, value in played.play_piece(0).items()}
    for file in ("00.npz", "01.npz"):
        np.savez_compressed(tmp_path / file, **counts)
    whole = (tmp_path / "01.npz").read_bytes()
    actual = {b"half": whole[: len(whole) // 2], b"cut": whole[:200] + whole[260:]}.get(data or b"", data)
    (tmp_path / name).unlink(missing_ok=True)
    if actual is not None:
        (tmp_path / name).write_bytes(actual)
    if data == b"other":
        np.savez_compressed(tmp_path / name, **{key: value for key, value in counts.items() if key != "inside"})
    if data == b"short":
        np.savez_compressed(tmp_path / name, **{key: value[:1] for key, value in counts.items()})
    with pytest.raises(UsageError, match=says) as refused:
        shipped(tmp_path)
    assert "\n" not in str(refused.value)


@pytest.mark.usefixtures("coined")
def test_further_games_are_kept_and_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    played.main(["0", "1"])
    table, file = shipped(tmp_path), tmp_path / "new folder" / "games.npz"
    requests: list[int] = []

    def counted(shape: Apparatus, number: int, games: Sequence[int]) -> Results:
        requests.append(number)
        if len(requests) == 3:
            raise KeyboardInterrupt
        assert shape.digest == tower(draw_points()[number]).digest
        assert list(games) == [2, 3, 4]
        return coins(shape, number, games)

    with monkeypatch.context() as patch:
        patch.setattr(played, "in_threads", map)  # in order
        patch.setattr(played, "play", counted)
        with pytest.raises(KeyboardInterrupt):
            play_on(table, [4, 1, 5], file)
        more = play_on(table, [4, 1, 5], file)
    assert requests == [4, 1, 5, 5]
    assert more.games.grid("thrown").shape == (2 * FEW, 5, PLAN.drops)
    assert (more.games.grid("inside")[5, 2:] == coins(tower(draw_points()[5]), 5, (2, 3, 4)).grid("inside")).all()
    assert (more.games.grid("inside")[:, :2] == table.games.grid("inside")).all()
    assert (more.games.grid("inside")[[0, 2, 3], 2:] == UNKNOWN).all()
    assert same(more, play_on(table, [4, 1, 5], file))  # nothing is left to play
    (tmp_path / "more-1.npz").write_bytes(file.read_bytes())  # when these games ship with it
    assert same(more, shipped(tmp_path))
    (tmp_path / "more-1.npz").unlink()
    again = play_on(more, [1], file)  # of a table that has these games: they are not counted twice
    assert again.games.grid("thrown").shape == (2 * FEW, 8, PLAN.drops)
    assert (again.games.grid("inside")[1, 5:] == coins(tower(draw_points()[1]), 1, (5, 6, 7)).grid("inside")).all()


@pytest.mark.usefixtures("coined")
def test_games_that_cannot_be_kept_are_one_line(tmp_path: Path):
    played.main(["0"])
    (tmp_path / "file").write_text("mine")
    with pytest.raises((UsageError, WritingFailed)) as refused:
        play_on(shipped(tmp_path), [1], tmp_path / "file" / "games.npz")
    assert "\n" not in str(refused.value)


def test_a_clogged_first_set_up_is_not_played_on(monkeypatch: pytest.MonkeyPatch):
    """With the limit at 0 cubes every set-up that keeps one is clogged, and nothing else is played."""
    unit = draw_points(1)[int(np.argmax(shipped().games.grid("inside")[:TOWERS, 0, 0]))]
    monkeypatch.setattr(played, "CLOGGED", 0)
    games = play(tower(unit), 0, range(2))
    assert games.grid("thrown")[0, 0] == 49
    assert games.grid("inside")[0, 0] > 0
    assert (games.grid("thrown")[0, 1:] == UNKNOWN).all()
    assert (games.grid("thrown")[1] == UNKNOWN).all()


def test_the_pieces_that_ship_are_a_table_whose_cubes_are_all_accounted_for():
    table = shipped()
    games, number = table.games, len(list(PLAYED.glob("[0-9][0-9].npz")))
    rounds = sum(len(played.read_round(file)["thrown"]) for file in PLAYED.glob("around-*"))
    assert len(table.unit) == number * TOWERS + rounds == len(games.grid("thrown"))
    assert table.base.mean() == pytest.approx(1, abs=0.05)  # all rounds together are a sample of the prior
    whole = games.grid("thrown")[..., -1] != UNKNOWN
    known = games.grid("thrown") != UNKNOWN
    assert ((games.grid("thrown")[..., 0] == 49) == known[..., 0]).all()
    assert (games.grid("before")[known] >= 0).all()
    before = games.grid("before")[..., 1:][known[..., 1:]]
    assert (before == games.grid("inside")[..., :-1][known[..., 1:]]).all()
    assert ((games.grid("old_out") <= games.grid("out")) & (games.grid("own_out") <= games.grid("out")))[known].all()
    clogs = games.grid("inside")[:, 0, 0] > played.CLOGGED
    assert not whole[clogs].any()
    assert whole[~clogs, :GAMES].all(1).mean() > 0.95
    assert 0.1 < clogs.mean() < 0.4


def test_the_profiles_that_ship_are_of_the_towers_that_are_kept():
    for name, number in KEPT.items():
        tables = profile(shipped().unit[number])
        tables["exit"]["emerged"] = "cleared"
        assert from_tables(tables, name).digest == load(name).digest


def test_the_games_that_ship_are_those_that_are_played():
    """The tower that keeps least after its first set-up, played again: same numbers, drop by drop."""
    games = shipped().games
    thrown, inside = (games.grid(name)[:TOWERS, 0] for name in ("thrown", "inside"))
    number = int(np.argmin(np.where(thrown[:, -1] < 0, 99, inside.mean(-1))))
    again = play(tower(draw_points(1)[number]), number, [0])
    for name in COUNTS:
        assert (again.grid(name)[0] == games.grid(name)[number, 0]).all(), name
