"""The combat ship as data: what a profile may say, and what solids it becomes."""

import copy
import dataclasses
import itertools
import math
import pickle
import re
from typing import Any, cast

import numpy as np
import pytest
from support.cases import each_case

from tests.support.hulls import count_boxes
from tower_sim.apparatus import Zone, catalogue
from tower_sim.apparatus import shapes as polygon
from tower_sim.apparatus.combat_ship.dimensions import CombatShip
from tower_sim.apparatus.zones import find_neighbours
from tower_sim.errors import UsageError

SHIP = cast("CombatShip", catalogue.load("dead_reckoning"))
BOARD = SHIP.board
EDGE = SHIP.cube_edge


def ship_with(change) -> CombatShip:
    profile: dict[str, Any] = copy.deepcopy(SHIP.profile)
    change(profile)
    return cast("CombatShip", catalogue._from_tables(profile, "changed", None))  # type: ignore


def zone_of(profile: dict[str, Any], name: str) -> dict[str, Any]:
    return next(zone for zone in profile["zones"] if zone["name"] == name)


def is_solid(points: np.ndarray) -> np.ndarray:
    return count_boxes(SHIP.boxes, points) > 0


def test_neighbours_make_one_board():
    reached = [BOARD.zones[0].name]
    for name in reached:
        reached += [other for other in BOARD.neighbours[name] if other not in reached]
    assert sorted(reached) == sorted(zone.name for zone in BOARD.zones)


def test_zones_that_meet_only_at_a_corner_are_no_neighbours():
    assert "choice" not in BOARD.neighbours["coins_and_cargo"]
    assert {*BOARD.neighbours["explosive_shot"]} == {"strength_1_fore", "strength_1_aft", "strength_2"}
    assert "cargo" not in BOARD.neighbours["strength_2"]


@each_case(("along", "are_neighbours"), [(0.5, False), (0.9, False), (1.2, True), (3.0, True)])
def test_zones_are_neighbours_where_their_border_is_longer_than_a_cube(along: float, are_neighbours: bool):
    """Two squares of three edges, a border of 2 mm between them, one shifted so that they face along so many edges."""
    side, border = 3 * EDGE, 0.002
    square = np.array([(0, 0), (side, 0), (side, side), (0, side)])
    shapes = {"one": square, "other": square + np.array([side + border, side - along * EDGE])}
    zones = tuple(Zone(name, tuple(map(tuple, corners.tolist()))) for name, corners in shapes.items())
    expected = {"one": ("other",), "other": ("one",)} if are_neighbours else {"one": (), "other": ()}
    assert find_neighbours(zones, border, EDGE) == expected


def test_every_zone_is_walled_in_by_its_borders_all_round_and_open_inside():
    for zone in BOARD.zones:
        corners = np.array(zone.corners)
        outside = polygon.along(polygon.inset(corners, -1e-4), 5e-4)
        within = polygon.along(polygon.inset(corners, 1e-4), 5e-4)
        for points, expected in ((outside, True), (within, False)):
            low = np.column_stack([points, np.full(len(points), (BOARD.floor + BOARD.border_top) / 2)])
            assert np.all(is_solid(low) == expected), zone.name
        over = np.column_stack([outside, np.full(len(outside), BOARD.border_top + 1e-4)])
        assert not is_solid(over).any()


def test_the_board_has_no_holes_but_its_zones():
    """At half the borders' height all is zone or solid, but slivers where the borders of three zones meet."""
    rng = np.random.default_rng(1)
    points = np.column_stack([rng.uniform(*BOARD.x, 20_000), rng.uniform(*BOARD.y, 20_000)])
    over_zone = np.any([polygon.distance(points, np.array(zone.corners)) == 0 for zone in BOARD.zones], axis=0)
    low = np.column_stack([points, np.full(len(points), (BOARD.floor + BOARD.border_top) / 2)])
    assert np.mean(~over_zone & ~is_solid(low)) < 0.001
    assert 0.8 < over_zone.mean() < 0.95


def test_every_deck_falls_fore_and_aft_from_its_ridge_alike():
    """On each side of the ridge at 10, 50 and 90 % of the span the plank begins at the height that its slope gives."""
    beside = 0.3 * SHIP.given.hull.beam  # of the masts
    for deck in SHIP.given.decks:
        for side, share in itertools.product((-1, 1), (0.1, 0.5, 0.9)):
            y, z = deck.along + side * share * deck.span, deck.ridge - share * deck.span * math.tan(deck.slope)
            solid = is_solid(np.array([(beside, y, z - 1e-4), (beside, y, z + 1e-4)]))
            assert solid.tolist() == [True, False], (deck, side, share)


def test_a_cube_dropped_down_the_middle_of_each_port_finds_it_open():
    profile = SHIP.profile
    port = profile["hull"]["length_mm"] / profile["gun_deck"]["ports"] * 1e-3
    for i in range(profile["gun_deck"]["ports"]):
        y = -SHIP.hull_y + 4e-3 + (i + 0.5) * port
        x = np.linspace(-SHIP.hull_x + 5e-3, SHIP.hull_x + 5e-3, 200)
        z = SHIP.deck_low + SHIP.deck_rise * (SHIP.hull_x - x) + 5e-3
        assert not is_solid(np.column_stack([x, np.full(200, y), z])).any()
        assert is_solid(np.column_stack([x, np.full(200, y), z - 6e-3]))[:-30].all()  # the deck itself


def test_masts_end_in_an_edge_at_their_height():
    top = SHIP.profile["masts"]["top_mm"] * 1e-3
    assert SHIP.rim_top == pytest.approx(top)
    spacing = SHIP.profile["masts"]["spacing_mm"] * 1e-3
    for y in (-spacing, 0.0, spacing):
        below, above = (0.0, y, top + (math.sqrt(2) / 2 - 1) * 2e-3 - 1e-4), (0.0, y, top + 1e-4)
        assert is_solid(np.array([below, above, (1.5e-3, y, top - 5e-4)])).tolist() == [True, False, False]


def in_zone(which: str, **values):
    return lambda profile: zone_of(profile, which).update(values)


def in_table(name: str, **values):
    return lambda profile: profile[name].update(values)


def rectangle(x0: float, x1: float, y0: float, y1: float) -> list[list[float]]:
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


BAD = {
    "overlap": (in_zone("cargo", corners_mm=rectangle(1.5, 40, -88.5, -51.5)), "'cargo' and 'damage_fore' overlap"),
    "no room for a border": (
        in_zone("cargo", corners_mm=rectangle(1.5, 34, -88.5, -51.5)),
        "'cargo' and 'damage_fore' are 1.5 mm apart; allowed is at least",
    ),
    "one in another": (in_zone("cargo", corners_mm=rectangle(80, 100, 20, 40)), "overlap"),
    "off the board": (in_zone("choice", corners_mm=rectangle(73.5, 140, -88.5, -1.5)), "'choice' cannot be reached: "),
    "too narrow": (in_zone("explosive_shot", corners_mm=rectangle(1.5, 32.5, -5, 5)), "'explosive_shot' cannot be"),
    "no neighbour": (in_zone("choice", corners_mm=rectangle(100, 128, -60, -30)), "'choice' cannot be reached from"),
    "not convex": (in_zone("choice", corners_mm=[[74, -80], [120, -80], [80, -70], [74, -10]]), "of a convex polygon"),
    "two corners": (in_zone("choice", corners_mm=[[74, -80], [120, -80]]), "allowed is 3 to 24 corners"),
    "no corners": (lambda p: zone_of(p, "choice").pop("corners_mm"), "zones[8].corners_mm is missing"),
    "corners far away": (in_zone("choice", corners_mm=[[0, 0], [1e6, 0], [0, 1e6]]), "zones[8].corners_mm is [[0, 0],"),
    "corners without end": (
        in_zone("choice", corners_mm=[[math.cos(k), math.sin(k)] for k in range(99)]),
        "allowed is 3 to 24 corners",
    ),
    "corners of truth": (in_zone("choice", corners_mm=[[True, 0], [9, 0], [0, 9]]), "allowed is 3 to 24 corners"),
    "zones without end": (lambda p: p.update(zones=p["zones"] * 99), "allowed is a list of 1 to 60 tables"),
    "decks without end": (lambda p: p.update(decks=p["decks"] * 99), "allowed is a list of up to 40 tables"),
    "corners in words": (in_zone("choice", corners_mm="all"), "zones[8].corners_mm is 'all'"),
    "a name twice": (in_zone("choice", name="cargo"), "zone 'cargo' is there twice"),
    "no name": (in_zone("choice", name="two words"), "name is 'two words'; allowed is up to 40 letters"),
    "no zones": (lambda p: p.update(zones=[]), "zones is []; allowed is a list of 1 to 60 tables"),
    "flat deck": (in_table("gun_deck", slope_deg=15), "gun_deck.slope_deg is 15; allowed is more than 21.8"),
    "narrow ports": (in_table("gun_deck", ports=12), "gun_deck.ports = 12 are 11.5 mm wide each; allowed is more than"),
    "low ports": (in_table("gun_deck", port_height_mm=20), "gun_deck.port_height_mm is 20; allowed is more than 24.2"),
    "a deck too low": (lambda p: p["decks"][1].update(ridge_mm=80), "decks[1].ridge_mm is 80; allowed is at least"),
    "a deck too long": (lambda p: p["decks"][0].update(span_mm=75, ridge_mm=120, slope_deg=22), "decks[0]"),
    "frame over the lip": (in_table("board", frame_height_mm=30), "gun_deck.lip_mm is 22; allowed is at least"),
    "masts too close": (in_table("masts", spacing_mm=15), "masts.spacing_mm is 15; allowed is more than 17.8"),
    "masts in the deck": (in_table("masts", foot_mm=10), "masts.foot_mm is 10; allowed is from"),
    "no hull": (lambda p: p.pop("hull"), "hull is missing; allowed is a table; add [hull]"),
    "too wide a hand": (in_table("release", spread_mm=100), "release.spread_mm is 100; allowed is at most the"),
}


@each_case("name", BAD)
def test_a_profile_that_makes_no_ship_is_refused_in_one_line(name):
    change, says = BAD[name]
    with pytest.raises(UsageError, match=re.escape(says)):
        ship_with(change)


def test_corners_may_be_given_either_way_round():
    def turned(profile):
        zone_of(profile, "choice")["corners_mm"].reverse()

    assert sorted(ship_with(turned).board.zone("choice").corners) == sorted(BOARD.zone("choice").corners)
    assert ship_with(turned).digest != SHIP.digest


def test_a_zone_needs_a_name_and_corners_and_keeps_what_else_its_table_says():
    for zone, table in zip(BOARD.zones, SHIP.profile["zones"], strict=True):
        assert zone.printed == {key: value for key, value in table.items() if key not in ("name", "corners_mm")}
    changed = ship_with(in_zone("choice", kind="treasure", rumours=[1, "two"])).board.zone("choice")
    assert dict(changed.printed) == {"kind": "treasure", "choice": 2, "rumours": [1, "two"]}


def test_what_is_printed_cannot_be_changed_and_goes_with_a_copy():
    zone = BOARD.zone("choice")
    with pytest.raises(TypeError):
        cast("dict[str, int]", zone.printed)["choice"] = 3
    copies = [copy.deepcopy(zone), pickle.loads(pickle.dumps(zone)), dataclasses.replace(zone)]
    assert copies == [zone] * 3
    assert {zone, *copies} == {zone}


def test_a_ship_needs_neither_masts_nor_decks_and_the_hand_is_then_over_the_bulwarks():
    def bare(profile):
        profile["masts"]["masts"] = 0
        profile["decks"] = []

    ship = ship_with(bare)
    assert ship.rim_top == pytest.approx(0.142)
    assert {box.part for box in SHIP.boxes} - {box.part for box in ship.boxes} == {"mast", "deck_0", "deck_1", "deck_2"}
