"""What tests with bridges and other programs share: a gateway with HTTP listeners per module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.gateway_web import Web, running_web


@pytest.fixture(scope="module")
def shared_web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with running_web(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture
def web(shared_web: Web) -> Iterator[Web]:
    """A gateway HUB with listeners of each adapter, for all tests of a module; devices are closed after each test."""
    yield shared_web
    shared_web.close_devices()
