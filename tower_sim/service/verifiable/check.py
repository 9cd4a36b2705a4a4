"""The check: every line of a log looked at, every draw of a revealed round made again; what is wrong, line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tower_sim.errors import UsageError, fault
from tower_sim.model import TooManyFailedDraws
from tower_sim.service.verifiable import draws, lines
from tower_sim.service.verifiable.form import wrong_form
from tower_sim.service.verifiable.keys import Succession, followed, is_signed
from tower_sim.service.verifiable.noted import Noted, Said, check_noted, spelt
from tower_sim.service.verifiable.redraw import Redrawn, difference
from tower_sim.service.verifiable.states import ToldStates, Traced

Redraw = Callable[[Mapping[str, Any], int, Mapping[str, Any], Traced | None], Redrawn]
"""Makes a draw again: from what was asked, its seed, what made it and the state before; as `redraw.redrawn`."""

_BEGINNING = b'{"entry":{'
_MOST_FINDINGS = 1000


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, in one sentence, and in which `line` of the log, from 1 (0: in none of them)."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class LoggedDraw:
    """A draw as the log tells it, in `line`, from 1, which has this `hash`."""

    line: int
    hash: str
    asked: Mapping[str, Any]
    answer: Any
    by: Mapping[str, Any]


@dataclass(slots=True)
class Round:
    """A round as the log tells it: opened in `line`, from 1; `secret` is None until it is revealed."""

    line: int
    commitment: str
    words: str | None = None
    secret: str | None = None
    draws: list[LoggedDraw] = field(default_factory=list[LoggedDraw])


@dataclass(frozen=True, slots=True)
class LogReport:
    """What the check found: `lines` of the log, `rounds` by identity, the `keys` that signed, one after another.

    `redrawn` draws were made again and came out the same; `brought` began with a tower that no draw of the log before
    them had left. `log` is its identity, `head` the hash of its last line. `noted` is the round that the player's notes
    are of, None without notes. `committed` counts the round (1, or 0) that opened with a commitment that the player had
    noted: only that shows that the secret was there before the words, whoever wrote the log.
    """

    log: str
    lines: int
    head: str
    keys: tuple[str, ...]
    rounds: Mapping[str, Round]
    redrawn: int
    brought: int
    noted: Noted | None
    committed: int
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong with the log, and it is what the player noted."""
        return not self.findings and not (self.noted and self.noted.wrong)

    @property
    def draws(self) -> int:
        """How many draws the log tells of."""
        return sum(len(each.draws) for each in self.rounds.values())


def check(data: bytes, redraw: Redraw, key: str | None = None, noted: Sequence[str] = ()) -> LogReport:
    """Check a log: its frame, numbers, hashes and signatures, the order of its steps, each commitment, each draw.

    `key` is the server's public key, if the player knows it; `noted` what a player has kept of a round: its number, its
    commitment, words, hashes of lines. All must be of one round of the log, in which something was drawn.
    Raises UsageError for bytes that are no log at all, for an empty note, and when the package `cryptography` is not
    installed.
    """
    check_noted(noted)
    if _BEGINNING not in data:
        raise fault("log", data[:40], "lines that a verifiable service wrote", "save the log as it was sent, whole")
    reader = _LogReader()
    whole = data.split(b"\n")
    for number, raw in enumerate(whole[:-1] if not whole[-1] else whole, 1):
        reader.read(number, raw)
    if whole[-1]:
        reader.wrong(len(whole), "the last line has no end: the log was cut")
    reader.look_for(key)
    reader.look_at_ends()
    redrawn, brought = reader.draw_again(redraw)
    found = reader.said.look_for(noted, {name: len(each.draws) for name, each in reader.rounds.items()})
    opening = reader.rounds[found.round].commitment if found and found.round else None
    return LogReport(
        reader.log,
        reader.lines,
        reader.previous,
        tuple(reader.keys),
        reader.rounds,
        redrawn,
        brought,
        found,
        int(opening in [spelt(one) for one in noted]),
        tuple(sorted(reader.findings, key=lambda finding: finding.line)),
    )


class _LogReader:
    """Goes through a log, line by line."""

    def __init__(self) -> None:
        self.log = ""
        self.lines = 0
        self.previous = lines.FIRST
        self.keys: list[str] = []
        self.rounds: dict[str, Round] = {}
        self.findings: list[Finding] = []
        self.said = Said()
        self._expected = 0
        self._kinds = {
            "log": self._log,
            "key": self._key,
            "round": self._round,
            "words": self._words,
            "draw": self._draw,
            "reveal": self._reveal,
        }

    def wrong(self, line: int, what: str) -> None:
        """Note what is wrong."""
        if len(self.findings) < _MOST_FINDINGS:
            self.findings.append(Finding(line, what))

    def read(self, number: int, raw: bytes) -> None:
        """Look at a line."""
        before, self.previous = self.previous, lines.hashed(raw)
        self.lines = number
        self._expected += 1
        try:
            line = lines.taken_apart(raw)
        except lines.Malformed as error:
            self.wrong(number, str(error))
            return
        fields = line.fields
        if wrong := wrong_form(fields):
            self.wrong(number, wrong)
            return
        self.said.add(self.previous, "hash of a line", fields.get("round"))
        if fields["number"] != self._expected - 1:
            self.wrong(number, "its number does not follow: a line was taken out, put in or moved")
        elif fields["previous"] != before:
            self.wrong(number, "it does not belong to the line before it: one of the two was changed or exchanged")
        self._expected = fields["number"] + 1
        if wrong := self._step(number, fields):
            self.wrong(number, wrong)
        if not self.keys or not is_signed(self.keys[-1], line.signature, line.entry):
            self.wrong(number, "its signature is not that of the log's key: it was changed, or another wrote it")

    def _step(self, number: int, fields: Mapping[str, Any]) -> str | None:
        """Follow what a line does; return what is wrong with it, if anything is."""
        kind = fields["kind"]
        if (kind == "log") != (number == 1):
            return "the line that begins a log must be its first, and no other"
        if kind in ("words", "draw", "reveal") and fields["round"] not in self.rounds:
            return "it is of a round that no line before it has opened"
        return self._kinds[kind](number, fields)

    def _log(self, number: int, fields: Mapping[str, Any]) -> str | None:
        succession, key = [Succession(**link) for link in fields["succession"]], fields["key"]
        self.log = fields["log"]
        self.keys += [*(link.old for link in succession), key]
        if succession and followed(succession[0].old, succession) != key:
            return "its key did not follow the older ones that it names"
        return None

    def _key(self, number: int, fields: Mapping[str, Any]) -> str | None:
        succession = [Succession(**link) for link in fields["succession"]]
        if not succession or not self.keys or followed(self.keys[-1], succession) is None:
            return "it brings a new key that the old one has not signed"
        self.keys += [link.new for link in succession]
        return None

    def _round(self, number: int, fields: Mapping[str, Any]) -> str | None:
        name, commitment = fields["round"], fields["commitment"]
        if name in self.rounds or any(each.commitment == commitment for each in self.rounds.values()):
            return "it opens a round that was there before"
        self.rounds[name] = Round(number, commitment)
        self.said.add(name, "number", name)
        self.said.add(commitment, "commitment", name)
        return None

    def _words(self, number: int, fields: Mapping[str, Any]) -> str | None:
        each = self.rounds[fields["round"]]
        if each.words is not None or each.draws or each.secret is not None:
            return "it gives words when they were due no more"
        each.words = words = fields["words"]
        self.said.add(words, "words", fields["round"])
        return None

    def _draw(self, number: int, fields: Mapping[str, Any]) -> str | None:
        each = self.rounds[fields["round"]]
        if each.words is None:
            return "it draws before the player's words were there"
        if each.secret is not None:
            return "it draws after the secret was shown"
        if fields["index"] != len(each.draws) or fields["asked"].keys() & {"seed", "id"}:
            return "it is not the next draw of its round"
        each.draws.append(LoggedDraw(number, self.previous, fields["asked"], fields["answer"], fields["by"]))
        return None

    def _reveal(self, number: int, fields: Mapping[str, Any]) -> str | None:
        each = self.rounds[fields["round"]]
        if each.secret is not None:
            return "it shows a secret that was shown before"
        each.secret = secret = fields["secret"]
        if draws.commitment(bytes.fromhex(secret)) != each.commitment:
            return "the secret is not the one that the server had committed to"
        if fields["draws"] != len(each.draws):
            return f"it counts {fields['draws']} draws, and the log has {len(each.draws)} of this round"
        return None

    def look_for(self, key: str | None) -> None:
        """Look for the server's key."""
        if key is not None and key not in self.keys:
            self.wrong(0, f"the key {key[:16]}... that you named has not signed it: it is of another server, or forged")

    def look_at_ends(self) -> None:
        """Look whether every round was revealed."""
        if not self.rounds:
            self.wrong(self.lines, "the log ends before a round was opened")
        for each in self.rounds.values():
            if each.secret is None:
                told = f"its secret was never shown, so its {len(each.draws)} draws cannot be checked"
                self.wrong(each.line, f"the round that is opened here has no end: {told}, or the end was taken out")

    def draw_again(self, redraw: Redraw) -> tuple[int, int]:
        """Make the draws of revealed rounds again; return how many came out the same, and how many were brought."""
        same, told = 0, ToldStates()
        for name, each in self.rounds.items():
            if each.secret is None or each.words is None:
                continue
            for index, draw in enumerate(each.draws):
                seed = draws.draw_seed(bytes.fromhex(each.secret), each.words, name, index)
                wrong = _compared(redraw, draw, seed, told)
                same += wrong is None
                if wrong is not None:
                    self.wrong(draw.line, wrong)
        return same, told.brought


def _compared(redraw: Redraw, draw: LoggedDraw, seed: int, told: ToldStates) -> str | None:
    """Make a draw again; say what is wrong with it, if anything is."""
    try:
        again = redraw(draw.asked, seed, draw.by, told.before(draw.asked))
        if again.after is not None:
            told.add(again.document["state"], again.after)
        differs = difference(draw.answer, again.document)
    except (UsageError, TooManyFailedDraws) as error:
        return f"its draw cannot be made again here: {error}"
    except (KeyError, TypeError, ValueError, AttributeError):
        return "its draw cannot be made again: the log does not say what was drawn"
    return None if differs is None else f"its draw came out otherwise when it was made again: {differs}"
