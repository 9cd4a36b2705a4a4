"""Open the models that requests name, and keep those used last open."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

from tower_sim.apparatus import Apparatus, load
from tower_sim.drops import Closing, DropModel
from tower_sim.errors import UsageError
from tower_sim.models import open_model
from tower_sim.physics import PhysicsSettings
from tower_sim.requests import AnyRequest
from tower_sim.surrogate import beside
from tower_sim.tools import read_bytes

KEPT = 8  # a physics model holds an engine client of a few MB

Opener = Callable[[Apparatus, str, PhysicsSettings | None], AbstractContextManager[DropModel]]
_Key = tuple[str, str, str, str, PhysicsSettings | None]


class ModelCache(Closing):
    """The last `KEPT` models, opened by `opener`; a context manager.

    The key is the names in the request and the bytes of the files that they name, so a changed file is read again.
    """

    def __init__(self, opener: Opener = open_model) -> None:
        self._opener = opener
        self._kept: OrderedDict[_Key, tuple[Apparatus, DropModel, ExitStack]] = OrderedDict()

    def get(self, request: AnyRequest) -> tuple[Apparatus, DropModel]:
        apparatus, name, settings = request.tower, request.model, request.settings
        law = str(beside(apparatus)) if name == "surrogate" and apparatus.endswith(".toml") else name
        key = (apparatus, _content(apparatus), name, _content(law), settings)
        if key not in self._kept:
            with ExitStack() as opening:
                shape = load(apparatus)
                model = opening.enter_context(self._opener(shape, name, settings))
                self._kept[key] = (shape, model, opening.pop_all())
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            _, (*_, stack) = self._kept.popitem(last=False)
            stack.close()
        shape, model, _ = self._kept[key]
        return shape, model

    def close(self) -> None:
        while self._kept:
            _, (*_, stack) = self._kept.popitem()
            stack.close()


def _content(name: str) -> str:
    try:
        return hashlib.sha256(read_bytes(name, "file")).hexdigest() if os.path.lexists(name) else ""
    except (UsageError, ValueError):
        return ""
