"""Every shipped profile keeps the promises of an apparatus; a new one is asked as soon as it is there."""

import pytest

from tower_sim import registry
from tower_sim.apparatus.catalogue import listed, load, names
from tower_sim.testing import ApparatusContract


class TestShipped(ApparatusContract):
    @pytest.fixture(scope="class", params=names())
    @classmethod
    def apparatus(cls, request: pytest.FixtureRequest):
        return load(request.param)


def test_every_profile_is_listed_once_with_the_kind_that_ships_it_and_its_package():
    rows = listed()
    assert [row.name for row in rows] == [*registry.names("apparatus")]
    assert sorted(profile for row in rows for profile in row.profiles) == names()
    for row in rows:
        assert row.title
        assert row.package == registry.source("apparatus", row.name)
        assert all(load(profile).profile["kind"] == row.name for profile in row.profiles)
