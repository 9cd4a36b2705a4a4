"""The tower lab's page: one HTML file in which house rules are tried without a server."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from tower_sim import registry
from tower_sim.games.game import Game
from tower_sim.lab.contents import contents
from tower_sim.pages.html import Page, source
from tower_sim.runs import figure
from tower_sim.runs.array import Plan
from tower_sim.variants import DEFAULT
from tower_sim.writing import check, write

_SAMPLERS = ("words.js", "seeds.js", "covered.js", "many.js", "ship.js")
_PARTS = (
    "figures.js", "statistics.js", "worker.js",
    "state.js", "saved.js", "say.js", "charts.js", "controls.js", "answers.js", "rules.js", "whole.js", "fight.js",
    "main.js",
)  # fmt: skip


def lab_command(output: Path, given: Sequence[str | Path]) -> None:
    """Write the page into `output`, with the apparatus `given` beside those that ship.

    Raises UsageError for an apparatus without a surrogate, and for a file that cannot be written; WritingFailed when
    the disk is full or fails.
    """
    check(output, "output")
    write(output, lab_page(given), "output")


def lab_page(given: Sequence[str | Path] = ()) -> str:
    """Return the page's text; raises UsageError as `contents` does."""
    return Page(
        title="Tower lab",
        body=source("tower_sim.lab", "page/body.html"),
        styles=(source("tower_sim.pages", "common.css") + source("tower_sim.lab", "page/lab.css"),),
        scripts=(script(),),
        data={"lab": contents(given)},
    ).text()


def script() -> str:
    """Return the page's script, which is its worker's too: our own files one after the other, in one function."""
    samplers = re.sub(r"^export ", "", source("tower_sim.surrogate", *_SAMPLERS), flags=re.M)
    samplers = re.sub(r"^/\*\* What was fitted:.*\nconst MODEL = null;\n", "", samplers, flags=re.M)
    game: Game = registry.get("game", DEFAULT)
    told = [each for each in game.figures if each.of and "old_out" not in each.names]  # which counts leave open
    terms = tuple(cast("Plan", game.plan(game.read({}))).terms)
    register = f"const FIGURES = {figure.script(told, terms)};"
    battles = source("tower_sim.games.dead_reckoning", "battle.js")
    parts = source("tower_sim.lab", *(f"page/{name}" for name in _PARTS))
    own = "\n".join((source("tower_sim.pages", "common.js"), samplers, battles, register, parts))
    return f'(() => {{\n"use strict";\n{own}}})();\n'
