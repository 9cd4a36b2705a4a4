"""Fixtures of tests of the physics: a world of the module's `SETTINGS`, and the model of physics of its `SHAPE`."""

from collections.abc import Iterator

import pytest

from tests.support.bench import World
from tower_sim.physics import PhysicsSettings
from tower_sim.simulator import PhysicsModel


@pytest.fixture(name="world", scope="module")
def _world(request: pytest.FixtureRequest) -> Iterator[World]:
    with World(getattr(request.module, "SETTINGS", PhysicsSettings(engine="core"))) as world:
        yield world


@pytest.fixture(name="model", scope="module")
def _model(request: pytest.FixtureRequest) -> Iterator[PhysicsModel]:
    with PhysicsModel(request.module.SHAPE) as model:
        yield model
