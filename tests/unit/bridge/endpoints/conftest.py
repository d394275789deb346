"""A queue manager behind real sockets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.processes.endpoint_host import EndpointHost


@pytest.fixture
def make_host() -> Iterator[Callable[..., EndpointHost]]:
    """Makes a queue manager MARS; the arguments are limits of ``[channels]``."""
    hosts: list[EndpointHost] = []

    def make(**limits: Any) -> EndpointHost:
        hosts.append(EndpointHost(**limits))
        return hosts[-1]

    yield make
    for each in hosts:
        each.close()


@pytest.fixture
def host(make_host: Callable[..., EndpointHost]) -> EndpointHost:
    """MARS with its receiver channel VENUS.TO.MARS."""
    made = make_host()
    made.receiver()
    return made
