"""Verifiable draws: what an honest server writes holds; what is changed, left out or drawn otherwise is found."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
import subprocess
import sys
import zlib
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from support.cases import each_case
from support.command_line import tower_sim
from support.verifiable import (
    DROP,
    LIES,
    WORDS,
    believed,
    checked,
    data_of,
    drawn,
    entries,
    entropy,
    lied,
    log_of,
    models,
    of_kind,
    ring,
    signed_anew,
)

from tower_sim.cli import main
from tower_sim.errors import UsageError
from tower_sim.model import TooManyFailedDraws
from tower_sim.outcome import Outcome, Status
from tower_sim.service.verifiable import Keyring, Ledger, check, opened
from tower_sim.service.verifiable.draws import MOST_WORDS, commitment, draw_seed
from tower_sim.service.verifiable.keys import is_signed
from tower_sim.service.verifiable.redraw import Redrawn, answered
from tower_sim.service.verifiable.states import MOST_KNOWN
from tower_sim.state import TowerState

ROOT = Path(__file__).parent.parent
LOG, RING = log_of([[DROP, DROP], [DROP]], rotate_before=[1])
SMALL, _ = log_of([[{**DROP, "cubes": {"red": 1}}]])
PLAIN, PLAIN_RING = log_of([[DROP, DROP], [DROP]])


# What draws are drawn from


def hmac_of_rfc_2104(key: bytes, message: bytes) -> bytes:
    padded = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(x ^ 0x36 for x in padded) + message).digest()
    return hashlib.sha256(bytes(x ^ 0x5C for x in padded) + inner).digest()


@pytest.mark.whole
@given(st.binary(min_size=32, max_size=32), st.text(min_size=8), st.binary(min_size=16, max_size=16), st.integers(0, 9))
@settings(max_examples=50)
def test_a_draws_seed_is_the_hmac_that_the_documentation_writes_down(seed: bytes, words: str, name: bytes, index: int):
    words = words.encode(errors="ignore").decode()
    message = b"tower_sim draw 1" + name + bytes(7) + bytes([index]) + words.encode()
    assert draw_seed(seed, words, name.hex(), index) == int.from_bytes(hmac_of_rfc_2104(seed, message)[:16], "big")


def test_the_words_the_secret_the_round_and_the_number_all_decide_the_seed():
    seeds = {
        draw_seed(secret * 32, words, name * 32, index)
        for secret in (b"a", b"b")
        for words in ("red fish 1", "red fish 11")
        for name in "12"
        for index in (0, 1, 256)
    }
    assert len(seeds) == 24


def test_seeds_look_uniform_whatever_the_player_chooses():
    """Bytes of 2,000 seeds, one secret and words that count up: a bit set in 54 % would show, with a power of 0.99."""
    counts = Counter(
        byte for i in range(2000) for byte in draw_seed(b"s" * 32, f"word {i:04}", "0" * 32, 0).to_bytes(16, "big")
    )
    expected = 2000 * 16 / 256
    statistic = sum((counts[byte] - expected) ** 2 / expected for byte in range(256))
    assert chi2.ppf(1e-5, 255) < statistic < chi2.ppf(1 - 1e-5, 255)


def test_signatures_are_those_of_rfc_8032():
    keys = Keyring(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
    assert keys.public == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert keys.sign(b"") == (
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
        "655141438e7a100b"
    )
    assert is_signed(keys.public, keys.sign(b""), b"")
    assert not is_signed(keys.public, keys.sign(b""), b"x")
    assert not is_signed("nonsense", keys.sign(b""), b"")


# What a player can know, and when


def test_no_seed_can_be_had_before_the_words_and_none_after_the_reveal():
    keys = ring()
    ledger, _ = opened(keys, entropy(3))
    with pytest.raises(UsageError, match="before the words"):
        _ = ledger.seed
    with pytest.raises(UsageError, match="before the words"):
        ledger.drawn(keys, DROP, {"seed": "1"}, {})
    ended, _ = ledger.worded(keys, WORDS)[0].revealed(keys)
    with pytest.raises(UsageError, match="revealed"):
        _ = ended.seed
    with pytest.raises(UsageError, match="revealed"):
        ended.worded(keys, WORDS)
    with pytest.raises(UsageError, match="revealed"):
        ended.revealed(keys)


def test_what_a_player_has_before_the_reveal_depends_on_the_secret_by_its_hash_and_by_answers_alone():
    """Two servers, one with another secret: before the draws, lines differ in commitment, hash and signature only."""

    def told(secret: bytes) -> tuple[Ledger, list[dict[str, Any]]]:
        pieces = iter([b"L" * 16, b"R" * 16, secret])
        ledger, first = opened(ring(), lambda count: next(pieces))
        ledger, more = ledger.worded(ring(), WORDS)
        assert secret.hex() not in "".join((*first, *more))
        return ledger, entries([*first, *more])

    (one, of_one), (other, of_other) = told(b"a" * 32), told(b"b" * 32)
    for mine, theirs in zip(of_one, of_other, strict=True):
        assert {key for key in mine if mine[key] != theirs[key]} <= {"commitment", "previous"}
    assert of_one[1]["commitment"] == hashlib.sha256(b"a" * 32).hexdigest()
    assert one.seed != other.seed


def test_the_secret_is_in_no_line_before_the_reveal_and_in_no_repr():
    told = of_kind(entries(LOG), "reveal")
    for secret in (entry["secret"] for entry in told):
        shown = next(i for i, line in enumerate(LOG) if secret in line)
        assert entries(LOG)[shown]["kind"] == "reveal"
    ledger, _ = opened(RING, entropy(3))
    assert ledger.secret.hex() not in repr(ledger)
    assert str(ledger.secret) not in repr(ledger)
    assert str(RING.secret) not in repr(RING)


def test_words_are_given_once_and_are_words():
    ledger, _ = opened(ring(), entropy(3))
    for wrong in (None, 7, "", "short", "x" * (MOST_WORDS + 1), "two\nlines of it", "half \ud800 of a pair"):
        with pytest.raises(UsageError, match="8 to 256 printable"):
            ledger.worded(ring(), wrong)
    told, _ = ledger.worded(ring(), WORDS)
    with pytest.raises(UsageError, match="given again"):
        told.worded(ring(), WORDS)


def test_a_draw_must_be_answered_with_its_own_seed():
    ledger = opened(ring(), entropy(3))[0].worded(ring(), WORDS)[0]
    answer, by = answered(DROP, ledger.seed, models())
    with pytest.raises(UsageError, match="seed of the answer"):
        ledger.drawn(ring(), DROP, answer | {"seed": "7"}, by)
    with pytest.raises(UsageError, match="without seed and id"):
        ledger.drawn(ring(), {**DROP, "seed": "7"}, answer, by)
    with pytest.raises(UsageError, match="reveal the open round"):
        ledger.next_round(ring(), entropy(4))


def test_a_ledger_and_a_ring_kept_as_json_go_on_as_they_were():
    keys = ring().rotated(entropy(9))
    ledger, first = opened(keys, entropy(3))
    again, same = (
        Ledger.from_plain(json.loads(json.dumps(ledger.to_plain()))),
        Keyring.from_plain(json.loads(json.dumps(keys.to_plain()))),
    )
    assert (again, same) == (ledger, keys)
    told, more = again.worded(same, WORDS)
    assert again.worded(same, WORDS) == ledger.worded(keys, WORDS)
    ended, last = told.revealed(same)
    assert ended.is_revealed
    assert checked([*first, *more, *last]).holds


# What holds


def test_an_honest_log_holds_and_says_what_was_drawn():
    report = checked(LOG, RING.public, [WORDS, commitment(bytes.fromhex(of_kind(entries(LOG), "reveal")[0]["secret"]))])
    assert report.holds, report.findings
    assert (report.draws, report.redrawn, report.brought) == (3, 3, 0)
    assert [len(each.draws) for each in report.rounds.values()] == [2, 1]
    assert report.keys == (RING.succession[0].old, RING.public)


@each_case(
    "asked",
    [
        {"do": "drop", "apparatus": "dead_reckoning", "model": "surrogate", "cubes": {"green": 3}},
        {"do": "drop", "apparatus": "amerigo", "model": "two_thirds", "cubes": {"blue": 3}},
        {"do": "drop", "apparatus": "amerigo", "model": "physics", "cubes": {"blue": 2, "red": 1}},
        {"do": "play", "game": "amerigo", "model": "surrogate"},
        {"do": "battle", "apparatus": "dead_reckoning", "model": "surrogate", "cubes": {"purple": 3, "green": 2}},
        {"do": "battle", "model": "surrogate", "cubes": {"purple": 3, "green": 2}, "games": 3},
    ],
    ids=lambda asked: "-".join(map(str, asked.values())),
)
def test_draws_of_every_model_and_game_are_made_again(asked: dict[str, Any]):
    lines, keys = log_of([[asked]])
    assert checked(lines).holds
    told = entries(lines)
    (draw,) = of_kind(told, "draw")
    draw["answer"] = {**draw["answer"], "more": 1}
    report = checked(signed_anew(told, keys))
    assert [finding.line for finding in report.findings] == [4]


def test_a_knock_and_a_tower_brought_along_are_told():
    keys = ring()
    brought = answered(DROP, 5, models())[0]["state"]
    ledger, first = opened(keys, entropy(3))
    ledger, second = ledger.worded(keys, WORDS)
    ledger, third, _ = drawn(ledger, keys, {**DROP, "state": brought})
    _, fourth = ledger.revealed(keys)
    report = checked([*first, *second, *third, *fourth])
    assert report.holds
    assert report.brought == 1


def test_a_states_hash_is_that_which_the_documentation_writes_down():
    def sha(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    ledger = opened(ring(), entropy(3))[0].worded(ring(), WORDS)[0]
    state = None
    for cubes in ({"blue": 4, "grün": 9}, {"red": 3}):
        asked = {**DROP, "cubes": cubes, "state": state}
        ledger, lines, answer = drawn(ledger, ring(), asked)
        packed, state = answer["state"].split(".")[1], answer["state"]
        held = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))))
        past = ""
        for event in held["log"]:
            past = sha(past + json.dumps(event, separators=(",", ":")))
        told = sha(json.dumps(held | {"log": past}, separators=(",", ":")))
        assert entries(lines)[0]["answer"] == answer | {"state": told}
        assert ledger.states[-1] == told


def test_no_line_grows_with_the_past_and_a_state_is_told_whole_once():
    """A tower brought along, 40 drops, each twice from the same state: every line has at most so many bytes a cube."""
    keys = ring()
    brought = answered(DROP, 5, models())[0]["state"]
    ledger, lines = opened(keys, entropy(3))
    ledger, more = ledger.worded(keys, WORDS)
    lines, state = [*lines, *more], brought
    for number in range(40):
        ledger, more, answer = drawn(ledger, keys, {**DROP, "state": state})
        lines += more
        assert len(more[0]) < 1400 + 60 * len(answer["landings"]) + len(brought) * (number == 0)
        if number % 2:
            state = answer["state"]
    _, more = ledger.revealed(keys)
    assert "".join(lines).count("TOWER") == 1
    report = checked([*lines, *more])
    assert report.holds, report.findings
    assert (report.redrawn, report.brought) == (40, 2)


def test_more_towers_than_a_ledger_knows_are_told_whole_again_and_are_not_counted_as_brought():
    keys, towers = ring(), MOST_KNOWN + 2
    ledger, lines = opened(keys, entropy(3))
    ledger, more = ledger.worded(keys, WORDS)
    lines, states = [*lines, *more], list[str]()
    for number in range(2 * towers):
        asked = {**DROP, "cubes": {"blue": 1}} | ({"state": states[number - towers]} if number >= towers else {})
        ledger, more, answer = drawn(ledger, keys, asked)
        lines, states = [*lines, *more], [*states, answer["state"]]
    report = checked([*lines, *ledger.revealed(keys)[1]])
    assert report.holds, report.findings
    assert (report.redrawn, report.brought) == (2 * towers, 0)
    assert "".join(lines).count("TOWER") == towers


def test_a_token_packed_otherwise_tells_the_same_state():
    """What another compressor makes of the same state; it is known by what it holds."""
    keys = ring()
    ledger = opened(keys, entropy(3))[0].worded(keys, WORDS)[0]
    ledger, _, answer = drawn(ledger, keys, DROP)
    body = base64.urlsafe_b64encode(
        zlib.compress(json.dumps(TowerState.from_token(answer["state"]).to_plain()).encode(), 1)
    )
    head = f"TOWER3.{body.decode().rstrip('=')}"
    other = f"{head}.{hashlib.sha256(head.encode()).hexdigest()[:16]}"
    assert other != answer["state"]
    _, lines, _ = drawn(ledger, keys, {**DROP, "state": other})
    assert entries(lines)[0]["asked"]["state"] == ledger.states[-1]


# What is found


@pytest.mark.whole
def test_every_byte_that_is_changed_is_found_by_hashes_and_signatures_alone():
    data, rng = data_of(SMALL), random.Random(7)
    assert believed(data).holds
    for at in range(len(data)):
        other = data[at] ^ rng.choice([1 << rng.randrange(8), rng.randrange(1, 256)])
        changed = data[:at] + bytes([other]) + data[at + 1 :]
        assert not believed(changed).holds, (at, data[at], other)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_bytes_put_in_taken_out_or_overwritten_are_found(choice: st.DataObject):
    data = data_of(LOG)
    at = choice.draw(st.integers(0, len(data)))
    gone = choice.draw(st.integers(0, 3))
    put = choice.draw(st.binary(max_size=3))
    changed = data[:at] + put + data[at + gone :]
    if changed != data:
        assert not believed(changed).holds


def test_no_line_can_be_dropped_doubled_or_exchanged():
    for at in range(len(LOG)):
        assert not believed(data_of([*LOG[:at], *LOG[at + 1 :]])).holds
        assert not believed(data_of([*LOG[: at + 1], *LOG[at:]])).holds
        for other in range(at):
            swapped = list(LOG)
            swapped[at], swapped[other] = swapped[other], swapped[at]
            assert not believed(data_of(swapped)).holds
    assert not believed(data_of(LOG)[:-1]).holds
    assert not believed(data_of(LOG).replace(b"\n", b"\r\n")).holds


def test_another_key_is_found():
    told = entries(PLAIN)
    told[0]["key"] = ring(77).public
    forged = signed_anew(told, ring(77))
    assert checked(forged).holds  # whoever does not know the server's key cannot tell
    assert not checked(forged, PLAIN_RING.public).holds
    assert not checked(signed_anew(entries(PLAIN), ring(77))).holds
    assert checked(PLAIN, PLAIN_RING.public).holds


def test_a_key_that_was_not_signed_by_the_old_one_is_found():
    stranger = ring(77)
    for link in (
        {"old": RING.succession[0].old, "new": stranger.public, "signature": stranger.sign(b"any")},
        {"old": RING.succession[0].old, "new": stranger.public, "signature": "00"},
        {"old": stranger.public, "new": RING.public, "signature": RING.succession[0].signature},
    ):
        told = entries(LOG)
        of_kind(told, "key")[0]["succession"] = [link]
        assert any("has not signed" in finding.what for finding in checked(signed_anew(told, RING)).findings)
    begun = entries(opened(RING, entropy(4))[1])
    begun[0]["succession"][0]["signature"] = stranger.sign(b"any")
    assert any("did not follow" in finding.what for finding in checked(signed_anew(begun, RING)).findings)


def test_a_log_that_began_with_a_later_key_holds_for_whoever_knows_an_older_one():
    first, second = ring(1), ring(1).rotated(entropy(2))
    third = second.rotated(entropy(3))
    ledger, lines = opened(third, entropy(4))
    _, more = ledger.revealed(third)
    for known in (first, second, third):
        assert checked([*lines, *more], known.public).holds
    assert not checked([*lines, *more], ring(5).public).holds
    with pytest.raises(UsageError, match="key of the log"):
        ledger.revealed(ring(5))


@each_case("name", LIES)
def test_what_a_server_that_lies_and_signs_it_writes_is_found(name: str):
    found = LIES[name][1]
    findings = checked(lied(name, PLAIN, PLAIN_RING)).findings
    assert any(found in finding.what for finding in findings), findings
    assert checked(signed_anew(entries(PLAIN), PLAIN_RING)).holds


def test_every_cube_that_lies_elsewhere_than_drawn_is_found():
    told = entries(PLAIN)
    for number, draw in enumerate(of_kind(told, "draw")):
        for i, landing in enumerate(draw["answer"]["landings"]):
            other = entries(PLAIN)
            of_kind(other, "draw")[number]["answer"]["landings"][i]["place"] = "table"
            (finding,) = checked(signed_anew(other, PLAIN_RING)).findings
            assert f"cube {landing['cube']} is at 'table', and drawn again it is at {landing['place']}" in finding.what


def test_a_draw_without_a_landing_cannot_be_made_again_and_is_told():
    model = models().model("amerigo", "surrogate")
    failed = Outcome(model.name, model.apparatus, Status.TIMED_OUT, (), (), model.empty())

    def no_landing(*_: object) -> Redrawn:
        raise TooManyFailedDraws(failed)

    (finding,) = check(data_of(SMALL), no_landing).findings
    assert "cannot be made again here: 1 draws in a row were no landing" in finding.what


# The command


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log.jsonl").write_bytes(data_of(LOG))
    return tmp_path / "log.jsonl"


def test_the_command_says_first_what_a_player_understands(log: Path):
    (name, mine), _ = checked(LOG).rounds.items()
    done = tower_sim("verify", str(log), "--key", RING.public, "--noted", WORDS, "--noted", mine.commitment)
    assert done.returncode == 0, done.stderr
    first, second, empty, *more = done.stdout.splitlines()
    assert first.startswith(
        "This log holds: what was drawn (3 draws) follows from the server's secret and the player's words"
    )
    assert first.endswith(f"Yours is round {name}, with 2 draws.")
    assert second.startswith("The server had fixed its secret before it could know the words")
    assert "with the key that you named" in second
    assert empty == ""
    assert more[0].endswith("the one that you noted by its words, commitment")
    for at, (shown, draw) in enumerate(zip(more[1:3], mine.draws, strict=True)):
        assert f"draw {at}, line {draw.line}: " in shown
        assert "'cubes': {'blue': 4, 'red': 3}" in shown
        assert f"'emerged': {draw.answer['emerged']}" in shown
    assert more[3].startswith("  round ")


def test_a_log_that_holds_and_is_not_what_was_noted_has_a_status_of_its_own(
    log: Path, capsys: pytest.CaptureFixture[str]
):
    def verify(*words: str) -> tuple[int, str]:
        return main(["verify", str(log), *words]), capsys.readouterr().out

    status, said = verify("--noted", "other words")
    assert status == 3
    assert said.startswith("This log holds, but it is not what you noted (what you noted, other words, is not")
    status, said = verify("--json", "--noted", "other words")
    document = json.loads(said)
    assert status == 3
    assert (document["holds"], document["findings"]) == (False, [])
    assert (document["noted"]["round"], document["noted"]["draws"]) == (None, [])
    (name, mine), _ = checked(LOG).rounds.items()
    status, said = verify("--json", "--noted", name)
    assert status == 0
    assert json.loads(said)["noted"] == {
        "round": name,
        "wrong": "",
        "found": ["number"],
        "draws": [{"line": d.line, "hash": d.hash, "asked": d.asked, "answer": d.answer} for d in mine.draws],
    }
    assert verify("--noted", " ") == (2, "")


def test_without_the_commitment_it_does_not_say_that_the_secret_was_there_first(log: Path):
    done = tower_sim("verify", str(log), "--noted", next(iter(checked(LOG).rounds)))
    assert done.returncode == 0, done.stderr
    assert "had fixed its secret before it could know" not in done.stdout
    assert "add --noted COMMITMENT" in done.stdout.splitlines()[1]
    assert checked(LOG).committed == 0


def test_the_command_says_what_does_not_hold(log: Path):
    log.write_bytes(data_of(LOG).replace(b'"red"', b'"rde"', 1))
    done = tower_sim("verify", str(log))
    assert done.returncode == 1
    assert done.stderr == ""
    first, second, *_ = done.stdout.splitlines()
    assert first.startswith("This log does not hold (line 4: ")
    assert second.startswith("Do not trust its draws")


def test_the_command_gives_a_document(log: Path):
    done = tower_sim("verify", str(log), "--json")
    document = json.loads(done.stdout)
    assert (document["schema"], document["version"], document["holds"]) == ("tower-sim/verified", 1, True)
    assert (document["draws"], document["redrawn"], document["findings"]) == (3, 3, [])
    assert document["keys"][-1] == RING.public
    assert len(document["says"]) == 2


@pytest.mark.whole
@each_case("text", ["", "no log", "{}\n"])
def test_what_is_no_log_ends_with_2_and_one_line(text: str, tmp_path: Path):
    (tmp_path / "log.jsonl").write_text(text)
    for path in (tmp_path / "log.jsonl", tmp_path / "none.jsonl", tmp_path):
        done = tower_sim("verify", str(path))
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1


def test_a_key_that_is_none_ends_with_2(log: Path):
    done = tower_sim("verify", str(log), "--key", "abc")
    assert done.returncode == 2
    assert "64 hexadecimal digits" in done.stderr


def test_lines_are_chained_as_documented():
    for (before, line), (number, _) in zip(pairwise(LOG), enumerate(LOG[1:], 1), strict=True):
        entry = json.loads(line)["entry"]
        assert entry["number"] == number
        assert entry["previous"] == hashlib.sha256(before.encode()).hexdigest()


def test_the_python_of_the_documentation_writes_a_log_that_holds(tmp_path: Path):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/verify.md").read_text("utf-8"), re.S)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert checked(done.stdout).holds
