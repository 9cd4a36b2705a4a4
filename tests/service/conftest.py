from collections.abc import Iterator

import pytest
from support.network import Client, Running, running


@pytest.fixture(scope="session")
def service() -> Iterator[Running]:
    with running("--workers", "1") as service:
        yield service
        assert not any("internal error" in line for line in service.said)


@pytest.fixture
def client(service: Running) -> Iterator[Client]:
    client = service.client()
    yield client
    client.close()
