"""Bridge objects by administration messages: created, inquired, updated, started, stopped, deleted."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.everyplace.administration.actions import ReturnCode
from mqbridge.bridge.everyplace.administration.requests import Reply, read_reply, write_request
from mqbridge.bridge.everyplace.administration.words import Words
from mqbridge.bridge.everyplace.definitions import bridge_properties
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.protocol.everyplace.calls import Done
from mqbridge.protocol.everyplace.names import Address
from support.everyplace import World
from support.everyplace_bridge import Gateway

pytestmark = pytest.mark.spec("E-277", "E-285", "E-289", "E-390", "E-399", "E-400")


class Operator:
    """Types words, which become messages to the administration queue; reads the replies."""

    def __init__(self) -> None:
        self.world = World()
        self.earth = Gateway.add(self.world, "EARTH")
        self.earth.define(QueueKind.ADMINISTRATION, "AdminQ")
        self.earth.local("Replies")
        self.earth.mq_queue("ORDERS")
        self.earth.mq_queue("EARTH.XMITQ", USAGE="XMITQ")

    def types(self, text: str) -> Reply:
        request = Words().request(text.split(), "EARTH")
        message = write_request(request, Address("Replies", "EARTH"))
        assert self.earth.put("AdminQ", message) == Done()
        self.world.run(2)
        return read_reply(self.earth.get("Replies"))

    def types_all(self, *texts: str) -> None:
        for text in texts:
            reply = self.types(text)
            assert reply.code is ReturnCode.SUCCESS, (text, reply)

    def value(self, text: str, field: str) -> Any:
        reply = self.types(text)
        assert reply.code is ReturnCode.SUCCESS, reply
        return reply.request.parameters[field]


@pytest.fixture
def operator() -> Operator:
    return Operator()


CREATE = (
    "create bridge GATE --heartbeat 30",
    "create mq-queue-manager SATURN --bridge GATE",
    "create client-connection CH --proxy SATURN --port 1415 --password hush",
    "create mq-listener EARTH.XMITQ --connection CH --flows 10 --undelivered-rule report-options",
)


def test_a_bridge_is_built_by_messages_and_works(operator: Operator) -> None:
    operator.types_all(*CREATE, "start bridge GATE --affect-children yes")
    assert operator.value("inquire all mq-listener EARTH.XMITQ", "b-state") == "running"
    assert operator.value("inquire all mq-listener EARTH.XMITQ", "b-flows") == 10
    assert list(operator.value("inquire all bridges", "b-children")) == ["GATE"]
    operator.earth.define(QueueKind.MQ_BRIDGE, "ORDERS", "SATURN")
    assert operator.earth.put("ORDERS@SATURN", "one") == Done()
    operator.types_all("stop mq-queue-manager SATURN")
    assert operator.value("inquire all client-connection CH", "b-state") == "stopped"
    assert operator.value("inquire all bridge GATE", "b-state") == "running"
    operator.types_all("update client-connection CH --port 1416", "start mq-listener EARTH.XMITQ")
    assert operator.value("inquire all client-connection CH", "b-port") == 1416
    assert operator.value("inquire all client-connection CH", "b-state") == "running"


def test_a_password_is_never_given_back(operator: Operator) -> None:
    operator.types_all(*CREATE)
    reply = operator.types("inquire all client-connection CH")
    assert "b-password" not in reply.request.parameters
    assert "hush" not in repr(reply)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("create mq-queue-manager SATURN --bridge NONE", "there is no NONE"),
        ("create bridge GATE", "there is a bridge GATE"),
        ("create client-connection TOO.LONG.FOR.A.CHANNEL.NAME --proxy SATURN", "20 are allowed"),
        ("delete bridge GATE", "objects below it"),
        ("start bridge NONE", "there is no NONE"),
        ("update mq-listener EARTH.XMITQ --state-store files", "own store"),
        ("update client-connection CH --sslciph NULL_MD5", "NULL_MD5 is deprecated"),
        ("create client-connection DH --proxy SATURN --sslciph MOONLIGHT", "there is no CipherSpec MOONLIGHT"),
        ("update client-connection CH --sslciph ANY_TLS12_OR_HIGHER --sslpeer MARS", "Bridge_SSLPeerName"),
        ("update client-connection CH --sslpeer CN=MARS", "the line is plain"),
        ("update client-connection CH --certlabl moon", "the line is plain"),
    ],
)
def test_what_cannot_be_is_refused(operator: Operator, text: str, why: str) -> None:
    operator.types_all(*CREATE)
    reply = operator.types(text)
    assert reply.code is ReturnCode.FAILED
    assert why in reply.reason + str(reply.errors)


@pytest.mark.spec("E-393")
def test_tls_of_a_client_connection_is_given_altered_and_taken_away(operator: Operator) -> None:
    operator.types_all(*CREATE)
    operator.types_all(
        "update client-connection CH --sslciph ANY_TLS12_OR_HIGHER --certlabl moon --sslpeer CN=MARS,O=Space"
    )
    assert operator.value("inquire all client-connection CH", "b-sslpeer") == "CN=MARS,O=Space"
    assert (
        operator.types("update client-connection CH --sslciph ECDHE_RSA_AES_256_GCM_SHA384").code is ReturnCode.SUCCESS
    )
    assert operator.types("update client-connection CH --sslciph DES_SHA_EXPORT").code is ReturnCode.FAILED
    found = operator.value("inquire all client-connection CH", "b-sslciph")
    assert found == "ECDHE_RSA_AES_256_GCM_SHA384", "a refused request changes nothing"
    operator.earth.kill()
    found = operator.earth.bridge.objects.find(("GATE", "SATURN", "CH"))
    assert found.value(bridge_properties.CERTLABL) == "moon"


def test_children_go_with_their_owner_only_if_asked(operator: Operator) -> None:
    operator.types_all(*CREATE, "delete bridge GATE --affect-children yes")
    assert list(operator.earth.bridge.objects) == []
    operator.earth.kill()
    assert list(operator.earth.bridge.objects) == []


def test_all_bridges_can_be_started_and_stopped_but_not_deleted(operator: Operator) -> None:
    operator.types_all(*CREATE, "start bridges --affect-children yes")
    assert len([each for each in operator.earth.bridge.objects if operator.earth.bridge.objects.runs(each.path)]) == 4
    operator.types_all("stop bridges")
    assert not any(operator.earth.bridge.objects.runs(each.path) for each in operator.earth.bridge.objects)
    assert operator.types("delete bridges").code is ReturnCode.FAILED
