"""The command `tower-sim compare`: play pairs of two variants and compare them, or find rules for a wish."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tower_sim import drawing
from tower_sim.errors import UsageError, check_whole, fault
from tower_sim.models import Model, open_model
from tower_sim.physics import PhysicsSettings
from tower_sim.report import SETTERS
from tower_sim.requests import Variant, read_variant
from tower_sim.studies.comparison.paired import Comparison
from tower_sim.studies.comparison.play import MAX_GAMES, compare
from tower_sim.studies.comparison.report import comparison_figure, comparison_report
from tower_sim.tools import need, report_progress, say, writing


def compare_files(
    files: tuple[str, str | None],
    games: int,
    seed: int,
    model: str,
    changes: Sequence[str] = (),
    settings: PhysicsSettings | None = None,
) -> Comparison:
    """Play pairs of games of two variants of one game, show the progress, and return the comparison.

    Args:
        files: A and B, each a path or a shipped name; None for B is A.
        games: The number of pairs. After an interrupt the comparison has those done.
        seed: The source of all randomness; run r of both has the same seed.
        model: A model for `open_model`.
        changes: Changes KEY=VALUE to B.
        settings: Those of physics.

    Raises the errors of `compare`.

    >>> comparison = compare_files(("amerigo", None), 200, 1, "surrogate", ["cubes=6"])
    >>> row = comparison.figures[0]
    >>> print(row.title, round(row.mean_a, 1), round(row.mean_b, 1), row.shown)
    inside after the set-up 14.1 11.3 True
    """
    check_whole("--games", games, 2, MAX_GAMES, "try --games 1000")
    a, b = _read_variants(files, changes)
    with (
        _open(a, model, settings) as first,
        _open(b, model, settings) as second,
        report_progress("pairs", games) as tell,
    ):
        return compare((a, b), (first, second), games, seed, tell)


def compare_command(
    files: tuple[str, str | None],
    games: int,
    seed: int,
    model: str,
    *,
    changes: Sequence[str] = (),
    settings: PhysicsSettings | None = None,
    as_json: bool,
    plot: str | Path | None,
) -> None:
    """Compare two variants, print the JSON document or the report, and draw into `plot`, if given.

    Raises the errors of `compare_files`, and KeyboardInterrupt, after the report, if the games were interrupted.
    """
    _check_plot(plot)
    comparison = compare_files(files, games, seed, model, changes, settings)
    if as_json:
        print(json.dumps(comparison.to_json(), allow_nan=False))
    else:
        say(comparison_report(comparison).text())
    _draw(comparison, plot, as_json)
    if comparison.interrupted:
        raise KeyboardInterrupt


def check_alone(b: str | None, wish: Sequence[str], vary: Sequence[str], output: str | Path | None) -> None:
    """Raise UsageError for a second variant with a wish, and for options that need a wish."""
    if wish and b is not None:
        raise fault("B", b, "none with --wish, which looks for it", "leave it out, or leave out --wish")
    for name, value in (("--vary", list(vary)), ("--output", output and str(output))):
        if value and not wish:
            raise fault(name, value, "none without --wish", "write --wish actions=3, or leave it out")


def wish_command(
    file: str,
    wish: Sequence[str],
    vary: Sequence[str],
    games: int | None,
    seed: int,
    model: str,
    *,
    changes: Sequence[str] = (),
    settings: PhysicsSettings | None = None,
    output: str | Path | None = None,
    as_json: bool,
    plot: str | Path | None,
) -> None:
    """Find rules for a wish, and print the JSON document or the report.

    Write the rules into `output`, and draw them beside the first rules into `plot`, if these are given. Raises
    KeyboardInterrupt, after that, if the search was interrupted.
    """
    from tower_sim.studies.comparison.play import read_vary
    from tower_sim.studies.comparison.search import LEAST, SECONDS, search_rules
    from tower_sim.studies.comparison.tuned import read_wishes, wish_report

    _check_plot(plot)
    if output is not None:
        output = Path(output)
        if output.suffix != ".toml" or not output.stem:
            raise fault("--output", str(output), "a name that ends in .toml", "try wished.toml")
        writing.check(output, "rules")
    if games is not None:
        check_whole("--games", games, LEAST, MAX_GAMES, "these are all games of the search; try --games 20000")
    base, varied = read_variant(file, changes), [read_vary(text) for text in vary] or None
    workers = os.cpu_count() or 1
    found = search_rules(
        base, read_wishes(wish), varied, games, model, settings, seed, workers, report_progress, SECONDS
    )
    if as_json:
        print(json.dumps(found.to_json(), allow_nan=False))
    else:
        say(wish_report(found).text())
    if output is not None:
        found.write(output)
        if not as_json:
            print(f"rules: {output}")
    _draw(found.best.comparison, plot, as_json)
    if found.stopped:
        raise KeyboardInterrupt


PAGE = ".html"


def _check_plot(plot: str | Path | None) -> None:
    if plot is not None and Path(plot).suffix == PAGE:
        need("campaign", *SETTERS)
        writing.check(plot, "report")
    elif plot is not None:
        drawing.check_path(plot)


def _draw(comparison: Comparison, plot: str | Path | None, as_json: bool) -> None:
    if plot is None:
        return
    if Path(plot).suffix == PAGE:
        writing.write(plot, comparison_report(comparison).page(), "report")
    else:
        drawing.save(comparison_figure(comparison), plot)
    if not as_json:
        print(f"plot: {plot}")


def _read_variants(files: tuple[str, str | None], changes: Sequence[str]) -> tuple[Variant, Variant]:
    first, second = files
    if second is None and not changes:
        allowed = "allowed is a file, a shipped name or --set KEY=VALUE"
        raise UsageError(f"there is no second variant; {allowed}; try --set cubes=6")
    a, b = read_variant(first), read_variant(first if second is None else second, changes)
    if (a.game.name, a.game.columns) != (b.game.name, b.game.columns):
        raise fault("the game of B", b.game.name, f"{a.game.name}, the game of A", "compare two variants of one game")
    if a.name == b.name:  # two files with the same name: use their paths
        a, b = replace(a, name=a.file), replace(b, name=b.file)
    compared = a.game.compared((a.rules, b.rules))
    for side, variant in enumerate((a, b)):
        try:
            compared.check(side)
        except UsageError as error:
            raise UsageError(f"variant {variant.name}: {error}") from None
    return a, b


def _open(variant: Variant, model: str, settings: PhysicsSettings | None) -> Model:
    try:
        return open_model(variant.apparatus, model, settings)
    except UsageError as error:
        raise UsageError(f"variant {variant.file}: {error}") from None
