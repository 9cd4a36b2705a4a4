"""Pictures of the combat ship and its board: what they must show, checked on the figures and on what is written."""

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from support.cases import each_case
from support.pictures import changed, crowded, shades_of, words_of

from tower_sim.apparatus import Apparatus, BoardPlan, Section, load
from tower_sim.apparatus.combat_ship.dimensions import CombatShip
from tower_sim.apparatus.shapes import distance, meet
from tower_sim.drawing import apparatus_figure, cut_section, make_faces, save
from tower_sim.drawing.files import cube_colours
from tower_sim.drawing.plan import above
from tower_sim.drawing.surfaces import cube_faces, find_surface
from tower_sim.games.board import board_figure, densities_figure, density, draw_board, draw_densities
from tower_sim.results import ratios_of_sums
from tower_sim.values import BoardState, Cube, Pose, Resident, TowerState

pytestmark = pytest.mark.slow


@cache
def shipped() -> CombatShip:
    return cast("CombatShip", load("dead_reckoning"))


def ship_with(changes: Mapping[str, Any], name: str = "changed") -> CombatShip:
    return cast("CombatShip", changed(shipped().profile, changes, name))


def grid(columns: int, rows: int, wide: float, tall: float, name: str, **more: Any) -> dict[str, Any]:
    """A board of equal zones, 3 mm apart."""
    zones: list[dict[str, Any]] = []
    for i, (row, column) in enumerate(itertools.product(range(rows), range(columns))):
        x, y = 1.5 + row * (tall + 3), 1.5 + column * (wide + 3) - columns * (wide + 3) / 2
        corners = [[x, y], [x + tall, y], [x + tall, y + wide], [x, y + wide]]
        printed = {"kind": "plunder", "coins": i % 7 + 1, "choice": 3}
        zones.append({"name": name.format(i), "corners_mm": corners, **printed})
    table = {"length_mm": rows * (tall + 3), "width_mm": columns * (wide + 3)}
    return {"zones": zones, "board": table, **more}


DECKS = [
    {"along_mm": a, "ridge_mm": 80.5 + 3 * i, "span_mm": 9, "slope_deg": 30.25}
    for i, a in enumerate(range(-56, 57, 16))
]

ODD: dict[str, dict[str, Any]] = {
    "shipped": {},
    "no masts, no decks": {"masts": {"masts": 0}, "decks": []},
    "one mast, one deck": {"masts": {"masts": 1}, "decks": [DECKS[6]]},
    "two masts": {"masts": {"masts": 2, "spacing_mm": 100}},
    "five masts, eight decks": {"masts": {"masts": 5, "spacing_mm": 30, "thickness_mm": 1}, "decks": DECKS},
    "one port, no frame": {"gun_deck": {"ports": 1, "port_height_mm": 70}, "board": {"frame_height_mm": 0}},
    "seven ports": {"gun_deck": {"ports": 7, "bulkhead_mm": 0.5, "bulkhead_height_mm": 0}},
    "no borders": {"board": {"border_height_mm": 0, "frame_height_mm": 0}},
    "upright bulwarks": {"bulwarks": {"flare_mm": 0, "height_mm": 1}, "release": {"spread_mm": 40}},
    "wide bulwarks": {"bulwarks": {"flare_mm": 150, "height_mm": 60}, "masts": {"top_mm": 500}},
    "steep": {"gun_deck": {"slope_deg": 45, "lip_mm": 15}, "decks": [], "masts": {"foot_mm": 90}},
    "one zone": grid(1, 1, 150, 100, "sea"),
    "many small zones": grid(7, 6, 14, 13, "zone_number_{}_of_many"),
    "long names": grid(3, 2, 40, 40, "a_name_as_long_as_a_zone_may_have_one_{}"),
    "an unbroken name": grid(2, 1, 40, 40, "q" * 39 + "{}"),
    "large board": grid(4, 5, 140, 100, "z{}"),
    "small cubes": {"cubes": {"edge_mm": 2}},
}
OF_THE_SHIP = {"no masts, no decks", "one mast, one deck", "two masts", "five masts, eight decks", "seven ports"}
"""Those with the board that ships, and nothing else than that around it."""


def a_cube(number: int, colour: str, x: float, y: float, turn: float = 0.3, level: int = 0) -> Resident:
    """A cube flat at (x, y), on the board or on so many others, turned about the vertical."""
    edge = 0.008
    z = shipped().board.floor + edge / 2 + level * edge
    pose = Pose((x, y, z), (0.0, 0.0, math.sin(turn / 2), math.cos(turn / 2)))
    return Resident(Cube(number, colour, edge), "border", 0, pose)


def state_with(*lying: Resident) -> TowerState:
    return TowerState("physics", "dead_reckoning", "digest", board=BoardState(lying))


def on_zone(ship: CombatShip, name: str) -> tuple[float, float]:
    return tuple(np.mean(ship.board.zone(name).corners, axis=0).tolist())


NINE = state_with(*(a_cube(i, "purple", 0.045 + 0.014 * i, -0.08 + 0.017 * i, 0.4 * i) for i in range(9)))


@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_every_picture_is_written_in_every_format(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"board.{suffix}"
    draw_board(shipped(), NINE, path, title="one battle")
    assert path.stat().st_size > 10_000
    draw_densities(shipped(), *battles(shipped()), path, title="many battles")
    assert path.stat().st_size > 10_000


@pytest.mark.parametrize("name", ODD)
def test_no_text_lies_on_another_or_leaves_the_picture(name: str) -> None:
    ship = ship_with(ODD[name])
    cubes = state_with(
        *(a_cube(i, "green", *on_zone(ship, zone.name)) for i, zone in enumerate(ship.board.zones[:20])),
        a_cube(98, "a house colour", ship.board.x[1] + 0.02, 0.0),
        a_cube(99, "red", ship.board.x[1] + 0.5, 0.0),
    )
    assert crowded(apparatus_figure(ship, cubes)) == []
    if name in OF_THE_SHIP:
        return
    assert crowded(board_figure(ship, cubes, "one battle")) == []
    assert crowded(densities_figure(ship, *battles(ship), "many battles")) == []


@pytest.mark.parametrize("name", ["$\\frac$ of_mine^2", "w" * 100])
def test_a_name_or_title_of_any_kind_is_written_as_it_is(name: str, tmp_path: Path) -> None:
    ship = ship_with({}, name)
    for figure in (apparatus_figure(ship, NINE), board_figure(ship, NINE, name)):
        save(figure, tmp_path / "picture.png")
        assert crowded(figure) == []


def test_a_board_of_a_kind_that_says_nothing_is_drawn_with_its_zones_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CombatShip, "dimensions", Apparatus.dimensions)
    ship = shipped()
    figure = apparatus_figure(ship, NINE)
    shown = "".join(words_of(figure))
    assert all(zone.name.replace("_", "") in shown.replace("\n", "").replace(" ", "") for zone in ship.board.zones)
    assert {"hull", "bulwark", "mast", "gun deck"} <= set(words_of(figure))
    assert crowded(figure) == []


PARTS = ["masts", "bulwarks", "decks", "gun deck", "hull", "gun ports", "board", "frame", "borders"]


def test_the_parts_have_their_names_and_those_that_are_not_there_have_none() -> None:
    assert set(PARTS) <= set(words_of(apparatus_figure(shipped())))
    bare = ship_with(ODD["no masts, no decks"] | {"board": {"border_height_mm": 0, "frame_height_mm": 0}})
    left_out = {"masts", "mast", "decks", "deck", "frame", "borders"}
    assert set(words_of(apparatus_figure(bare))) & set(PARTS) == set(PARTS) - left_out


def dimensions(profile: Mapping[str, Any]) -> list[str]:
    p, guns, board = profile, profile["gun_deck"], profile["board"]
    sizes = [
        ("hull top {}", "hull", "top_mm"),
        ("beam {}", "hull", "beam_mm"),
        ("length {}", "hull", "length_mm"),
        ("bulwarks {}", "bulwarks", "height_mm"),
        ("flare {}", "bulwarks", "flare_mm"),
        ("{} apart", "masts", "spacing_mm"),
        ("mast {}", "masts", "thickness_mm"),
        ("mast foot {}", "masts", "foot_mm"),
        ("mast top {}", "masts", "top_mm"),
        ("{}°", "gun_deck", "slope_deg"),
        ("lip {}", "gun_deck", "lip_mm"),
        ("gun ports {}", "gun_deck", "port_height_mm"),
        ("bulkhead {}", "gun_deck", "bulkhead_mm"),
        ("bulkheads {}", "gun_deck", "bulkhead_height_mm"),
        ("board {}", "board", "length_mm"),
        ("{}", "board", "length_mm"),
        ("{}", "board", "width_mm"),
        ("floor {}", "board", "floor_mm"),
        ("frame {}", "board", "frame_height_mm"),
    ]
    texts = [words.format(f"{p[table][key]:g}") for words, table, key in sizes]
    port = (p["hull"]["length_mm"] - (guns["ports"] - 1) * guns["bulkhead_mm"]) / guns["ports"]
    borders = f"borders {board['border_height_mm']:g} high, {board['border_width_mm']:g} wide"
    texts += [f"port {port:.3g}", f"board from above, {borders}, lengths in mm"]
    for deck in p["decks"]:
        same = [d for d in p["decks"] if {**d, "along_mm": 0} == {**deck, "along_mm": 0}]
        ridge = f"ridge{'s' * (len(same) > 1)} {deck['ridge_mm']:g}"
        at = ", ".join(f"{along:g}" for along in sorted(d["along_mm"] for d in same))
        texts.append(f"{ridge} at {at}, span {deck['span_mm']:g}, {deck['slope_deg']:.4g}°")
    return texts


DECK = {"along_mm": 3, "ridge_mm": 115, "span_mm": 14, "slope_deg": 41}
ONE = grid(1, 1, 150, 100, "sea")
CHANGES: list[dict[str, Any]] = [
    {},
    {"hull": {"beam_mm": 45, "length_mm": 161}},
    {"hull": {"top_mm": 121}},
    {"bulwarks": {"height_mm": 21, "flare_mm": 19}},
    {"masts": {"spacing_mm": 41, "thickness_mm": 3, "foot_mm": 87, "top_mm": 161}},
    {"masts": {"masts": 2}},
    {"gun_deck": {"slope_deg": 34, "lip_mm": 21, "ports": 3, "port_height_mm": 29}},
    {"gun_deck": {"bulkhead_mm": 3, "bulkhead_height_mm": 7}},
    {"board": {"length_mm": 131, "width_mm": 181, "floor_mm": 1.5, "frame_height_mm": 11, "border_height_mm": 1.75}},
    {"zones": ONE["zones"], "board": ONE["board"] | {"border_width_mm": 2.5}},
    {"decks": [DECK]},
]


@each_case("changes", CHANGES)
def test_the_dimensions_are_those_of_the_profile(changes: dict[str, Any]) -> None:
    ship = ship_with(changes)
    expected = dimensions(ship.profile)
    figure = apparatus_figure(ship)
    shown = {words.replace("\n", " ") for words in words_of(figure)}
    assert set(expected) <= shown
    outdated = set(dimensions(shipped().profile)) - set(expected)
    assert bool(outdated) == bool(changes) or changes == {"masts": {"masts": 2}}
    assert not outdated & shown
    assert crowded(figure) == []


@pytest.mark.parametrize(("axis", "side"), [("y", 1), ("x", -1)])
def test_a_section_keeps_what_lies_beyond_it(axis: str, side: int) -> None:
    ship, at = shipped(), 0.005
    faces, _ = cut_section(make_faces(ship.boxes), ship.dimensions(), Section("here", axis, at))
    beyond = side * (faces.corners[:, "xy".index(axis)] - 5.0)
    assert 0.0 <= beyond.min() < 0.002
    hull = faces.select(faces.part == "hull").corners
    ends = (hull.max(axis=0) if axis == "y" else -hull.min(axis=0))[:2]
    assert ends == pytest.approx([1e3 * ship.hull_x, 1e3 * ship.hull_y])


def test_the_bulwarks_are_mitred_and_stand_on_the_hull() -> None:
    ship = shipped()
    points = find_surface(make_faces(ship.boxes), ship.dimensions(), parts=["bulwark"]).corners
    assert points[:, 2].min() == pytest.approx(122)
    beyond = (np.abs(points[:, :2]) - (22, 80)).max(axis=0)
    assert beyond[0] == pytest.approx(beyond[1])
    corners = points[np.all(np.abs(points[:, :2]) - (22, 80) > beyond - 1e-6, axis=1)]
    assert len({tuple(np.round(corner, 6)) for corner in corners}) == 4, "one point at each corner"


def plan(ship: CombatShip) -> BoardPlan:
    board = ship.dimensions().board
    assert board is not None
    return board


def plan_of(figure: Any) -> Any:
    (found,) = [axes for axes in figure.axes if any(t.get_text().startswith("board from above") for t in axes.texts)]
    return found


def words_in_zones(figure: Any) -> dict[str, list[str]]:
    """Return for each zone the lines of text whose middle lies in it, as (y, -x) mm."""
    ship = shipped()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    axes = plan_of(figure)
    words: dict[str, list[str]] = {zone.name: [] for zone in ship.board.zones}
    for text in axes.texts:
        box = text.get_window_extent(canvas.get_renderer())
        middle = axes.transData.inverted().transform([((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)])
        for zone in ship.board.zones:
            if meet(middle, 1e3 * np.array([(y, -x) for x, y in zone.corners])):
                words[zone.name].append(text.get_text())
    return words


def test_every_zone_has_its_name_once_and_what_it_gives_and_each_cube_the_letter_of_its_colour() -> None:
    ship = shipped()
    lying = [a_cube(0, "purple", *on_zone(ship, "choice")), a_cube(1, "green", *on_zone(ship, "cargo"))]
    pile = state_with(*lying, a_cube(2, "green", *on_zone(ship, "choice"), level=1))
    cases: list[tuple[TowerState, dict[str, set[str]] | None]] = [
        (state_with(), {}),
        (NINE, None),
        (state_with(*lying), {"choice": {"P"}, "cargo": {"G"}}),
        (pile, {"choice": {"G"}, "cargo": {"G"}}),  # that of the one below is hidden
    ]
    for state, letters in cases:
        words = words_in_zones(board_figure(ship, state, "a board"))
        for zone in ship.board.zones:  # in words; a name that says all stands alone
            name, gives = zone.name.replace("_", " "), plan(ship).printed[zone.name].words
            lines = [line for line in words[zone.name] if len(line) > 1]
            assert " ".join(lines) == (name if name == gives else f"{name} {gives}")
            found = {line for line in words[zone.name] if len(line) == 1}
            assert letters is None or found == letters.get(zone.name, set())


def test_words_that_do_not_fit_are_listed_below_under_a_number() -> None:
    ship = ship_with(grid(5, 2, 14, 14, "a_zone_of_the_board_number_{}"))
    texts, printed = words_of(board_figure(ship, state_with(), "small zones")), plan(ship).printed
    for i, zone in enumerate(ship.board.zones):
        assert texts.count(str(i + 1)) == 1
        assert texts.count(f"{i + 1}  {zone.name.replace('_', ' ')}: {printed[zone.name].words}") == 1


PRINTED = {
    "explosive shot": {"kind": "explosive"},
    "damage": {"kind": "damage"},
    "strength 2": {"kind": "strength", "strength": 2},
    "1 coin + 1 cargo": {"kind": "plunder", "coins": 1, "cargo": 1},
    "3 coins": {"kind": "plunder", "coins": 3},
    "2 coins or cargo": {"kind": "plunder", "choice": 2},
}


def test_what_is_printed_on_a_zone_is_written() -> None:
    board = grid(3, 2, 40, 40, "zone_{}")
    zones = [
        {"name": zone["name"], "corners_mm": zone["corners_mm"]} | printed
        for zone, printed in zip(board["zones"], PRINTED.values(), strict=True)
    ]
    ship = ship_with(board | {"zones": zones})
    assert [plan(ship).printed[zone.name].words for zone in ship.board.zones] == list(PRINTED)
    assert set(PRINTED) <= {words.replace("\n", " ") for words in words_of(apparatus_figure(ship))}


def coloured(axes: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return where the picture in `axes` has a colour, not a grey: positions (mm) and colours."""
    (picture,) = axes.images
    pixels = np.asarray(picture.get_array())[..., :3].astype(int)
    left, right, bottom, top = picture.get_extent()
    row, column = np.nonzero(np.ptp(pixels, axis=2) > 25)
    pixel = (right - left) / pixels.shape[1]
    assert (top - bottom) / pixels.shape[0] == pytest.approx(pixel)
    return np.column_stack([left + pixel * (column + 0.5), top - pixel * (row + 0.5)]), pixels[row, column]


def test_a_cube_is_drawn_at_its_true_outline_clear_of_the_words() -> None:
    turn = np.array([0.3, -0.5, 0.2, 0.8])
    pose = Pose((0.1, 0.03, 0.0075), tuple((turn / np.linalg.norm(turn)).tolist()))
    tilted = Resident(Cube(1, "purple", 0.008), "border", 0, pose)
    figure = board_figure(shipped(), state_with(tilted), "tilted")
    axes = plan_of(figure)
    drawn, _ = coloured(axes)
    corners = above(shipped().board).project(cube_faces([tilted]).corners)
    assert drawn.min(axis=0) == pytest.approx(corners.min(axis=0), abs=0.6)
    assert drawn.max(axis=0) == pytest.approx(corners.max(axis=0), abs=0.6)
    # its middle is where the pose says, and it looks as wide as a cube so turned
    assert (drawn.min(axis=0) + drawn.max(axis=0)) / 2 == pytest.approx((30.0, -100.0), abs=0.2)
    assert 8 < np.ptp(drawn[:, 0]) < 8 * math.sqrt(3)


def test_cubes_far_from_the_board_are_counted_not_drawn_and_all_others_are_inside_the_axes() -> None:
    ship = shipped()
    (x0, x1), (y0, y1) = ship.board.x, ship.board.y
    near = [(x0 + 0.004, y0 - 0.03), (x1 + 0.035, 0.0), (x1, y1 + 0.03), (x1 + 0.02, y0 - 0.02)]
    far = [(x1 + 0.3, 0.0), (0.1, y1 + 0.05)]
    state = state_with(*(a_cube(i, "green", x, y) for i, (x, y) in enumerate(near + far)))
    for figure in (board_figure(ship, state, "scattered"), apparatus_figure(ship, state)):
        axes = plan_of(figure)
        drawn, _ = coloured(axes)
        low, high = (np.array(limit) for limit in zip(axes.get_xlim(), axes.get_ylim(), strict=True))
        assert ((drawn > low) & (drawn < high)).all()
        for x, y in near:  # and nothing beside them: a cube's top is 8 x 8 mm, its lines are grey
            is_here = np.abs(drawn - (1e3 * y, -1e3 * x)).max(axis=1) < 6
            assert is_here.any()
            drawn = drawn[~is_here]
        assert not len(drawn)
        assert "2 out of the picture" in " ".join(words_of(figure))


def test_higher_cubes_are_painted_over_lower_ones() -> None:
    above, below = a_cube(1, "green", 0.1, 0.03, level=1), a_cube(0, "purple", 0.1, 0.03)
    for state in (state_with(above, below), state_with(below, above)):
        _, shades = coloured(plan_of(board_figure(shipped(), state, "a heap")))
        assert (shades[:, 1] > shades[:, 2]).all(), "green, not purple"


def test_a_colour_is_there_with_its_cubes_only_and_also_without_colour_purple_is_not_green(tmp_path: Path) -> None:
    path, ship, paint = tmp_path / "picture.png", shipped(), cube_colours(["purple", "green"])
    for i, (colour, zone) in enumerate((("purple", "strength_2"), ("green", "coins"))):
        state = state_with(a_cube(i, colour, *on_zone(ship, zone)))
        for figure in (apparatus_figure(ship, state), board_figure(ship, state, "cubes")):
            save(figure, path)
            pixels = imread(path)[..., :3].reshape(-1, 3)
            is_grey = np.abs(pixels[:, 1] - (pixels[:, 0] + pixels[:, 2]) / 2) <= 0.05  # no shade of these
            counts = {name: shades_of(pixels[~is_grey], shade) for name, shade in paint.items()}
            assert counts.pop(colour) > 300
            assert list(counts.values()) == [0]
    purple, green = (float(np.array([0.299, 0.587, 0.114]) @ to_rgb(shade)) for shade in paint.values())
    assert abs(purple - green) > 0.12


def test_of_a_model_that_tells_zones_only_the_cubes_in_each_are_counted() -> None:
    """Mended: such a battle had no picture at all."""
    words = ["zone:strength_2", "zone:strength_2", "zone:cargo", "border"]
    colours = ["purple", "green", "green", "purple"]
    lying = [Resident(Cube(i, c, 0.008), w, 0) for i, (c, w) in enumerate(zip(colours, words, strict=True))]
    figure = board_figure(shipped(), state_with(*lying), "none")
    lines = {name: "".join(words) for name, words in words_in_zones(figure).items()}
    assert lines["strength_2"] == "strength 2strength 2here: 1 purple, 1 green"
    assert lines["cargo"].endswith("here: 1 green")
    assert lines["coins"].startswith("coins")
    assert "here" not in lines["coins"]
    assert "4 cubes on the board; the model tells their zones" in " ".join(words_of(figure))


def battles(ship: CombatShip) -> tuple[Any, dict[str, Sequence[int]], list[int]]:
    """Cubes strewn evenly over the board's bounds, 5 in each of 40 battles: positions, counts in zones, thrown."""
    points = np.random.default_rng(1).uniform(*zip(ship.board.x, ship.board.y, strict=True), size=(200, 2))
    inside = {zone.name: distance(points, np.array(zone.corners)) == 0 for zone in ship.board.zones}
    return points, {name: is_in.reshape(40, 5).sum(axis=1).tolist() for name, is_in in inside.items()}, [5] * 40


@pytest.mark.parametrize("n", [1, 30, 3000])
def test_densities_sum_to_the_cubes_on_the_board(n: int) -> None:
    ship = shipped()
    rng = np.random.default_rng(n)
    on_board = rng.uniform(*zip(ship.board.x, ship.board.y, strict=True), size=(n, 2))
    off_board = np.array([(ship.board.x[1] + 0.01, 0.0), (0.0, 0.0), (0.1, ship.board.y[0] - 0.1)])
    x, y, cells = density(ship, np.concatenate([on_board, off_board]), 2 * n)
    areas = np.diff(x)[:, None] * np.diff(y) / 100  # cm²
    assert (cells * areas).sum() == pytest.approx(50)  # of 100 thrown
    assert (x[0], x[-1]) == pytest.approx([1e3 * a for a in ship.board.x])
    assert (y[0], y[-1]) == pytest.approx([1e3 * a for a in ship.board.y])


def test_the_density_is_drawn_where_the_cubes_are() -> None:
    ship = shipped()
    x, y = on_zone(ship, "coins")
    points = [(x, y)] * 40
    counts = {zone.name: [2 if zone.name == "coins" else 0] * 20 for zone in ship.board.zones}
    axes = plan_of(densities_figure(ship, points, counts, [2] * 20, "one spot"))
    mesh: Any
    (mesh,) = [collection for collection in axes.collections if isinstance(collection, QuadMesh)]
    ((i, j),) = np.argwhere(np.asarray(mesh.get_array()) > 0).tolist()
    low, high = np.sort([mesh.get_coordinates()[k, n] for k, n in ((i, j), (i + 1, j + 1))], axis=0)
    assert np.all((low <= (1e3 * y, -1e3 * x)) & ((1e3 * y, -1e3 * x) <= high))


@pytest.mark.parametrize("points", [[], [(0.0, 9.0)]], ids=["no places", "off the board"])
def test_a_board_without_any_cube_has_a_scale_from_0_to_1(points: Any) -> None:
    ship = shipped()
    nothing: dict[str, Sequence[int]] = {zone.name: [0, 0] for zone in ship.board.zones}
    figure: Any = densities_figure(ship, points, nothing, [3, 3], "all exploded")
    bar = min(figure.axes, key=lambda axes: axes.get_position().width)
    assert bar.get_ylim() == (0, 1)


def test_the_picture_says_how_many_and_each_share_in_percent() -> None:
    ship = shipped()
    points, counts, thrown = battles(ship)
    figure = densities_figure(ship, points, counts, thrown, "evenly", "battle")
    words = words_in_zones(figure)
    for name, of_zone in counts.items():
        (share,), (error,), _ = ratios_of_sums(np.array([of_zone]).T, np.array([thrown]).T)
        assert "".join(words[name]) == f"{name.replace('_', ' ')}{100 * share:.1f} ± {100 * error:.1f} %"
    texts = " ".join(words_of(figure))
    assert "200 cubes thrown in 40 battles" in texts
    assert "cubes per cm² for 100 thrown" in texts
    in_none = 100 - 100 * sum(sum(counts[name]) for name in counts) / 200
    assert f"{in_none:.1f} % of them in no zone" in texts


def test_without_positions_every_zone_is_shaded_by_its_share_and_area() -> None:
    """Mended: a surrogate's battles drew an empty board, its colour bar from -0.1 to 0.1."""
    ship = shipped()
    _, counts, thrown = battles(ship)
    figure: Any = densities_figure(ship, [], counts, thrown, "evenly", "battle")
    drawn: list[Any] = [x for axes in figure.axes for x in axes.collections]
    (shaded,) = [x for x in drawn if isinstance(x, PolyCollection) and x.get_cmap().name == "paper"]
    shades = np.asarray(shaded.get_array()).tolist()
    for zone, shade, path in zip(ship.board.zones, shades, shaded.get_paths(), strict=True):
        x, y = np.asarray(path.vertices)[:-1].T
        area = abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 200  # cm²
        assert shade == pytest.approx(100 * sum(counts[zone.name]) / sum(thrown) / area)
    assert shaded.get_clim() == (0.0, max(shades))
    assert max(shades) > 0
    assert "the model tells zones, not places in them" in " ".join(words_of(figure))
    assert not [x for axes in figure.axes[:1] for x in axes.collections if isinstance(x, QuadMesh)]
