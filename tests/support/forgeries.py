"""Logs that somebody forged, and notes that do not fit: what a server that signs what it likes may write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from support.verifiable import DROP, data_of, drawn, entries, entropy, log_of, of_kind, ring, signed_anew

from tower_sim.service.verifiable import opened
from tower_sim.service.verifiable.lines import hashed

MINE, OTHER = "seven green tomatoes", "eight blue potatoes"
SMALL = {**DROP, "cubes": {"blue": 1}}
LOG, KEYS = log_of([[SMALL, SMALL], [SMALL]], rotate_before=[2], words=[MINE, OTHER])
"""Lines, from 0: log, round, words, draw, draw, reveal, round, words, key, draw, reveal."""
ENTRIES = entries(LOG)
(FIRST, SECOND) = of_kind(ENTRIES, "round")
COMMITMENT, NUMBER, SECRET = FIRST["commitment"], FIRST["round"], ENTRIES[5]["secret"]


@dataclass(frozen=True)
class Forgery:
    """A log, what a player noted, the exit status of its check, and what it says; `javascript` says so, too.

    `round` is the number of the round that is told where the status is 0.
    """

    log: bytes
    status: int
    said: str = ""
    noted: Sequence[str] = ()
    round: str | None = None
    javascript: bool = True


def _forgeries() -> dict[str, Forgery]:
    return {**_notes(), **_ground(), **_misread(), **_others(), **_drawn_otherwise()}


def _notes() -> dict[str, Forgery]:
    """An honest log of two rounds, and what a player may have noted."""
    spaced = " ".join(COMMITMENT[i : i + 8] for i in range(0, 64, 8)).upper() + "\n"
    fits = {
        "commitment": [COMMITMENT],
        "commitment in capitals and groups": [spaced],
        "words": [MINE],
        "number": [NUMBER],
        "number in capitals with spaces": [f" {NUMBER.upper()} "],
        "hash of a draw": [hashed(LOG[3])],
        "hash of the reveal": [hashed(LOG[5]).upper()],
        "all of it": [COMMITMENT, MINE, NUMBER, *map(hashed, LOG[:6])],
        "the log's first line and the number": [hashed(LOG[0]), NUMBER],
    }
    not_one = {
        "commitment and another's words": ([COMMITMENT, OTHER], "is not of one round"),
        "commitment and another's draw": ([COMMITMENT, hashed(LOG[9])], "is not of one round"),
        "commitment and another's number": ([COMMITMENT, SECOND["round"]], "is not of one round"),
        "two commitments": ([COMMITMENT, SECOND["commitment"]], "is not of one round"),
        "the line of a key": ([hashed(LOG[8])], "is of 2 rounds"),
        "the first line": ([hashed(LOG[0])], "is of 2 rounds"),
        "another commitment": (["0" * 64], "is not in it"),
        "half a commitment": ([COMMITMENT[:32]], "is not in it"),
        "other words": (["nine white radishes"], "is not in it"),
        "the secret": ([SECRET], "is not in it"),
        "words in capitals": ([MINE.title()], f"words in it are '{MINE}'"),
        "words with a space": ([f"{MINE} "], f"words in it are '{MINE}'"),
        "what is no text of a terminal": (["\x1b[2Jred\u2028"], "noted, ?[2Jred?, is not in it"),
    }
    data = data_of(LOG)
    return {name: Forgery(data, 0, "This log holds: ", noted, NUMBER) for name, noted in fits.items()} | {
        name: Forgery(data, 3, said, noted) for name, (noted, said) in not_one.items()
    }


def _ground() -> dict[str, Forgery]:
    """A server that knows the words, seeks a secret that suits it, and shows the noted commitment in an empty round."""
    honest, lines, commitment = *opened(ring(5), entropy(9)), ""
    commitment, number = honest.commitment, honest.round_id
    logs: dict[str, list[str]] = {}
    for name, in_empty, in_ground in (
        ("", MINE, MINE), ("no words", None, MINE), ("other words", OTHER, MINE), ("as words", MINE, commitment),
    ):  # fmt: skip
        ledger, told = honest, [*lines]
        if in_empty is not None:
            ledger, more = ledger.worded(ring(5), in_empty)
            told += more
        ledger, more = ledger.revealed(ring(5))
        told += more
        ledger, more = ledger.next_round(ring(5), entropy(10))
        told += more
        ledger, more = ledger.worded(ring(5), in_ground)
        told += more
        ledger, more, _ = drawn(ledger, ring(5), SMALL)
        told += [*more, *ledger.revealed(ring(5))[1]]
        logs[name] = told
    played = [hashed(logs[name][-2]) for name in logs]
    whole, no_words, other, as_words = (data_of(told) for told in logs.values())
    alone, _ = log_of([[SMALL]], words=[commitment])
    return {
        "ground, commitment, words and hash": Forgery(whole, 3, "not of one round", [commitment, MINE, played[0]]),
        "ground, commitment": Forgery(whole, 3, "nothing was drawn in the round that you noted", [commitment]),
        "ground, number": Forgery(whole, 3, f"nothing was drawn in the round that you noted, {number}", [number]),
        "ground, commitment and words": Forgery(whole, 3, "nothing was drawn", [commitment, MINE]),
        "ground, commitment and hash": Forgery(whole, 3, "not of one round", [commitment, played[0]]),
        "ground, words": Forgery(whole, 3, "is of 2 rounds", [MINE]),
        "ground, no words, commitment and words": Forgery(no_words, 3, "not of one round", [commitment, MINE]),
        "ground, other words, all": Forgery(other, 3, "not of one round", [commitment, MINE, played[2]]),
        "the commitment given as words": Forgery(as_words, 3, "is of 2 rounds", [commitment]),
        "the commitment is words alone": Forgery(
            data_of(alone), 0, "only the commitment shows", [commitment], entries(alone)[1]["round"]
        ),
        "the noted round has no end": Forgery(
            data_of([*lines, *honest.worded(ring(5), MINE)[1]]), 1, "has no end", [commitment, MINE]
        ),
    }


def written(number: int, old: str, new: str, log: Sequence[Mapping[str, Any]] = ENTRIES) -> bytes:
    """Return a log, signed anew, in which `new` stands for the first `old` (an expression) in the entry `number`."""

    def write(at: int, text: str) -> str:
        if at != number:
            return text
        changed, count = re.subn(old, lambda found: found.expand(new), text, count=1)
        assert count == 1, (old, text)
        return changed

    return data_of(_signed(log, write))


def _signed(log: Sequence[Mapping[str, Any]], write: Callable[[int, str], str]) -> list[str]:
    plain = [entry for entry in log if entry["kind"] != "key"]
    return signed_anew([{**plain[0], "key": KEYS.public, "succession": []}, *plain[1:]], KEYS, write)


def _misread() -> dict[str, Forgery]:
    """Entries that two readers may read otherwise: keys that are there twice, numbers of other kinds."""
    twice: dict[
        str, tuple[Any, ...]
    ] = {  # lines without that of the key: log, round, words, draw, draw, reveal, round, words, draw, reveal
        "number twice": (3, r'"number":3', r'"number":7,\g<0>'),
        "kind twice": (5, r'"kind":"reveal"', r'"kind":"words",\g<0>'),
        "previous twice": (3, r'"previous"', r'"previous":"",\g<0>'),
        "commitment twice": (1, r'"commitment":', r'"commitment":"' + "ab" * 32 + r'",\g<0>'),
        "words twice": (2, r'"words":"', r'"words":"nine white radishes",\g<0>'),
        "words twice, the same": (2, r'"words":"[^"]*"', r"\g<0>,\g<0>"),
        "index twice": (3, r'"index":0', r'"index":5,\g<0>'),
        "index twice, one escaped": (3, r'"index":0', r'"\\u0069ndex":5,\g<0>'),
        "secret twice": (5, r'"secret":', r'"secret":"' + "cd" * 32 + r'",\g<0>'),
        "asked twice": (3, r'"asked":', r'"asked":{},\g<0>'),
        "cubes twice": (3, r'"cubes":', r'"cubes":{"red":9},\g<0>'),
        "a colour twice": (3, r'"blue":1', r'"blue":2,\g<0>'),
        "answer twice": (3, r'"answer":', r'"answer":{},\g<0>'),
        "a place twice": (3, r'"place":', r'"place":"table",\g<0>'),
        "edge twice": (3, r'"edge":', r'"edge":1.0,\g<0>'),
        "key twice": (0, r'"key":', r'"key":"' + ring(6).public + r'",\g<0>'),
    }
    forms: dict[str, tuple[Any, ...]] = {
        "index false": (3, r'"index":0', r'"index":false', "look at its 'index'"),
        "index 0.0": (3, r'"index":0', r'"index":0.0', "look at its 'index'"),
        "index 0e0": (3, r'"index":0', r'"index":0e0', "look at its 'index'"),
        "index a text": (3, r'"index":0', r'"index":"0"', "look at its 'index'"),
        "index null": (3, r'"index":0', r'"index":null', "look at its 'index'"),
        "index -0": (3, r'"index":0', r'"index":-0', "has not the form"),
        "index true": (4, r'"index":1', r'"index":true', "look at its 'index'"),
        "index 1.0": (4, r'"index":1', r'"index":1.0', "look at its 'index'"),
        "number false": (0, r'"number":0', r'"number":false', "look at its 'number'"),
        "number true": (1, r'"number":1', r'"number":true', "look at its 'number'"),
        "number 3.0": (3, r'"number":3', r'"number":3.0', "look at its 'number'"),
        "version true": (0, r'"version":1', r'"version":true', "another kind or version"),
        "version 1.0": (0, r'"version":1', r'"version":1.0', "another kind or version"),
        "draws true": (9, r'"draws":1', r'"draws":true', "look at its 'draws'"),
        "draws 2.0": (5, r'"draws":2', r'"draws":2.0', "look at its 'draws'"),
        "draws of many digits": (5, r'"draws":2', r'"draws":2' + "0" * 70, "has not the form"),
        "edge true": (3, r'"edge":[\d.]+', r'"edge":true', "look at its 'by'"),
        "asked a list": (3, r'"asked":\{.*?\}\}', r'"asked":[]', "look at its 'asked'"),
        "no number at all": (3, r'"edge":[\d.]+', r'"edge":NaN', "has not the form"),
        "an endless number": (3, r'"edge":[\d.]+', r'"edge":1e999', "has not the form"),
        "too deep": (3, r'"answer":', r'"answer":' + "[" * 50 + "]" * 50 + r',"more":', "has not the form"),
        "a comma too many": (3, r"\}$", r",}", "has not the form"),
        "a remark": (3, r"^\{", r"{/* */", "has not the form"),
        "words with a bell": (2, r'"words":"', r"\g<0>\\u0007", "look at its 'words'"),
        "words with half a letter": (2, r'"words":"', r"\g<0>\\ud800", "look at its 'words'"),
        "words with a line's end": (2, r'"words":"', r"\g<0>\\u2028", "look at its 'words'"),
        "short words": (2, r'"words":"[^"]*"', r'"words":"seven"', "look at its 'words'"),
        "a secret in capitals": (5, r'"secret":"[^"]*"', rf'"secret":"{SECRET.upper()}"', "look at its 'secret'"),
        "a round of nowhere": (3, r'"round":"[^"]*"', r'"round":"' + "ab" * 16 + '"', "no line before it has opened"),
    }
    return {
        name: Forgery(written(*how), 1, "it says a key twice, so that two readers may read it otherwise")
        for name, how in twice.items()
    } | {name: Forgery(written(*how), 1, said) for name, (*how, said) in forms.items()}


def _others() -> dict[str, Forgery]:
    """Fields that are not due, or not there."""
    link = {"old": ring(6).public, "new": KEYS.public, "signature": "00" * 64}
    succession = json.dumps([link | {"more": 1}], separators=(",", ":"))
    cases: dict[str, tuple[Any, ...]] = {
        f"more in {ENTRIES[at]['kind']}": (at, r"^\{", r'{"more":1,', "more than such a line may say: 'more'")
        for at in (0, 1, 2, 3, 5)
    } | {
        "more, null": (1, r"^\{", r'{"more":null,', "more than such a line may say: 'more'"),
        "more that is no word": (1, r"^\{", r'{"\\u001b[2J":1,', "more than such a line may say"),
        "another line's field": (1, r"^\{", r'{"words":"seven green tomatoes",', "may say: 'words'"),
        "more in by": (3, r'"by":\{', r'"by":{"more":1,', "look at its 'by'"),
        "more in a succession": (0, r'"succession":\[\]', rf'"succession":{succession}', "look at its 'succession'"),
        "no commitment": (1, r',"commitment":"[^"]*"', "", "look at its 'commitment'"),
        "no index": (3, r'"index":0,', "", "look at its 'index'"),
        "no answer": (8, r'"answer":.*,"by"', '"by"', "look at its 'answer'"),
        "no kind": (1, r'"kind":"round",', "", "it does not say what such a line must say"),
        "a kind that is a list": (1, r'"kind":"round"', '"kind":["round"]', "does not say what such a line must say"),
    }
    return {name: Forgery(written(*how), 1, said) for name, (*how, said) in cases.items()}


def _drawn_otherwise() -> dict[str, Forgery]:
    """Answers in which a value is of another kind than what is drawn; JavaScript says it in words of its own."""
    cases = {
        "attempts true": (r'"attempts":1', '"attempts":true'),
        "attempts 1.0": (r'"attempts":1', '"attempts":1.0'),
        "a version true": (r'"version":1', '"version":true'),
        "extrapolated 0": (r'"extrapolated":false', '"extrapolated":0'),
        "a cube false": (r'"cube":0', '"cube":false'),
        "thrown 1.0": (r'"thrown":\{"blue":1', '"thrown":{"blue":1.0'),
        "asked 1.0": (r'"cubes":\{"blue":1', '"cubes":{"blue":1.0'),
        "asked true": (r'"cubes":\{"blue":1', '"cubes":{"blue":true'),
        "more in an answer": (r'"attempts":', '"more":1,"attempts":'),
    }
    return {name: Forgery(written(3, *how), 1, "line 4", javascript=False) for name, how in cases.items()}


FORGERIES = _forgeries()
"""By name."""
