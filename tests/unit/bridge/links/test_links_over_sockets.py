"""Links over real sockets: how they sign on, what they do when the provider or a file is not as it should be."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

import proton

from mqbridge.bridge.links import socket as provider_socket
from mqbridge.mappings.properties import read_properties
from mqbridge.protocol.constants import MQMODE, MQRC
from mqbridge.protocol.structures.dlh import DLH
from support.linking.amqp_peer import AmqpPeer
from support.linking.linked_host import DEAD, SOURCE, STOCK_IN, STOCK_OUT, LinkedHost
from support.processes.ports import free_port

MakePeer = Callable[..., AmqpPeer]
MakeLinked = Callable[..., LinkedHost]


def there(peer: AmqpPeer) -> str:
    return f"tcp:127.0.0.1:{peer.port}"


def goes_both_ways(linked: LinkedHost, peer: AmqpPeer, number: int = 3) -> None:
    """Messages arrive in both directions, once each."""
    linked.put(*[b"to %d" % each for each in range(number)])
    for each in range(number):
        peer.produce(STOCK_OUT, f"from {each}", f"ID:{each}")
    assert linked.until_read(number) == [f"from {each}" for each in range(number)]
    linked.until_sent(number)
    assert peer.arrived[STOCK_IN] == [b"to %d" % each for each in range(number)]


# Signing on


def test_over_a_unix_socket(make_peer: MakePeer, make_linked: MakeLinked, tmp_path: Path) -> None:
    path = tmp_path / "provider.sock"
    peer = make_peer(path=path)
    linked = make_linked(f"unix:{path}")
    goes_both_ways(linked, peer)


def test_as_a_user_with_a_password(make_peer: MakePeer, make_linked: MakeLinked, tmp_path: Path) -> None:
    file = tmp_path / "pw"
    file.write_text("a word\n", encoding="utf-8")
    peer = make_peer(passwords={"mq": "a word"})
    linked = make_linked(there(peer), access={"user": "mq", "password_file": file})
    goes_both_ways(linked, peer)
    assert "a word" not in str(linked.host.log)


def test_a_user_whom_the_provider_refuses(make_peer: MakePeer, make_linked: MakeLinked, tmp_path: Path) -> None:
    file = tmp_path / "pw"
    file.write_text("another word\n", encoding="utf-8")
    peer = make_peer(passwords={"mq": "a word"})
    linked = make_linked(there(peer), access={"user": "mq", "password_file": file})
    linked.until_status("sasl:auth the provider has refused the user or the mechanism")
    linked.host.thread.until(lambda: peer.refusals >= 3, "several attempts")
    assert len(linked.logged("AMQ5061")) == 1
    assert "another word" not in str(linked.host.log)
    file.write_text("a word\n", encoding="utf-8")
    goes_both_ways(linked, peer)


def test_a_provider_that_offers_no_mechanism_of_ours(make_peer: MakePeer, make_linked: MakeLinked) -> None:
    peer = make_peer(passwords={"mq": "a word"})
    linked = make_linked(there(peer))
    linked.until_status("refused the user or the mechanism")


# The file of a password


@pytest.mark.parametrize("how", ["gone", "empty", "binary"])
def test_a_password_that_cannot_be_read_when_the_link_connects_again(
    make_peer: MakePeer, make_linked: MakeLinked, tmp_path: Path, how: str
) -> None:
    file = tmp_path / "pw"
    file.write_text("a word\n", encoding="utf-8")
    peer = make_peer(passwords={"mq": "a word"})
    peer.cut_at_transfers = 1
    linked = make_linked(there(peer), access={"user": "mq", "password_file": file})
    linked.until_running()
    if how == "gone":
        file.unlink()
    else:
        file.write_bytes(b"\n" if how == "empty" else b"\xff secret\n")
    linked.put(b"to 0")
    linked.until_status("the password cannot be read")
    time.sleep(0.5)  # several attempts
    reasons = [reason for _, reason, _ in linked.logged("AMQ5061") if "password" in reason]
    assert len(reasons) == 1
    assert str(file) in reasons[0]
    assert "secret" not in reasons[0]
    connections = peer.connections
    file.write_text("a word\n", encoding="utf-8")
    linked.until_sent(1)
    assert peer.connections == connections + 1
    assert peer.arrived[STOCK_IN] == [b"to 0"]


def test_a_link_without_its_password_waits_longest(make_linked: MakeLinked, tmp_path: Path) -> None:
    file = tmp_path / "none"
    access: dict[str, Any] = {"user": "mq", "password_file": file}
    linked = make_linked(f"tcp:127.0.0.1:{free_port()}", access=access, retry_interval=0.1, longest_retry=600.0)
    linked.until_status("the password cannot be read")
    ((_, _, seconds),) = linked.logged("AMQ5061")
    assert int(seconds) >= 300


def test_a_link_that_is_stopped_before_it_is_told_of_its_password(make_linked: MakeLinked, tmp_path: Path) -> None:
    linked = make_linked(f"tcp:127.0.0.1:{free_port()}", access={"user": "mq", "password_file": tmp_path / "none"})
    linked.until_status("the password cannot be read")

    def start_and_stop() -> None:
        linked.link.stop(MQMODE.FORCE, time.time())
        linked.host.driver.pump()
        linked.link.start(time.time())
        linked.host.driver.pump()
        assert linked.providers._failing
        linked.link.stop(MQMODE.FORCE, time.time())
        linked.host.driver.pump()
        assert not linked.providers._failing

    linked.host.thread.call(start_and_stop)
    assert linked.status.detail == ""


# Providers that are not there


def test_a_provider_that_is_not_there(make_peer: MakePeer, make_linked: MakeLinked) -> None:
    linked = make_linked(f"tcp:127.0.0.1:{free_port()}")
    linked.until_status("refused")
    assert len(linked.logged("AMQ5061")) >= 1


def test_a_provider_that_says_nothing_is_left(make_linked: MakeLinked) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        linked = make_linked(f"tcp:127.0.0.1:{listening.getsockname()[1]}", access={"idle_timeout": 0.3})
        linked.until_status("the provider has not opened it in 0.3 seconds")


def test_a_provider_that_talks_of_something_else_is_left(make_linked: MakeLinked) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        linked = make_linked(f"tcp:127.0.0.1:{listening.getsockname()[1]}")
        connected, _ = listening.accept()
        with connected:
            connected.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            linked.until_status("framing-error")


# Addresses and lengths


def test_an_address_that_is_refused_does_not_hold_up_the_other(make_peer: MakePeer, make_linked: MakeLinked) -> None:
    peer = make_peer(refused={STOCK_IN: "amqp:unauthorized-access"})
    linked = make_linked(there(peer))
    linked.put(b"to 0")
    peer.produce(STOCK_OUT, "from 0", "ID:0")
    assert linked.until_read(1) == ["from 0"]
    linked.until_status(f"{STOCK_IN}: amqp:unauthorized-access not here")
    assert linked.host.depth(SOURCE) == 1
    peer.refused.clear()
    linked.until_sent(1)
    assert peer.arrived[STOCK_IN] == [b"to 0"]
    assert peer.connections == 1


def test_a_message_that_is_too_long_for_the_provider_is_dead_lettered(
    make_peer: MakePeer, make_linked: MakeLinked
) -> None:
    peer = make_peer(max_message=5000)
    linked = make_linked(there(peer))
    linked.put(b"short", bytes(6000), b"last")
    (dead,) = linked.until_got(1, DEAD)
    header = DLH.codec(dead.order).parse(dead.data)
    assert header.reason == MQRC.MSG_TOO_BIG_FOR_CHANNEL == 2218
    assert header.dest_q_name.strip() == SOURCE.encode()
    inner = dead.copy(dead.data[172:])
    inner.md.set(format=header.format.decode().strip(), encoding=header.encoding, coded_char_set_id=1208)
    said = {each.name: each.value for each in read_properties(inner)}
    assert said["amqp_condition"] == "amqp:link:message-size-exceeded"
    linked.until_sent(2)
    assert peer.arrived[STOCK_IN] == [b"short", b"last"]
    assert linked.host.depth(SOURCE) == 0


def test_a_message_that_is_too_long_for_us_is_rejected(make_peer: MakePeer, make_linked: MakeLinked) -> None:
    peer = make_peer()
    linked = make_linked(there(peer), access={"max_message": 5000})
    peer.queues[STOCK_OUT].append(proton.Message(body=bytes(300_000), durable=True).encode())
    peer.produce(STOCK_OUT, "next", "ID:1")
    assert linked.until_read(1) == ["next"]
    ((_, address, text),) = linked.logged("AMQ5064")
    assert address == STOCK_OUT
    assert text.endswith("bytes are too long")


# Providers that do not read


MIB = 1 << 20


def test_what_a_provider_does_not_read_waits_in_the_engine(make_peer: MakePeer, make_linked: MakeLinked) -> None:
    peer = make_peer()
    linked = make_linked(there(peer))
    linked.put(b"first")
    linked.until_sent(1)
    peer.asleep.set()
    bodies = [bytes([number]) * MIB for number in range(30)]
    linked.put(*bodies)
    made = linked.providers._sockets["warehouse"]
    linked.host.thread.until(lambda: made._full, "a full socket")

    def waiting() -> int:
        transport = made.transport
        return len(transport.dataBuffer) - transport.offset + transport._tempDataLen

    assert linked.host.thread.settled(waiting) < MIB
    peer.produce(STOCK_OUT, "meanwhile", "ID:1")
    peer.asleep.clear()
    linked.until_sent(31)
    assert peer.arrived[STOCK_IN][1:] == bodies
    assert linked.until_read(1) == ["meanwhile"]
    assert peer.connections == 1


class StalledProvider:
    """Accepts one connection and reads nothing of it."""

    def __init__(self) -> None:
        self.listening = socket.socket()
        self.listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.listening.bind(("127.0.0.1", 0))
        self.listening.listen()
        self.endpoint = f"tcp:127.0.0.1:{self.listening.getsockname()[1]}"

    def close(self) -> None:
        self.listening.close()


def test_a_socket_whose_last_bytes_nobody_takes_is_closed(
    make_linked: MakeLinked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider_socket, "CLOSE_TIMEOUT", 0.2)
    stalled = StalledProvider()
    linked = make_linked(stalled.endpoint, access={"idle_timeout": 0.2}, retry_interval=60.0, longest_retry=60.0)
    connected, _ = stalled.listening.accept()
    with connected:
        linked.until_status("not opened")
        connected.settimeout(30)
        while connected.recv(4096):
            pass  # until the end
    stalled.close()
