"""What others do wrong on connections: a code, an alarm, nothing lost, and nobody else disturbed."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import pytest

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.network.called_line import CalledLine
from mqbridge.bridge.everyplace.network.calling_line import CallingLine
from mqbridge.bridge.everyplace.network.settings import NetworkSettings, Peer
from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.everyplace.authenticators import Authenticator, ByCertificate, ByKey, NoProof
from mqbridge.protocol.everyplace.batches import Confirm, Push, State, mark_of, write_body
from mqbridge.protocol.everyplace.calls import Done, Put, call_fields
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.frames import MAX_BODY, Flags, Frame, FrameReader, Kind
from mqbridge.protocol.everyplace.handshakes import Failure, Hello, read_greeting, write_greeting
from mqbridge.protocol.everyplace.initiator import Answered, Identity, Initiator
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import Station, World, text_message

KEY = bytes(range(32))


class Keys:
    """Credentials by key, or by certificate; ``others``: what this end has in place of the right key."""

    def __init__(self, key: bytes = KEY, binding: bytes = b"") -> None:
        self.key = key
        self.binding = binding

    def for_calling(self, connection: ConnectionDefinition, peer: Peer) -> Sequence[Authenticator]:
        return (ByKey(self.key, peer.binding + self.binding),)

    def for_called(self, name: str, listener: ListenerDefinition, peer: Peer) -> Authenticator:
        if listener.authenticator == "certificate":
            return ByCertificate(peer.certificate_name)
        return ByKey(self.key, peer.binding + self.binding)

    def proved(self, name: str, incarnation: bytes) -> None:
        """Everybody who has the key may have any name."""


class Stranger:
    """Somebody who connects to a queue manager, and may say anything."""

    def __init__(
        self,
        station: Station,
        name: str = "MOON",
        authenticators: Sequence[Authenticator] = (NoProof(),),
        peer: Peer | None = None,
        incarnation: bytes = b"stranger",
        compressors: tuple[str, ...] = (),
    ) -> None:
        self.station = station
        peer = peer or Peer("10.0.0.9:4711")
        self.line: CalledLine = station.network.called(station.listener, peer, station.now)
        identity = Identity(name, incarnation, int(station.now * 1000), bytes(32), compressors)
        self.machine = Initiator(identity, station.name, authenticators)
        self.reader = FrameReader()

    def greet(self) -> Stranger:
        self.machine.begin()
        for _ in range(3):
            self.line.receive_data(self.machine.take(), self.station.now)
            list(self.machine.receive(self.line.take()))
        return self

    def ask(self, kind: Kind, body: bytes = b"") -> Frame:
        self.machine.ask(kind, body)
        self.line.receive_data(self.machine.take(), self.station.now)
        self.station.write()
        (event,) = self.machine.receive(self.line.take())
        assert isinstance(event, Answered)
        return event.frame

    def say(self, data: bytes) -> list[Frame]:
        """Send any bytes, and return the frames that come back."""
        self.line.receive_data(data, self.station.now)
        return list(self.reader.receive(self.line.take()))


def failure(frame: Frame) -> Code:
    assert frame.kind is Kind.ERROR
    found = read_greeting(Kind.ERROR, frame.body)
    assert isinstance(found, Failure)
    return Code(found.code)


@pytest.fixture
def world() -> World:
    return World(settings=NetworkSettings(compressors=("zlib-stream", "zlib")))


@pytest.fixture
def earth(world: World) -> Station:
    station = world.queue_manager("EARTH")
    station.local("ORDERS")
    return station


@pytest.fixture
def venus(world: World, earth: Station) -> Station:
    """Somebody else, who must not be disturbed."""
    station = world.queue_manager("VENUS", credentials=earth.credentials)
    station.connection("EARTH")
    station.remote("ORDERS", "EARTH")
    return station


def goes_on(world: World, venus: Station, earth: Station) -> None:
    """Another device's messages still arrive."""
    before = len(earth.stored("ORDERS"))
    assert venus.put("ORDERS@EARTH", "still here") == Done()
    world.run(5)
    assert len(earth.stored("ORDERS")) == before + 1


@pytest.mark.spec("E-479", "E-481")
@pytest.mark.parametrize(
    ("data", "code"),
    [
        (Frame(Kind.HELLO, 1, bytes(5000)).encode(), Code.TOO_LONG),
        (b"\0\0\0\x06\x63\0\0\0\0\x01", Code.DATA),
        (b"\0\0\0\x06\x01\x80\0\0\0\x01", Code.DATA),
        (b"\0\0\0\x02\x01\0\0\0\0\x01", Code.DATA),
        (b"GET / HTTP/1.1\r\n\r\n", Code.DATA),
        (Frame(Kind.PUSH, 1).encode(), Code.DATA),
        (Frame(Kind.HELLO, 1, b"").encode(), Code.DATA),
        (
            Frame(Kind.HELLO, 1, write_greeting(Hello("MOON", "", b"12345678", 0, b"", lowest=3, highest=9))).encode(),
            Code.NOT_SUPPORTED,
        ),
        (
            Frame(Kind.HELLO, 1, write_greeting(Hello("MOON", "MARS", b"12345678", 0, b""))).encode(),
            Code.CON_INVALID_NAME,
        ),
    ],
    ids=["long", "kind", "flags", "short", "http", "no hello", "empty", "version", "other name"],
)
def test_a_stranger_who_does_not_greet_is_sent_away(
    world: World, earth: Station, venus: Station, data: bytes, code: Code
) -> None:
    stranger = Stranger(earth)
    answers = stranger.say(data)
    assert stranger.line.ended
    assert [failure(each) for each in answers if each.request] == [code] * len(
        [each for each in answers if each.request]
    )
    assert len(earth.network.take_effects()) == 1
    goes_on(world, venus, earth)


def test_a_frame_that_is_cut_is_waited_for_until_the_time_is_over(world: World, earth: Station) -> None:
    stranger = Stranger(earth)
    assert stranger.say(Frame(Kind.HELLO, 1, bytes(200)).encode()[:20]) == []
    assert not stranger.line.ended
    world.run(11)
    assert stranger.line.ended
    assert "nobody has proved a name within 10 seconds" in earth.alarms[0]


@pytest.mark.spec("E-471", "E-481")
@pytest.mark.parametrize("greets", ["nothing", "challenged", "ready"])
def test_who_is_silent_in_any_state_is_left(world: World, greets: str) -> None:
    earth = world.queue_manager("EARTH", credentials=Keys())
    earth.listener = ListenerDefinition("LISTENER", endpoint="EARTH:8081", timeout=30_000)
    stranger = Stranger(earth, authenticators=(ByKey(KEY),))
    if greets == "challenged":
        stranger.machine.begin()
        stranger.line.receive_data(stranger.machine.take(), earth.now)
    elif greets == "ready":
        stranger.greet()
        assert stranger.line.ready
    world.run(9 if greets != "ready" else 29)
    assert not stranger.line.ended
    world.run(2)
    assert stranger.line.ended
    assert (greets == "ready") == (not earth.alarms)


@pytest.mark.spec("E-259")
def test_an_idle_connection_is_closed_and_one_that_is_used_is_not(world: World, earth: Station) -> None:
    earth.listener = ListenerDefinition("LISTENER", endpoint="EARTH:8081", timeout=30_000)
    stranger = Stranger(earth).greet()
    for _ in range(3):
        world.run(20)
        stranger.ask(Kind.STATE, write_body(State("L", 0)))
    world.run(20)
    stranger.ask(Kind.PING)  # says that it is there, not that it is used
    world.run(15)
    assert stranger.line.ended


@pytest.mark.spec("E-260", "E-481")
def test_a_listener_has_a_number_of_connections(world: World, earth: Station, venus: Station) -> None:
    earth.listener = ListenerDefinition("LISTENER", endpoint="EARTH:8081", max_channels=10_000)
    strangers = [Stranger(earth) for _ in range(9_999)]
    goes_on(world, venus, earth)
    for _ in range(10):
        with pytest.raises(EveryplaceError, match="CHNL_LIMIT"):
            Stranger(earth)
    world.run()
    assert [each for each in earth.alarms if "its 10000 connections" in each] == [earth.alarms[0]]
    strangers[0].line.cut(earth.now)
    strangers.append(Stranger(earth))


@pytest.mark.spec("E-250", "E-441")
def test_the_key_is_proved_both_ways(world: World) -> None:
    earth = world.queue_manager("EARTH", credentials=Keys())
    earth.local("ORDERS")
    moon = world.queue_manager("MOON", credentials=Keys())
    moon.connection("EARTH")
    assert moon.put("ORDERS@EARTH", "one") == Done()
    assert not moon.alarms
    assert not earth.alarms


@pytest.mark.parametrize("what", ["key", "binding"])
@pytest.mark.spec("E-250", "E-484")
def test_a_wrong_key_or_another_line_below_is_refused_at_both_ends(world: World, what: str) -> None:
    earth = world.queue_manager("EARTH", credentials=Keys())
    earth.local("ORDERS")
    wrong = Keys(bytes(32)) if what == "key" else Keys(KEY, b"another certificate")
    moon = world.queue_manager("MOON", credentials=wrong)
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.put("ORDERS@EARTH", "one")
    world.run(60)
    assert len(moon.stored("ORDERS@EARTH")) == 1
    assert any("AUTHENTICATE" in each or "does not have the key" in each for each in moon.alarms)
    assert any("does not have the key" in each for each in earth.alarms)
    assert KEY.hex() not in str([*moon.alarms, *earth.alarms, wrong.for_calling])


@pytest.mark.spec("E-250")
def test_an_answerer_without_the_key_is_not_believed(world: World) -> None:
    """It plays the queue manager, welcomes at once, and gets nothing."""
    earth = world.queue_manager("EARTH")
    earth.local("ORDERS")
    moon = world.queue_manager("MOON", credentials=Keys())
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.put("ORDERS@EARTH", "one")
    world.run(30)
    assert len(moon.stored("ORDERS@EARTH")) == 1
    assert earth.texts("ORDERS") == []
    assert moon.alarms


def try_to_get_in(stranger: Stranger) -> bool:
    try:
        for _ in range(3):
            list(stranger.machine.receive(stranger.line.take()))
            stranger.line.receive_data(stranger.machine.take(), stranger.station.now)
    except EveryplaceError as error:
        assert error.code is Code.AUTHENTICATE  # noqa: PT017
    return stranger.line.ready


@pytest.mark.spec("E-250", "E-481")
def test_a_thousand_wrong_keys_slow_down_who_tries_and_nobody_else(world: World) -> None:
    keys = Keys()
    earth = world.queue_manager("EARTH", credentials=keys)
    earth.local("ORDERS")
    venus = world.queue_manager("VENUS", credentials=keys)
    venus.connection("EARTH")
    venus.remote("ORDERS", "EARTH")
    challenged = 0
    for _ in range(1000):
        stranger = Stranger(earth, authenticators=(ByKey(bytes(32)),))
        stranger.machine.begin()
        stranger.line.receive_data(stranger.machine.take(), earth.now)
        challenged += stranger.line.responder.state.name == "CHALLENGED"
        assert not try_to_get_in(stranger)
    assert challenged < 10
    assert len(earth.network.take_effects()) < 20
    true = Stranger(earth, authenticators=(ByKey(KEY),), peer=Peer("10.0.0.10:1")).greet()
    assert true.line.ready
    with pytest.raises(EveryplaceError, match="wait"):
        Stranger(earth, authenticators=(ByKey(KEY),)).greet()
    goes_on(world, venus, earth)
    world.run(400)
    assert Stranger(earth, authenticators=(ByKey(KEY),)).greet().line.ready


@pytest.mark.spec("E-250")
@pytest.mark.parametrize(("certified", "accepted"), [("MOON", True), ("MARS", False), ("", False)])
def test_the_name_is_that_of_the_certificate(world: World, certified: str, accepted: bool) -> None:
    earth = world.queue_manager("EARTH", credentials=Keys())
    earth.listener = ListenerDefinition("LISTENER", endpoint="EARTH:8081", authenticator="certificate")
    stranger = Stranger(
        earth, authenticators=(ByCertificate("EARTH"),), peer=Peer("10.0.0.9:1", certified, secure=True)
    )
    if accepted:
        assert stranger.greet().line.ready
    else:
        with pytest.raises(EveryplaceError, match="is not proved"):
            stranger.greet()
        assert stranger.line.ended


@pytest.mark.spec("E-245", "E-247")
def test_a_newer_connection_ends_the_older_before_anything_of_that_is_looked_at(world: World, earth: Station) -> None:
    older = Stranger(earth).greet()
    message = text_message("one")
    message.identify(MessageUid("MOON", 1))
    push = write_body(Push("L", 1, ((Address("ORDERS", "EARTH"), message),)))
    assert older.ask(Kind.STATE, write_body(State("L", 0))).kind is Kind.STATE
    assert older.ask(Kind.PUSH, push).kind is Kind.TAKEN
    older.machine.ask(Kind.CONFIRM, write_body(Confirm("L", 1, mark_of([MessageUid("MOON", 1)]))))
    late = older.machine.take()
    newer = Stranger(earth).greet()
    assert older.line.ended
    older.line.receive_data(late, earth.now)
    earth.write()
    assert earth.texts("ORDERS") == []
    assert newer.ask(Kind.STATE, write_body(State("L", 0))).kind is Kind.STATE


@pytest.mark.spec("E-198", "E-204")
def test_an_unknown_confirm_is_never_done(world: World, earth: Station, venus: Station) -> None:
    stranger = Stranger(earth).greet()
    stranger.machine.ask(Kind.CONFIRM, write_body(Confirm("L", 1, 7)))
    stranger.line.receive_data(stranger.machine.take(), earth.now)
    (event,) = stranger.machine.receive(stranger.line.take())
    assert isinstance(event, Answered)
    assert failure(event.frame) is Code.DATA
    assert stranger.line.ended
    goes_on(world, venus, earth)


@pytest.mark.spec("E-447", "E-481")
@pytest.mark.parametrize("compressor", ["zlib", "zlib-stream"])
def test_a_compressed_frame_that_swells_ends_the_connection(
    world: World, earth: Station, venus: Station, compressor: str
) -> None:
    stranger = Stranger(earth, compressors=(compressor,)).greet()
    swelling = zlib.compress(bytes(40 * MAX_BODY))
    assert len(swelling) < MAX_BODY
    stranger.say(Frame(Kind.PUSH, 9, swelling, Flags.COMPRESSED).encode())
    assert stranger.line.ended
    world.run()
    assert "more than" in earth.alarms[0]
    goes_on(world, venus, earth)


def test_too_many_requests_at_once_end_the_connection(world: World, earth: Station) -> None:
    stranger = Stranger(earth).greet()
    body = call_fields(Put(Address("ORDERS", "EARTH"), text_message("not on disk yet"))).body()
    stranger.say(b"".join(Frame(Kind.REQUEST, number, body).encode() for number in range(100, 300)))
    assert stranger.line.ended


@pytest.mark.spec("E-191")
def test_one_uid_with_two_contents_is_not_taken_twice(world: World, earth: Station) -> None:
    stranger = Stranger(earth).greet()
    for number, text in ((1, "one"), (2, "another")):
        message = text_message(text)
        message.identify(MessageUid("MOON", 1))
        answer = stranger.ask(Kind.PUSH, write_body(Push("L", number, ((Address("ORDERS", "EARTH"), message),))))
        assert (b"holds message" in answer.body) == (number == 2)
        if number == 1:
            stranger.ask(Kind.CONFIRM, write_body(Confirm("L", 1, 1)))
    assert earth.texts("ORDERS") == ["one"]


@pytest.mark.spec("E-087")
@pytest.mark.parametrize(("ahead", "alarmed"), [(4.0, False), (6.0, True), (-6.0, True)])
def test_a_clock_that_differs_is_an_alarm_and_nothing_is_corrected(
    world: World, earth: Station, venus: Station, ahead: float, alarmed: bool
) -> None:
    venus.clock_ahead = ahead
    goes_on(world, venus, earth)
    for station in (earth, venus):
        assert any("the clock of" in each for each in station.alarms) == alarmed
    (row,) = [each for each in earth.network.status() if each.name == "VENUS"]
    assert row.clock_offset == pytest.approx(ahead, abs=0.01)


@pytest.mark.spec("E-471")
def test_a_partner_that_stops_answering_is_left_and_called_again(world: World, earth: Station, venus: Station) -> None:
    goes_on(world, venus, earth)
    (wire,) = world.wires
    silent = wire.ends[0]
    assert isinstance(silent, CallingLine)
    world.wires.remove(wire)  # bytes go nowhere from now on
    world.run(125)
    assert silent.ended
    goes_on(world, venus, earth)


@pytest.mark.spec("E-191")
@pytest.mark.parametrize("pulled", [False, True], ids=["pushed", "pulled"])
def test_a_message_that_cannot_be_read_blocks_its_lane_alone(world: World, earth: Station, pulled: bool) -> None:
    moon = world.queue_manager("MOON")
    moon.local("REPLIES")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    moon.home_server("EARTH", POLL_INTERVAL=5000)
    earth.store_and_forward("SAF", ["MOON"])
    sender, queue, address = (earth, "SAF", "REPLIES@MOON") if pulled else (moon, "ORDERS@EARTH", "ORDERS@EARTH")
    earth.away = True
    sender.put(address, "damaged")
    number = sender.stored(queue).held.number
    for message in sender.tables.queues[number].values():
        message.pieces[:] = [b"no dump"]
    earth.away = False
    world.run(20)
    assert any("MOON" in each or "offset" in each for each in sender.alarms)
    other = "ORDERS@EARTH" if pulled else "REPLIES@MOON"
    (moon if pulled else earth).put(other, "goes on")
    world.run(20)
    assert (earth.texts("ORDERS") if pulled else moon.texts("REPLIES")) == ["goes on"]


@pytest.mark.spec("E-191")
def test_a_full_disk_at_either_end_loses_nothing(world: World, earth: Station) -> None:
    moon = world.queue_manager("MOON")
    moon.connection("EARTH")
    moon.remote("ORDERS", "EARTH")
    for full in (moon, earth):
        earth.away = True
        world.cut_all("MOON")
        assert moon.put("ORDERS@EARTH", f"while {full.name} is full") == Done()
        commit, full.store.commit = full.store.commit, lambda units: [StoreFull("no room") for _ in units]
        earth.away = False
        world.run(30)
        assert len(moon.stored("ORDERS@EARTH")) == 1
        full.store.commit = commit
        world.run(60)
    assert earth.texts("ORDERS") == ["while MOON is full", "while EARTH is full"]
    assert len(moon.stored("ORDERS@EARTH")) == 0
