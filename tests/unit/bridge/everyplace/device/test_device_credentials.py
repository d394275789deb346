"""What a device proves, and what it wants to be proved."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.device.credentials import DeviceCredentials, is_loopback
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.bridge.everyplace.secrets import FINGERPRINT, KEY, Secrets, put_secret
from mqbridge.bridge.everyplace.security.security import Security
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.everyplace import Code, EveryplaceError
from mqbridge.protocol.everyplace.authenticators import ByCertificate, ByKey, NoProof

SECURE = Peer("earth:8081", secure=True, binding=b"of its certificate")
PLAIN = Peer("earth:8081")
HERE = Peer("127.0.0.1:8081")


def credentials(**kept: bytes) -> DeviceCredentials:
    store = MemoryStore()
    names = {"key": KEY, "fingerprint": FINGERPRINT}
    store.commit([[put_secret("EARTH", names[name], value) for name, value in kept.items()]])
    return DeviceCredentials(Secrets(store, Security()))


def connection(authenticator: str = "") -> ConnectionDefinition:
    return ConnectionDefinition("EARTH", "tls", "earth:8081", authenticator=authenticator)


@pytest.mark.spec("E-249", "E-250")
def test_a_key_is_bound_to_the_certificate_of_the_other_end() -> None:
    assert credentials(key=b"k", fingerprint=b"f").for_calling(connection(), SECURE) == [ByKey(b"k", SECURE.binding)]
    assert credentials(key=b"k").for_calling(connection(), SECURE) == [ByKey(b"k", SECURE.binding)]
    assert credentials(key=b"k").for_calling(connection("key"), PLAIN) == [ByKey(b"k")]


def test_without_key_tls_or_the_loopback_interface_must_do() -> None:
    assert credentials().for_calling(connection(), SECURE) == [NoProof()]
    assert credentials().for_calling(connection(), HERE) == [NoProof()]
    named = Peer("earth:8081", "EARTH", secure=True)
    assert credentials().for_calling(connection(), named) == [ByCertificate("EARTH"), NoProof()]
    assert credentials().for_calling(connection("certificate"), SECURE) == [ByCertificate("")]
    for wanted, peer in (("", PLAIN), ("key", SECURE), ("none", PLAIN)):
        with pytest.raises(EveryplaceError, match="everyplace enrol") as raised:
            credentials().for_calling(connection(wanted), peer)
        assert raised.value.code is Code.AUTHENTICATE


def test_a_listener_believes_a_name_on_the_loopback_interface_alone() -> None:
    def asked(peer: Peer, authenticator: str = "", **kept: bytes) -> object:
        return credentials(**kept).for_called("EARTH", ListenerDefinition("DOOR", authenticator=authenticator), peer)

    assert asked(HERE) == NoProof()
    assert asked(PLAIN, key=b"k") == ByKey(b"k")
    assert asked(SECURE, key=b"k") == ByKey(b"k", SECURE.binding)
    assert asked(Peer("earth:1", "EARTH", secure=True)) == ByCertificate("EARTH")
    assert asked(SECURE, "certificate", key=b"k") == ByCertificate("")
    for peer, authenticator in ((PLAIN, ""), (SECURE, "none"), (HERE, "key")):
        with pytest.raises(EveryplaceError) as raised:
            asked(peer, authenticator)
        assert raised.value.code is Code.AUTHENTICATE


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("127.0.0.1:8081", True),
        ("[::1]:8081", True),
        ("http://localhost:80/servlet/MQe", True),
        ("10.0.0.1:8081", False),
        ("localhost.example:1", False),
        ("", False),
    ],
)
def test_what_is_on_this_machine(address: str, here: bool) -> None:
    assert is_loopback(address) == here
