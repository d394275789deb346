"""Queue managers with a link, and providers, over real sockets of this machine."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from support.linking.amqp_peer import AmqpPeer
    from support.linking.linked_host import LinkedHost

NO_ENGINE = "python-qpid-proton is not installed (extra amqp)"


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    """What is closed at the end, the last first."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def make_peer(opened: ExitStack) -> Callable[..., AmqpPeer]:
    """Makes a provider."""
    pytest.importorskip("proton", reason=NO_ENGINE)
    made = importlib.import_module("support.linking.amqp_peer").AmqpPeer
    return lambda **options: opened.enter_context(closing(made(**options)))


@pytest.fixture
def make_linked(opened: ExitStack) -> Callable[..., LinkedHost]:
    """Makes a queue manager with a link that is started."""
    pytest.importorskip("proton", reason=NO_ENGINE)
    made = importlib.import_module("support.linking.linked_host").LinkedHost

    def make(endpoint: str, **options: Any) -> LinkedHost:
        linked: LinkedHost = opened.enter_context(closing(made(endpoint, **options)))
        return linked.start()

    return make
