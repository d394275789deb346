"""Each rule about clients: what it finds, and what it lets pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mqbridge.captures.rules import CATALOGUE, Severity, limits, load
from mqbridge.protocol.constants import MQGMO, MQOO, ByteOrder, SegmentType, SpiVerb
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.observer import Ending, MessageSeen
from mqbridge.protocol.structures import SPI, SPNI, spi_base
from support.rules.client_watch import ClientWatch

load()
Play = Callable[[], ClientWatch]
MQINQ, MQCMIT, MQOPEN, MQPUT, MQGET = (
    SegmentType.MQINQ, SegmentType.MQCMIT, SegmentType.MQOPEN, SegmentType.MQPUT, SegmentType.MQGET,
)  # fmt: skip
USUAL = {"C-603", "C-607"}
"""Findings of nearly every play: nothing is encrypted, nobody has a password."""


def plain() -> ClientWatch:
    return ClientWatch().started()


def alone() -> ClientWatch:
    return ClientWatch(shared=0).started()


def opened(**values: Any) -> ClientWatch:
    return plain().opens("Q1", **values)


def notifies(watch: ClientWatch) -> ClientWatch:
    """SPI NOTIFY, which has a thread of its own."""
    verb = SPI.codec(watch.order)(verb=SpiVerb.NOTIFY, version=1, max_reply_size=12).build()
    body = spi_base("SPNU").codec(watch.order)().build() + SPNI.codec(watch.order)(reason=2107).build()
    return watch.asks(SegmentType.SPI, verb, body, request=3)


def ended(watch: ClientWatch, ending: Ending = Ending.CLOSED) -> ClientWatch:
    watch.end(ending)
    return watch


def late_heartbeat(waited: float) -> ClientWatch:
    watch = plain().heartbeat()
    watch.after(waited)
    return ended(watch)


def silent(seconds: float) -> ClientWatch:
    watch = plain()
    watch.after(seconds)
    return watch.does(MQCMIT).leaves()


def slow(seconds: float, kind: int = MQCMIT) -> ClientWatch:
    watch = plain().asks(kind)
    watch.after(seconds)
    return watch.replies(kind).leaves()


def idle(seconds: float) -> ClientWatch:
    watch = plain().does(MQCMIT)
    for _ in range(20):
        watch.after(seconds / 20).heartbeat().heartbeat(0, server=True)  # type: ignore[attr-defined]
    return watch.does(MQCMIT).leaves()


def polled(times: int, found: int = 0) -> ClientWatch:
    watch = alone().opens("Q1")
    for number in range(times):
        watch.gets(None if number >= found else b"x")
    return watch.leaves()


def units(count: int, each: int) -> ClientWatch:
    watch = opened()
    for _ in range(count):
        for _ in range(each):
            watch.puts(options=2)
        watch.does(MQCMIT)
    return watch.leaves()


def reopened(times: int, each: int) -> ClientWatch:
    watch = plain()
    for _ in range(times):
        watch.opens("Q1")
        for _ in range(each):
            watch.puts()
        watch.closes()
    return watch.leaves()


def split_puts(times: int, size: int) -> ClientWatch:
    """Puts of four segments of so many bytes each."""
    watch = opened()
    for _ in range(times):
        body = watch.put_body(bytes(4 * size))
        first, rest = body[: len(body) - 3 * size], body[len(body) - 3 * size :]
        watch.asks(MQPUT, first, handle=2, flags=0x10)
        for place in range(3):
            part = rest[place * size : (place + 1) * size]
            watch.caller(watch.segment(MQPUT, part, flags=0x20 if place == 2 else 0))
        watch.replies(MQPUT, body[: len(body) - 4 * size], handle=2)
    return watch.leaves()


def shared_get(watch: ClientWatch) -> ClientWatch:
    return watch.requests().delivers().notifies()


CASES: list[tuple[str, Play, Play]] = [
    ("C-350", lambda: late_heartbeat(301), lambda: late_heartbeat(20)),
    ("C-350", lambda: late_heartbeat(301), lambda: plain().heartbeat().heartbeat(0, server=True).leaves()),
    ("C-351", lambda: silent(601), lambda: silent(590)),
    ("C-352", lambda: ended(plain()), lambda: plain().leaves()),
    ("C-352", lambda: ended(plain()), lambda: ended(plain(), Ending.OPEN)),
    ("C-353", lambda: plain().status(5), lambda: ClientWatch().negotiated().status(5)),
    ("C-354", lambda: ClientWatch().negotiated().status(1), plain),
    ("C-355", lambda: ClientWatch().negotiated().user().connects(2058), lambda: plain().leaves()),
    (
        "C-356",
        lambda: ClientWatch().negotiated().user().credentials(answer=0x02),
        lambda: ClientWatch().negotiated().user().credentials(),
    ),
    ("C-357", lambda: plain().socket_action(7, server=True), plain),
    (
        "C-358",
        lambda: plain().socket_action(1, 3).socket_action(2, 3, server=True),
        lambda: plain().socket_action(1, 3).socket_action(8, 3, server=True),
    ),
    ("C-359", lambda: ClientWatch().negotiated().status(1, 0x02), lambda: ClientWatch().negotiated().status(1, 0x0A)),
    (
        "C-360",
        lambda: ended(opened().requests(check=False, wait=5000)),
        lambda: opened().requests(check=False, wait=5000).delivers().leaves(),
    ),
    ("C-360", lambda: ended(alone().opens("Q1").asks_get(5, 5000)), lambda: ended(alone().opens("Q1").asks_get(4))),
    ("C-501", lambda: opened().asks(MQPUT, b"\0" * 400, handle=2), opened),
    ("C-502", lambda: plain().asks(MQINQ).replies(MQCMIT), lambda: plain().does(MQCMIT)),
    ("C-502", lambda: plain().replies(MQCMIT), lambda: ClientWatch(whole=False).replies(MQCMIT)),
    ("C-503", lambda: plain().asks(MQCMIT).asks(MQCMIT), lambda: plain().does(MQCMIT).does(MQCMIT)),
    ("C-503", lambda: notifies(plain().asks(MQCMIT)).asks(MQCMIT), lambda: notifies(plain().asks(MQCMIT))),
    ("C-503", lambda: notifies(plain()).asks(MQCMIT).asks(MQINQ), lambda: notifies(plain()).does(MQCMIT)),
    ("C-504", lambda: ClientWatch().negotiated().does(MQCMIT), lambda: plain().does(MQCMIT)),
    ("C-504", lambda: plain().connects(), plain),
    ("C-505", lambda: plain().asks(MQCMIT, flags=0x20), lambda: plain().does(MQCMIT)),
    ("C-505", lambda: plain().asks(MQCMIT, flags=0x10).asks(MQINQ, flags=0x10), plain),
    ("C-506", lambda: ended(plain().asks(MQCMIT)), lambda: ended(plain().does(MQCMIT))),
    ("C-506", lambda: ended(plain().asks(MQCMIT)), lambda: ended(plain().asks(MQCMIT), Ending.OPEN)),
    ("C-507", lambda: ended(plain().asks(MQCMIT), Ending.OPEN), lambda: ended(plain().does(MQCMIT), Ending.OPEN)),
    ("C-508", lambda: plain().asks(MQCMIT).replies(MQCMIT, length=900), lambda: plain().does(MQCMIT)),
    (
        "C-508",
        lambda: plain().asks(MQCMIT).replies(MQCMIT, length=40),
        lambda: plain().asks(MQCMIT).replies(MQCMIT, length=52),
    ),
    (
        "C-509",
        lambda: alone().opens("Q1").asks(MQGET, room=60).replies(MQGET, bytes(200), reason=2033),
        lambda: alone().opens("Q1").gets(None),
    ),
    ("C-510", lambda: plain().opens("NO.Q", reason=2085), lambda: opened()),
    ("C-510", lambda: plain().opens("NO.Q", reason=2085), lambda: alone().opens("Q1").gets(None)),
    ("C-510", lambda: opened().puts(reason=2085), lambda: opened().puts()),
    ("C-511", lambda: opened().puts(reason=2039), lambda: opened().puts(reason=2051)),
    ("C-511", lambda: opened().puts(reason=2030), lambda: opened().puts(reason=2085)),
    ("C-512", lambda: opened().puts(reason=2053), lambda: opened().puts()),
    ("C-512", lambda: opened().puts(reason=2051), lambda: opened().puts(reason=2085)),
    (
        "C-513",
        lambda: opened().asks(MQINQ, handle=2).replies(MQINQ, handle=2, reason=2068, comp_code=1),
        lambda: opened().does(MQINQ, handle=2),
    ),
    ("C-514", lambda: plain().xa(SegmentType.XA_COMMIT, result=-4), lambda: plain().xa(SegmentType.XA_COMMIT)),
    ("C-520", lambda: opened().closes().does(MQINQ, handle=2, reason=2019), lambda: opened().does(MQINQ, handle=2)),
    (
        "C-520",
        lambda: plain().does(MQINQ, handle=9, reason=2019),
        lambda: ClientWatch(whole=False).does(MQINQ, handle=9),
    ),
    ("C-520", lambda: opened().closes().requests(), lambda: opened().closes().opens("Q2").requests()),
    ("C-521", lambda: opened().closes().delivers(), lambda: shared_get(opened()).closes()),
    ("C-521", lambda: opened().closes().notifies(), lambda: opened().requests().notifies()),
    ("C-522", lambda: shared_get(opened()).delivers(index=2), lambda: shared_get(shared_get(opened()))),
    ("C-523", lambda: opened().requests(limit=3).delivers().notifies(), lambda: shared_get(opened())),
    ("C-530", lambda: ClientWatch().negotiated(conv_per_socket=20), lambda: ClientWatch().negotiated()),
    ("C-530", lambda: ClientWatch().negotiated({"fap_level": 12}, fap_level=13), ClientWatch().negotiated),
    (
        "C-534",
        lambda: ClientWatch().negotiated({"heartbeat_interval": 300}, heartbeat_interval=60),
        lambda: ClientWatch().negotiated({"heartbeat_interval": 1}, heartbeat_interval=300),
    ),
    (
        "C-534",
        lambda: ClientWatch().negotiated({"heartbeat_interval": 0}, heartbeat_interval=300),
        lambda: ClientWatch().negotiated({"heartbeat_interval": 300}, heartbeat_interval=0),
    ),
    ("C-531", lambda: ClientWatch().negotiated(max_transmission_size=4096), lambda: ClientWatch().negotiated()),
    (
        "C-531",
        lambda: ClientWatch().negotiated(max_transmission_size=4096),
        lambda: _lost().negotiated(max_transmission_size=4096),
    ),
    (
        "C-532",
        lambda: ClientWatch().negotiated(SHORT, **SHORT).user().connects().opens("Q").puts(),
        lambda: opened().puts(),
    ),
    (
        "C-533",
        lambda: _compressed(),
        lambda: plain().does(MQCMIT),
    ),
    ("C-601", lambda: ClientWatch().negotiated().user(password="secret"), lambda: ClientWatch().negotiated().user()),
    (
        "C-601",
        lambda: ClientWatch().negotiated({"fap_level": 12}, fap_level=12).user().credentials(),
        lambda: ClientWatch().negotiated(**PROTECTED).user().credentials(),
    ),
    (
        "C-602",
        lambda: ClientWatch().negotiated(**PROTECTED).user().credentials(),
        lambda: _encrypted(ClientWatch().negotiated(**PROTECTED)).user().credentials(),
    ),
    ("C-603", lambda: plain().leaves(), lambda: _encrypted(plain()).leaves()),
    ("C-604", lambda: _on("SYSTEM.DEF.SVRCONN"), lambda: _on("APP.SVRCONN")),
    ("C-605", lambda: ClientWatch().negotiated().user("mqm"), lambda: ClientWatch().negotiated().user("app")),
    ("C-605", lambda: ClientWatch().negotiated().user("MUSR_MQADMIN"), lambda: ClientWatch().negotiated().user("mqmx")),
    ("C-606", lambda: ClientWatch().negotiated().user("").connects().leaves(), lambda: plain().leaves()),
    ("C-607", lambda: plain().leaves(), lambda: ClientWatch().negotiated().user().credentials().connects().leaves()),
    ("C-608", lambda: opened(options=int(MQOO.OUTPUT | MQOO.SET_ALL_CONTEXT)), opened),
    (
        "C-610",
        lambda: plain().opens("SYSTEM.ADMIN.COMMAND.QUEUE"),
        lambda: plain().opens("SYSTEM.ADMIN.COMMAND.QUEUE", options=int(MQOO.INQUIRE)),
    ),
    ("C-611", lambda: plain().opens("Q1", reason=2035), lambda: plain().opens("Q1", reason=2085)),
    ("C-701", lambda: split_puts(12, 4000), lambda: split_puts(12, 32_000)),
    ("C-702", lambda: units(25, 1), lambda: units(25, 2)),
    ("C-703", lambda: polled(30), lambda: polled(30, found=20)),
    ("C-704", lambda: opened().asks(MQPUT, _large(), handle=2).leaves(), lambda: opened().puts()),
    ("C-705", lambda: reopened(25, 1), lambda: reopened(25, 3)),
    ("C-706", lambda: slow(2.0), lambda: slow(0.5)),
    ("C-706", lambda: slow(2.0), lambda: _waited()),
    ("C-707", lambda: idle(4000), lambda: idle(2000)),
]  # fmt: skip
SHORT = {"max_message_size": 3}
PROTECTED = {"pal": b"\1\0" + b"\xff" * 18}


def _encrypted(watch: ClientWatch) -> ClientWatch:
    watch.observer.encrypted = True
    return watch


def _on(channel: str) -> ClientWatch:
    names = {"channel_name": channel}
    return ClientWatch().negotiated(names, **names).user().connects().leaves()


def _lost() -> ClientWatch:
    watch = ClientWatch()
    watch.loses(Direction.RESPONDER, 268)
    return watch


def _compressed() -> ClientWatch:
    watch = plain()
    data = bytearray(watch.segment(MQOPEN, watch.api(), b"\x94\0\0\1" + b"\xab" * 30))
    data[19] = 5
    watch.caller(bytes(data))
    return watch


def _large() -> bytes:
    body = opened().put_body(b"")
    return body[:-4] + (limits.LARGE_MESSAGE + 1).to_bytes(4, "little") + bytes(100)


def _waited() -> ClientWatch:
    watch = alone().opens("Q1").asks_get(5, 30_000)
    watch.after(20)
    return watch.replies(MQGET, reason=2033, handle=2).leaves()


@pytest.mark.parametrize(
    ("rule", "wrong", "right"), CASES, ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)]
)
def test_a_rule_finds_what_it_is_for_and_nothing_else(rule: str, wrong: Play, right: Play) -> None:
    found = wrong()
    assert rule in found.rules(), found.findings
    told = next(one for one in found.findings if one.rule == rule)
    assert told.expected
    assert told.seen
    assert rule not in right().rules()


def test_every_rule_about_clients_has_a_case_and_an_example() -> None:
    ours = {
        number
        for number, row in CATALOGUE.items()
        if ("C-350" <= number <= "C-399" or "C-500" <= number < "C-800")
        and row.watches.__name__ not in ("FlowsSeen", "TlsSeen")
        and row.watches.__name__ not in ("FlowsSeen", "TlsSeen")
    }
    assert ours == {case[0] for case in CASES}
    for number in ours:
        row = CATALOGUE[number]
        assert row.example.startswith("expected: ")
        assert "; seen: " in row.example
        assert row.judge.__doc__


def test_no_rule_about_clients_finds_anything_in_a_good_session() -> None:
    for watch in (plain(), ClientWatch(order=ByteOrder.BIG).started()):
        watch.opens("Q1").puts().puts(options=2).does(MQCMIT)
        shared_get(watch).closes().leaves()
        assert set(watch.rules()) <= USUAL | {"C-009"}, watch.findings
        assert watch.overview.outcome == "ended"


@pytest.mark.spec("client-observed.md O-023")
def test_no_finding_shows_a_password() -> None:
    for play in (
        ClientWatch().negotiated().user(password="TopSecret"),
        ClientWatch().negotiated({"fap_level": 12}, fap_level=12).user().credentials(password="TopSecret"),
        ClientWatch().negotiated().user().credentials(password="TopSecret", answer=2),
    ):
        play.end()
        assert play.findings
        assert "TopSecret" not in repr(play.findings)
        assert "TopSecret" not in repr(play.observations)


def test_the_release_of_a_lock_brings_no_message() -> None:
    """Its reply has a descriptor of zeros, which is no message's."""
    watch = alone().opens("Q1").gets(b"", options=int(MQGMO.NO_SYNCPOINT | MQGMO.UNLOCK))
    watch.end()
    assert not watch.seen(MessageSeen)


def test_severities_of_everyday_answers() -> None:
    """2033 and unknown objects are no warnings."""
    watch = alone().opens("NO.Q", reason=2085).opens("Q1").gets(None)
    assert set(watch.rules()) - {"C-403", "C-404"} == {"C-510"}
    assert CATALOGUE["C-510"].severity is Severity.INFO
