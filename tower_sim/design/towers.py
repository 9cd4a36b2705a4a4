"""What the towers of a campaign did: one row a tower, its numbers and what came of its games, as a table in Parquet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim import writing
from tower_sim.apparatus import space
from tower_sim.campaign.data import Campaign
from tower_sim.design.features import features
from tower_sim.errors import UsageError, shown
from tower_sim.extras import extra
from tower_sim.gaussian import Matern
from tower_sim.reading import read_bytes
from tower_sim.runs.figure import Figure
from tower_sim.runs.tower import COLOURS, EXCHANGE, INSIDE, INSIDE_SETUP, OUT, RESIDENTS_OUT

Array = npt.NDArray[np.float64]

SHIPPED = Path(__file__).parent / "towers.parquet"
"""The table of the atlas, which ships."""

_KERNELS = b"kernels"
MOST_BYTES = 10_000_000  # of a table, packed or not
LEAST_TOWERS, MOST_TOWERS = 50, 5000  # of a table that a search begins from: its time grows with their cube
LEAST_SEEN = 20  # times that a cube was inside when others were thrown in, to tell how long cubes stay
JAMMED = 0.5  # of all cubes: a game that ends with more inside has clogged


@dataclass(frozen=True, slots=True)
class Output:
    """Something that a tower does, in `unit`; `words` say what. It is a `figure` of its games, or None: told otherwise.

    It is analysed as its logarithm to base 2 where `is_ratio`; its `noise` is that of shares where `is_chance`.
    """

    name: str
    unit: str
    words: str
    title: str
    figure: Figure | None = None
    is_ratio: bool = False
    is_chance: bool = False

    @staticmethod
    def of(name: str, figure: Figure) -> Output:
        """Return the output that a figure is."""
        return Output(name, "share" if figure.is_share else figure.unit, figure.says, figure.title, figure)

    @property
    def analysed(self) -> str:
        """The unit that it is analysed in."""
        return f"log2 {self.unit}" if self.is_ratio else self.unit


OUTPUTS = (
    Output.of("setup", INSIDE_SETUP),
    Output.of("inside", INSIDE),
    Output.of("out", OUT),
    Output.of("colours", COLOURS),
    Output.of("exchange", EXCHANGE),
    Output("clogged", "share", "games that end with more than half of all cubes inside, or are cut short", "clogged",
           is_chance=True),
    Output("half_life", "drops", "drops after which half of the cubes inside have come out", "half-life inside",
           is_ratio=True),
)  # fmt: skip
BY_NAME = {output.name: output for output in OUTPUTS}
_COLUMNS = ("point", "runs", *space.NAMES, *(name for each in OUTPUTS for name in (each.name, f"{each.name}_se")))
_ADVICE = "leave it out for the table that ships"


@dataclass(frozen=True)
class Towers:
    """T towers: `numbers` of the design space, shape (T, parameters); by name of OUTPUTS `values`, shape (T,).

    A value is the mean over the tower's `runs`; NaN where it cannot be told. `point` is that of the campaign's design.
    `within` is the variance of a run's value about its tower's mean, NaN where there are fewer than two. `kernels` are
    those of processes through values, over the towers' features: what there is of them, for it takes minutes.
    """

    point: npt.NDArray[np.int64]
    numbers: Array
    runs: npt.NDArray[np.int64]
    values: dict[str, Array]
    within: dict[str, Array]
    kernels: Mapping[str, Matern] = field(default_factory=dict[str, Matern])

    def __len__(self) -> int:
        return len(self.point)


def towers_of(campaign: Campaign) -> Towers:
    """Return the towers of a campaign that varies numbers of the design space, those of them that have data.

    Raises UsageError for a campaign that varies none, and for one that varies anything else.
    """
    varied = list(campaign.points[0]) if campaign.points else []
    unknown = [name for name in varied if name.removeprefix(space.PREFIX) not in space.NAMES]
    if not varied or unknown:
        raise UsageError(
            f"the campaign varies {', '.join(unknown or varied) or 'nothing'}; allowed are fields such as "
            f"{space.PREFIX}{space.NAMES[0]} only; make one as docs/atlas/campaign.toml is made"
        )
    by_run = runs_of(campaign)
    points, place = np.unique(campaign.run_point, return_inverse=True)
    usual = space.usual()
    used: list[int] = points.tolist()
    rows = [
        usual | {name.removeprefix(space.PREFIX): x for name, x in campaign.points[point].items()} for point in used
    ]
    values: dict[str, Array] = {}
    within: dict[str, Array] = {}
    for name, told in by_run.items():
        values[name], within[name] = _moments(told, place, len(points))
    numbers = np.array([[row[name] for name in space.NAMES] for row in rows], float)
    return Towers(points.astype(np.int64), numbers, np.bincount(place).astype(np.int64), values, within)


def _moments(told: Array, place: npt.NDArray[np.int64], towers: int) -> tuple[Array, Array]:
    """Return mean and variance (of one run) by tower over the runs that tell it."""
    there = ~np.isnan(told)
    count = np.bincount(place[there], minlength=towers).astype(float)
    total = np.bincount(place[there], told[there], towers)
    mean = np.divide(total, count, out=np.full(towers, np.nan), where=count > 0)
    squares = np.bincount(place[there], (told[there] - mean[place[there]]) ** 2, towers)
    return mean, np.divide(squares, count - 1, out=np.full(towers, np.nan), where=count > 1)


def runs_of(campaign: Campaign) -> dict[str, Array]:
    """Return OUTPUTS of each run, shape (runs,); half-lives as their logarithm to base 2.

    What the set-up does is told apart from the phases that follow; a run without a set-up has phases only.
    """
    left, seen = RESIDENTS_OUT.sums(campaign.by_drop)
    leaving = (left + 0.5) / (seen + 1)
    return {
        **{output.name: output.figure.value(campaign.by_drop) for output in OUTPUTS if output.figure},
        "clogged": _clogged(campaign),
        "half_life": np.where(seen >= LEAST_SEEN, np.log2(np.log(0.5) / np.log1p(-leaving)), np.nan),
    }


def _clogged(campaign: Campaign) -> Array:
    """Say 1 for runs that end with more than JAMMED of all cubes inside, or before their last drop; else 0."""
    drops, runs = campaign.drops, len(campaign.run_point)
    supply = max(int(campaign.cubes.cube.max()) + 1, 1)
    last = np.full(runs, -1)
    np.maximum.at(last, drops.run, drops.drop)
    inside = np.zeros(runs)
    at_end = drops.drop == last[drops.run]
    inside[drops.run[at_end]] = drops.inside_after[at_end]
    return ((inside > JAMMED * supply) | (last < last.max())).astype(float)


def joined(parts: Sequence[Towers]) -> Towers:
    """Return the towers of all parts one after the other."""
    return Towers(
        np.concatenate([part.point for part in parts]),
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.runs for part in parts]),
        {each.name: np.concatenate([part.values[each.name] for part in parts]) for each in OUTPUTS},
        {each.name: np.concatenate([part.within[each.name] for part in parts]) for each in OUTPUTS},
    )


def write_table(path: Path, towers: Towers, errors: dict[str, Array]) -> None:
    """Write the table, one row a tower: its point, its numbers, its runs, what came of them and the standard `errors`.

    The kernels are metadata. Half-lives are in drops, their errors of the logarithm to base 2.
    Raises UsageError without pyarrow.
    """
    arrow, parquet = extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
    columns: dict[str, Any] = {"point": towers.point.astype(np.int32), "runs": towers.runs.astype(np.int16)}
    for i, each in enumerate(space.PARAMETERS):
        columns[each.name] = towers.numbers[:, i].astype(np.int8 if each.is_count else np.float64)
    for output in OUTPUTS:
        value = towers.values[output.name]
        columns[output.name] = (2**value if output.is_ratio else value).astype(np.float32)
        columns[f"{output.name}_se"] = errors[output.name].astype(np.float32)
    made = {name: arrow.array(column, from_pandas=True) for name, column in columns.items()}
    kernels = {
        name: {"variance": kernel.variance, "lengths": kernel.lengths.tolist(), "nugget": kernel.nugget}
        for name, kernel in towers.kernels.items()
    }
    table = arrow.table(made).replace_schema_metadata({_KERNELS: json.dumps(kernels)} if kernels else None)
    buffer = arrow.BufferOutputStream()
    parquet.write_table(table, buffer, compression="zstd")
    writing.write(path, buffer.getvalue().to_pybytes(), "table")


def read_table(path: Path) -> tuple[Towers, dict[str, Array]]:
    """Read the file of a table, as `table_of` does. Raises UsageError for one that cannot be read."""
    return table_of(table_bytes(path), str(path))


def table_bytes(path: Path) -> bytes:
    """Return the bytes of a table; raises UsageError for a file that cannot be read, or is larger than any table."""
    return read_bytes(path, "table of towers", limit=MOST_BYTES, advice=_ADVICE)


def table_of(data: bytes, name: str) -> tuple[Towers, dict[str, Array]]:
    """Read a table that `write_table` wrote: the towers and the standard errors of their values.

    Raises UsageError, which names the table, for anything else.
    """
    arrow, parquet = extra("pyarrow", "campaign"), extra("pyarrow.parquet", "campaign")
    try:
        with parquet.ParquetFile(arrow.BufferReader(data)) as file:
            _check_form(arrow, file)
            table = file.read(columns=[*_COLUMNS])
        columns: dict[str, Array] = {each: table.column(each).to_numpy().astype(np.float64) for each in _COLUMNS}
        metadata: dict[bytes, bytes] = table.schema.metadata or {}
        numbers = np.stack([columns[each] for each in space.NAMES], 1)
        kernels = _kernels(metadata.get(_KERNELS, b"{}"), features(numbers[:1]).shape[1])
        _check_values(columns)
    except (arrow.ArrowException, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = " ".join(str(error).split())[:120]
        raise UsageError(
            f"{shown(name)} is no table of towers ({why}); allowed is one made as docs/atlas.md says; {_ADVICE}"
        ) from error
    with np.errstate(divide="ignore"):  # a half-life of 0 is told as none
        values = {each.name: np.log2(columns[each.name]) if each.is_ratio else columns[each.name] for each in OUTPUTS}
    nothing = {each.name: np.full(len(numbers), np.nan) for each in OUTPUTS}
    of = columns["point"].astype(np.int64), numbers, columns["runs"].astype(np.int64), values, nothing
    return Towers(*of, kernels), {each.name: columns[f"{each.name}_se"] for each in OUTPUTS}


def _check_form(arrow: Any, file: Any) -> None:
    """Raise ValueError, before it is read, for a table of other columns, or of more towers than a search can use."""
    schema, about = file.schema_arrow, file.metadata
    for name in _COLUMNS:
        kind = schema.field(name).type
        if not (arrow.types.is_integer(kind) or arrow.types.is_floating(kind)):
            raise ValueError(f"column {name} is {kind}, no numbers")
    if not LEAST_TOWERS <= about.num_rows <= MOST_TOWERS:
        raise ValueError(f"towers: {about.num_rows}, not {LEAST_TOWERS} to {MOST_TOWERS}")
    if sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups)) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES} bytes")


def _check_values(columns: Mapping[str, Array]) -> None:
    """Raise ValueError for numbers that no tower of the space has, and for values that are not told with an error."""
    for each in space.PARAMETERS:
        if not ((each.low <= columns[each.name]) & (columns[each.name] <= each.high)).all():
            raise ValueError(f"{each.name} is not always {each.low:g} to {each.high:g}")
    if not (columns["runs"] >= 1).all():
        raise ValueError("runs is not always 1 or more")
    for output in OUTPUTS:
        value, error = columns[output.name], columns[f"{output.name}_se"]
        if np.isinf(value).any() or not (np.isnan(value) | (error >= 0) & np.isfinite(error)).all():
            raise ValueError(f"{output.name} is not always a number with a standard error")


def _kernels(text: bytes, number: int) -> dict[str, Matern]:
    """Read the kernels of the emulators over so many features; raises ValueError or a like error for anything else."""
    told: dict[str, dict[str, Any]] = json.loads(text)
    kernels = {
        name: Matern(float(one["variance"]), np.array(one["lengths"], float), float(one["nugget"]))
        for name, one in told.items()
    }
    for name, kernel in kernels.items():
        every = np.array([kernel.variance, kernel.nugget, *kernel.lengths.ravel()])
        if name not in BY_NAME or kernel.lengths.shape != (number,) or not ((every > 0) & np.isfinite(every)).all():
            raise ValueError(f"the kernel of {shown(name)} is none of ours")
    return kernels
