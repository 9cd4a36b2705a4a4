"""Helpers that several commands share: the version, seeds, states, pictures."""

from __future__ import annotations

import math
from contextlib import suppress
from itertools import chain, count
from pathlib import Path

from tower_sim.apparatus import Apparatus
from tower_sim.errors import UsageError
from tower_sim.models import Model, open_model
from tower_sim.physics import ENGINE
from tower_sim.requests import Play, Throw
from tower_sim.tools import OWN, STATE, TOWER_SIM, get, json_value, read_text, refuse_other
from tower_sim.values import TowerState, check_seed, short_seed

Physics = tuple[str, str | None, str | None]
"""The requested model, engine and accuracy. The engine and the accuracy are None if they are not given."""


def version() -> str:
    """Return the versions of tower_sim, Python and our engines, in one line."""
    import platform

    from tower_sim.physics import find_version

    engines: list[str] = []
    for name in sorted(OWN["engine"], key=lambda name: name != ENGINE):
        title, number = get("engine", name).title, find_version(name)
        engines.append(f"{title} {number}" if number else f"no {title}")
    return f"tower-sim {TOWER_SIM} (Python {platform.python_version()}, {', '.join(engines)})"


def read_seed(text: str | None) -> int:
    """Return the seed of `--seed`; None draws one."""
    return short_seed() if text is None else check_seed(text, "--seed")


def number(text: str) -> float | str:
    """Return the number in a text, or else the text, which a later check refuses."""
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        if math.isfinite(value := float(text)):
            return value
    return text


def choose_path(path: Path | None, name: str) -> Path:
    """Return `path`, or else `name`, numbered if that file exists."""
    first = Path(name)
    others = (first.with_stem(f"{first.stem}-{i}") for i in count(2))
    return path or next(each for each in chain([first], others) if not each.exists())


def reopen_model(shape: Apparatus, state: TowerState | None) -> Model:
    """Open the model that made a state, with its engine and accuracy; without a state, open physics."""
    if state is None or state.model != "physics":
        return open_model(shape, state.model if state else "physics")
    from tower_sim.physics import accuracy, find_maker

    engine = find_maker(shape, state.digest)
    return open_model(shape, "physics", accuracy(*engine) if engine else None)


def check_replay(replay: Path | None, request: Throw | Play) -> None:
    """Check, before any work, that a page can be written that replays a request."""
    if replay is not None:
        from tower_sim.web import replay as pages

        pages.check_path(replay)
        pages.check(request)


def read_state(text: str | None) -> TowerState | None:
    """Return the state of `--state`: a token, or @FILE with a token or a `throw --json` document."""
    if text is None:
        return None
    if text.startswith("@"):
        text = read_text(text[1:], "--state file", advice="give a file with a token").strip()
        refuse_other(text, "--state file", STATE)
        if text.startswith("{"):
            document = json_value(text, "--state file")
            if "state" not in document:
                raise UsageError(
                    "--state file holds neither a token nor a 'throw --json' document with a 'state'; save one of them "
                    "there"
                )
            text = str(document["state"])
    return TowerState.from_token(text)
