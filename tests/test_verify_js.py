"""The npm package's check of verifiable draws: it says of honest and of changed logs what Python's does. About 6 s."""

from __future__ import annotations

import base64
import functools
import http.server
import json
import random
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from support.browser import browsing, needs_browser
from support.cases import each_case
from support.node import PORTS
from support.node import answered as answered_by_node
from support.verifiable import DROP, LIES, WORDS, checked, data_of, lied, log_of, models, ring, signed_anew

from tower_sim.clients.write import write_package
from tower_sim.service.verifiable.lines import hashed
from tower_sim.service.verifiable.redraw import answered
from tower_sim.token import pack

ASK = Path(__file__).parent / "support/verify_ask.mjs"
LOG, RING = log_of([[DROP, DROP], [DROP]], rotate_before=[1])
PLAIN, PLAIN_RING = log_of([[DROP, DROP], [DROP]])
LONG, _ = log_of(
    [[{**DROP, "cubes": {"blue": random.Random(i).randrange(1, 24), "red": i % 3}} for i in range(25)] for _ in "ab"]
)

pytestmark = PORTS


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    write_package(["amerigo"], folder)
    return folder


def ask(package: Path, *logs: bytes, **options: Any) -> list[dict[str, Any]]:
    asked = [{"log": base64.b64encode(log).decode(), **options} for log in logs]
    return answered_by_node(ASK, package, given=asked)


@pytest.mark.parametrize("text", [False, True], ids=["module, bytes", "CommonJS, text"])
def test_honest_logs_hold_and_every_drop_is_drawn_again(package: Path, text: bool):
    short, long = ask(package, data_of(LOG), data_of(LONG), text=text)
    assert (short["holds"], short["signed"], short["findings"]) == (True, True, [])
    assert (short["draws"], short["redrawn"], short["unchecked"]) == (3, 3, 0)
    assert (short["head"], short["keys"]) == (hashed(LOG[-1]), [RING.succession[0].old, RING.public])
    assert (long["holds"], long["draws"], long["redrawn"]) == (True, 50, 50)
    assert short["says"][0].startswith(
        "This log holds: what was made again here (3 of 3 draws) follows from the server's"
    )
    assert RING.public in short["says"][1]


def test_towers_brought_along_and_words_of_other_tongues_are_drawn_again(package: Path):
    """States told whole and by hash, colours that are not ASCII."""
    asked = {**DROP, "cubes": {"grün": 12, 'a "b" ☃': 2}}
    begun = answered(asked, 5, models())[0]["state"]
    lines, _ = log_of([[{**DROP, "state": begun}, asked, {**DROP, "state": begun}]])
    (found,) = ask(package, data_of(lines))
    assert (found["holds"], found["redrawn"], found["brought"]) == (True, 3, 2), found["findings"]
    assert checked(lines).brought == 2


def test_the_key_and_what_was_noted_are_looked_for(package: Path):
    (one,) = ask(package, data_of(LOG), key=f" {RING.succession[0].old.upper()}", noted=[WORDS, hashed(LOG[3])])
    (other,) = ask(package, data_of(LOG), key=ring(5).public)
    (forgotten,) = ask(package, data_of(LOG), noted=["0" * 64])
    assert (one["holds"], other["holds"], forgotten["holds"]) == (True, False, False)
    assert "Whether the server had fixed its secret" in one["says"][1]
    assert [draw["line"] for draw in one["noted"]["draws"]] == [4, 6]
    assert forgotten["says"][0].startswith("This log holds, but it is not what you noted")
    (noted,) = ask(package, data_of(LOG), noted=[one["rounds"][0]["commitment"]])
    assert noted["says"][1].startswith("The server had fixed its secret before it could know the words")


def test_changed_bytes_and_lines_are_found_in_the_lines_that_python_finds(package: Path):
    """200 bytes changed, every line dropped, doubled, and exchanged with the next."""
    data, rng = data_of(LOG), random.Random(7)
    changed: list[bytes] = []
    for _ in range(200):
        at = rng.randrange(len(data))
        changed.append(data[:at] + bytes([data[at] ^ rng.randrange(1, 256)]) + data[at + 1 :])
    for at in range(len(LOG)):
        changed += [data_of([*LOG[:at], *LOG[at + 1 :]]), data_of([*LOG[: at + 1], *LOG[at:]])]
        changed += [data_of([*LOG[:at], *LOG[at : at + 2][::-1], *LOG[at + 2 :]])] if at + 1 < len(LOG) else []
    for log, found in zip(changed, ask(package, *changed), strict=True):
        assert not found["holds"]
        mine = {finding.line for finding in checked(log).findings}
        assert {finding["line"] for finding in found["findings"]} == mine


def test_what_a_server_that_lies_and_signs_it_writes_is_found_or_left_to_python(package: Path):
    logs = {name: data_of(lied(name, PLAIN, PLAIN_RING)) for name in LIES}
    left = {"a file", "a file of rules", "a file in rules", "another model", "nothing asked"}
    for name, found in zip(logs, ask(package, *logs.values()), strict=True):
        if name in left:
            assert found["unchecked"] == 1 or not found["holds"], name
        else:
            assert not found["holds"], name
            assert {one["line"] for one in found["findings"]} == {one.line for one in checked(logs[name]).findings}


def test_every_part_of_an_answer_and_of_its_state_is_looked_at(package: Path):
    """Each value of an answer changed by itself; the state's hash to that of another drop's."""
    told = [json.loads(line)["entry"] for line in PLAIN]
    answers = [entry["answer"] for entry in told if entry["kind"] == "draw"]
    logs: list[bytes] = []
    for key in answers[0]:
        other = json.loads(json.dumps(told))
        answer = next(entry["answer"] for entry in other if entry["kind"] == "draw")
        value = answer[key]
        answer[key] = {**value, "blue": 9} if isinstance(value, dict) else value[1:] if key == "landings" else "other"
        if key == "state":
            answer[key] = answers[1]["state"]
        logs.append(data_of(signed_anew(other, PLAIN_RING)))
    for key, found in zip(answers[0], ask(package, *logs), strict=True):
        assert not found["holds"], key


@each_case("what", ["residents", "log", "touches", "bytes"])
def test_a_state_that_unpacks_to_more_than_any_holds_is_found_and_not_read(package: Path, what: str):
    many = {"residents": [[0, "", 0, "", 0]] * 10_001, "log": [["take", "", [], [], 0, ""]] * 50_001}
    whole: dict[str, Any] = {"model": "surrogate", "residents": [], "log": [], "board": [], "touches": []}
    other = {"touches": [[0, 0]] * 700_000, "bytes": "x" * 8_000_000}
    bomb = pack("TOWER3", {**whole, what: {**many, **other}[what]})
    lines, keys = log_of([[{**DROP, "state": answered(DROP, 5, models())[0]["state"]}]])
    entries = [json.loads(line)["entry"] for line in lines]
    next(entry for entry in entries if entry["kind"] == "draw")["asked"]["state"] = bomb
    (found,) = ask(package, data_of(signed_anew(entries, keys)))
    told = f"holds more than .* of {what}" if what in many else "unpacks to more than 8000000 bytes or 2000000 values"
    assert re.search(told, " ".join(finding["what"] for finding in found["findings"]))


def test_draws_that_cannot_be_made_here_are_counted_and_said(package: Path):
    lines, _ = log_of([[{**DROP, "model": "two_thirds"}]])
    (found,) = ask(package, data_of(lines))
    assert (found["holds"], found["unchecked"], found["redrawn"]) == (True, 1, 0)
    assert "1 more cannot be made again here: tower-sim verify does it" in found["says"][0]


def test_drops_of_physics_are_drawn_again_and_what_was_changed_is_found(package: Path):
    throws = [{**DROP, "model": "physics", "cubes": {"blue": 9, "red": 4}}, {**DROP, "model": "physics", "knock": 1.0}]
    ship = {"do": "drop", "apparatus": "dead_reckoning", "model": "physics", "cubes": {"red": 3}}
    begun = answered(throws[0], 5, models())[0]["state"]
    lines, keys = log_of([[*throws, {**throws[0], "state": begun}]])
    told = [json.loads(line)["entry"] for line in lines]
    (draw,) = [each for each in told if each["kind"] == "draw" and each["index"] == 1]
    landing = draw["answer"]["landings"][0]
    landing["place"] = "tray" if landing["place"] != "tray" else "inside:ramp"
    on_board, _ = log_of([[ship, ship]])
    logs = (data_of(lines), data_of(signed_anew(told, keys)), data_of(on_board))
    honest, changed, board = ask(package, *logs, byPhysics=True)
    assert (board["holds"], board["redrawn"], board["unchecked"]) == (True, 2, 0), board["findings"]
    assert (honest["holds"], honest["redrawn"], honest["unchecked"]) == (True, 3, 0), honest["findings"]
    assert honest["brought"] == checked(lines).brought == 1
    assert not changed["holds"]
    assert f"the log says that cube {landing['cube']} is at {landing['place']}" in changed["findings"][0]["what"]
    (left,) = ask(package, data_of(lines))  # without models of physics they are left to Python
    assert (left["holds"], left["redrawn"], left["unchecked"]) == (True, 0, 3)


def test_without_ed25519_it_says_that_signatures_were_not_checked(package: Path):
    forged = signed_anew([json.loads(line)["entry"] for line in PLAIN], ring(77))
    honest, other = ask(package, data_of(LOG), data_of(forged), without=True)
    for found in (honest, other):
        assert (found["holds"], found["signed"]) == (True, False)
        assert "cannot check who signed it" in found["says"][1]


def test_what_is_no_log_is_refused(package: Path):
    assert ask(package, b"", b"no log") == [{"error": "RangeError"}] * 2
    assert ask(package, data_of(LOG), key="abc") == ask(package, data_of(LOG), noted=[" "]) == [{"error": "RangeError"}]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, format: str, *args: Any) -> None: ...


@needs_browser
def test_a_browser_checks_a_log(package: Path):
    (package / "log.jsonl").write_bytes(data_of(LOG))
    (package / "bad.jsonl").write_bytes(data_of(LOG).replace(b'"tray"', b'"tary"', 1))
    (package / "verify.html").write_text("<!doctype html><link rel=icon href=data:,><title>verify</title>")
    handler = functools.partial(Quiet, directory=str(package))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, browsing() as watched:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        watched.page.context.set_offline(False)
        watched.page.goto(f"http://127.0.0.1:{server.server_port}/verify.html")
        good, bad = watched.page.evaluate(
            """async () => {
              const { verify } = await import("./plugins/verify.js");
              const { amerigo } = await import("./towers/amerigo.js");
              const check = async (name) => verify(await (await fetch(name)).arrayBuffer(), { towers: [amerigo] });
              return [await check("log.jsonl"), await check("bad.jsonl")];
            }"""
        )
        server.shutdown()
    assert watched.wrong == []
    assert (good["holds"], good["redrawn"], good["findings"]) == (True, 3, [])
    assert not bad["holds"]
    assert good["signed"]
