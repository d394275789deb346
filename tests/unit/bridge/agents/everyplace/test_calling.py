"""How the bridge calls a queue manager elsewhere: what its operator is told, and what TLS may not leave out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqbridge.bridge.agents.everyplace.mq.calling import Calling
from mqbridge.bridge.agents.everyplace.mq.program import MqProgram
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.security.tls import DistinguishedName, PeerCertificate, TlsConnection
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.errors import Code
from support.everyplace import World
from support.everyplace_bridge import FarQueueManager, Gateway

pytestmark = pytest.mark.spec("E-393", "E-401")
CIPHER = "TLS_AES_256_GCM_SHA384"
MARS = PeerCertificate(DistinguishedName((("CN", "MARS"),)), DistinguishedName((("CN", "Authority"),)), 0x2A)


class Scene:
    """EARTH with a client connection inside TLS to SATURN."""

    def __init__(self, **values: Any) -> None:
        self.world = World()
        self.earth = Gateway.add(self.world, "EARTH", mq="OWN")
        self.callings: list[Calling] = []
        make: Callable[..., MqProgram] = self.earth.foreign_program

        def foreign_program(proxy: BridgeDefinition, connection: BridgeDefinition, calling: Calling) -> MqProgram:
            self.callings.append(calling)
            return make(proxy, connection, calling)

        self.earth.foreign_program = foreign_program  # type: ignore[method-assign]
        self.saturn = FarQueueManager("SATURN", self.world.now)
        self.saturn.node.define(Kind.QLOCAL, "ORDERS")
        self.path = self.earth.bridge_to(self.saturn, SSLCIPH=CIPHER, **values)
        self.earth.define(QueueKind.MQ_BRIDGE, "ORDERS", "SATURN")

    def alter_manager(self, **values: str) -> None:
        """Alter the queue manager here, and have the object start anew."""
        self.earth.node.alter_manager(**values)
        self.earth.bridge.objects.stop(self.path)
        self.saturn.opened = 0
        self.earth.bridge.objects.start(self.path)

    @property
    def calling(self) -> Calling:
        """That of the last call; there is one after a put."""
        assert self.earth.put("ORDERS@SATURN", "one") == Done()
        return self.callings[-1]

    @property
    def row(self) -> dict[str, str]:
        (found,) = self.earth.bridge.connections()
        return found


def test_a_call_offers_what_the_object_says() -> None:
    scene = Scene(CERTLABL="moon")
    offer = scene.calling.offer("hostname")
    assert offer is not None
    assert (offer.cipher_specs, offer.label, offer.own_certificate) == ((CIPHER,), "moon", True)
    assert offer.server_name == "saturn.example"
    offer = scene.calling.offer("channel")
    assert offer is not None
    assert offer.server_name != "saturn.example"


def test_the_label_of_the_queue_manager_is_that_of_its_connections() -> None:
    scene = Scene()
    scene.alter_manager(CERTLABL="ours")
    offer = scene.calling.offer("none")
    assert offer is not None
    assert (offer.label, offer.own_certificate, offer.server_name) == ("ours", False, "")


def test_an_operator_hears_of_each_cause_once_and_sees_it_until_it_is_over() -> None:
    scene = Scene()
    calling = scene.calling
    for _ in range(3):
        calling.told("MQ says 2393: its root authority is not trusted")
    calling.told("MQ says 2538: connection refused")
    scene.world.run(1)
    found = [each for each in scene.earth.alarms if "does not connect" in each]
    assert len(found) == 2
    assert "not trusted" in found[0]
    assert scene.row["why"] == "MQ says 2538: connection refused"
    assert scene.row["tls"] == scene.row["peer"] == ""
    agreed = TlsConnection("TLSV13", CIPHER, certificate=MARS)
    assert calling.refusal(agreed) is None
    calling.told("")
    assert scene.row == {
        "name": "/".join(scene.path),
        "state": "running",
        "tls": f"TLSV13 {CIPHER}",
        "peer": "SERIALNUMBER=2A,CN=MARS",
        "why": "",
    }
    scene.earth.bridge.objects.stop(scene.path)
    assert (scene.row["state"], scene.row["tls"]) == ("stopped", "")


@pytest.mark.parametrize(
    ("agreed", "reason"),
    [
        (None, 2400),
        (TlsConnection("TLSV12", "ECDHE_RSA_AES_256_GCM_SHA384", certificate=MARS), 2400),
        (TlsConnection("TLSV13", CIPHER, certificate=PeerCertificate(DistinguishedName(()), MARS.issuer, 1)), 2398),
    ],
)
def test_what_was_not_asked_for_is_refused(agreed: TlsConnection | None, reason: int) -> None:
    found = Scene(SSLPEER="CN=MARS").calling.refusal(agreed)
    assert found is not None
    assert found.reason == reason


def test_tls_that_cannot_be_had_here_is_never_left_out() -> None:
    """The administrator has asked the queue manager for certified cryptography, which there is none of."""
    scene = Scene()
    scene.alter_manager(SSLFIPS="YES")
    outcome = scene.earth.put("ORDERS@SATURN", "one")
    assert isinstance(outcome, Refused)
    assert outcome.code is Code.BRIDGE_MQ_UNAVAILABLE
    assert "SSLFIPS" in outcome.text
    assert "SSLFIPS" in scene.row["why"]
    assert scene.saturn.opened == 0
    scene.alter_manager(SSLFIPS="NO")
    assert scene.earth.put("ORDERS@SATURN", "one") == Done()
