"""`tower-sim compare`: read two variants, play pairs of games, tell and draw what they show."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from tower_sim.compare.comparison import Comparison, compare
from tower_sim.compare.play import play_pairs
from tower_sim.compare.report import compare_report
from tower_sim.compare.variants import Variant, read_variant
from tower_sim.errors import UsageError, check_whole
from tower_sim.models import Model, open_model


def compare_files(files: tuple[str, str], games: int, seed: int, model: str) -> Comparison:
    """Play `games` pairs of the variants in two files with the models called `model`, and compare them.

    Tells on a terminal how far it is. All that is random comes from `seed`.
    Raises UsageError for a file, number or model that is not allowed, and as `play_pairs` does.
    """
    check_whole("--games", games, 2)
    a, b = _told_apart(read_variant(files[0]), read_variant(files[1]))
    with _opened(a, model) as first, _opened(b, model) as second:
        pairs = play_pairs((first, second), (a.rules, b.rules), games, seed, lambda done: _progress(done, games))
        return compare((a, b), pairs, model=first.name, seed=seed, asked=games)


def compare_command(
    files: tuple[str, str], games: int, seed: int, model: str, *, as_json: bool, plot: Path | None
) -> None:
    """Compare two variants and print the document or the report; draw it into `plot`.

    Raises as `compare_files` does, UsageError for a picture that cannot be written, and KeyboardInterrupt, after all
    is told, when the pairs were interrupted.
    """
    if plot is not None:
        from tower_sim.drawing import check_path

        check_path(plot)
    found = compare_files(files, games, seed, model)
    print(json.dumps(found.to_json(), allow_nan=False) if as_json else compare_report(found))
    if plot is not None:
        from tower_sim.compare.plot import draw_comparison

        draw_comparison(found, plot)
        if not as_json:
            print(f"plot: {plot}")
    if found.pairs.interrupted:
        raise KeyboardInterrupt


def _opened(variant: Variant, model: str) -> Model:
    try:
        return open_model(variant.tower, model)
    except UsageError as error:
        raise UsageError(f"variant {variant.file}: {error}") from None


def _told_apart(a: Variant, b: Variant) -> tuple[Variant, Variant]:
    """Name two files of one name by their paths."""
    if a.name != b.name:
        return a, b
    return replace(a, name=a.file), replace(b, name=b.file)


def _progress(done: int, of: int) -> None:
    """Tell on a terminal how far it is."""
    if sys.stderr.isatty():
        print(f"\r{done} of {of} pairs", end="\n" if done == of else "", file=sys.stderr, flush=True)
