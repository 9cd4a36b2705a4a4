"""The ledger: where a log and its open round stand; every step gives the ledger after it and the lines to keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tower_sim.errors import fault
from tower_sim.service.verifiable import draws, lines, states
from tower_sim.service.verifiable.keys import Entropy, Keyring
from tower_sim.version import TOWER_SIM

Step = tuple["Ledger", tuple[str, ...]]
"""The ledger after a step, and its lines: keep both in one transaction before the step is answered."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """A log that goes on: `number` lines so far, the hash `previous` of the last one, the public `key` in use.

    `round_id` is that of the last round, `secret` its server seed (never shown before the reveal), `words` the player's
    (None: not given yet), `index` the number of its draws so far; `is_revealed` ends it. `states` are the hashes of the
    states that were told last. A step that is out of turn raises UsageError and changes nothing. A ring whose key has
    followed the ledger's adds a line that says so.
    """

    log: str
    number: int
    previous: str
    key: str
    round_id: str = ""
    secret: bytes = field(default=b"", repr=False)
    words: str | None = None
    index: int = 0
    is_revealed: bool = True
    states: tuple[str, ...] = ()

    @property
    def commitment(self) -> str:
        """What the server has committed to in this round."""
        return draws.commitment(self.secret)

    @property
    def seed(self) -> int:
        """The seed of the next draw; raises UsageError before the player's words are there, and after the reveal."""
        self._check_open()
        if self.words is None:
            raise fault(
                "draw", "before the words", "one after the player's words", "send the words of this round first"
            )
        return draws.draw_seed(self.secret, self.words, self.round_id, self.index)

    @property
    def last(self) -> dict[str, Any]:
        """What an answer tells of the last line, for the player to keep: its number, `line`, and its `hash`."""
        return {"line": self.number - 1, "hash": self.previous}

    def next_round(self, ring: Keyring, entropy: Entropy) -> Step:
        """Open a further round. Random: 16 bytes of `entropy` for its identity, then 32 for its secret seed."""
        if not self.is_revealed:
            raise fault("new round", "while one is open", "one after the reveal", "reveal the open round first")
        opened = replace(
            self,
            round_id=entropy(draws.ID_BYTES).hex(),
            secret=entropy(draws.SEED_BYTES),
            words=None,
            index=0,
            is_revealed=False,
        )
        return opened.with_line(ring, "round", {"round": opened.round_id, "commitment": opened.commitment})

    def worded(self, ring: Keyring, words: object) -> Step:
        """Add the player's words, once a round; raises UsageError for others than `draws.check_words` allows."""
        self._check_open()
        if self.words is not None:
            raise fault("words", "given again", "once in a round", "open another round for other words")
        told = replace(self, words=draws.check_words(words))
        return told.with_line(ring, "words", {"round": self.round_id, "words": told.words})

    def drawn(self, ring: Keyring, asked: Mapping[str, Any], answer: Mapping[str, Any], by: Mapping[str, Any]) -> Step:
        """Add the draw that `seed` was for.

        `asked` is the request as `service.parsing` reads it, without `seed` and `id`; `answer` its document; `by` what
        `redraw.made_by` says of the model. States that the log has told are told by their hash. Raises UsageError where
        `seed` does, and for an answer of another seed.
        """
        if asked.keys() & {"seed", "id"}:
            raise fault("request of a draw", dict(asked), "one without seed and id", "the round gives the seed")
        if answer.get("seed") != str(self.seed):
            raise fault("seed of the answer", answer.get("seed"), "that of this draw", "put the ledger's seed in")
        request, document, known = states.shortened(asked, answer, self.states)
        entry = {"round": self.round_id, "index": self.index, "asked": request, "answer": document, "by": dict(by)}
        return replace(self, index=self.index + 1, states=known).with_line(ring, "draw", entry)

    def revealed(self, ring: Keyring) -> Step:
        """End the round: its secret seed is shown, and no draw can follow."""
        self._check_open()
        entry = {"round": self.round_id, "secret": self.secret.hex(), "draws": self.index}
        return replace(self, is_revealed=True).with_line(ring, "reveal", entry)

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON can hold it, the secret with it: for the server's own storage only."""
        return asdict(self) | {"secret": self.secret.hex()}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Ledger:
        """Read what `to_plain` gave."""
        fields: dict[str, Any] = {**plain}
        fields["secret"], fields["states"] = bytes.fromhex(plain["secret"]), tuple(plain["states"])
        return cls(**fields)

    def _check_open(self) -> None:
        if self.is_revealed:
            raise fault("round", "revealed", "an open one", "open another round")

    def with_line(self, ring: Keyring, kind: str, fields: Mapping[str, Any]) -> Step:
        """Add a line of any kind, after one that says how the ring's key followed the ledger's, where it has."""
        if not (succession := ring.since(self.key)):
            ledger, line = self._signed(ring, kind, fields)
            return ledger, (line,)
        followed, first = self._signed(ring, "key", {"succession": [asdict(link) for link in succession]})
        ledger, line = followed._signed(ring, kind, fields)
        return ledger, (first, line)

    def _signed(self, ring: Keyring, kind: str, fields: Mapping[str, Any]) -> tuple[Ledger, str]:
        entry = lines.entry_bytes(self.number, self.previous, kind, fields)
        line = lines.framed(entry, ring.sign(entry))
        return replace(self, number=self.number + 1, previous=lines.hashed(line), key=ring.public), line


def opened(ring: Keyring, entropy: Entropy) -> Step:
    """Begin a log and its first round. Random: 16 bytes of `entropy` for the log's identity, then as `next_round`."""
    first = Ledger(entropy(draws.ID_BYTES).hex(), 0, lines.FIRST, ring.public)
    head = {
        "schema": lines.SCHEMA,
        "version": lines.VERSION,
        "log": first.log,
        "tower_sim": TOWER_SIM,
        "key": ring.public,
        "succession": [asdict(link) for link in ring.succession],
    }
    begun, (line,) = first.with_line(ring, "log", head)
    ledger, more = begun.next_round(ring, entropy)
    return ledger, (line, *more)
