"""The combat ship's surrogate: its contract and law, its fit to battles of a known law, and its check."""

import json
import math
import re
from collections import Counter
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.cases import each_case
from support.datasets import series

from tower_sim.apparatus import load, with_board
from tower_sim.campaign import Campaign, parse
from tower_sim.errors import UsageError
from tower_sim.results import Words
from tower_sim.studies.fitting.board.check import check_law, list_facts, play_again
from tower_sim.studies.fitting.board.fit import Throws, count_throws, fit_changes, fit_law
from tower_sim.studies.fitting.board.pages import report
from tower_sim.surrogate import BoardLaw, Covered, ShipSurrogate
from tower_sim.surrogate.ship import draw_places
from tower_sim.values import supply

SHIP = with_board(load("dead_reckoning"))
PLACES = SHIP.board.places
SIZE = len(PLACES)
EXPLOSIVE = PLACES.index("zone:explosive_shot")


def moves_to_neighbours():
    """Rows of chances: from a zone a third to the border, the rest to its neighbours alike."""
    rows = []
    for zone in SHIP.board.zones:
        row = dict.fromkeys(PLACES, 0.0) | {"border": 1 / 3}
        beside = SHIP.board.neighbours[zone.name]
        row |= {f"zone:{name}": 2 / 3 / len(beside) for name in beside}
        rows.append(tuple(row.values()))
    from_border = tuple(0.1 if i < SIZE - 2 else 0.0 for i in range(SIZE))
    return (*rows, from_border, tuple(float(i == SIZE - 2) for i in range(SIZE)))


# A law like the fitted one, but whose cubes are knocked about some thirty times as often, so that few battles show it.
LAW = BoardLaw(
    places=PLACES,
    landing=(
        (-1.5, -0.4, 0.2), (-1.5, -0.1, 0.4), (-3.0, -0.1, 0.7), (-1.5, -0.1, 0.3), (-1.8, -0.2, 0.2),
        (-0.3, -0.1, -0.1), (0.0, 0.0, 0.0), (-0.4, -0.1, 0.0), (-0.1, -0.1, -0.3), (0.0, -0.1, -0.3),
        (-2.1, -0.1, 0.4), (-2.6, -0.5, 0.1),
    ),
    landing_errors=((0.1, 0.1, 0.1),) * SIZE,
    crowd=0.15,
    crowd_error=0.03,
    changed=(-3.0, -2.0, -1.5, -2.0, -2.5, -3.5, -3.0, -3.5, -4.5, -4.5, -3.0, -3.0),
    changed_errors=(0.2,) * SIZE,
    slope=0.8,
    slope_error=0.1,
    quiet=1e-4,
    moves=moves_to_neighbours(),
    moved=(0,) * SIZE,
    cover=(
        Covered(1, 1, 0, 30), Covered(2, 3, 0, 28), Covered(4, 7, 0, 24), Covered(8, 15, 0, 14), Covered(16, 24, 0, 0),
    ),
)  # fmt: skip
MODEL = ShipSurrogate(SHIP, LAW, "test")
CUBES = supply({"purple": 20, "green": 20}, SHIP.cube_edge)


def unfought(*setups: tuple[int, int], battles: int, seed: int = 7) -> Campaign:
    """A campaign of so many battles at each set-up, of which none has been fought yet."""
    spec = parse(f"""
        [campaign]
        game = "dead_reckoning"
        apparatus = "dead_reckoning"
        battles = {battles}
        seed = "{seed}"
        [battle]
        cubes = {{ purple = 1, green = 1 }}
        abilities = {{ purple = ["move", "throw:2"], green = ["throw:3", "take_off", "throw:1"] }}
        [vary]
        design = "list"
        [vary.fields]
        "battle.cubes.purple" = {[a for a, _ in setups]}
        "battle.cubes.green" = {[b for _, b in setups]}
        """)
    strata = np.repeat(np.arange(len(setups)), battles)
    empty = series(np.zeros((len(strata), 0), int), strata=strata)
    cubes = empty.cubes.having(colour=Words.of([], ["purple", "green"]))
    plain = json.loads(spec.canonical)
    return empty.changed(spec=plain, points=list(spec.points), cubes=cubes, digest=spec.digest)


@pytest.fixture(scope="module")
def fought():
    """230 battles by LAW: about 1,400 throws of 5,000 cubes."""
    result = play_again(unfought((6, 3), (2, 1), (9, 9), (4, 2), (1, 1), battles=46), MODEL, 1)
    return result


@pytest.fixture(scope="module")
def fitted(fought):
    return fit_law([fought])


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["throw", "again", "take", "place"]), st.integers(0, 12)), max_size=8))
def test_whatever_is_thrown_taken_and_placed_every_cube_lies_in_one_place(steps):
    state, hand = MODEL.empty(), list(CUBES)
    for number, (what, count) in enumerate(steps):
        lying = list(state.board.cubes)
        rng = np.random.default_rng(number)
        if what == "take":
            state = state.take(lying[:count])
            hand += lying[:count]
            continue
        if what == "place":
            cube = (lying or hand)[0]
            outcome = MODEL.place(state, cube, "strength_2", rng)
            hand = [each for each in hand if each != cube]
        else:
            thrown = hand[:count] if what == "throw" else [*hand[: count // 2], *lying[: count // 2]]
            outcome = MODEL.drop(state, thrown, rng)
            hand = [each for each in hand if each not in thrown]
        state = outcome.state
        assert sorted((*hand, *state.board.cubes)) == sorted(CUBES)
        assert {x.place for x in outcome.landings} <= set(PLACES)
        assert not state.residents


def test_cubes_of_swapped_colours_land_alike():
    """The rest of the model's arguments are equal, so each number must lie in the same place, throw after throw."""
    swapped = {"purple": "green", "green": "purple"}
    one = other = MODEL.empty()
    for number in range(8):
        cubes = CUBES[5 * number : 5 * number + 5]
        outcome = MODEL.drop(one, cubes, np.random.default_rng(number))
        cubes = [replace(cube, colour=swapped[cube.colour]) for cube in cubes]
        alike = MODEL.drop(other, cubes, np.random.default_rng(number))
        assert [(x.cube.id, x.place) for x in outcome.landings] == [(x.cube.id, x.place) for x in alike.landings]
        one, other = outcome.state, alike.state


def test_when_a_cube_is_taken_off_and_nothing_thrown_hardly_any_other_moves():
    state = MODEL.drop(MODEL.empty(), CUBES[:20], np.random.default_rng(1)).state
    moved = 0
    for number in range(500):
        outcome = MODEL.drop(state.take(state.board.cubes[:1]), (), np.random.default_rng(number))
        before = {r.cube: r.region for r in state.board.lying}
        moved += sum(before[x.cube] != x.place for x in outcome.landings)
    low, high = stats.binom.ppf([1e-4, 1 - 1e-4], 500 * 19, LAW.quiet)
    assert low <= moved <= high


def test_a_law_of_another_board_and_a_state_of_another_law_are_refused():
    with pytest.raises(UsageError, match="elsewhere"):
        ShipSurrogate(SHIP, replace(LAW, places=("zone:elsewhere", *PLACES[1:])), "test")
    state = ShipSurrogate(SHIP, LAW, "another").empty()
    with pytest.raises(UsageError, match="state belongs"):
        MODEL.drop(state, CUBES[:1], np.random.default_rng(1))


@pytest.mark.slow
def test_thrown_cubes_land_with_the_laws_chances():
    """3,000 throws of 4 cubes onto 12: a chi-squared test of 12,000 landings at 1 in 10,000."""
    state = MODEL.drop(MODEL.empty(), CUBES[:12], np.random.default_rng(1)).state
    lying = np.bincount([PLACES.index(r.region) for r in state.board.lying], minlength=SIZE)
    result: Counter[str] = Counter()
    for number in range(3000):
        outcome = MODEL.drop(state, CUBES[12:16], np.random.default_rng([2, number]))
        result.update(x.place for x in outcome.landings if x.cube in outcome.thrown)
    expected = 12_000 * LAW.shares(4, lying)
    assert stats.chisquare([result[place] for place in PLACES], expected).pvalue > 1e-4


@pytest.mark.slow
def test_lying_cubes_change_and_go_with_the_laws_chances():
    """2,000 throws of 3 cubes onto 4 in an explosive zone: about 2,600 changes of 8,000, tested at 1 in 10,000 each."""
    state = MODEL.empty()
    for number, cube in enumerate(CUBES[:4]):
        state = MODEL.place(state, cube, "explosive_shot", np.random.default_rng(number)).state
    result: Counter[str] = Counter()
    for number in range(2000):
        outcome = MODEL.drop(state, CUBES[4:7], np.random.default_rng([3, number]))
        result.update(x.place for x in outcome.landings if x.cube in outcome.lying)
    chance = LAW.changes(3)[EXPLOSIVE]
    changed = 8000 - result.pop("zone:explosive_shot")
    low, high = stats.binom.ppf([5e-5, 1 - 5e-5], 8000, chance)
    assert low <= changed <= high
    goes = {place: changed * p for place, p in zip(PLACES, LAW.moves[EXPLOSIVE], strict=True) if p}
    assert set(result) <= set(goes)
    assert stats.chisquare([result[place] for place in goes], [*goes.values()]).pvalue > 1e-4


def test_a_number_at_the_end_of_the_line_still_falls_to_a_place():
    chances = np.array([[0.1] * 10, [0.0, 1.0] + [0.0] * 8])
    assert draw_places(chances, np.array([np.nextafter(1, 0), 0.0])).tolist() == [9, 1]


def test_throws_beyond_the_data_are_told_and_stay_sane():
    many = supply({"purple": 1000}, SHIP.cube_edge)
    outcome = MODEL.drop(MODEL.empty(), many, np.random.default_rng(1))
    assert outcome.extrapolated
    assert len(outcome.state.board.cubes) == 1000
    edge, none = LAW.shares(LAW.most_thrown, [0] * SIZE), [0] * SIZE
    assert LAW.shares(1000, none)[SIZE - 1] == pytest.approx(edge[SIZE - 1], rel=0.5)
    full = LAW.shares(1, [1000] * SIZE)
    assert full.sum() == pytest.approx(1)
    assert full.max() < 0.5
    changes = LAW.changes(10_000)
    assert ((changes >= LAW.changes(10)) & (changes <= 1)).all()
    within = MODEL.drop(MODEL.empty(), many[:9], np.random.default_rng(1))
    assert not within.extrapolated
    laden = MODEL.drop(within.state, many[9:24], np.random.default_rng(1))
    assert not laden.extrapolated
    assert MODEL.drop(laden.state, many[24:40], np.random.default_rng(1)).extrapolated


@each_case(
    ("key", "value"),
    [
        ("crowd", "much"), ("crowd", math.nan), ("slope_error", -1.0), ("quiet", 1.5), ("quiet", True), ("places", []),
        ("places", ["zone:a", "zone:a", "border", "table"]), ("places", ["border", "table"]), ("landing", [[0.0] * 3]),
        ("landing", [[0.0] * 2] * SIZE), ("landing", [[math.inf] * 3] * SIZE), ("moves", [[0.5] * SIZE] * SIZE),
        ("moves", None), ("moved", [0.5] * SIZE), ("moved", [-1] * SIZE), ("cover", []), ("cover", [[1, 2, 3]]),
        ("cover", [[3, 2, 0, 1]]), ("changed", [0.0]), ("terms", ["1"]),
    ],
)  # fmt: skip
def test_a_damaged_law_is_refused_in_one_line(key, value):
    plain = LAW.to_plain() | {key: value}
    with pytest.raises(UsageError, match=key) as raised:
        BoardLaw.from_plain(plain)
    assert re.fullmatch(r"[^\n]*allowed[^\n]*;[^\n]*", str(raised.value))


def test_a_law_written_as_json_reads_back_exactly_and_none_with_a_key_too_few_or_too_many():
    plain = LAW.to_plain()
    assert BoardLaw.from_plain(json.loads(json.dumps(plain, allow_nan=False))) == LAW
    short = {key: value for key, value in plain.items() if key != "crowd"}
    for bad, match in ((short, "crowd"), (plain | {"colour": 1}, "colour"), ([], "terms"), (None, "terms")):
        with pytest.raises(UsageError, match=match):
            BoardLaw.from_plain(bad)


@pytest.mark.slow
def test_the_fit_finds_the_law_that_made_the_battles(fought, fitted):
    """Each of 45 estimates within 4.5 standard errors, which chance exceeds in one of 3,000 such tests."""
    law, throws = fitted, count_throws([fought], SHIP)
    baseline = next(i for i, row in enumerate(law.landing) if not any(row))
    free = [i for i in range(SIZE) if i != baseline]
    truth = np.array(LAW.landing) - np.array(LAW.landing[baseline])
    zones = slice(0, SIZE - 2)
    estimates = np.array([*np.array(law.landing)[free].ravel(), law.crowd, *law.changed[zones], law.slope])
    errors = np.array([*np.array(law.landing_errors)[free].ravel(), law.crowd_error])
    errors = np.array([*errors, *law.changed_errors[zones], law.slope_error])
    z = (estimates - [*truth[free].ravel(), LAW.crowd, *LAW.changed[zones], LAW.slope]) / errors
    assert len(z) == 45
    assert np.abs(z).max() < 4.5
    assert law.crowd_error < 0.1
    assert max(law.changed_errors[zones]) < 0.4
    for thrown, lying in ((1, 1), (6, 1), (9, 0)):
        given_, result = (each.shares(thrown, [lying] * SIZE) for each in (LAW, law))
        assert np.abs(result - given_).max() < 0.03
    assert throws.changed.sum() == sum(law.moved)
    assert throws.stuck == 0


@pytest.mark.slow
def test_where_displaced_cubes_go_is_found(fitted):
    """From the zones with 60 changes or more: a chi-squared test of each row, all at 1 in 1,000."""
    rows = [i for i in range(SIZE - 2) if fitted.moved[i] >= 60]
    assert len(rows) >= 3
    for i in rows:
        goes = [j for j in range(SIZE) if LAW.moves[i][j]]
        n = fitted.moved[i]
        observed = [fitted.moves[i][j] * n for j in goes]
        assert sum(observed) == pytest.approx(n)
        assert stats.chisquare(observed, [LAW.moves[i][j] * n for j in goes]).pvalue > 1e-3 / SIZE


@pytest.mark.slow
def test_a_refit_gives_the_same_law_which_covers_what_the_battles_held(fought, fitted):
    assert json.dumps(fit_law([deepcopy(fought)]).to_plain()) == json.dumps(fitted.to_plain())
    throws = count_throws([fought], SHIP)
    for thrown, lying in zip(throws.thrown.tolist(), throws.lying.sum(1).tolist(), strict=True):
        assert fitted.covers(thrown, lying)
    assert not fitted.covers(int(throws.thrown.max()) + 1, 0)
    assert not fitted.covers(1, int(throws.lying.sum(1).max()) + 1)


@pytest.mark.slow
def test_the_throws_of_two_campaigns_are_those_of_both(fought):
    one, both = count_throws([fought], SHIP), count_throws([fought, fought], SHIP)
    assert both.landed.sum() == 2 * one.landed.sum()
    assert len(np.unique(both.run)) == 2 * len(np.unique(one.run))
    half = both.take(both.run >= fought.runs)
    assert (half.landed == one.landed).all()
    assert (half.moves == one.moves).all()


@pytest.mark.slow
def test_campaigns_that_cannot_be_fitted_are_refused(fought):
    other = json.loads(json.dumps(dict(fought.spec)))
    other["profile"]["cubes"]["edge_mm"] = 9
    after = fought.cubes.after
    moon = fought.cubes.having(after=Words(("zone:moon", *after.names[1:]), after.codes))
    for campaigns, match in (
        ([], "number of campaigns"),
        ([replace(fought, spec={"kind": "game"})], "game"),
        ([replace(fought, points=[{"profile.cubes.edge_mm": 9}])], "a field of vary.fields"),
        ([fought, replace(fought, spec=other)], "campaigns are of 2 apparatuses"),
        ([unfought((1, 1), battles=2)], "cubes thrown"),
        ([fought.changed(cubes=moon)], "zone:moon"),
    ):
        with pytest.raises(UsageError, match=match) as raised:
            fit_law(campaigns)
        assert "\n" not in str(raised.value)


@pytest.mark.slow
def test_a_ship_that_keeps_cubes_is_refused_and_a_rare_stuck_cube_left_out(fought):
    stuck = fought.cubes.after
    row = fought.cubes.row[fought.cubes.thrown][0]
    first = int(np.flatnonzero((fought.cubes.row == row) & fought.cubes.thrown)[0])
    codes = stuck.codes.copy()
    codes[first] = len(stuck.names)
    one = fought.cubes.having(after=Words((*stuck.names, "inside:ship"), codes))
    whole, less = count_throws([fought], SHIP), count_throws([fought.changed(cubes=one)], SHIP)
    assert (len(whole.run) - len(less.run), less.stuck) == (1, 1)
    codes = np.where(fought.cubes.thrown & (fought.cubes.cube % 10 == 0), len(stuck.names), stuck.codes)
    many = fought.cubes.having(after=Words((*stuck.names, "inside:ship"), codes))
    with pytest.raises(UsageError, match="stuck"):
        count_throws([fought.changed(cubes=many)], SHIP)


@pytest.fixture(scope="module")
def held():
    """150 battles by LAW, of other set-ups and another seed."""
    result = play_again(unfought((6, 4), (5, 7), (3, 2), battles=50, seed=8), MODEL, 1)
    return replace(result, digest="held")


@pytest.fixture(scope="module")
def checked(held, fitted):
    return check_law(ShipSurrogate(SHIP, fitted, "fit"), [held], times=2)


@pytest.mark.slow
def test_a_surrogate_fitted_to_the_right_law_is_not_found_wrong(checked):
    """By Holm's method one such check of 20 would be, were the fit exact; with this seed it is not."""
    assert not [fact.name for fact in checked.facts if fact.differs]
    assert (checked.battles, checked.played) == (150, 300)
    assert checked.extrapolated < 0.05
    gain, error = checked.gains["displacement"]
    assert gain > 4 * error


@pytest.mark.slow
def test_a_surrogate_with_another_law_is_found_wrong_where_it_is(held):
    """Three times the odds of an explosive zone and no displacement: both are seen in 150 battles."""
    landing = [list(row) for row in LAW.landing]
    landing[EXPLOSIVE][0] += math.log(3)
    wrong = replace(LAW, landing=tuple(map(tuple, landing)), changed=(-12.0,) * SIZE)
    check = check_law(ShipSurrogate(SHIP, wrong, "wrong"), [held], times=1)
    result = {fact.name for fact in check.facts if fact.differs}
    assert {"displacement", "displacement from places", "chains", "steps"} <= result


@pytest.mark.slow
def test_the_report_of_a_check_names_the_weakest_numbers_and_has_all_its_files(checked, tmp_path):
    report(checked).write(tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "## Where the surrogate is weakest" in text
    for name in re.findall(r"\]\(([^)]+)\)", text):
        assert (tmp_path / name).stat().st_size > 0
    assert "nan" not in text
    assert len(re.findall(r"!\[", text)) == 4


@pytest.mark.slow
def test_a_check_depends_on_its_arguments_only():
    few = play_again(unfought((3, 2), battles=10), MODEL, 1)
    one, other = (check_law(MODEL, [few], times=1) for _ in range(2))
    assert [fact.p for fact in one.facts] == [fact.p for fact in other.facts]
    for fact, same in zip(one.facts, other.facts, strict=True):
        assert np.array_equal(fact.difference.low, same.difference.low, equal_nan=True)


@pytest.mark.slow
def test_battles_of_another_ship_and_rulings_that_need_what_a_cube_touches_are_not_fought_again(held):
    spec = json.loads(json.dumps(dict(held.spec)))
    spec["profile"]["cubes"]["edge_mm"] = 9
    with pytest.raises(UsageError, match="ship of the campaign"):
        check_law(MODEL, [replace(held, spec=spec)])
    for ruling, choice in (("two_zones", "rethrown"), ("two_zones", "both"), ("on_cube", "rethrown")):
        campaign = unfought((2, 1), battles=1)
        spec = json.loads(json.dumps(dict(campaign.spec)))
        spec["battle"]["rulings"][ruling] = choice
        with pytest.raises(UsageError, match=ruling):
            play_again(replace(campaign, spec=spec), MODEL, 1)


def test_battles_fought_again_are_the_same_each_time_and_as_many_as_asked():
    campaign = unfought((2, 1), battles=3)
    one, other = (play_again(campaign, MODEL, 2) for _ in range(2))
    assert one.runs == 6
    assert (one.cubes.after.codes == other.cubes.after.codes).all()
    assert len(np.unique(one.rows.run)) == 6
    assert not one.unfinished.any()


def test_throws_are_counted_in_the_class_of_their_number():
    campaign = play_again(unfought((6, 3), battles=3), MODEL, 1)
    throws, landed = (
        count_throws([campaign], SHIP),
        [fact for fact in list_facts([campaign], SHIP) if "landing" in fact.name],
    )
    for fact, low, high in zip(landed, (1, 2, 3, 5, 9), (1, 2, 4, 8, SIZE * 99), strict=True):
        here = (throws.thrown >= low) & (throws.thrown <= high)
        assert fact.over.sum(0).tolist() == throws.landed[here].sum(0).tolist()


def test_the_errors_of_displacement_are_those_of_the_inverse_information():
    """Throws of one cube: the slope is as the penalty has it. Each place has a level: a mean and a departure."""
    lying, changed = np.array([[30, 50, 0, 9]]), np.array([[9, 5, 0, 0]])
    throws = Throws(PLACES[:4], np.zeros(1), np.eye(4)[:1], lying, changed, np.zeros((0, 3), int), (0, 0), 0)
    (levels, errors), (_, slope) = fit_changes(throws)
    assert slope == pytest.approx(1.0)
    rate = np.exp(levels)
    weight = np.array([30, 50, 0, 0]) * rate**2 / np.expm1(rate)
    both = np.column_stack([np.ones(4), np.eye(4)])
    information = both.T @ np.diag(weight) @ both + np.diag([5.0**-2, *[1.5**-2] * 4])
    assert errors == pytest.approx(np.sqrt(np.diag(both @ np.linalg.inv(information) @ both.T)))
