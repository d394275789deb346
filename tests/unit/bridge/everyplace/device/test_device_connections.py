"""Devices over real sockets: tcp and tls, who they believe, and ends that come and go."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from mqbridge.bridge.everyplace.device.program.main import main
from mqbridge.everyplace import Code, EveryplaceError, QueueManager, text_of
from mqbridge.protocol.everyplace.token import fingerprint_of
from support.everyplace_devices import DevicePair, blocked, eventually
from support.tls.authority import Authority, Issued


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[DevicePair]:
    found = DevicePair(tmp_path)
    yield found
    found.close()


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def both_ways(moon: QueueManager, earth: QueueManager) -> None:
    for number in range(3):
        moon.put("ORDERS@EARTH", f"order {number}")
        earth.put("REPLIES@MOON", f"reply {number}")
    for number in range(3):
        assert text_of(earth.wait("ORDERS")) == f"order {number}"
        assert text_of(moon.wait("REPLIES")) == f"reply {number}"


@pytest.mark.spec("E-215", "E-231", "E-233", "E-245", "E-247", "E-262", "E-474", "E-477", "E-478")
def test_messages_go_both_ways_over_tcp(pair: DevicePair) -> None:
    earth = pair.earth()
    moon = pair.moon()
    both_ways(moon, earth)
    (row,) = moon.status()
    assert (row.name, row.waiting, row.blocks) == ("EARTH", 0, ())
    # Calls on a queue of another queue manager are answered there.
    moon.put("ORDERS@EARTH", "asked for")
    eventually(lambda: earth.browse("ORDERS"))
    with pytest.raises(EveryplaceError):
        moon.get("NOTHING@MARS")


@pytest.mark.spec("E-262", "E-468", "E-471")
def test_what_is_put_without_connection_goes_when_there_is_one(pair: DevicePair) -> None:
    moon = pair.moon()
    moon.put("ORDERS@EARTH", "two apples")
    assert "does not answer" in blocked(moon, "localhost")
    earth = pair.earth()
    moon.trigger()
    assert text_of(earth.wait("ORDERS")) == "two apples"
    moon.close()
    again = QueueManager.open(pair.folder / "moon.mqe", connect=False)
    again.put("ORDERS@EARTH", "three apples")
    with pytest.raises(EveryplaceError) as raised:
        again.trigger()
    assert raised.value.code is Code.NOT_ALLOWED
    again.close()
    with QueueManager.open(pair.folder / "moon.mqe"):
        assert text_of(earth.wait("ORDERS")) == "three apples"


@pytest.mark.spec("E-087", "E-259", "E-470", "E-479")
def test_callers_that_say_nothing_or_nonsense_disturb_nobody(pair: DevicePair) -> None:
    earth = pair.earth(max_channels=3)
    silent = [socket.create_connection(("127.0.0.1", pair.port)) for _ in range(2)]
    wrong = socket.create_connection(("127.0.0.1", pair.port))
    wrong.sendall(b"GET / HTTP/1.1\r\n\r\n")
    wrong.settimeout(20)
    while wrong.recv(1000):
        pass
    moon = pair.moon()
    moon.put("ORDERS@EARTH", "two apples")
    assert text_of(earth.wait("ORDERS")) == "two apples"
    refused = socket.create_connection(("127.0.0.1", pair.port))
    refused.settimeout(20)
    assert refused.recv(1000) == b""
    for each in (*silent, wrong, refused):
        each.close()


def own_certificate(issued: Issued) -> dict[str, str]:
    return {"certificate": issued.certificates_pem.decode(), "key": issued.key_pem.decode()}


@pytest.mark.spec("E-245", "E-249", "E-250", "E-445")
def test_tls_with_the_fingerprint_and_the_key_of_an_enrolment(pair: DevicePair, authority: Authority) -> None:
    issued = authority.issue("O=Space,CN=somebody", hosts=())
    fingerprint = fingerprint_of(issued.certificate.public_bytes(Encoding.DER))
    earth = pair.earth(adapter="tls", **own_certificate(issued))
    earth.definitions.keep_secret("MOON", "key", b"k" * 32)
    moon = pair.moon("tls", secrets={"fingerprint": fingerprint, "key": b"k" * 32})
    both_ways(moon, earth)


def test_a_wrong_key_is_refused_and_the_message_stays(pair: DevicePair) -> None:
    earth = pair.earth()
    earth.definitions.keep_secret("MOON", "key", b"k" * 32)
    moon = pair.moon(secrets={"key": b"another key"})
    moon.put("ORDERS@EARTH", "two apples")
    assert blocked(moon, "does not have the key")
    assert moon.status()[0].waiting == 1
    assert earth.browse("ORDERS") == ()


@pytest.mark.spec("E-211")
def test_trigger_ends_at_once_where_the_key_is_refused(pair: DevicePair, capsys: pytest.CaptureFixture[str]) -> None:
    earth = pair.earth()
    earth.definitions.keep_secret("MOON", "key", b"k" * 32)
    moon = pair.moon(secrets={"key": b"another key"}, connect=False)
    moon.put("ORDERS@EARTH", "two apples")
    moon.close()
    began = time.monotonic()
    assert main(["trigger", str(pair.folder / "moon.mqe"), "--timeout", "600"]) == 1
    assert time.monotonic() - began < 300
    assert "1 waits for EARTH: no connection to EARTH: the other end does not have the key" in capsys.readouterr().err
    earth.definitions.keep_secret("MOON", "key", b"another key")
    assert main(["trigger", str(pair.folder / "moon.mqe")]) == 0
    assert text_of(earth.wait("ORDERS")) == "two apples"


@pytest.mark.spec("E-484")
def test_another_certificate_than_the_token_names_is_refused_and_the_message_stays(
    pair: DevicePair, authority: Authority
) -> None:
    pair.earth(adapter="tls", **own_certificate(authority.issue("O=Space,CN=EARTH")))
    moon = pair.moon("tls", secrets={"fingerprint": b"f" * 16})
    moon.put("ORDERS@EARTH", "two apples")
    assert "token" in blocked(moon, "certificate")
    assert moon.status()[0].waiting == 1


def test_certificates_of_both_ends_name_the_queue_managers(
    pair: DevicePair, authority: Authority, tmp_path: Path
) -> None:
    authorities = authority.trust_file(tmp_path / "authority.pem")
    earth = pair.earth(
        adapter="tls",
        authenticator="certificate",
        authorities=authorities.read_text(),
        **own_certificate(authority.issue("O=Space,CN=EARTH")),
    )
    mine = authority.issue("O=Space,CN=MOON").save(tmp_path / "moon.pem")
    moon = pair.moon("tls", properties={"authorities": str(authorities), "certificate": str(mine)})
    both_ways(moon, earth)


@pytest.mark.parametrize("name", ["", "O=Space,CN=MARS"])
def test_no_certificate_or_that_of_another_is_refused(
    pair: DevicePair, authority: Authority, tmp_path: Path, name: str
) -> None:
    authorities = authority.trust_file(tmp_path / "authority.pem")
    earth = pair.earth(
        adapter="tls",
        authenticator="certificate",
        authorities=authorities.read_text(),
        **own_certificate(authority.issue("O=Space,CN=EARTH")),
    )
    properties = {"authorities": str(authorities)}
    if name:
        properties["certificate"] = str(authority.issue(name).save(tmp_path / "other.pem"))
    moon = pair.moon("tls", properties=properties)
    moon.put("ORDERS@EARTH", "two apples")
    assert blocked(moon, "EARTH")  # why is said, unless the connection was reset first
    assert earth.browse("ORDERS") == ()


def test_an_authority_that_is_not_trusted_is_refused(pair: DevicePair, authority: Authority, tmp_path: Path) -> None:
    pair.earth(adapter="tls", **own_certificate(authority.issue("O=Space,CN=EARTH")))
    other = Authority("O=Others,CN=Authority").trust_file(tmp_path / "other.pem")
    moon = pair.moon("tls", properties={"authorities": str(other)})
    moon.put("ORDERS@EARTH", "two apples")
    assert "TLS failed" in blocked(moon, "TLS")
