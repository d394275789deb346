"""Pytest plugin: the plays that say nothing on a wire that could be recorded, and proof of each that it is so."""

from __future__ import annotations

from collections.abc import Generator
from typing import Self

import pytest

from mqbridge.captures import Direction
from support.wire.record import Unrecorded, on_record

MUTE = {
    "cases_of_rules",
    "channels_judged",
    "client_admission",
    "client_rules",
    "clients_judged",
    "compressed_calls",
    "compressed_messages",
    "conversation_driver",
    "door_of_myopenq",
    "initiator",
    "inputs_of_routes",
    "links_and_operators",
    "links_from_provider",
    "links_started_and_stopped",
    "links_to_provider",
    "links_with_requests",
    "lossy_captures",
    "many_connections",
    "message_routes",
    "message_rows",
    "mqi_client",
    "mqi_client_bytes",
    "myopenq_senders",
    "onward",
    "open_questions",
    "partners",
    "pcf_crashes",
    "pcf_messages",
    "pcf_nothing_found",
    "pcf_objects",
    "pcf_odd_parameters",
    "pcf_programs",
    "pcf_string_lists",
    "pcf_tls",
    "recorded_channels",
    "responder",
    "tls_transport",
}
"""Names of files of ``tests/playbook``, without ``test_``."""
PLAYBOOK = "playbook"


class Silence(Unrecorded):
    """A wire on which nothing is to be said, and its connections."""

    partners = True

    def __init__(self) -> None:
        self.broken = False

    def connection(self, _now: float) -> Self:
        return self

    def send(self, _side: Direction, _data: bytes, _now: float) -> None:
        self.broken = True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    name = item.path.stem.removeprefix("test_")
    if PLAYBOOK not in item.path.parts or name not in MUTE or item.config.getoption("--wire"):
        return (yield)
    silence = Silence()
    with on_record(silence):
        result = yield
    assert not silence.broken, f"{name} says something on the wire: take it out of `MUTE`"
    return result
