"""What a connection makes of what a provider says: refusals, silence, and limits that it does not keep."""

from __future__ import annotations

import pytest

pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")

from mqbridge.bridge.agents.linking.provider import (
    Accepted,
    Attached,
    Lost,
    Opened,
    Outcome,
    Received,
    Refused,
    Rejected,
    Released,
    TooLong,
)
from mqbridge.bridge.links.engine_events import MAX_FOREIGN
from mqbridge.mappings.amqp import AmqpMessage, BodyKind, Described
from support.linking import amqp_bytes as amqp
from support.linking import raw_provider as raw
from support.linking.raw_provider import RECEIVER, SENDER, RawProvider

BODY = raw.body(b"data")
MESSAGE = AmqpMessage(BodyKind.DATA, b"data")
EMPTY_FRAME = amqp.frame(b"")


@pytest.fixture
def provider() -> RawProvider:
    """One that has opened the connection and attached both ends."""
    made = RawProvider()
    made.opens()
    made.attaches()
    return made


def lost(provider: RawProvider) -> str:
    """The reason of the only end."""
    (ended,) = provider.ended
    assert isinstance(ended, Lost)
    assert provider.connection.over
    return ended.reason


# Signing on


def test_a_connection_is_opened_and_its_ends_are_attached(provider: RawProvider) -> None:
    assert provider.happened[0] == Opened("raw")
    assert Attached(SENDER, address="in") in provider.happened
    assert Attached(RECEIVER, address="out") in provider.happened


@pytest.mark.parametrize(("code", "permanent"), [(1, True), (2, False), (3, True), (4, False)])
def test_a_user_whom_the_provider_refuses(code: int, permanent: bool) -> None:
    provider = RawProvider(mechanism="PLAIN", user="mq", password="a word")
    provider.says(amqp.sasl("PLAIN", outcome=code))
    (ended,) = provider.ended
    assert isinstance(ended, Refused)
    assert (ended.handle, ended.permanent) == (None, permanent)
    assert "a word" not in repr(provider.happened)


@pytest.mark.parametrize(
    "says",
    [
        amqp.sasl("ANONYMOUS", "SCRAM-SHA-256"),
        amqp.SASL_HEADER + amqp.frame(amqp.performative(amqp.MECHANISMS), kind=1),
        amqp.HEADER + amqp.frame(amqp.performative(amqp.OPEN, amqp.text("raw"))),
    ],
    ids=["other mechanisms", "none", "no SASL"],
)
def test_a_password_is_not_sent_to_who_does_not_ask_for_it(says: bytes) -> None:
    provider = RawProvider(mechanism="PLAIN", user="mq", password="a word")
    provider.says(says)
    assert provider.ended
    assert b"a word" not in provider.sent


@pytest.mark.parametrize(
    ("condition", "kind"),
    [
        ("amqp:unauthorized-access", Refused),
        ("amqp:not-found", Refused),
        ("amqp:connection:forced", Lost),
    ],
)
def test_a_connection_that_the_provider_closes(condition: str, kind: type) -> None:
    provider = RawProvider()
    provider.opens()
    provider.says(amqp.frame(amqp.performative(amqp.CLOSE, amqp.error(condition, "not for you"))))
    (ended,) = provider.ended
    assert isinstance(ended, kind)
    assert "not for you" in str(ended)


def test_a_connection_that_is_refused_in_the_open_frame() -> None:
    provider = RawProvider()
    said = amqp.listed(amqp.symbol("amqp:connection-establishment-failed"), amqp.TRUE, code=0xD1)
    provider.opens(amqp.text("raw"), *[amqp.NULL] * 8, said)
    provider.says(amqp.frame(amqp.performative(amqp.CLOSE, amqp.error("amqp:unauthorized-access", "no"))))
    assert provider.happened == [Refused(None, "amqp:unauthorized-access", "no", permanent=True)]


# Ends


@pytest.mark.parametrize(
    ("condition", "permanent"),
    [("amqp:not-found", True), ("amqp:unauthorized-access", True), ("amqp:internal-error", False)],
)
@pytest.mark.parametrize("handle", [SENDER, RECEIVER])
def test_an_address_that_the_provider_refuses(handle: int, condition: str, permanent: bool) -> None:
    provider = RawProvider()
    provider.opens()
    provider.connection.attach_sender(SENDER, "in")
    provider.connection.attach_receiver(RECEIVER, "out")
    provider.hears()
    null = {"target" if handle == SENDER else "source": amqp.NULL}
    provider.says(raw.attach(handle, **null), raw.detach(handle, condition, "no"))  # type: ignore[arg-type]
    other = SENDER + RECEIVER - handle
    provider.says(raw.attach(other))
    assert provider.happened[1:] == [
        Refused(handle, condition, "no", permanent),
        Attached(other, address="in" if other == SENDER else "out"),
    ]
    assert not provider.ended


def test_a_dynamic_node_is_named_by_the_provider() -> None:
    provider = RawProvider()
    provider.opens()
    provider.connection.attach_receiver(SENDER, "")  # takes the first handle
    provider.hears()
    fields = [amqp.NULL] * 4
    dynamic = amqp.performative(amqp.SOURCE, amqp.text("temp-queue://1"), *fields[:3], amqp.TRUE)
    attached = raw.attach(SENDER, source=dynamic).replace(amqp.uint(0) + amqp.TRUE, amqp.uint(0) + amqp.FALSE, 1)
    provider.says(attached)
    assert provider.happened[1:] == [Attached(SENDER, address="temp-queue://1")]


def test_a_dynamic_node_that_is_refused() -> None:
    provider = RawProvider()
    provider.opens()
    provider.connection.attach_receiver(SENDER, "")
    provider.hears()
    attached = raw.attach(SENDER, source=amqp.NULL).replace(amqp.uint(0) + amqp.TRUE, amqp.uint(0) + amqp.FALSE, 1)
    provider.says(attached, raw.detach(SENDER, "amqp:not-implemented", "no nodes here"))
    assert provider.happened[1:] == [Refused(SENDER, "amqp:not-implemented", "no nodes here", permanent=True)]


def test_conditions_and_texts_are_kept_as_far_as_they_are_of_use(provider: RawProvider) -> None:
    provider.says(raw.detach(RECEIVER, "amqp:" + "x" * 5000, "y" * 50_000))
    refused = provider.happened[-1]
    assert isinstance(refused, Refused)
    assert (len(refused.condition), len(refused.text)) == (255, 1000)


# Silence


def test_a_provider_that_goes_silent_is_left(provider: RawProvider) -> None:
    provider.waits(59)
    assert not provider.ended
    provider.waits(2)
    assert "timeout" in lost(provider) or "idle" in lost(provider)


def test_a_provider_that_says_little_is_kept(provider: RawProvider) -> None:
    for _ in range(20):
        provider.waits(29)
        provider.says(EMPTY_FRAME)
    assert not provider.ended


def test_we_send_empty_frames_in_time() -> None:
    provider = RawProvider()
    provider.opens(amqp.text("raw"), amqp.NULL, amqp.NULL, amqp.NULL, amqp.uint(8000))
    for _ in range(10):
        provider.says(EMPTY_FRAME)
        assert EMPTY_FRAME in provider.waits(8)
    assert not provider.ended


@pytest.mark.parametrize("says", [b"", amqp.SASL_HEADER, amqp.sasl("ANONYMOUS") + amqp.HEADER])
def test_a_provider_that_does_not_open_the_connection_is_left(says: bytes) -> None:
    provider = RawProvider()
    provider.says(says)
    for _ in range(40):
        provider.waits(1)
        provider.says(EMPTY_FRAME if says.endswith(amqp.HEADER) else b"")
    assert lost(provider) == "the provider has not opened it in 30 seconds"


def test_a_connection_that_was_opened_in_time_is_kept(provider: RawProvider) -> None:
    provider.waits(40)
    provider.says(EMPTY_FRAME)
    provider.waits(40)
    assert not provider.ended


# Sizes


def test_a_message_longer_than_the_provider_takes_is_not_sent() -> None:
    provider = RawProvider()
    provider.opens()
    provider.attaches(most=1000)
    provider.connection.send(SENDER, b"1", AmqpMessage(BodyKind.DATA, bytes(1000)))
    provider.connection.send(SENDER, b"2", MESSAGE)
    written = provider.hears()
    state = Rejected("amqp:link:message-size-exceeded", "messages have at most 1000 bytes")
    assert [each for each in provider.happened if isinstance(each, Outcome)] == [Outcome(SENDER, b"1", state)]
    assert written.count(b"data") == 1
    assert len(written) < 200


def test_a_message_that_cannot_be_encoded_is_not_sent(provider: RawProvider) -> None:
    value: object = None
    for _ in range(100):
        value = [value]
    provider.connection.send(SENDER, b"1", AmqpMessage(BodyKind.VALUE, value))  # type: ignore[arg-type]
    assert provider.hears() == b""
    outcome = provider.happened[-1]
    assert isinstance(outcome, Outcome)
    assert isinstance(outcome.state, Rejected)
    assert outcome.state.condition == "amqp:decode-error"


def test_a_message_longer_than_we_take_is_rejected_and_the_next_is_taken() -> None:
    provider = RawProvider(max_message=1000)
    provider.opens()
    provider.attaches()
    for part in range(50):
        provider.transfers(bytes(100), more=part < 49, first=not part)
    provider.transfers(BODY)
    too_long, received = provider.happened[-2:]
    assert too_long == TooLong(RECEIVER, 5000)
    assert isinstance(received, Received)
    assert received.message == MESSAGE
    assert b"amqp:link:message-size-exceeded" in provider.sent


def test_a_frame_longer_than_we_announced_ends_the_connection() -> None:
    provider = RawProvider(max_frame=1000)
    provider.opens()
    provider.attaches()
    provider.says(raw.transfer(0, raw.body(bytes(2000))))
    assert "framing" in lost(provider)


# Floods


def test_more_messages_than_credit_end_the_connection(provider: RawProvider) -> None:
    for _ in range(10):
        provider.transfers(BODY)
    assert not provider.ended
    provider.transfers(BODY)
    assert lost(provider).startswith("amqp:link:transfer-limit-exceeded")
    assert sum(isinstance(each, Received) for each in provider.happened) == 10


def test_more_bytes_than_the_session_may_hold_end_the_connection() -> None:
    provider = RawProvider(max_frame=1000, max_session=10_000, max_message=1 << 30)
    provider.opens()
    provider.attaches()
    provider.connection.detach(RECEIVER)  # not heard yet
    for number in range(1000):
        provider.connection.receive_data(raw.transfer(0, bytes(900), more=True, first=not number), 1.0)
    provider.hears()
    assert "window" in lost(provider) or not provider.connection._engine.unsettled


def test_sessions_and_links_that_the_provider_begins_are_refused(provider: RawProvider) -> None:
    window = amqp.uint(10)
    provider.says(amqp.frame(amqp.performative(amqp.BEGIN, amqp.NULL, amqp.uint(0), window, window), channel=1))
    begun = amqp.performative(amqp.ATTACH, amqp.text("yours"), amqp.uint(5), amqp.FALSE)
    provider.says(amqp.frame(begun))
    provider.transfers(BODY)
    assert isinstance(provider.happened[-1], Received)
    assert not provider.ended


def test_who_begins_links_without_end_is_left(provider: RawProvider) -> None:
    for number in range(MAX_FOREIGN + 1):
        begun = amqp.performative(amqp.ATTACH, amqp.text(f"{number}"), amqp.uint(5), amqp.FALSE, *[amqp.NULL] * 4)
        provider.says(amqp.frame(begun), raw.detach(6, "amqp:internal-error"))
    assert lost(provider) == "the provider floods"


@pytest.mark.parametrize("flood", [amqp.HEADER, amqp.SASL_HEADER], ids=["AMQP", "SASL"])
def test_headers_without_end(flood: bytes) -> None:
    provider = RawProvider()
    for _ in range(1000):
        provider.says(flood * 10)
    assert provider.ended


def test_a_message_of_headers_without_end_is_none(provider: RawProvider) -> None:
    provider.transfers(amqp.performative(0x70) * 2000)
    received = provider.happened[-1]
    assert isinstance(received, Received)
    assert received.error
    provider.connection.settle(RECEIVER, received.delivery, Rejected("amqp:not-implemented", received.error))
    assert b"amqp:not-implemented" in provider.hears()
    provider.transfers(BODY)
    assert not provider.ended


@pytest.mark.parametrize("code", [0xD0, 0xF0, 0x00])
@pytest.mark.parametrize("depth", [64, 65, 5000, 60_000])
def test_values_nested_without_end_are_no_message(code: int, depth: int) -> None:
    provider = RawProvider(max_message=1 << 20, max_frame=1 << 20)
    provider.opens()
    provider.attaches()
    value = amqp.nested(depth, code) if code else amqp.nested_descriptions(depth)
    provider.transfers(amqp.described(0x77, value))
    received = provider.happened[-1]
    assert isinstance(received, Received)
    assert bool(received.error) is (depth > 64)
    provider.transfers(BODY)
    assert isinstance(provider.happened[-1], Received)
    assert not provider.ended


# Outcomes


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        (amqp.performative(amqp.ACCEPTED), Accepted()),
        (amqp.performative(amqp.RELEASED), Released()),
        (amqp.NULL, Released()),
        (amqp.performative(amqp.REJECTED), Rejected()),
        (amqp.performative(amqp.REJECTED, amqp.error("amqp:not-found", "no")), Rejected("amqp:not-found", "no")),
    ],
)
def test_outcomes(provider: RawProvider, state: bytes, outcome: object) -> None:
    provider.connection.send(SENDER, b"tag", MESSAGE)
    provider.hears()
    provider.says(raw.disposition(0, 0, state))
    assert provider.happened[-1] == Outcome(SENDER, b"tag", outcome)  # type: ignore[arg-type]


def test_an_outcome_of_all_deliveries_that_there_could_be(provider: RawProvider) -> None:
    for number in range(5):
        provider.connection.send(SENDER, b"%d" % number, MESSAGE)
    provider.hears()
    provider.says(raw.disposition(0, 0x7FFFFFFF, amqp.performative(amqp.ACCEPTED)))
    assert sum(isinstance(each, Outcome) for each in provider.happened) == 5
    assert not provider.ended


def test_a_described_body_is_kept_as_it_is(provider: RawProvider) -> None:
    provider.transfers(amqp.described(0x77, b"\x00" + amqp.symbol("shop:price") + amqp.uint(5)))
    received = provider.happened[-1]
    assert isinstance(received, Received)
    assert isinstance(received.message.body, Described)
