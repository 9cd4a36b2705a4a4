"""The file of a fitted surrogate: plain JSON, written the same way every time and checked when it is read."""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from tower_sim.apparatus import Apparatus
from tower_sim.errors import UsageError, check_kind, check_whole, fault, quote
from tower_sim.surrogate.board_law import BoardLaw
from tower_sim.surrogate.table import Cascade
from tower_sim.tools import MODEL, as_path, json_value, read_text, refuse_other

SCHEMA = "tower-sim/surrogate"
VERSION = 1
TOWER, BOARD = "tower", "board"
_ALLOWED = "allowed is a file of `tower-sim model fit`; fit it again"
_NO_SURROGATE = "take the model physics, or fit one (tower-sim model fit) and give its file as the model"
ENGINE, FAILED = "engine", "failed"
FAILED_NAME = "surrogate that failed its check"
"""The name of a fitted model that failed its check, so that every text that names the model says so."""


@dataclass(frozen=True, slots=True)
class Source:
    """A campaign in the training data: its spec's digest, and how many of its runs and drops were used."""

    digest: str
    runs: int
    drops: int


@dataclass(frozen=True, slots=True)
class RungScore:
    """The mean log score per drop of one rung (nats) on held-out drops, with standard errors over runs.

    It is the logarithm of the probability of which cubes came out. `gain` is the difference from rung 0.
    """

    name: str
    title: str
    score: float
    se: float
    gain: float
    gain_se: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted law and its origin: `kind` is `tower` (the law is a Cascade) or `board` (the law is a BoardLaw).

    `covered` has rows (thrown, least, most): the limits of the number of cubes inside (on the board) before a drop of
    so many. `scores` are those of the rungs on held-out runs, `lower_rungs` the parameters of the rungs below the law.
    `engine` is empty if the data have no physics. `failed` says in a sentence why a check failed, if one did.
    """

    kind: str
    apparatus: str
    apparatus_digest: str
    engine: str
    data: tuple[Source, ...]
    covered: tuple[tuple[int, int, int], ...]
    scores: tuple[RungScore, ...]
    lower_rungs: Mapping[str, tuple[float, ...]] = field(hash=False)
    law: Cascade | BoardLaw
    failed: str = ""

    @property
    def name(self) -> str:
        """The model's name: `surrogate`, or FAILED_NAME if a check failed."""
        return FAILED_NAME if self.failed else "surrogate"

    @property
    def digest(self) -> str:
        """The digest that identifies the surrogate in states; it changes with every number in the file."""
        return _digest(self._plain())

    def cascade_of(self, apparatus_digest: str) -> Cascade:
        """Return the Cascade of a tower."""
        return cast("Cascade", self._law_of(TOWER, apparatus_digest))

    def board_law_of(self, apparatus_digest: str) -> BoardLaw:
        """Return the BoardLaw of a ship."""
        return cast("BoardLaw", self._law_of(BOARD, apparatus_digest))

    def covers(self, thrown: int, before: int) -> bool:
        """Return whether the training data cover a drop of `thrown` cubes with `before` cubes inside or on the board.

        The limits are those of the nearest number thrown in the data. A drop that throws nothing is always covered.
        """
        if thrown == 0:
            return True
        if not self.covered or not self.covered[0][0] <= thrown <= self.covered[-1][0]:
            return False
        at = bisect_left(self.covered, (thrown,))
        near = self.covered[max(at - 1, 0) : at + 1]
        _, least, most = min(near, key=lambda row: abs(row[0] - thrown))
        return least <= before <= most

    def to_json(self) -> str:
        """Return the text of the file; equal surrogates give equal text."""
        plain = self._plain()
        text = json.dumps(plain | {"digest": _digest(plain)}, indent=1)
        return re.sub(r"\[[^][{}]*\]", lambda row: " ".join(row[0].split()), text) + "\n"  # each list on one line

    @staticmethod
    def from_json(text: str) -> Fitted:
        """Restore a surrogate from its file's text."""
        plain: object = json_value(text, "surrogate")
        table = cast("dict[str, Any]", plain) if isinstance(plain, dict) else {}
        if table.get("schema") != SCHEMA or table.get("version") != VERSION:
            said_schema = f"{quote(table.get('schema'))} version {quote(table.get('version'))}"
            raise UsageError(f"surrogate has schema {said_schema}; allowed is {SCHEMA!r} version {VERSION}; fit again")
        failed = check_kind(FAILED, table.pop(FAILED, ""), str, "a sentence", "fit it again")
        if set(table) != set(KEYS):
            raise fault("keys of the surrogate", sorted(table), ", ".join(KEYS), "fit it again")
        said = table.pop("digest")
        digest = _digest(table | ({FAILED: failed} if failed else {}))
        if said != digest:
            raise UsageError(
                f"surrogate is damaged: its digest is {digest!r}; allowed is {quote(said)}, as it was written; "
                "fit it again, or take an undamaged copy"
            )
        try:
            return replace(_read(table), failed=failed)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, UsageError):
                raise
            raise UsageError(f"surrogate cannot be read ({quote(error)}); {_ALLOWED}") from error

    def _law_of(self, kind: str, digest: str) -> Cascade | BoardLaw:
        if self.kind != kind:
            raise fault("kind of the surrogate", self.kind, kind, "take the apparatus that it was fitted for")
        if self.apparatus_digest != digest:
            raise UsageError(
                f"surrogate was fitted for apparatus {self.apparatus!r} ({self.apparatus_digest}); allowed is one of "
                f"the apparatus given ({digest}); run a campaign with it and fit, or take the model physics"
            )
        return self.law

    def _plain(self) -> dict[str, Any]:
        plain = {"schema": SCHEMA, "version": VERSION, **asdict(self), "law": self.law.to_plain()}
        return plain if self.failed else {key: value for key, value in plain.items() if key != FAILED}


KEYS = ("schema", "version", *(item.name for item in fields(Fitted) if item.name != FAILED), "digest")


def as_fitted(fitted: object) -> Fitted:
    """Check that `fitted` is a Fitted."""
    return check_kind("fitted", fitted, Fitted, "a Fitted law", "read it with load_fitted(path) or shipped(...)")


def load_fitted(path: str | Path) -> Fitted:
    """Read a surrogate from its file."""
    text = read_text(path, "surrogate file", advice="give a file of `tower-sim model fit`")
    refuse_other(text, f"surrogate file {quote(str(path))}", MODEL)
    try:
        return Fitted.from_json(text)
    except UsageError as error:
        raise UsageError(f"surrogate file {quote(str(path))}: {error}") from error


def shipped_names() -> tuple[str, ...]:
    """Return the names of the profiles for which a surrogate ships."""
    return tuple(sorted(file.name.removesuffix(".json") for file in _folder().iterdir() if file.name.endswith(".json")))


def beside(profile: str | Path) -> Path:
    """Return the path of the surrogate for a profile's file: NAME.surrogate.json next to NAME.toml."""
    return Path(profile).with_suffix(".surrogate.json")


def fitted_or_shipped(name: str | Path) -> Fitted:
    """Return a surrogate by a shipped profile's name, by the profile's file (.toml), or by its own file."""
    if str(name) in shipped_names():
        return Fitted.from_json((_folder() / f"{name}.json").read_text("utf-8"))
    name = as_path("surrogate", name, f"write {shipped_names()[0]!r} or the path of a file")
    return load_fitted(beside(name) if Path(name).suffix == ".toml" else name)


def shipped(apparatus: str, apparatus_digest: str, advice: str = _NO_SURROGATE) -> Fitted:
    """Return the surrogate that ships for a profile."""
    names = shipped_names()
    fitted = fitted_or_shipped(apparatus) if apparatus in names else None
    if fitted is None:
        allowed = f"one with a surrogate: {', '.join(names)}"
        raise fault("apparatus", apparatus, allowed, advice)
    if fitted.apparatus_digest != apparatus_digest:
        state = f"changed ({apparatus_digest})"
        allowed = f"as it ships ({fitted.apparatus_digest}), since the surrogate was fitted to that"
        raise fault(f"profile {apparatus}", state, allowed, advice)
    return fitted


def has_fitted(apparatus: Apparatus) -> bool:
    """Return whether the apparatus has a surrogate: a file beside it, or one that ships."""
    is_beside = apparatus.file is not None and beside(apparatus.file).exists()
    return is_beside or (
        apparatus.name in shipped_names() and fitted_or_shipped(apparatus.name).apparatus_digest == apparatus.digest
    )


def find_surrogate(apparatus: Apparatus) -> Fitted:
    """Return the surrogate next to the apparatus's file or, without one, the surrogate that ships."""
    file = beside(apparatus.file) if apparatus.file else None
    if file is None or not file.exists():
        return shipped(apparatus.name, apparatus.digest)
    fitted = load_fitted(file)
    if fitted.apparatus_digest != apparatus.digest:
        raise UsageError(
            f"surrogate {quote(str(file))} was fitted for another {apparatus.name} ({fitted.apparatus_digest}); "
            f"allowed is that of the profile beside it ({apparatus.digest}), which has changed; fit it again, or "
            "remove it"
        )
    return fitted


def _folder() -> Any:
    return resources.files("tower_sim.surrogate") / "models"


def _read(table: Mapping[str, Any]) -> Fitted:
    laws = {TOWER: Cascade.from_plain, BOARD: BoardLaw.from_plain}
    if not isinstance(table["kind"], str) or table["kind"] not in laws:
        raise fault("kind of the surrogate", table["kind"], " or ".join(laws), "fit it again")
    allowed = "the name of a rigid-body engine, or an empty text for none"
    return Fitted(
        table["kind"],
        str(table["apparatus"]),
        str(table["apparatus_digest"]),
        check_kind(ENGINE, table[ENGINE], str, allowed, "fit it again"),
        tuple(Source(**source) for source in table["data"]),
        _covered(table["covered"]),
        tuple(RungScore(**score) for score in table["scores"]),
        {str(name): tuple(float(x) for x in numbers) for name, numbers in table["lower_rungs"].items()},
        laws[table["kind"]](table["law"]),
    )


def _covered(rows: Sequence[Sequence[object]]) -> tuple[tuple[int, int, int], ...]:
    whole = ([check_whole("a number of covered", number, 0) for number in row] for row in rows)
    covered = tuple((thrown, least, most) for thrown, least, most in whole)
    if any(a[0] >= b[0] for a, b in pairwise(covered)):
        raise fault("covered", [row[0] for row in covered], "rows in the order of the cubes thrown", "fit it again")
    return covered


def _digest(plain: Mapping[str, Any]) -> str:
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
