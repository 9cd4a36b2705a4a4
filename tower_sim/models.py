"""Open a model by its name, as `--model`, a campaign file or a request to the service gives it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from tower_sim.apparatus import Apparatus, as_apparatus, load
from tower_sim.errors import UsageError, fault, near, quote
from tower_sim.physics import ENGINE, STANDARD, PhysicsSettings, accuracy, as_settings, check_engine
from tower_sim.surrogate import Fitted, ShipSurrogate, SurrogateModel, TwoThirdsRule, find_surrogate, load_fitted

if TYPE_CHECKING:  # the simulator is imported when physics is asked for
    from tower_sim.simulator import PhysicsModel

ABOUT = {
    "physics": "rigid bodies that fall through the real shape; a drop takes a fraction of a second",
    "surrogate": "a law fitted to many simulated drops; takes microseconds a drop "
    "(those that ship: to drops of the core at the accuracy of the tower or ship)",
    "two_thirds": "the rule of thumb: of cubes thrown 2/3 come out, of cubes inside 1/3",
}
MODELS = tuple(ABOUT)
PHYSICS = "physics"  # the default model
BOARD_MODELS = ("physics", "surrogate")
Model: TypeAlias = "PhysicsModel | SurrogateModel | ShipSurrogate | TwoThirdsRule"


def open_model(
    apparatus: Apparatus | str | Path,
    name: str = "physics",
    settings: PhysicsSettings | None = None,
) -> Model:
    """Open a model of an apparatus, as a context manager.

    Args:
        apparatus: An Apparatus, or a name or a path for `load`.
        name: One of `physics`, `surrogate` and `two_thirds`, or the path of a fitted surrogate (`.json`). The
            `surrogate` of a profile's file is the one beside it, if any.
        settings: Those of physics; None is the core with the accuracy of the apparatus.

    Returns:
        The model: a `DropModel`, or for a ship a `BoardModel`.

    >>> with open_model("amerigo", "surrogate") as model:
    ...     print(model.name, model.apparatus)
    surrogate amerigo
    """
    apparatus = load(apparatus) if isinstance(apparatus, (str, Path)) else as_apparatus(apparatus)
    settings = None if settings is None else as_settings(settings)
    if not isinstance(cast("object", name), str):
        raise _unknown_model(name)
    if name == "physics":
        from tower_sim.simulator import PhysicsModel

        return PhysicsModel(apparatus, settings)
    if name == "two_thirds":
        return TwoThirdsRule(apparatus)
    if name == "surrogate" or name.endswith(".json"):
        return open_surrogate(apparatus, find_surrogate(apparatus) if name == "surrogate" else load_fitted(name))
    raise _unknown_model(name)


def choose_settings(model: str, engine: str | None, fineness: str | None) -> PhysicsSettings | None:
    """Return the physics settings for the model named `model`; None without physics, or for those of the apparatus."""
    if not isinstance(cast("object", model), str) or (model not in MODELS and not model.endswith(".json")):
        raise _unknown_model(model)
    if model == "physics":
        name = ENGINE if engine is None else check_engine(engine, "engine")
        if fineness is None and name == ENGINE:
            return None
        return accuracy(name, STANDARD if fineness is None else fineness)
    for what, value in (("engine", engine), ("accuracy", fineness)):
        if value is not None:
            allowed = f"none with the model {quote(model)}, which has no physics"
            raise fault(what, value, allowed, "leave it out, or take the model physics")
    return None


def _unknown_model(model: object) -> UsageError:
    allowed = f"one of {', '.join(MODELS)}, or a .json file of `tower-sim model fit`"
    return fault("model", model, allowed, f"check its spelling{near(model, MODELS) if isinstance(model, str) else ''}")


def open_surrogate(apparatus: Apparatus, fitted: Fitted) -> SurrogateModel | ShipSurrogate:
    """Return the model of a surrogate fitted to this apparatus."""
    if apparatus.board is not None:
        return ShipSurrogate(apparatus, fitted.board_law_of(apparatus.digest), fitted.digest)
    return SurrogateModel(apparatus, fitted)
