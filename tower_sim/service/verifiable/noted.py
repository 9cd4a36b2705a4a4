"""What a player noted of a round, and the round of the log that it is of: one, and one in which something was drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tower_sim.errors import fault
from tower_sim.service.verifiable.form import is_hex

What = Literal["commitment", "words", "number", "hash of a line"]


@dataclass(frozen=True, slots=True)
class Noted:
    """What a player noted: the number of the `round` that all of it is of, None where that is not one.

    `wrong` says why it is not of one round that was played, "" when it is; `found` what each text is in the log.
    """

    round: str | None
    wrong: str = ""
    found: tuple[What, ...] = ()


class Said:
    """What a log says by which a player may know a round again; a line that is of no round is of all."""

    def __init__(self) -> None:
        self._said: dict[str, list[tuple[What, str | None]]] = {}

    def add(self, text: str, what: What, name: str | None) -> None:
        """Add a text of the round `name`."""
        self._said.setdefault(text, []).append((what, name))

    def look_for(self, noted: Sequence[str], drawn: Mapping[str, int]) -> Noted | None:
        """Look for what was noted in the log, which has so many draws in each round; None when nothing was noted.

        Numbers, hashes and commitments may be noted in capital letters and with spaces. Words must be as they are in
        the log: a server that may choose among ways to write them may choose among draws.
        """
        left, kinds = list(drawn), list[What]()
        for one in noted:
            found = self._found(one)
            if not found:
                return Noted(None, f"what you noted, {_shown(one)}, is not in it{self._nearly(one)}")
            of = {name for _, name in found}
            both = left if None in of else [name for name in left if name in of]
            if not both:
                others = " or ".join(sorted(name for name in of if name is not None))
                told = f"{_shown(one)} is of round {others}, and the rest of round {' or '.join(left)}"
                return Noted(None, f"what you noted is not of one round: {told}")
            left = both
            kinds.append(next(what for what, name in found if name is None or name in left))
        if not noted:
            return None
        if len(left) != 1:
            return Noted(None, f"what you noted is of {len(left)} rounds: note the commitment of yours, too")
        empty = f"nothing was drawn in the round that you noted, {left[0]}"
        return Noted(left[0], "" if drawn[left[0]] else empty, tuple(kinds))

    def _found(self, one: str) -> list[tuple[What, str | None]]:
        digits = spelt(one)
        other = self._said.get(digits, []) if digits != one and is_hex(digits) else []
        return [*self._said.get(one, []), *other]

    def _nearly(self, one: str) -> str:
        """Say where the log has words that differ from the noted ones in capital letters and spaces only."""
        for text, found in self._said.items():
            if spelt(text) == spelt(one) and found[0][0] == "words":
                return (
                    f" in these letters: words in it are '{text}', and other capital letters or spaces make other "
                    "draws; if you had sent just those, note them so"
                )
        return ""


def spelt(text: str) -> str:
    """Return a text without spaces, in small letters."""
    return "".join(text.split()).lower()


def _shown(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text[:40])


def check_noted(noted: Sequence[str]) -> None:
    """Raise UsageError for what was noted and is empty."""
    for one in noted:
        if not one.strip():
            allowed = "a commitment, words, a round's number or the hash of a line"
            raise fault("what you noted", one, allowed, "leave it out, or give what you kept")
