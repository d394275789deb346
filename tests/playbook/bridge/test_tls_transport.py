"""TLS between a socket's transport and a protocol: what is written, when it counts as taken, how it ends."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.error import ConnectionAborted, ConnectionDone, ConnectionLost
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from mqbridge.bridge.endpoints.tls import TlsTransport
from mqbridge.bridge.endpoints.tls_filter import ALERT_LINGER, BUFFER_SIZE, TlsFilter
from mqbridge.bridge.endpoints.tls_sessions import NoTls, RefusingSession
from mqbridge.bridge.endpoints.transports import pause_until_taken, socket_transport
from mqbridge.bridge.security.tls import TlsConnection
from mqbridge.bridge.tls import TlsContexts, TlsError, TlsSession
from support.tls.authority import Authority
from support.tls.raw_transport import RawTransport
from support.tls.sessions import offer, repository

MEMBERS = {
    "abortConnection", "agreed", "begin", "bufferSize", "closed", "connected", "disconnecting", "drained", "fileno",
    "getHandle", "getHost", "getPeer", "loseConnection", "loseWriteConnection", "pauseProducing", "pause_until_taken",
    "paused", "raw", "reactor", "registerProducer", "resumeProducing", "setTcpKeepAlive", "setTcpNoDelay",
    "stopProducing", "unregisterProducer", "write", "writeSequence", "write_now",
}  # fmt: skip


@pytest.fixture(scope="module")
def contexts(tmp_path_factory: pytest.TempPathFactory) -> TlsContexts:
    folder: Path = tmp_path_factory.mktemp("ssl")
    return repository(folder, Authority(), "earth")


class Upper(Protocol):
    """Notes what it gets."""

    def __init__(self) -> None:
        self.got = b""
        self.reason: Failure | None = None
        self.agreed: list[TlsConnection | None] = []

    def dataReceived(self, data: bytes) -> None:
        self.got += data

    def connectionLost(self, reason: Failure = Failure(ConnectionDone())) -> None:  # noqa: B008
        assert self.reason is None
        self.reason = reason

    @property
    def lost_by(self) -> type[BaseException] | None:
        return None if self.reason is None else type(self.reason.value)


class Producer:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def resumeProducing(self) -> None:
        self.told.append("resume")

    def pauseProducing(self) -> None:
        self.told.append("pause")

    def stopProducing(self) -> None:
        self.told.append("stop")


class Play:
    """The called end on a `RawTransport`, and a partner's session without one."""

    def __init__(self, contexts: TlsContexts, *, agreed: bool = True, room: int = 1 << 30, **begin: Any) -> None:
        self.clock, self.raw, self.upper = Clock(), RawTransport(), Upper()
        self.partner: TlsSession = contexts.call(offer())
        self.read = b""
        session = contexts.answer(lambda _: offer())
        self.tls = TlsTransport(self.raw, session, self.clock, self._established)
        self.tls.begin(self.upper, **begin)
        self.upper.makeConnection(self.tls)
        if agreed:
            self.partner.receive_data(b"")
            while self.partner.agreed is None or self.tls.agreed is None:
                self.speak()
                self.hear()
            self.raw.room = room

    def _established(self) -> Upper:
        self.upper.agreed.append(self.tls.agreed)
        assert not self.upper.got
        return self.upper

    def speak(self, data: bytes = b"") -> None:
        """The partner's bytes arrive."""
        if data:
            self.partner.write(data)
        if ciphertext := self.partner.data_to_send():
            self.raw.protocol.dataReceived(ciphertext)

    def hear(self) -> bytes:
        """The partner reads what the kernel has taken, and returns it."""
        heard = self.partner.receive_data(self.raw.taken())
        self.read += heard
        return heard


def test_the_transport_has_its_members_and_no_others(contexts: TlsContexts) -> None:
    tls = Play(contexts).tls
    assert {name for name in dir(tls) if not name.startswith("_")} == MEMBERS
    with pytest.raises(AttributeError):
        tls.writeSomeData  # type: ignore[attr-defined]  # noqa: B018


def test_the_upper_protocol_hears_of_the_handshake_before_its_first_bytes(contexts: TlsContexts) -> None:
    play = Play(contexts, agreed=False)
    play.partner.receive_data(b"")
    play.speak()
    assert play.tls.agreed is None
    play.hear()
    play.speak(b"first")  # with the partner's last flight
    assert play.upper.got == b"first"
    assert [each.protocol for each in play.upper.agreed if each] == ["TLSV13"]


def test_what_is_written_in_the_handshake_never_leaves(contexts: TlsContexts) -> None:
    play = Play(contexts, agreed=False)
    assert play.tls.write_now(b"TSH early")
    play.tls.write(b"TSH early")
    assert play.raw.taken() + play.raw.queued == b""
    play.partner.receive_data(b"")
    play.speak()
    play.hear()
    play.speak(b"late")
    assert (play.hear(), play.upper.got) == (b"", b"late")


def test_bytes_count_as_taken_when_the_kernel_has_their_ciphertext(contexts: TlsContexts) -> None:
    play = Play(contexts, room=10)
    producer = Producer()
    play.tls.registerProducer(producer, False)
    assert producer.told == ["resume"]
    assert not play.tls.write_now(b"x" * 50_000)
    assert len(play.raw.value()) == 10
    assert play.hear() == b""
    assert producer.told == ["resume"]
    play.raw.kernel_takes(room=1 << 20)
    assert producer.told == ["resume", "resume"]
    assert play.hear() == b"x" * 50_000
    assert play.tls.write_now(b"at once")
    assert play.hear() == b"at once"
    assert producer.told == ["resume", "resume"]


def test_a_lost_socket_is_left_to_the_reactor(contexts: TlsContexts) -> None:
    play = Play(contexts, room=-1)
    assert not play.tls.write_now(b"x" * 100)
    assert len(play.raw.queued) > 100


def test_a_session_that_cannot_encrypt_ends_the_connection() -> None:
    class Unable(Talkative):
        def write(self, data: bytes | memoryview) -> None:
            raise TlsError("no more records")

        def receive_data(self, data: bytes) -> bytes:
            return b""

    raw, upper = RawTransport(), Upper()
    tls = TlsTransport(raw, Unable(), Clock())
    tls.begin(upper, b"")
    assert tls.write_now(b"text")  # nothing waits
    tls.write(b"text")
    assert raw.happened == ["closed"]
    assert raw.taken() + raw.queued == b""
    raw.lost()
    assert upper.lost_by is TlsError


def test_a_push_producer_is_paused_above_the_limit(contexts: TlsContexts) -> None:
    play = Play(contexts)
    producer = Producer()
    play.tls.registerProducer(producer, True)
    play.tls.write(bytes(BUFFER_SIZE // 2))
    assert producer.told == []
    play.tls.writeSequence([bytes(BUFFER_SIZE // 4)] * 2)
    assert producer.told == ["pause"]
    play.tls.write(b"more")
    assert producer.told == ["pause"]
    play.raw.kernel_takes()
    assert producer.told == ["pause", "resume"]
    assert len(play.hear()) == BUFFER_SIZE + 4


def test_a_producer_waits_until_all_is_taken_however_little_it_was(contexts: TlsContexts) -> None:
    play = Play(contexts)
    producer = Producer()
    play.tls.registerProducer(producer, True)
    pause_until_taken(play.tls)
    assert producer.told == []
    play.tls.write(b"a")
    pause_until_taken(play.tls)
    assert producer.told == ["pause"]
    play.raw.kernel_takes()
    assert producer.told == ["pause", "resume"]


def test_a_second_producer_is_refused(contexts: TlsContexts) -> None:
    play = Play(contexts)
    play.tls.registerProducer(Producer(), False)
    with pytest.raises(RuntimeError):
        play.tls.registerProducer(Producer(), True)


def test_reading_stops_and_goes_on(contexts: TlsContexts) -> None:
    play = Play(contexts)
    play.tls.pauseProducing()
    assert play.raw.producerState == "paused"
    play.tls.resumeProducing()
    assert play.raw.producerState == "producing"


def test_the_connection_closes_after_the_last_bytes_and_close_notify(contexts: TlsContexts) -> None:
    play = Play(contexts, room=5)
    play.tls.write(b"last words")
    play.tls.loseConnection()
    assert play.tls.disconnecting
    assert play.raw.happened == ["closed"]
    play.tls.write(b"too late")
    play.raw.kernel_takes()
    assert play.hear() == b"last words"
    assert play.partner.ended
    assert play.upper.lost_by is ConnectionDone
    assert not play.tls.connected


def test_the_connection_is_not_closed_while_there_is_a_producer(contexts: TlsContexts) -> None:
    play = Play(contexts)
    play.tls.registerProducer(Producer(), True)
    play.tls.loseConnection()
    assert play.raw.happened == []
    play.tls.write(b"the rest")
    play.tls.unregisterProducer()
    assert play.raw.happened == ["closed"]
    play.raw.kernel_takes()
    assert play.hear() == b"the rest"
    assert play.partner.ended


def test_half_of_the_connection_is_closed_and_the_other_read(contexts: TlsContexts) -> None:
    play = Play(contexts)
    assert play.tls.write_now(b"all")
    play.tls.loseWriteConnection()
    assert play.raw.happened == ["half closed"]
    assert play.hear() == b"all"
    assert play.partner.ended
    assert play.tls.write_now(b"too late")
    assert play.hear() == b""
    play.speak(b"answer")
    assert play.upper.got == b"answer"
    play.partner.close()
    play.speak()
    assert play.raw.happened == ["half closed", "closed"]
    play.raw.kernel_takes()
    assert play.upper.lost_by is ConnectionDone


def test_the_partners_close_notify_closes_the_connection(contexts: TlsContexts) -> None:
    play = Play(contexts)
    play.partner.write(b"last")
    play.partner.close()
    play.speak()
    assert play.upper.got == b"last"
    assert play.raw.happened == ["closed"]
    play.hear()
    assert play.partner.ended  # it gets ours
    play.raw.kernel_takes()
    assert play.upper.lost_by is ConnectionDone


def test_a_partner_that_ends_without_reading_does_not_keep_the_connection(contexts: TlsContexts) -> None:
    play = Play(contexts, room=0)
    play.tls.write(b"never taken")
    play.partner.close()
    play.speak()
    assert play.raw.happened == ["aborted"]
    play.raw.aborts()
    assert play.upper.lost_by is ConnectionDone


@pytest.mark.parametrize(
    ("closed", "reason", "seen"),
    [
        (False, ConnectionDone(), ConnectionLost),  # a FIN that nobody has announced
        (True, ConnectionDone(), ConnectionDone),
        (False, ConnectionLost(), ConnectionLost),
        (True, ConnectionLost(), ConnectionLost),
        (False, ConnectionAborted(), ConnectionAborted),
    ],
)
def test_the_end_of_the_socket_is_a_cut_unless_it_was_announced(
    contexts: TlsContexts, closed: bool, reason: BaseException, seen: type[BaseException]
) -> None:
    play = Play(contexts)
    producer = Producer()
    if closed:
        play.tls.loseWriteConnection()
    play.tls.registerProducer(producer, True)
    play.raw.lost(reason)
    assert play.upper.lost_by is seen
    assert producer.told == ["stop"]
    late = Producer()
    play.tls.registerProducer(late, True)
    assert late.told == ["stop"]


@pytest.mark.parametrize("reason", [ConnectionDone(), ConnectionLost()])
def test_an_end_in_the_handshake_is_told_as_such(contexts: TlsContexts, reason: BaseException) -> None:
    play = Play(contexts, agreed=False)
    play.raw.lost(reason)
    assert play.upper.reason is not None
    assert isinstance(play.upper.reason.value, TlsError)
    assert "during the handshake" in str(play.upper.reason.value)


def test_damage_is_answered_with_an_alert_that_the_partner_has_time_to_read(contexts: TlsContexts) -> None:
    play = Play(contexts)
    play.tls.pauseProducing()
    play.partner.write(b"text")
    ciphertext = bytearray(play.partner.data_to_send())
    ciphertext[-1] ^= 1
    play.raw.protocol.dataReceived(bytes(ciphertext))
    assert play.raw.happened == ["half closed"]
    assert play.raw.producerState == "producing"
    assert play.upper.reason is None
    assert play.tls.write_now(b"too late")
    play.tls.write(b"too late")
    play.tls.loseConnection()
    play.raw.kernel_takes()
    with pytest.raises(TlsError, match="bad record mac"):
        play.partner.receive_data(play.raw.taken())
    play.raw.protocol.dataReceived(b"what still comes")
    play.clock.advance(ALERT_LINGER)
    assert play.raw.happened == ["half closed", "aborted"]
    play.raw.aborts()
    assert isinstance(play.upper.reason.value, TlsError)  # type: ignore[union-attr]
    assert play.upper.got == b""


def test_the_last_words_before_damage_reach_the_upper_protocol(contexts: TlsContexts) -> None:
    """A partner says why it ends, and breaks off, in one packet."""
    play = Play(contexts)
    play.partner.write(b"last words")
    play.raw.protocol.dataReceived(play.partner.data_to_send() + b"no TLS, and long enough to be none")
    assert play.upper.got == b"last words"
    play.clock.advance(ALERT_LINGER)
    play.raw.aborts()
    assert isinstance(play.upper.reason.value, TlsError)  # type: ignore[union-attr]


def test_the_alert_of_a_partner_reaches_the_upper_protocol_with_its_meaning(tmp_path: Path) -> None:
    """In TLS 1.3 a certificate of ours is judged when our handshake is over."""
    raw, upper, authority = RawTransport(), Upper(), Authority()
    server = repository(tmp_path / "venus", authority, "venus").answer(lambda _: offer())
    ours = repository(tmp_path / "mars", authority)
    Authority("O=Others,CN=Authority").issue("CN=MARS", curve=True).save(tmp_path / "mars" / "mars.pem")
    tls = TlsTransport(raw, ours.call(offer(label="mars")), Clock())
    tls.begin(upper, b"")
    server.receive_data(raw.taken())
    raw.protocol.dataReceived(server.data_to_send())
    assert tls.agreed is not None
    with pytest.raises(TlsError):
        server.receive_data(raw.taken())
    raw.protocol.dataReceived(server.data_to_send())
    assert upper.reason is None
    raw.lost()
    assert upper.reason is not None
    assert isinstance(upper.reason.value, TlsError)
    assert "unknown ca" in str(upper.reason.value)


def test_what_goes_wrong_after_our_end_is_nobodys_concern(contexts: TlsContexts) -> None:
    play = Play(contexts)
    play.tls.loseWriteConnection()
    play.raw.protocol.dataReceived(b"no record of TLS at all")
    assert play.raw.happened == ["half closed", "aborted"]
    play.raw.aborts()
    assert play.upper.lost_by is ConnectionAborted


@pytest.mark.parametrize("way", ["loseConnection", "loseWriteConnection", "abortConnection", "stopProducing"])
def test_a_connection_in_the_handshake_is_aborted(contexts: TlsContexts, way: str) -> None:
    play = Play(contexts, agreed=False)
    getattr(play.tls, way)()
    assert play.raw.happened == ["aborted"]
    assert play.raw.taken() + play.raw.queued == b""


def test_the_handshake_has_a_time_limit_of_its_own(contexts: TlsContexts) -> None:
    play = Play(contexts, agreed=False, within=5.0)
    play.clock.advance(4.9)
    assert play.raw.happened == []
    play.clock.advance(0.2)
    assert play.raw.happened == ["aborted"]
    agreed = Play(contexts, within=5.0)
    agreed.clock.advance(10.0)
    assert agreed.raw.happened == []


class Talkative:
    """A session that answers whatever it reads at length."""

    agreed = TlsConnection("TLSV13", "")
    ended = closed = False

    def __init__(self) -> None:
        self.unsent = b""

    def receive_data(self, data: bytes) -> bytes:
        self.unsent += bytes(40_000)
        return data

    def data_to_send(self) -> bytes:
        unsent, self.unsent = self.unsent, b""
        return unsent

    def receive_end(self) -> None: ...

    def write(self, data: bytes | memoryview) -> None: ...

    def close(self) -> None: ...


def test_who_makes_the_session_answer_without_reading_is_not_read() -> None:
    raw, upper = RawTransport(room=0), Upper()
    tls = TlsTransport(raw, Talkative(), Clock())
    tls.begin(upper, b"1")
    assert raw.producerState == "producing"
    raw.protocol.dataReceived(b"2")
    assert raw.producerState == "paused"
    assert (upper.got, len(raw.queued)) == (b"12", 80_000)
    tls.resumeProducing()  # the upper protocol's wish does not count here
    assert raw.producerState == "paused"
    raw.kernel_takes()
    assert raw.producerState == "producing"


def test_a_partner_held_back_for_both_reasons_is_read_when_both_are_gone() -> None:
    raw = RawTransport(room=0)
    tls = TlsTransport(raw, Talkative(), Clock())
    tls.begin(Upper(), b"1")
    raw.protocol.dataReceived(b"2")
    tls.pauseProducing()
    raw.kernel_takes()
    assert raw.producerState == "paused"
    tls.resumeProducing()
    assert raw.producerState == "producing"


def test_a_queue_manager_without_tls_answers_with_an_alert() -> None:
    raw, upper, clock = RawTransport(), Upper(), Clock()
    session = NoTls().answer(lambda _: offer())
    assert isinstance(session, RefusingSession)
    tls = TlsTransport(raw, session, clock)
    upper.makeConnection(tls)
    tls.begin(upper, b"\x16")
    upper.transport.loseConnection()  # type: ignore[union-attr]  # it closes already, and the alert has its time
    assert raw.happened == ["half closed"]
    assert bytes(raw.queued) == bytes.fromhex("15 0303 0002 02 28")
    raw.kernel_takes()
    raw.lost()
    error = upper.reason.value  # type: ignore[union-attr]
    assert isinstance(error, TlsError)
    assert (error.fault.amq, error.fault.permanent) == ("AMQ9642", True)
    assert "mqbridge certificate create" in str(error)
    with pytest.raises(TlsError):
        NoTls().call(offer())


def test_a_closed_connection_leaves_nothing_to_the_garbage_collector(contexts: TlsContexts) -> None:
    """A queue manager collects old objects rarely, and a session has buffers."""

    def filters() -> int:
        return sum(type(each) is TlsFilter for each in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = filters()
        play = Play(contexts)
        play.speak(b"text")
        play.raw.lost()
        assert filters() == before + 1
        play.raw.protocol = None  # as Twisted's transports do
        del play
        assert filters() == before
    finally:
        gc.enable()


def test_the_socket_below_is_found(contexts: TlsContexts) -> None:
    play = Play(contexts)
    assert socket_transport(play.tls) is play.raw
    assert socket_transport(play.raw) is play.raw
    assert (play.tls.getPeer(), play.tls.getHost()) == (play.raw.getPeer(), play.raw.getHost())
