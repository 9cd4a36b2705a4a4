"""Parts of pictures against numbers worked out by hand; nothing is drawn on paper."""

import math

import numpy as np
import pytest
from matplotlib.figure import Figure
from support.cases import each_case

from tower_sim.apparatus import Angle, Height
from tower_sim.drawing import dress, measure_width
from tower_sim.drawing.files import ink_on
from tower_sim.drawing.picture import find_tips
from tower_sim.drawing.plan import _centroid
from tower_sim.drawing.section import _arrange_columns, draw_angle
from tower_sim.drawing.sheet import Sheet, scale
from tower_sim.drawing.sight import look_at
from tower_sim.drawing.solids import make_boxes
from tower_sim.drawing.surfaces import _LIGHT, light

UP = (0.0, 0.0, 0.0, 1.0)


def test_a_centroid_is_the_mean_of_the_parts_weighed_by_their_areas():
    notched = np.array([[0, 0], [3, 0], [3, 1], [1, 1], [1, 3], [0, 3]])  # 3 x 1 at (1.5, 0.5), 1 x 2 at (0.5, 2)
    assert _centroid(notched) == pytest.approx(((3 * 1.5 + 2 * 0.5) / 5, (3 * 0.5 + 2 * 2) / 5))


def test_a_face_in_full_light_has_its_colour_and_one_turned_away_the_least_share():
    for normal, share in ((_LIGHT, 1.0), (-_LIGHT, 0.4), (np.cross(_LIGHT, (1, 0, 0)), 0.4)):
        lit = light(normal[None] / np.linalg.norm(normal), np.array([[0.5, 0.2, 1.0]]), 0.4)
        assert lit.tolist() == [pytest.approx((0.5 * share, 0.2 * share, share))]


@each_case(("colour", "ink"), [("#00ff00", "0.1"), ("#0000ff", "white"), ("#ff00ff", "white"), ("#ffff00", "0.1")])
def test_ink_is_dark_on_what_looks_light(colour: str, ink: str):
    assert ink_on(colour) == ink


@each_case(("drops", "ticks"), [(20, 20), (21, 11), (40, 20), (41, 9), (100, 20)])
def test_drops_are_numbered_up_to_twenty_times(drops: int, ticks: int):
    panel = Figure().add_subplot()
    dress(panel, range(drops), (), ())
    assert len(panel.get_xticks()) == ticks


def test_a_label_points_at_the_farthest_large_surface():
    places = np.array([(x, 0.0, 0.0) for x in (-40.0, 0.0, 60.0)])
    posts = make_boxes(["post"] * 3, places, np.tile([3.0, 3.0, 20.0], (3, 1)), np.tile(UP, (3, 1)))
    view = look_at(posts, (0.0, -1.0, 0.0), far=1e6)
    tip = find_tips(posts, view, {"post": "a post"}, float(view.project([(0, 0, 0)])[0, 0]))["a post"]
    assert tip[0] == pytest.approx(50 + 1.5, abs=0.2)  # the middle of what is seen is at x = 10


def test_content_fits_with_the_room_that_text_needs_on_both_sides():
    figure = Figure(figsize=(2, 1))  # 144 pt x 72 pt
    sides = [(0.0, 20.0)], [(50.0, 24.0)], [(0.0, 2.0)], [(20.0, 10.0)]
    assert scale(figure, (0, 0, 1, 1), sides) == 50 / (144 - 20 - 24)


def test_an_angle_without_room_is_told_at_the_height_of_the_upper_end():
    sheet = Sheet(Figure(figsize=(4, 4)), (0, 0, 1, 1), ([(0, 0)], [(100, 0)], [(0, 0)], [(100, 0)]))
    level = draw_angle(sheet, Angle("slope", math.radians(45), height=5.0, at=10.0, run=-2.0))
    assert level
    assert (level.words, level.height, level.at) == ("slope 45°", pytest.approx(5 + 2), 10 - 2)


def test_heights_beside_each_other_stand_apart_and_those_above_each_other_do_not():
    low, high, long = (Height(words, *ends, at=0.0) for words, ends in (("a", (0, 4)), ("b", (4, 9)), ("c", (2, 6))))
    offsets = [offset for _, _, offset in _arrange_columns([low, high, long])]
    assert offsets == [9, 9, 9 + max(measure_width("a"), measure_width("b")) + 12]
