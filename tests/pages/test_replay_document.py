"""The replay document: poses as they were, to the digit that is told; read back from a page's text."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from support.cases import each_case

from tests.support.filmed import counted, document, filmed
from tower_sim.apparatus.catalogue import load
from tower_sim.cubes import Cube
from tower_sim.errors import UsageError
from tower_sim.outcome import Status
from tower_sim.pages.html import Page
from tower_sim.replay.document import HEADER, POSES, VERSION, Replay
from tower_sim.replay.stored import FINEST, decoded, encoded, packed, unit_of, unpacked
from tower_sim.replay.takes import Lying, Take, Track
from tower_sim.state import Pose

AMERIGO, SHIP = load("amerigo"), load("dead_reckoning")
PLACES = st.floats(-0.6, 0.6)
PARTS = st.floats(-1, 1)
TABLES = st.integers(1, 20).flatmap(
    lambda frames: st.tuples(
        arrays.arrays(np.float64, (frames, 3), elements=PLACES), arrays.arrays(np.float64, (frames, 4), elements=PARTS)
    ).map(lambda both: np.concatenate(both, axis=1))
)


def in_page(replay: Replay) -> str:
    return Page(replay.title, "", (), (), {HEADER: replay.header}, {POSES: replay.data}).text()


@settings(max_examples=100)
@given(tables=st.lists(TABLES, min_size=1, max_size=4))
def test_tracks_come_back_to_half_a_step(tables: list[Any]):
    """Also where a difference does not fit into 16 bits: it wraps around, and so does the sum."""
    tracks = [Track(i, 3 * i, table) for i, table in enumerate(tables)]
    unit = unit_of(tracks)
    lists, motion = [], b""
    for track in tracks:
        lists.append([track.cube, track.first, len(track.poses), len(motion) // 2])
        motion += encoded(track, unit)
    assert len(motion) == sum(14 * len(table) for table in tables)
    for track, again in zip(tracks, decoded(lists, motion, unit), strict=True):
        assert (again.cube, again.first) == (track.cube, track.first)
        assert np.abs(again.poses[:, :3] - track.poses[:, :3]).max() <= 0.501 * unit
        assert np.abs(again.poses[:, 3:] - track.poses[:, 3:]).max() <= 0.501 / 32767


def test_positions_are_told_as_finely_as_they_all_fit():
    near, far = (Track(0, 0, np.array([[x, 0.1, 0.2, 0.0, 0.0, 0.0, 1.0]])) for x in (0.32767, -0.9))
    assert unit_of([near]) == FINEST
    assert 0.9 / 32767 <= unit_of([near, far]) < 0.9 / 32767 + 1e-8
    assert unit_of([]) == FINEST


def test_a_track_is_columns_of_differences():
    """Spelt out once, for those who read it elsewhere."""
    poses = np.array([[0.001, 0.0, -0.002, 0.0, 0.0, 0.0, 1.0], [0.00102, 0.0, -0.0025, 0.0, 0.0, 0.6, 0.8]])
    told = np.frombuffer(encoded(Track(4, 0, poses), 1e-5), "<i2")
    assert told.tolist() == [100, 2, 0, 0, -200, -50, 0, 0, 0, 0, 0, 19660, 32767, -6553]


def test_a_stored_take_is_read_back():
    for apparatus, actions in ((AMERIGO, [("drop", 9), ("knock", 2.0)]), (SHIP, [("drop", 4), ("place", "cargo")])):
        landed, made = filmed(apparatus, actions, 8)
        for outcome, take in zip(landed, made, strict=True):
            again = unpacked(packed(take))
            assert packed(again) == packed(take)
            assert replace(again, tracks=take.tracks) == take
            assert [each.pose for each in again.rest] == [landing.pose for landing in outcome.landings]


@pytest.fixture(name="stored", scope="module")
def _stored() -> bytes:
    return packed(filmed(AMERIGO, [("drop", 9)], 8)[1][0])


@settings(max_examples=200)
@given(data=st.data())
def test_damaged_bytes_are_a_value_error_or_a_take(stored: bytes, data: st.DataObject):
    cut = data.draw(st.integers(0, len(stored) - 1))
    at = data.draw(st.integers(0, 2000))
    for damaged in (stored[:cut], stored[:at] + bytes([data.draw(st.integers(0, 255))]) + stored[at + 1 :]):
        try:
            unpacked(damaged)
        except ValueError:
            continue


@pytest.mark.parametrize(
    ("apparatus", "actions"),
    [(AMERIGO, [("drop", 20), ("knock", 3.0), ("drop", 9)]), (SHIP, [("drop", 6), ("again", 2), ("place", "cargo")])],
)
def test_the_header_says_what_the_takes_are_and_rest_poses_are_those_of_the_outcome(apparatus: Any, actions: Any):
    landed, made = filmed(apparatus, actions, 8)
    replay = document(made, apparatus)
    header = json.loads(json.dumps(replay.header))
    colours = [colour["name"] for colour in header["colours"]]
    cubes = {number: colours[colour] for number, colour in header["cubes"]}
    assert len(replay.takes()) == len(landed) == len(actions)
    for outcome, take, told in zip(landed, made, replay.takes(), strict=True):
        assert (told["kind"], told["status"], told["frames"]) == (take.kind, str(outcome.status), take.frames)
        assert told["thrown"] == [cube.id for cube in outcome.thrown]
        assert len(told["rest"]) == len(outcome.landings)
        for landing, (number, place, row) in zip(outcome.landings, told["rest"], strict=True):
            assert (landing.cube.id, landing.cube.colour, landing.place) == (number, cubes[number], place)
            assert (row is None) == (landing.pose is None)
            if landing.pose:
                exact = np.array((*landing.pose.position, *landing.pose.orientation))
                assert replay.exact[row].tobytes() == exact.tobytes()
        for track, again in zip(take.tracks, replay.tracks(told), strict=True):
            assert (again.cube, again.first) == (track.cube, track.first)
            assert np.abs(again.poses - track.poses).max() <= 0.501 * max(header["unit"], 1 / 32767)
        assert [event[:3] for event in told["events"]] == [[x.frame, x.word, x.cube] for x in take.happenings]
        assert counted(take)[1].total() == sum(event[1] == "out" for event in told["events"])
    for before, after in zip(replay.takes(), replay.takes()[1:], strict=False):  # rows are shared
        rows = {number: row for number, _, row in before["rest"]}
        assert all(rows[number] == row for number, _, row in after["start"])
    ends = [offset + 7 * n for told in replay.takes() for _, _, n, offset in told["tracks"]]
    assert len(replay.data) == 56 * header["exact"] + 2 * max(ends)


def test_what_is_drawn_of_an_apparatus_is_there_but_for_the_table():
    _, made = filmed(SHIP, [("drop", 1)], 1)
    told = document(made, SHIP).header["apparatus"]
    assert SHIP.board is not None
    assert told["kind"] == "board"
    assert told["floor"] == SHIP.board.floor
    assert {box["part"] for box in told["boxes"]} == {box.part for box in SHIP.boxes} - {"table"}
    assert [zone["name"] for zone in told["zones"]] == [zone.name for zone in SHIP.board.zones]
    assert told["zones"][1]["says"] == "1 strength"
    assert told["zones"][0]["says"] == "plunder, 1 cargo"
    _, made = filmed(AMERIGO, [("drop", 1)], 1)
    told = document(made, AMERIGO).header["apparatus"]
    assert (told["kind"], told["rim"], told["passed"]) == ("tower", AMERIGO.rim_top, AMERIGO.passed)
    assert [region["name"] for region in told["regions"]] == [region.name for region in AMERIGO.regions]
    assert [box["turn"] for box in told["boxes"]] == [list(b.orientation) for b in AMERIGO.boxes if b.part != "table"]


@each_case("name", ["plain", "</script><img src=x onerror=alert(1)>", "<!-- & \u2028 'quotes\"", "no \udcff sign"])
def test_a_document_is_read_back_from_a_pages_text(name: str):
    _, made = filmed(AMERIGO, [("drop", 5)], 1)
    replay = document(made, AMERIGO, title=name, text=name)
    again = Replay.read(in_page(replay).encode().decode())
    assert again == replay
    assert again.title == name


def test_what_is_no_replay_page_is_refused_in_one_line():
    _, made = filmed(AMERIGO, [("drop", 1)], 1)
    replay = document(made, AMERIGO)
    page = in_page(replay)
    newer = in_page(Replay(replay.header | {"version": VERSION + 1}, replay.data))
    cut = page.replace('id="poses">H4', 'id="poses">H5')
    for text in (
        "",
        "hello",
        in_page(replay).replace('id="poses"', 'id="other"'),
        cut,
        '<script id="replay">[]</script>',
    ):
        with pytest.raises(UsageError, match="replay"):
            Replay.read(text)
    with pytest.raises(UsageError, match=f"version of a replay page is {VERSION + 1}; allowed is {VERSION}"):
        Replay.read(newer)


def test_two_cubes_of_one_number_cannot_be_told_apart():
    pose = Pose((0.0, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0))
    one, other = (Lying(Cube(1, colour, 0.008), "inside:ramp", pose) for colour in ("red", "blue"))
    takes = [Take("drop", Status.SETTLED, 2, 0.0, (), (), (each,), (each,), (), ()) for each in (one, other)]
    with pytest.raises(UsageError, match="number 1"):
        document(takes, AMERIGO)
