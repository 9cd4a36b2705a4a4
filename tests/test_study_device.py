"""A tower beside the deck, bag or dice that it stands in for: exact on all sequences, quiet by chance, loud if off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from support.cases import each_case
from support.datasets import series
from support.pictures import faults

from tower_sim.campaign.data import Campaign, Facts, Words
from tower_sim.games.devices import Bag, Deck, Device, of_dice
from tower_sim.games.game import Game
from tower_sim.games.stand_in import StandIn
from tower_sim.statistics import Resamples, clopper_pearson
from tower_sim.study import sections_device
from tower_sim.study.sheets import Sheets
from tower_sim.study.stand_ins import Against, BesideExact, against

DECK = Deck({"a": 2, "b": 1, "c": 1}, {"rare": ["b", "c"]})


def drawn(runs: Sequence[Sequence[str | None]], strata: Any = None) -> Campaign:
    """A campaign that drew these events; None is a drop without a draw."""
    made = series(np.zeros((len(runs), len(runs[0])), int), strata=strata)
    words = Words.of([event for run in runs for event in run])
    return replace(made, drops=replace(made.drops, facts=Facts({"event": words})), digest="by hand")


def told(runs: Sequence[Sequence[str | None]], device: Device, draws: int, kind: str = "deck") -> Against:
    campaign = drawn(runs)
    boot = Resamples(campaign.strata, np.random.default_rng(1), 400)
    return against(campaign, boot, StandIn(kind, device, "event", draws))


def rows(one: Against) -> list[BesideExact]:
    return [*one.shares, *one.repeats, *one.twice, *one.first, *one.never, *one.place]


@each_case("draws", [4, 3, 2])
def test_all_orders_of_a_deck_together_have_its_exact_figures(draws: int) -> None:
    one = told(list(permutations("aabc", draws)), DECK, draws)
    assert one.whole == one.runs
    assert one.early == (2 if draws == 4 else draws)
    assert [row.name for row in one.twice] == ["the same event as the draw before", "the same, rare as one"]
    for row in rows(one):
        assert row.tower.value == pytest.approx(row.exact, abs=1e-12)
        assert not row.differs
    for shares, chances in one.laws.values():
        assert shares == pytest.approx(chances)


def test_all_sequences_of_a_bag_and_of_dice_together_have_their_exact_figures() -> None:
    of_bag = told(list(product("aabc", repeat=3)), Bag(DECK.counts, DECK.kinds), 3, "bag")
    throws = [str(a + b) for a, b in product((1, 2, 3), repeat=2)]
    dice = told(list(product(throws, repeat=2)), of_dice([[1, 2, 3]] * 2), 2, "dice")
    for row in [*rows(of_bag), *rows(dice)]:
        assert row.tower.value == pytest.approx(row.exact, abs=1e-12)
    assert [row.exact for row in of_bag.never] == pytest.approx([1 / 8, 27 / 64, 27 / 64])


def test_what_never_comes_is_a_share_of_the_runs_and_no_draw_after_the_last() -> None:
    """Of 12 draws each: a mean first draw is of the runs in which the event came."""
    bag = Bag({"a": 9, "b": 1})
    one = told([list("ab" * 6), *[list("a" * 12)] * 9, list("aaab" * 3)], bag, 12, "bag")
    first, never = (next(row for row in rows if row.name == "b") for rows in (one.first, one.never))
    assert (first.tower.value, first.tower.n) == (3, 2)
    assert (never.tower.value, never.exact) == (9 / 11, pytest.approx(0.9**12))
    law = [0.9 ** (n - 1) * 0.1 for n in range(1, 13)]
    assert first.exact == pytest.approx(sum(n * p for n, p in enumerate(law, 1)) / sum(law))
    gone = told([list("a" * 12)] * 6, bag, 12, "bag")
    assert np.isnan(gone.first[1].tower.value)
    assert not gone.first[1].differs


def test_drops_without_a_draw_do_not_count_and_runs_cut_short_have_no_first_draw() -> None:
    plain = [list("aabc"), list("bcaa"), list("caba")] * 2
    gaps = [[None, "a", None, "a", "b", "c"], ["b", "c", "a", None, "a", None], [None, None, *"caba"]] * 2
    assert str(rows(told(gaps, DECK, 4))) == str(rows(told(plain, DECK, 4)))  # some p are NaN
    short = told([*plain, ["a", None, None, None]], DECK, 4)
    assert (short.runs, short.whole) == (7, 6)
    assert [row.tower.value for row in short.first] == [row.tower.value for row in told(plain, DECK, 4).first]


def test_an_event_that_the_device_does_not_know_is_told_with_chance_nothing() -> None:
    one = told([list("aab?")] * 6, DECK, 4)
    row = one.shares[-1]
    assert (row.name, row.exact) == ("?", 0)
    assert one.place[-1].tower.value == 4


def shuffled(device: Device, draws: int, runs: int, rng: np.random.Generator) -> list[list[str]]:
    things = [event for event, count in device.counts.items() for _ in range(count)]
    is_deck = isinstance(device, Deck)
    return [[str(x) for x in rng.choice(things, draws, replace=not is_deck)] for _ in range(runs)]


@pytest.mark.parametrize(("device", "kind", "draws"), [(Deck({"a": 4, "b": 3, "c": 2, "d": 1}), "deck", 10),
                                                      (Bag({"a": 4, "b": 3, "c": 2, "d": 1}), "bag", 12)])  # fmt: skip
def test_true_devices_are_seldom_called_different(device: Device, kind: str, draws: int) -> None:
    """Of 60 campaigns of 60 games at most as many families have a false difference as 5 % allow (tail of 1 in 1000)."""
    rng = np.random.default_rng(20)
    wrong = {"shares": 0, "repeats": 0, "first": 0, "never": 0, "place": 0}
    for _ in range(60):
        one = told(shuffled(device, draws, 60, rng), device, draws, kind)
        for family in wrong:
            wrong[family] += any(row.differs for row in getattr(one, family))
    for count in wrong.values():
        assert clopper_pearson(count, 60, 0.998).low <= 0.05


def test_a_tower_that_remembers_is_called_out() -> None:
    """An event is drawn again with 1/5 more than its chance: in 200 games of 30 draws that is 20 standard errors."""
    rng = np.random.default_rng(3)
    bag = Bag({"a": 3, "b": 2, "c": 1})
    runs = shuffled(bag, 30, 200, rng)
    for run in runs:
        for i in range(1, 30):
            if rng.random() < 0.2:
                run[i] = run[i - 1]
    one = told(runs, bag, 30, "bag")
    assert one.twice[0].differs
    assert one.twice[0].tower.value > one.twice[0].exact
    assert not any(row.differs for row in one.shares)


def test_a_tower_that_gives_the_many_first_is_called_out() -> None:
    rng = np.random.default_rng(4)
    runs = [sorted(run, key=lambda event: -DECK.counts[event]) for run in shuffled(DECK, 4, 40, rng)]
    one = told([["a", *run[:1], *run[2:]] for run in runs], DECK, 4)
    assert {row.name for row in one.place if row.differs} >= {"b"}


# The report


class Drawer(Game):
    """A game whose tower stands in for DECK, for the sections alone."""

    name, title, run, kind = "drawer", "Drawer", "game", "drawer"

    def read(self, tables: Any) -> Any:
        return {"rules": {}}

    def plain(self, rules: Any) -> Any:
        return {"rules": {}}

    def play(self, model: Any, rules: Any, seed: int, run: int | None = None) -> Any:
        raise NotImplementedError

    def summary(self, turns: Any, rules: Any) -> str:
        return ""

    def stand_in(self, rules: Any) -> StandIn:
        return StandIn("deck", DECK, "event", 4)


def report(campaign: Campaign, place: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[Any]]:
    pictures: list[Any] = []
    monkeypatch.setattr(Campaign, "game", Drawer())
    monkeypatch.setattr(sections_device, "without_memory", lambda *_: None)  # these runs were not played
    monkeypatch.setattr(Sheets, "picture", lambda _, name, figure, caption: pictures.append(figure))
    sheets = Sheets(place)
    sections_device.of_one_point(sheets, campaign, Resamples(campaign.strata, np.random.default_rng(1), 400))
    sheets.close()
    return "\n".join(sheets.lines), pictures


def test_the_first_paragraph_says_whether_the_odds_are_kept(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    text, (picture,) = report(drawn(shuffled(DECK, 4, 60, rng)), tmp_path, monkeypatch)
    first = text.splitlines()[0]
    assert first.startswith(
        "Every event comes as often as in the deck, for each cube is drawn once. When they come is "
    )
    assert "not seen to differ either: the mean first draw of each is at most 0." in first
    assert "memory does not show" in first
    assert first.endswith("(60 games; in brackets what 95 % intervals reach.)")
    assert not faults(picture)
    files = {path.name for path in (tmp_path / "tables").iterdir()}
    assert files == {f"device_{name}.csv" for name in ("shares", "repeats", "first", "place", "lags", "first_law")}


def test_a_skewed_order_is_told_first_and_too_few_games_say_nothing(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(7)
    skewed = [sorted(run, key=lambda event: (event != "b", rng.random())) for run in shuffled(DECK, 4, 60, rng)]
    skewed[0] = list("abac")
    text, _ = report(drawn(skewed), tmp_path / "a", monkeypatch)
    assert "When they come differs too: b comes first at draw 1.0" in text.splitlines()[0]
    text, _ = report(drawn(skewed[:3]), tmp_path / "b", monkeypatch)
    assert text.splitlines()[0] == "3 games are too few to say whether the tower keeps the odds of the deck."
