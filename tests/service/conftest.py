from collections.abc import Iterator

import pytest
from support.network import Client, Running, running


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("http") / "towers.db", "--workers", "1") as service:
        yield service
        assert not any("internal error" in line for line in service.said)


@pytest.fixture
def client(service: Running) -> Iterator[Client]:
    client = service.client()
    yield client
    client.close()
