"""SC-27: a communications adapter of a third party, written against the interface alone: 4-byte length over TCP."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.device.adapters.interface import Place
from mqbridge.bridge.everyplace.device.adapters.streams import StreamListener
from mqbridge.bridge.everyplace.device.adapters.table import AdapterTable
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.everyplace import Code, EveryplaceError, QueueManager, text_of
from mqbridge.protocol.everyplace.endpoints import parse_endpoint
from support.everyplace_devices import DevicePair, blocked, eventually

pytestmark = pytest.mark.spec("SC-27", "E-465", "E-466", "E-467", "E-468", "E-470", "E-476", "E-477", "E-478")


class Letters:
    """Sends each block behind its length, in writes of ``step`` bytes; ``whole``: gives several blocks at once."""

    network = "letters"

    def __init__(self, connect: socket.socket | tuple[str, int], step: int) -> None:
        self._connect = connect
        self._step = step
        self._socket: socket.socket | None = None
        self.local_address = ""

    @property
    def peer(self) -> Peer:
        assert self._socket is not None
        return Peer("127.0.0.1:1")

    def open(self) -> None:
        try:
            found = (
                self._connect if isinstance(self._connect, socket.socket) else socket.create_connection(self._connect)
            )
        except OSError as error:
            raise EveryplaceError(Code.ADAPTER_EXCEPTION, f"no letters to {self._connect}: {error.strerror}") from None
        self._socket = found
        self.local_address = str(found.getsockname())

    def write(self, data: bytes) -> None:
        assert self._socket is not None
        block = len(data).to_bytes(4, "big") + data
        for at in range(0, len(block), self._step):
            self._socket.sendall(block[at : at + self._step])

    def read(self) -> bytes:
        head = self._exactly(4)
        return self._exactly(int.from_bytes(head, "big")) if head else b""

    def _exactly(self, count: int) -> bytes:
        assert self._socket is not None
        data = b""
        while len(data) < count:
            more = self._socket.recv(count - len(data))
            if not more:
                return b""
            data += more
        return data

    def close(self) -> None:
        found = self._connect if isinstance(self._connect, socket.socket) else self._socket
        if found is not None:
            with suppress(OSError):
                found.shutdown(socket.SHUT_RDWR)
            found.close()


class LetterBox:
    """Waits for letters."""

    def __init__(self, endpoint: str, step: int) -> None:
        self._endpoint = parse_endpoint(endpoint)
        self._step = step
        self._socket: socket.socket | None = None

    def open(self) -> None:
        self._socket = socket.create_server(self._endpoint)

    def wait_for_contact(self) -> Letters:
        try:
            assert self._socket is not None
            return Letters(self._socket.accept()[0], self._step)
        except OSError:
            raise EveryplaceError(Code.STOPPED, "the letter box is closed") from None

    def close(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()


class Post:
    """Makes them."""

    def __init__(self, step: int) -> None:
        self._step = step

    def initiator(self, place: Place) -> Letters:
        return Letters((place.host, place.port), self._step)

    def listening(self, definition: ListenerDefinition) -> LetterBox:
        return LetterBox(definition.endpoint, self._step)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[DevicePair]:
    found = DevicePair(tmp_path)
    yield found
    found.close()


@pytest.mark.parametrize("step", [7, 100_000])
def test_messages_go_both_ways_whatever_way_their_bytes_are_cut(pair: DevicePair, step: int) -> None:
    adapters = {"letters": Post(step)}
    earth = pair.earth(adapters, adapter="letters")
    moon = pair.moon("letters", adapters=adapters)
    for number in range(20):
        moon.put("ORDERS@EARTH", f"order {number}")
        earth.put("REPLIES@MOON", f"reply {number}")
    assert [text_of(earth.wait("ORDERS")) for _ in range(20)] == [f"order {number}" for number in range(20)]
    assert [text_of(moon.wait("REPLIES")) for _ in range(20)] == [f"reply {number}" for number in range(20)]


def test_an_assured_put_over_a_cut_is_visible_once(pair: DevicePair) -> None:
    """SC-03 over the adapter: both ends end and come back while messages are on their way."""
    adapters = {"letters": Post(13)}
    earth = pair.earth(adapters, adapter="letters")
    moon = pair.moon("letters", adapters=adapters)
    for number in range(30):
        moon.put("ORDERS@EARTH", {"number": number})
        if number % 10 == 5:
            moon.close()
            moon = QueueManager.open(pair.folder / "moon.mqe", adapters=adapters)
    found = eventually(lambda: len(earth.browse("ORDERS")) == 30 and earth.browse("ORDERS"))
    assert [each["number"] for each in found] == list(range(30))
    moon.close()


@pytest.mark.spec("E-470", "E-471")
def test_a_wait_for_callers_is_ended_by_the_end(pair: DevicePair) -> None:
    before = set(threading.enumerate())

    def waiting() -> list[threading.Thread]:
        return [each for each in threading.enumerate() if each.name == "listener DOOR" and each not in before]

    earth = pair.earth({"letters": Post(100)}, adapter="letters")
    eventually(waiting)
    earth.close()
    eventually(lambda: not waiting())


class LatePost(Post):
    """Has a listener to which somebody comes when all is closed: as soon as ``comes`` is set."""

    def __init__(self) -> None:
        super().__init__(1)
        self.comes = threading.Event()
        self.ours, self.theirs = socket.socketpair()

    def listening(self, definition: ListenerDefinition) -> LetterBox:
        return LateBox(definition.endpoint, self)


class LateBox(LetterBox):
    """Its letter box."""

    def __init__(self, endpoint: str, post: LatePost) -> None:
        super().__init__(endpoint, 1)
        self._post = post

    def wait_for_contact(self) -> Letters:
        if self._post.comes.is_set():
            raise EveryplaceError(Code.STOPPED, "one caller is enough")
        self._post.comes.wait()
        return Letters(self._post.ours, 1)


@pytest.mark.spec("E-471")
def test_who_calls_at_the_very_end_is_cut_off(pair: DevicePair) -> None:
    post = LatePost()
    pair.earth({"letters": post}, adapter="letters").close()
    post.comes.set()
    with post.theirs:
        post.theirs.settimeout(10)
        assert post.theirs.recv(1) == b""
    eventually(lambda: post.ours.fileno() < 0)


def test_a_caller_that_is_not_looked_at_is_cut_off() -> None:
    listening = StreamListener("tcp", "127.0.0.1:0", lambda plain: plain)
    listening.open()
    with socket.create_connection(("127.0.0.1", listening.port), 10) as caller:
        listening.wait_for_contact().close()
        assert caller.recv(1) == b""
    listening.close()


def test_what_an_adapter_raises_is_shown_and_the_message_stays(pair: DevicePair) -> None:
    moon = pair.moon("letters", adapters={"letters": Post(1)})
    moon.put("ORDERS@EARTH", "two apples")
    assert "no letters to" in blocked(moon, "letters")
    assert moon.view.waiting("EARTH") == 1


@pytest.mark.spec("E-263")
def test_an_adapter_that_is_nowhere_is_named(pair: DevicePair) -> None:
    with pytest.raises(EveryplaceError) as raised:
        AdapterTable().find("pigeons")
    assert raised.value.code is Code.CON_ADAPTER_REQUIRED
    assert "tcp, tls, http, https" in raised.value.text
    moon = pair.moon("pigeons")
    moon.put("ORDERS@EARTH", "two apples")
    assert blocked(moon, "pigeons")
