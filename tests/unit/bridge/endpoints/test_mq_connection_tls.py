"""Client connections of the bridge inside TLS, over sockets, to a queue manager that asks for it; and each refusal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mqbridge.bridge.agents.everyplace.mq.calling import Calling
from mqbridge.bridge.agents.everyplace.mq.client_program import ClientProgram
from mqbridge.bridge.agents.everyplace.mq.program import DONE, MqFailure, MqPut
from mqbridge.bridge.agents.everyplace.mq.reasons import OUTAGE
from mqbridge.bridge.endpoints.everyplace.mq_connections import foreign_programs
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.bridge.queue_manager.objects import Objects
from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls import KeyRepository, TlsContexts
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQRC
from support.clients.program import CHANNEL
from support.clients.socket_program import clients_welcome
from support.processes.endpoint_host import EndpointHost
from support.tls.authority import Authority
from support.tls.endpoints import ANY, LABEL, Estate

pytestmark = pytest.mark.spec("E-393", "E-401", "E-402", "tls.md T-01", "tls.md T-09")
TLS_12, TLS_13 = "ECDHE_ECDSA_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256"
OWN = "ibmwebspheremqearth"


class Scene:
    """MARS behind a socket, and the gateway EARTH, which calls it."""

    def __init__(self, host: EndpointHost, folder: Path, **channel: Any) -> None:
        self.host = host
        self.estate = Estate(folder)
        self.keys = folder / "earth"
        self.told: list[tuple[str, TlsConnection | None]] = []
        host.driver.tls = self.estate.contexts()
        clients_welcome(host, **{"SSLCIPH": ANY, "SSLCAUTH": "OPTIONAL", **channel})
        self.trust(self.estate.authority)

    def trust(self, authority: Authority) -> None:
        authority.trust_file(self.keys / "trusted" / "authority.pem")

    def certificate(self, name: str = "O=Space,CN=EARTH", label: str = OWN) -> None:
        self.estate.authority.issue(name, curve=True).save(self.keys / f"{label}.pem")

    def connects(self, **values: str) -> ClientProgram:
        """A program that is being connected. ``values``: properties of the client connection."""
        proxy = BridgeDefinition(("MQ", "MARS"), {rows.HOST: "127.0.0.1"})
        definition = BridgeDefinition(("MQ", "MARS", CHANNEL), {rows.PORT: self.host.port})
        for name, value in {"SSLCIPH": ANY, **values}.items():
            definition.set(getattr(rows, name), value)

        def make() -> ClientProgram:
            calling = Calling("127.0.0.1", definition, Objects("EARTH", 0.0).manager, self.tell)
            programs = foreign_programs(
                self.host.thread.reactor,
                self.host.driver.now,
                lambda: bytes(12),
                self.host.driver.pump,
                TlsContexts(KeyRepository(self.keys), OWN),
                "channel",
            )
            return programs(proxy, definition, calling)

        found: ClientProgram = self.host.call(make)
        return found

    def tell(self, why: str, agreed: TlsConnection | None) -> None:
        self.told.append((why, agreed))

    def puts(self, program: ClientProgram) -> Any:
        """What a put and its commit come to."""
        found: list[Any] = []

        def put() -> None:
            program.put("TARGET", "", Message.build(b"one", persistence=1), found.append)
            program.commit((), found.append)

        self.host.call(put)
        self.host.thread.until(lambda: len(found) == 2, "the outcome of the put")
        assert found[0] == DONE or found[1] == found[0]
        return found[0]

    def is_refused(self, *reasons: MQRC, **values: str) -> str:
        """Calls end as in an outage, with one of these reasons; the text of it."""
        program = self.connects(**values)
        found = self.puts(program)
        assert isinstance(found, MqFailure)
        assert found.reason in reasons, found
        assert found.reason in OUTAGE
        assert program.broken
        assert self.host.depth() == 0
        assert [agreed for _, agreed in self.told] == [None]
        return self.told[0][0]


Make = Callable[..., Scene]


@pytest.fixture
def make(make_host: Callable[..., EndpointHost], tmp_path: Path) -> Make:
    return lambda **channel: Scene(make_host(), tmp_path, **channel)


@pytest.mark.parametrize("cipher", [ANY, TLS_12, TLS_13])
def test_a_program_connects_and_puts_inside_tls(make: Make, cipher: str) -> None:
    scene = make(SSLCIPH=ANY)
    program = scene.connects(SSLCIPH=cipher, SSLPEER="CN=MARS,O=Space")
    assert scene.puts(program) == DONE
    assert scene.host.visible() == 1
    ((why, agreed),) = scene.told
    assert why == ""
    assert agreed is not None
    assert agreed.cipher_spec == cipher or cipher == ANY
    assert agreed.certificate is not None
    assert "CN=MARS" in agreed.certificate.peer_name
    found: list[Any] = []
    puts = [MqPut("TARGET", "", Message.build(b"%d" % number)) for number in range(20)]

    def put() -> None:
        assert program.ahead is not None
        program.ahead.put(puts, found.append)
        program.commit((), found.append)

    scene.host.call(put)
    scene.host.thread.until(lambda: len(found) == 2, "the outcome of the puts")
    assert found == [DONE, DONE]
    assert scene.host.visible() == 21
    scene.host.call(program.end)


def test_the_certificate_of_certlabl_is_shown(make: Make) -> None:
    scene = make(SSLCAUTH="REQUIRED", SSLPEER="CN=bridge")
    scene.certificate()
    scene.certificate("O=Space,CN=bridge", "special")
    program = scene.connects(CERTLABL="special")
    assert scene.puts(program) == DONE
    scene.host.call(program.end)


def test_a_password_goes_at_the_highest_level_inside_tls(make: Make) -> None:
    scene = make()
    program = scene.connects(USER="app", PASSWORD="secret")
    assert scene.puts(program) == DONE
    machine = program._machine
    assert machine is not None
    assert machine.agreed is not None
    assert machine.agreed.fap_level > 12
    scene.host.call(program.end)


def test_a_name_that_does_not_match_is_refused_before_anything_is_said(make: Make) -> None:
    text = make().is_refused(MQRC.SSL_PEER_NAME_MISMATCH, SSLPEER="CN=VENUS")
    assert "AMQ9636" in text
    assert "CN=MARS" in text


def test_a_certificate_that_is_not_trusted_is_refused(make: Make) -> None:
    scene = make()
    scene.trust(Authority("O=Elsewhere,CN=Authority"))
    assert "not trusted" in scene.is_refused(MQRC.SSL_INITIALIZATION_ERROR, MQRC.JSSE_ERROR)


def test_a_certificate_that_has_expired_is_refused(make: Make) -> None:
    scene = make()
    scene.estate.authority.issue("O=Space,CN=MARS", valid=(-9, -1)).save(scene.estate.folder / "ssl" / f"{LABEL}.pem")
    assert "expired" in scene.is_refused(MQRC.SSL_INITIALIZATION_ERROR, MQRC.JSSE_ERROR)


def test_a_certificate_that_is_revoked_is_refused(make: Make) -> None:
    scene = make()
    issued = scene.estate.authority.issue("O=Space,CN=MARS", curve=True)
    issued.save(scene.estate.folder / "ssl" / f"{LABEL}.pem")
    (scene.keys / "crl").mkdir()
    (scene.keys / "crl" / "list.pem").write_bytes(scene.estate.authority.revoke(issued))
    assert "revoked" in scene.is_refused(MQRC.SSL_CERTIFICATE_REVOKED)


def test_a_label_without_certificate_is_an_outage_with_its_name(make: Make) -> None:
    text = make().is_refused(MQRC.KEY_REPOSITORY_ERROR, MQRC.SSL_INITIALIZATION_ERROR, CERTLABL="nobody")
    assert "nobody" in text


def test_no_common_cipherspec_is_an_outage(make: Make) -> None:
    make(SSLCIPH=TLS_13).is_refused(MQRC.SSL_INITIALIZATION_ERROR, MQRC.JSSE_ERROR, SSLCIPH=TLS_12)


def test_a_channel_that_wants_a_certificate_refuses_who_has_none(make: Make) -> None:
    make(SSLCAUTH="REQUIRED").is_refused(MQRC.CHANNEL_CONFIG_ERROR, MQRC.JSSE_ERROR, MQRC.Q_MGR_NOT_AVAILABLE)


def test_a_plain_line_to_a_channel_with_tls_is_refused(make: Make) -> None:
    make().is_refused(MQRC.CHANNEL_CONFIG_ERROR, MQRC.JSSE_ERROR, MQRC.Q_MGR_NOT_AVAILABLE, SSLCIPH="")


def test_tls_to_a_channel_without_it_is_refused(make: Make) -> None:
    make(SSLCIPH="").is_refused(MQRC.CHANNEL_CONFIG_ERROR, MQRC.JSSE_ERROR, MQRC.Q_MGR_NOT_AVAILABLE)
