"""Logs of verifiable draws for tests: made by the ledger, or by a server that lies and signs what it likes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from tower_sim.service.opened import Opened
from tower_sim.service.verifiable import Keyring, Ledger, LogReport, check, opened
from tower_sim.service.verifiable.lines import FIRST, entry_bytes, framed, hashed
from tower_sim.service.verifiable.redraw import Redrawn, answered, redrawn
from tower_sim.service.verifiable.states import Traced

WORDS = "grüne Tomaten um sieben"
DROP = {"do": "drop", "apparatus": "amerigo", "model": "surrogate", "cubes": {"blue": 4, "red": 3}}


@cache
def models() -> Opened:
    """The models that tests draw by, kept open."""
    return Opened()


def entropy(seed: int) -> Callable[[int], bytes]:
    """Return random bytes that are the same every time."""
    return random.Random(seed).randbytes


def ring(seed: int = 1) -> Keyring:
    return Keyring.made(entropy(seed))


def drawn(ledger: Ledger, keys: Keyring, asked: Mapping[str, Any]) -> tuple[Ledger, tuple[str, ...], dict[str, Any]]:
    """Draw once, as a service does."""
    answer, by = answered(asked, ledger.seed, models())
    after, lines = ledger.drawn(keys, asked, answer, by)
    return after, lines, answer


def log_of(
    rounds: Sequence[Sequence[Mapping[str, Any]]],
    seed: int = 1,
    rotate_before: Iterable[int] = (),
    words: Sequence[str] = (WORDS,),
) -> tuple[list[str], Keyring]:
    """Return the lines of a log of rounds of draws, and the key at its end; each round has the next of the `words`.

    A draw without a `state` goes on from the drop before it. The key is rotated before the draws of those numbers.
    """
    random_bytes, keys = entropy(seed), ring(seed + 1000)
    ledger, first = opened(keys, random_bytes)
    lines, number, state = list(first), 0, None
    for i, asks in enumerate(rounds):
        if i:
            ledger, more = ledger.next_round(keys, random_bytes)
            lines += more
        ledger, more = ledger.worded(keys, words[i % len(words)])
        lines += more
        for asked in asks:
            if number in rotate_before:
                keys = keys.rotated(random_bytes)
            following = ({"state": state} if state and asked["do"] == "drop" else {}) | dict(asked)
            ledger, more, answer = drawn(ledger, keys, following)
            lines, number, state = [*lines, *more], number + 1, answer.get("state")
        ledger, more = ledger.revealed(keys)
        lines += more
    return lines, keys


def data_of(lines: Iterable[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def entries(lines: Iterable[str]) -> list[dict[str, Any]]:
    return [json.loads(line)["entry"] for line in lines]


def signed_anew(
    changed: Iterable[Mapping[str, Any]], keys: Keyring, written: Callable[[int, str], str] = lambda _, text: text
) -> list[str]:
    """Return the lines of a server that lies: entries changed as it likes, then numbered, chained and signed aright.

    `written` says how the entry of a number is written, of what it would be.
    """
    lines: list[str] = []
    for number, entry in enumerate(changed):
        fields = {key: value for key, value in entry.items() if key not in ("number", "previous", "kind")}
        whole = entry_bytes(number, hashed(lines[-1]) if lines else FIRST, entry["kind"], fields)
        whole = written(number, whole.decode()).encode()
        lines.append(framed(whole, keys.sign(whole)))
    return lines


def checked(data: bytes | Iterable[str], key: str | None = None, noted: Sequence[str] = ()) -> LogReport:
    """Check a log, draws made again by what is here."""
    whole = data if isinstance(data, bytes) else data_of(data)
    return check(whole, partial(redrawn, models()), key, noted)


def believed(data: bytes) -> LogReport:
    """Check a log but for its draws, which are taken as they are: what hashes and signatures alone find."""
    answers = {json.dumps(entry["asked"]): entry["answer"] for entry in _draws(data)}
    some = Traced.of(models().model("amerigo", "surrogate").empty())
    return check(data, lambda asked, *_: Redrawn(answers.get(json.dumps(asked), {}), some))


def _draws(data: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in data.split(b"\n"):
        try:
            entry = json.loads(line)["entry"]
        except (ValueError, KeyError, TypeError):
            continue
        if isinstance(entry, dict) and entry.keys() >= {"asked", "answer"}:
            found.append(entry)
    return found


# What a server that lies may write; which line of the check finds it


Entries = list[dict[str, Any]]


def of_kind(told: Entries, kind: str) -> list[dict[str, Any]]:
    return [entry for entry in told if entry["kind"] == kind]


def put(told: Entries, which: str, number: int, **fields: Any) -> None:
    of_kind(told, which)[number].update(fields)


LIES: dict[str, tuple[Callable[[Entries], object], str]] = {
    "another secret": (
        lambda told: put(told, "reveal", 0, secret="ab" * 32),
        "not the one that the server had committed",
    ),
    "other words": (lambda told: put(told, "words", 0, words="other words"), "its seed is not the one"),
    "words too late": (lambda told: told.insert(3, told.pop(2)), "before the player's words"),
    "no words": (lambda told: told.pop(2) and None, "before the player's words"),
    "words twice": (lambda told: told.insert(3, told[2]), "when they were due no more"),
    "a draw left out": (lambda told: told.pop(3) and None, "not the next draw"),
    "the last draw left out": (lambda told: told.pop(4) and None, "counts 2 draws, and the log has 1"),
    "a draw after the reveal": (lambda told: told.insert(4, told.pop(5)), "after the secret was shown"),
    "no reveal": (lambda told: told.pop() and None, "has no end"),
    "a round replayed": (lambda told: [*told, *told[1:6]], "a round that was there before"),
    "a secret used again": (
        lambda told: put(told, "round", 1, commitment=of_kind(told, "round")[0]["commitment"]),
        "a round that was there before",
    ),
    "another number of draws": (lambda told: put(told, "reveal", 1, draws=2), "counts 2 draws"),
    "cubes asked otherwise": (
        lambda told: of_kind(told, "draw")[0]["asked"].update(cubes={"blue": 5}),
        "came out otherwise",
    ),
    "an index of its own": (lambda told: put(told, "draw", 1, index=0), "not the next draw"),
    "a seed of its own": (lambda told: of_kind(told, "draw")[0]["asked"].update(seed="7"), "not the next draw"),
    "a file": (lambda told: of_kind(told, "draw")[0]["asked"].update(apparatus="/etc/passwd"), "can name no file"),
    "a file of rules": (
        lambda told: put(told, "draw", 2, asked={"do": "play", "game": "amerigo", "rules": "/etc/passwd"}),
        "a log can name no file",
    ),
    "a file in rules": (
        lambda told: put(told, "draw", 2, asked={"do": "play", "game": "amerigo", "rules": {"apparatus": "x.toml"}}),
        "a log can name no file",
    ),
    "another model": (
        lambda told: of_kind(told, "draw")[0]["by"].update(model="0" * 16),
        "install the version that drew it",
    ),
    "an edge of its own": (lambda told: of_kind(told, "draw")[0]["by"].update(edge=1.0), "cubes' edge is 1.0 m"),
    "a state of nowhere": (
        lambda told: of_kind(told, "draw")[1]["asked"].update(state="0" * 64),
        "no line before it tells the state 0000000000000000...",
    ),
    "a state of a later drop": (
        lambda told: of_kind(told, "draw")[0]["asked"].update(state=of_kind(told, "draw")[1]["answer"]["state"]),
        "no line before it tells the state",
    ),
    "an empty tower": (lambda told: of_kind(told, "draw")[1]["asked"].pop("state") and None, "came out otherwise"),
    "another state left": (
        lambda told: of_kind(told, "draw")[2]["answer"].update(state="0" * 64),
        "the log says that 'state' is",
    ),
    "a state that is none": (
        lambda told: of_kind(told, "draw")[0]["asked"].update(state="TOWER3.eNqF.0123456789abcdef"),
        "is damaged",
    ),
    "a state that is no text": (lambda told: of_kind(told, "draw")[1]["asked"].update(state=7), "does not say what"),
    "nothing asked": (lambda told: put(told, "draw", 0, asked={"do": "hello"}), "cannot be made again"),
    "no answer": (lambda told: put(told, "draw", 0, answer=7), "no answer there"),
    "an unknown step": (lambda told: put(told, "words", 0, kind="wurds"), "does not say what"),
    "words that are none": (lambda told: put(told, "words", 0, words=7), "does not say what"),
    "another version": (lambda told: put(told, "log", 0, version=2), "another kind or version"),
    "a beginning within": (lambda told: told.insert(2, told[0]), "must be its first"),
    "a number": (lambda told: put(told, "round", 0, commitment=7), "does not say what"),
}


def lied(name: str, lines: Iterable[str], keys: Keyring) -> list[str]:
    """Return a log that holds, of rounds of two draws and one, with a lie, signed anew by its server."""
    told = entries(lines)
    changed = LIES[name][0](told)
    return signed_anew(changed if isinstance(changed, list) else told, keys)
