"""The check of a route: which part is missing first, and the words that mend it (E-330)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqbridge.bridge.everyplace.administration.actions import ReturnCode
from mqbridge.bridge.everyplace.administration.requests import read_reply, write_request
from mqbridge.bridge.everyplace.administration.words import Words
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.route_check import Definitions, Route, check_route
from mqbridge.protocol.everyplace.names import Address
from support.everyplace_hosts import DirectHost

pytestmark = pytest.mark.spec("E-330")


class Three:
    """MOON, EARTH and MARS with nothing but their standard queues."""

    def __init__(self) -> None:
        self.hosts = {name: DirectHost(name) for name in ("MOON", "EARTH", "MARS")}

    def do(self, at: str, *words: str) -> None:
        """Have a command obeyed."""
        host = self.hosts[at]
        request = Words().request(words, at)
        host.put("AdminQ", message=write_request(request, Address("AdminReplyQ", at)))
        reply = read_reply(host.get("AdminReplyQ"))
        assert reply.code is ReturnCode.SUCCESS, reply.reason

    def check(self, address: str, start: str = "MOON", without: str = "") -> Route:
        known = {
            name: Definitions.of(name, host.manager.objects) for name, host in self.hosts.items() if name != without
        }
        return check_route(Address.parse(address), start, known)

    def mend(self, address: str, start: str = "MOON") -> list[str]:
        """Do what the check says until the route is whole; returns what was missing."""
        found = []
        while (missing := self.check(address, start).missing) is not None:
            assert len(found) < 12, found
            assert missing.words, missing
            found.append(f"{missing.at}: {missing.text}")
            for command in missing.words:
                self.do(missing.at, *command.replace("HOST", missing.at.lower()).split())
        return found


def test_nothing_is_there_and_word_by_word_the_route_grows() -> None:
    three = Three()
    assert three.mend("ORDERS@MARS") == [
        "MOON: no queue, entry or connection leads to ORDERS@MARS",
        "MARS: no listener for tcp",
        "MARS: there is no queue ORDERS, and no alias of one",
    ]
    assert three.check("ORDERS@MARS").steps == (
        "MOON: asynchronous remote queue ORDERS@MARS",
        "MOON: connection MARS (tcp)",
        "MARS: local queue ORDERS@MARS",
    )
    assert three.check("ORDERS@MARS").text().endswith("\nall parts are there")


def test_over_a_gateway() -> None:
    three = Three()
    three.do("MOON", *["create", "connection", "MARS", "--via", "EARTH"])
    three.do("MOON", *["create", "remote", "ORDERS@MARS", "--mode", "asynchronous"])
    assert three.mend("ORDERS@MARS") == [
        "MOON: no connection leads to EARTH",
        "EARTH: no listener for tcp",
        "EARTH: no queue, entry or connection leads to ORDERS@MARS",
        "MARS: no listener for tcp",
        "MARS: there is no queue ORDERS, and no alias of one",
    ]


def test_down_to_a_device_that_pulls() -> None:
    three = Three()
    three.do("EARTH", *["create", "store-and-forward", "SAF", "--entries", "MOON"])
    assert three.mend("REPLIES@MOON", "EARTH") == [
        "MOON: no home-server queue pulls from EARTH",
        "MOON: no connection leads to EARTH",
        "EARTH: no listener for tcp",
        "MOON: there is no queue REPLIES, and no alias of one",
    ]
    assert three.check("REPLIES@MOON", "EARTH", without="MOON").unknown == "MOON"


@pytest.mark.spec("E-253", "E-261")
def test_a_listener_of_another_adapter_or_that_does_not_run() -> None:
    three = Three()
    three.do("MOON", *["create", "connection", "EARTH", "--adapter", "tls", "--endpoint", "earth:1"])
    three.do("EARTH", *["create", "listener", "GATE", "--adapter", "tls", "--endpoint", ":1"])
    assert three.mend("Q@EARTH") == [
        "EARTH: the listener does not run",
        "EARTH: there is no queue Q, and no alias of one",
    ]
    assert three.check("Q@EARTH").steps[0] == "MOON: Q@EARTH is discovered"


def test_what_comes_by_transfer_meets_a_synchronous_queue() -> None:
    three = Three()
    three.do("MOON", *["create", "store-and-forward", "SAF@EARTH", "--entries", "MARS"])
    three.do("MOON", *["create", "connection", "EARTH", "--adapter", "tcp", "--endpoint", "earth:1"])
    three.do("EARTH", *["create", "remote", "Q@MARS"])
    found = three.mend("Q@MARS")
    assert "EARTH: Q@MARS is synchronous, and takes nothing that comes by transfer" in found


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: {
                "A": ConnectionDefinition("A", "tcp", "a:1", aliases=("B",)),
                "B": ConnectionDefinition("B", "tcp", "b:1", aliases=("A",)),
            },
            "lead back",
        ),
        (lambda: {"A": ConnectionDefinition("A", via="B"), "B": ConnectionDefinition("B", via="A")}, "over each other"),
    ],
)
def test_circles_are_found(make: Callable[[], dict[str, ConnectionDefinition]], text: str) -> None:
    queues = [QueueDefinition(QueueKind.REMOTE, Address("Q", "A"))]
    missing = check_route(Address("Q", "A"), "MOON", {"MOON": Definitions("MOON", queues, make())}).missing
    assert missing is not None
    assert text in missing.text


def test_a_route_that_comes_back() -> None:
    three = Three()
    for at, to in (("MOON", "EARTH"), ("EARTH", "MOON")):
        three.do(at, *f"create store-and-forward SAF@{to} --entries MARS".split())
        three.do(at, *f"create connection {to} --adapter tcp --endpoint x:1".split())
        three.do(at, *["create", "listener", "TCP", "--endpoint", ":1"])
        three.do(at, *["start", "listener", "TCP"])
    missing = three.check("Q@MARS").missing
    assert missing is not None
    assert missing.text == "the route of Q@MARS comes back here"


def test_nobody_puts_to_a_home_server_queue() -> None:
    three = Three()
    three.do("MOON", *["create", "home-server", "HOME@EARTH"])
    missing = three.check("HOME@EARTH").missing
    assert missing is not None
    assert "takes none" in missing.text
