"""What the author of this package runs before each release: raises AssertionError if a promise is broken."""

from toy_package import GAME, ToyEngine

from tower_sim import PhysicsModel, PhysicsSettings, load
from tower_sim.testing import check_engine, check_game, check_model

check_engine(ToyEngine)
check_game(GAME)
with PhysicsModel(load("toy_box"), PhysicsSettings(engine="toy_engine")) as model:
    check_model(model)
