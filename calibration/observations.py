"""Observations of real towers: small TOML files with their sources and a statement of how strong they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, PrivateAttr

from tower_sim.documents import Document, typed
from tower_sim.errors import fault, quote
from tower_sim.games.amerigo import Rules
from tower_sim.tools import OBSERVATION, read_text, refuse_other, toml_table

CUBES, COLOURS = sum(Rules().counts.values()), len(Rules().colours)  # of a game as published
LARGEST = 100_000  # bytes of a file
LONGEST = 2000  # letters of its words
FOLDER = Path(__file__).parent / "observations"
# The factor on the variance of a value, by the strength of the observation. [A]
DOUBT = {"strong": 1.0, "moderate": 1.5, "weak": 2.0, "very weak": 4.0}
SHARES = {  # shares of the phases with cubes out, by field
    "share_single": "one colour",
    "share_several": "two colours or more",
    "share_leads": "the thrown colour the most numerous",
    "share_ones": "one cube, of all phases",
}
MOST_POINTS = 20  # phases whose action points an observation lists


def _as_tuple(values: Any) -> Any:
    return tuple(values) if isinstance(values, list) else values


def _field(default: Any, allowed: str) -> Any:
    return Field(default=default, json_schema_extra={"allowed": allowed})


Words = Annotated[str, Field(min_length=1, max_length=LONGEST)]
Count = Annotated[int, Field(ge=0, le=CUBES)]
Some = Annotated[int, Field(ge=1, le=CUBES)]
Colours = Annotated[int, Field(ge=1, le=COLOURS)]
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(ge=0)]
Of = TypeVar("Of")
Ends = Annotated[tuple[Of, Of], BeforeValidator(_as_tuple)]
_COUNTS = f"whole numbers from 0 by colour, up to {CUBES} in all"
_ENDS = f"two whole numbers from 0 to {CUBES}, the smaller first"
_SHARES = "two numbers from 0 to 1, the smaller first"


class Observation(Document, frozen=True):
    """One observation: what it `says`, its `source`, its `kind`, and its `strength`: a key of DOUBT, a colon and the
    reason.

    All numbers are optional and in cubes. One drop: `thrown` (at least so many), `out` and `inside_after` by colour
    (`from_empty`: thrown into the empty tower); or only `least_out` cubes, in `colours_out` colours. Phases: their
    action `points`. Many drops, limits included: cubes out of a drop (`out_total`), inside between drops
    (`inside_in_play`), most inside after the set-up (`setup_at_most`), shares of phases as in SHARES, other `figures`
    by key. `records` names a CSV of recorded drops beside the file. `justifies` names a part of the prior. If `use` is
    false, the fit leaves it out.
    """

    says: Words
    source: Words
    kind: Literal["measurement", "photograph", "worked example", "impression", "illustration", "qualitative"]
    strength: Words
    thrown: dict[str, Count] = _field({}, _COUNTS)
    out: dict[str, Count] = _field({}, _COUNTS)
    inside_after: dict[str, Count] = _field({}, _COUNTS)
    from_empty: bool = False
    least_out: int | None = Field(default=None, ge=1, le=CUBES)
    colours_out: Ends[Colours] | None = _field(None, f"two whole numbers from 1 to {COLOURS}, the smaller first")
    out_total: Ends[Count] | None = _field(None, _ENDS)
    inside_in_play: Ends[Count] | None = _field(None, _ENDS)
    setup_at_most: Count | None = None
    points: Annotated[tuple[Some, ...], BeforeValidator(_as_tuple)] = _field(
        (), f"a list of up to {MOST_POINTS} whole numbers from 1 to {CUBES}"
    )
    share_single: Ends[Share] | None = _field(None, _SHARES)
    share_several: Ends[Share] | None = _field(None, _SHARES)
    share_leads: Ends[Share] | None = _field(None, _SHARES)
    share_ones: Ends[Share] | None = _field(None, _SHARES)
    figures: dict[str, Ends[Positive]] = _field(
        {}, "a table of figures, each with two numbers from 0, the smaller first"
    )
    records: str = _field("", "the name of a .csv in the folder of the observation")
    justifies: str = Field(default="", max_length=LONGEST)
    use: bool = True
    _name: str = PrivateAttr("")
    _folder: Path = PrivateAttr(FOLDER)

    @property
    def name(self) -> str:
        return self._name

    @property
    def recorded(self) -> Path | None:
        return self._folder / self.records if self.records else None

    @property
    def doubt(self) -> float:
        """Return the factor on the variance of values from this observation; 1 means no doubt."""
        return DOUBT[_read_strength(self.strength)]

    @property
    def numbers(self) -> dict[str, tuple[int, int]]:
        """Return the totals: `out` of a drop, `setup_inside` after all cubes were thrown in, `inside` in play."""
        out, after = sum(self.out.values()), sum(self.inside_after.values())
        totals = {
            "out": self.out_total or ((out, out) if self.out else None),
            "setup_inside": (after, after) if self.inside_after and self.from_empty else None,
            "inside": self.inside_in_play,
        }
        return {name: ends for name, ends in totals.items() if ends}

    @property
    def colours(self) -> tuple[int, int] | None:
        """Return the least and the greatest number of colours out of one drop; None if unknown."""
        of_out = sum(n > 0 for n in self.out.values())
        return (of_out, of_out) if of_out else self.colours_out

    @property
    def leads(self) -> bool | None:
        """Return whether the only colour thrown was the most numerous colour out; None if unknown."""
        colours = [colour for colour, n in self.thrown.items() if n]
        if len(colours) != 1 or not any(self.out.values()):
            return None
        rest = max((n for colour, n in self.out.items() if colour != colours[0]), default=0)
        return self.out.get(colours[0], 0) > rest

    @property
    def shares(self) -> dict[str, tuple[float, float]]:
        bounds = {name: getattr(self, name) for name in SHARES}
        return {name: ends for name, ends in bounds.items() if ends is not None}


def _read_strength(words: str) -> str:
    first = words.partition(":")[0].strip()
    return first if first in DOUBT else ""


def read_folder(folder: str | Path = FOLDER) -> list[Observation]:
    """Read all observations in a folder, ordered by name."""
    return [read(file) for file in sorted(Path(folder).glob("*.toml"))]


def read(file: str | Path) -> Observation:
    """Read one observation."""
    file = Path(file)
    text = read_text(file, "observation", limit=LARGEST, advice="give a TOML file in UTF-8")
    refuse_other(text, f"observation file {quote(str(file))}", OBSERVATION)
    where = f"observation {file.stem}"
    observation = typed.read(Observation, toml_table(text, f"observation {file}"), where)
    _check(observation, where)
    observation._name, observation._folder = file.stem, file.parent  # pyright: ignore[reportAttributeAccessIssue]  # frozen, set once
    return observation


def _check(entry: Observation, where: str) -> None:
    for pair in (("out", "out_total"), ("out", "least_out"), ("out_total", "least_out"), ("out", "colours_out")):
        if all(getattr(entry, key) for key in pair):
            raise fault(where, " and ".join(pair), "one of them", "leave one out")
    for key in ("thrown", "out", "inside_after"):
        counts: dict[str, int] = getattr(entry, key)
        if sum(counts.values()) > CUBES:
            raise fault(f"{where}.{key}", counts, _COUNTS)
    if entry.records and (Path(entry.records).name != entry.records or Path(entry.records).suffix.lower() != ".csv"):
        raise fault(f"{where}.records", entry.records, "the name of a .csv in the folder of the observation")
    for key in ("colours_out", "out_total", "inside_in_play"):
        if (whole := getattr(entry, key)) and whole[0] > whole[1]:
            raise fault(f"{where}.{key}", list(whole), _ENDS)
    for key, ends in (entry.shares | entry.figures).items():
        if ends[0] >= ends[1]:
            raise fault(
                f"{where}.{key}", list(ends), _SHARES if key in SHARES else "two numbers from 0, the smaller first"
            )
    if len(entry.points) > MOST_POINTS:
        raise fault(f"{where}.points", list(entry.points), f"up to {MOST_POINTS} phases")
    if not _read_strength(entry.strength):
        allowed = f"{', '.join(DOUBT)}, with a colon and the reason behind it"
        raise fault(f"{where}.strength", entry.strength, allowed, "begin with one of them")
