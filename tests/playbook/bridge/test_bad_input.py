"""Bad input for a receiver: every row of the table in docs/protocol.md, while another channel is in a batch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from support.channels.partner import Partner, calls_as_sender, to_venus
from support.channels.playbook import (
    L2,
    THEY,
    end_of_batch,
    error,
    heartbeat,
    initial_data,
    message,
    more_of_it,
    reset,
)
from support.gateway.bad_input_scene import CHANNEL, NO_SUCH, Scene
from support.gateway.bad_input_table import Row, rows

pytestmark = pytest.mark.faulty_traffic

Scenario = Callable[[Scene], Partner]
SCENARIOS: dict[str, Scenario] = {}


def case(name: str) -> Callable[[Scenario], Scenario]:
    def register(scenario: Scenario) -> Scenario:
        SCENARIOS[name] = scenario
        return scenario

    return register


def changed(segment: bytes, offset: int, *values: int) -> bytes:
    return segment[:offset] + bytes(values) + segment[offset + len(values) :]


SIMPLE: dict[str, tuple[bytes, ...]] = {
    "wrong struct id": (message(2), b"GET / HTTP/1.1\r\nHost: mars.example\r\n\r\n"),
    "wrong length": (changed(heartbeat(), 4, 0, 0, 0, 27),),
    "length over the limit": (changed(message(2), 4, 0x7F, 0xFF, 0xFF, 0xFF),),
    "unknown byte order": (changed(heartbeat(), 8, 3),),
    "unknown segment type": (message(2), THEY.build(0x7F)),
    "segment out of its place": (message(2), initial_data()),
    "sequence gap": (message(2), message(4)),
    "malformed MSH, or a data length that is not that of the segment": (message(2), message(3, length=4)),
    "MQXQH or descriptor with another id": (message(2), message(3, md_struc_id=b"XXXX")),
    "MQXQH or descriptor of another version": (message(2, md_version=2),),
    "parts of a message out of order": (message(2), more_of_it(b"data", flags=0x20)),
    "parts that are more or fewer bytes than stated": (
        message(2, b"12345", flags=0x10, length=20),
        more_of_it(b"6789", flags=0x20),
    ),
    "compressed segment, never agreed": (changed(message(2), 11, 0x01),),
    "shared-socket header on a message channel": (THEY.build_shared(1, 1, SegmentType.HEARTBEAT),),
    "security exit wants an answer": (THEY.build(SegmentType.SECURITY_DATA, b"?"),),
    "RESYNC_DATA of another layout": (THEY.build(SegmentType.RESYNC_DATA, b"RD  \1\0\0\0\0", flags1=1),),
    "reset to a number outside 1 to SEQWRAP": (reset(0),),
}
for name, segments in SIMPLE.items():
    SCENARIOS[name] = lambda scene, segments=segments: scene.says(*segments)  # type: ignore[misc]

NOT_STARTED: dict[str, bytes] = {
    "message before negotiation": message(2),
    "sequence wrap that differs": initial_data(sequence_wrap=1000),
    "FAP level below 4": initial_data(fap_level=3),
    "CCSID without conversion": changed(initial_data(), 24, 0x39, 0x30),
    "encoding without conversion": changed(initial_data(), 20, 0xFF, 0x0F),
    "unknown channel": initial_data(channel_name="NO.SUCH"),
}
for name, segment in NOT_STARTED.items():
    SCENARIOS[name] = lambda scene, segment=segment: scene.calls(segment)  # type: ignore[misc]


@case("values on which the ends never agree")
def _(scene: Scene) -> Partner:
    partner = scene.calls()
    for _ in range(6):
        partner.hears()
        partner.sends(initial_data(heartbeat_interval=10))
    return partner


@case("wrong channel type")
def _(scene: Scene) -> Partner:
    scene.mars.types("DEFINE CHANNEL(CLIENTS) CHLTYPE(SVRCONN)")
    return scene.calls(initial_data(channel_name="CLIENTS"))


@case("stopped channel")
def _(scene: Scene) -> Partner:
    scene.mars.types(f"STOP CHANNEL({CHANNEL})")
    scene.cure = lambda: scene.mars.types(f"START CHANNEL({CHANNEL})")
    return scene.calls(initial_data())


@case("channel in use")
def _(scene: Scene) -> Partner:
    scene.good = calls_as_sender(scene.stage)
    return scene.calls(initial_data(), address="192.0.2.7")


@case('second instance, `adopt = "all"`')
def _(scene: Scene) -> Partner:
    older = calls_as_sender(scene.stage)
    older.sends(message(2))
    scene.good = calls_as_sender(scene.stage)
    assert older.gone
    return scene.good


@case("plain call to a channel with SSLCIPH")
def _(scene: Scene) -> Partner:
    scene.alters("SSLCIPH(ANY_TLS12)", "SSLCIPH(' ')")
    return scene.calls(initial_data())


@case("channel with an exit")
def _(scene: Scene) -> Partner:
    scene.alters("MREXIT('lib(func)')", "MREXIT(' ')")
    return scene.calls(initial_data())


@case("queue manager that is ending")
def _(scene: Scene) -> Partner:
    scene.mars.gateway.channel_manager.stopping = True
    scene.cure = lambda: setattr(scene.mars.gateway.channel_manager, "stopping", False)
    return scene.calls(initial_data())


@case("message longer than MAXMSGL")
def _(scene: Scene) -> Partner:
    scene.alters("MAXMSGL(1000)", "MAXMSGL(4194304)")
    partner = calls_as_sender(scene.stage, max_message_size=1000)
    partner.sends(message(2), message(3, bytes(1001)))
    return partner


@case("malformed header chain behind the descriptor")
def _(scene: Scene) -> Partner:
    broken = b"RFH \0\0\0\2\xff\xff\xff\xff" + bytes(20)
    scene.good = scene.says(message(2, broken, md_format=b"MQHRF2  "), end_of_batch(L2))
    assert scene.mars.contents("TARGET")[1:] == [broken]
    scene.mars.got("TARGET")
    scene.mars.got("TARGET")
    scene.mars.put("TARGET", b"message 1")
    scene.next_number = 3
    return scene.good


@case("bytes without end before our answer")
def _(scene: Scene) -> Partner:
    older = calls_as_sender(scene.stage)
    scene.mars._committing = True  # the disk is slow, so the next connection has to wait
    older.sends(end_of_batch(L2))
    partner = scene.calls(initial_data())
    assert partner.hears() == []
    partner.sends(bytes(65_537))
    scene.mars._committing = False
    scene.mars.call(lambda: None)
    scene.stage.wait(0.1)
    return partner


@case("unknown queue")
def _(scene: Scene) -> Partner:
    scene.mars.types_all("DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    scene.good = scene.says(message(2, xqh_remote_q_name=NO_SUCH, luwid=L2), end_of_batch(L2))
    assert scene.mars.depth("DLQ") == 1
    scene.next_number = 3
    return scene.good


@case("unknown queue, no dead-letter queue")
def _(scene: Scene) -> Partner:
    return scene.says(message(2), message(3, xqh_remote_q_name=NO_SUCH))


def waits_or_fails(trouble: str, cure: str, *, waits: bool) -> Scenario:
    def scenario(scene: Scene) -> Partner:
        if waits:
            scene.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MRRTY(100) MRTMR(500)")
        partner = scene.says()
        scene.mars.types(f"ALTER QLOCAL(TARGET) {trouble}")
        partner.sends(message(2, b"message 2", luwid=L2))

        def cured() -> None:
            scene.mars.types(f"ALTER QLOCAL(TARGET) {cure}")
            if waits:
                scene.stage.wait(1)
                partner.says(end_of_batch(L2))
                scene.mars.types(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(RCVR) MRRTY(0)")
                assert scene.mars.contents("TARGET") == [b"message 1", b"message 2"]
                scene.mars.got("TARGET")
                scene.mars.got("TARGET")
                scene.mars.put("TARGET", b"message 1")
                scene.good, scene.next_number = partner, 3

        scene.cure = cured
        return partner

    return scenario


SCENARIOS["full queue, while MRRTY and MRTMR last"] = waits_or_fails("MAXDEPTH(1)", "MAXDEPTH(9)", waits=True)
SCENARIOS["full queue after that, no dead-letter queue"] = waits_or_fails("MAXDEPTH(1)", "MAXDEPTH(9)", waits=False)
SCENARIOS["put inhibited, while MRRTY and MRTMR last"] = waits_or_fails("PUT(DISABLED)", "PUT(ENABLED)", waits=True)
SCENARIOS["put inhibited after that, no dead-letter queue"] = waits_or_fails(
    "PUT(DISABLED)", "PUT(ENABLED)", waits=False
)


@case("put inhibited, a fast message, no dead-letter queue")
def _(scene: Scene) -> Partner:
    scene.good = scene.says()
    scene.mars.types("ALTER QLOCAL(TARGET) PUT(DISABLED)")
    scene.good.sends(message(2, persistence=0))
    scene.cure = lambda: scene.mars.types("ALTER QLOCAL(TARGET) PUT(ENABLED)")
    scene.next_number = 3
    return scene.good


@case("batch that the store does not take")
def _(scene: Scene) -> Partner:
    partner = scene.says(message(2, luwid=L2))
    scene.mars.store.full_rate = 1.0
    partner.sends(end_of_batch(L2))
    scene.mars.store.full_rate = 0.0
    return partner


@case("connection lost at any byte")
def _(scene: Scene) -> Partner:
    partner = scene.says(message(2, bytes(1000))[:700])
    partner.hangs_up()
    return partner


@case("half-open connection")
def _(scene: Scene) -> Partner:
    partner = scene.says(message(2))
    partner.falls_silent()
    for _ in range(5):
        scene.stage.wait(100)
        scene.aside.says(heartbeat())
    return partner


@case("slow-loris")
def _(scene: Scene) -> Partner:
    partner = scene.calls()
    for byte in initial_data()[:10]:
        partner.sends(bytes([byte]))
        scene.stage.wait(3)
    return partner


@case("more connections than `max_per_address` or `max`")
def _(scene: Scene) -> Partner:
    scene.mars.gateway.channel_manager.settings.max_per_address = 3
    others = [scene.calls(address="192.0.2.9") for _ in range(4)]
    assert [other.gone for other in others] == [False, False, False, True]
    scene.cure = lambda: [other.hangs_up() for other in others]
    return others[-1]


ELSEWHERE = {"10,000 connections from a second process"}
"""Played over real sockets, in ``test_many_connections.py``."""


def test_every_row_has_a_play() -> None:
    assert {row.case for row in rows("receiver")} == set(SCENARIOS) | ELSEWHERE


@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.spec("channels.md 18")
@pytest.mark.parametrize("row", [row for row in rows("receiver") if row.case in SCENARIOS], ids=lambda row: row.case)
def test_bad_input_harms_nobody_else(row: Row) -> None:
    scene = Scene()
    partner = SCENARIOS[row.case](scene)
    if row.code is not None:
        told = partner.hears()[-1]
        assert (told.type, told.code, told.flags) == (SegmentType.STATUS_DATA, row.code, row.flags)
        assert partner.gone
        if row.case == "sequence gap":
            assert told.value == 3
    elif row.flags is not None:
        assert partner.hears()[-1].flags == row.flags == ControlFlags1.DLQ_USED
    if row.amq:
        assert scene.mars.logged(row.amq)
    if partner is not scene.good and row.case != "half-open connection":
        assert partner.gone is (row.state != "PAUSED")
    assert scene.mars.status(CHANNEL) == row.state
    scene.is_unharmed()


@pytest.mark.spec("channels.md 6.4")
@pytest.mark.parametrize("row", [row for row in rows("receiver") if row.a_sender], ids=lambda row: row.case)
def test_a_sender_of_ours_that_is_told_so(row: Row) -> None:
    _, mars, venus = to_venus()
    mars.put("FAR", b"kept")
    mars.types("START CHANNEL(MARS.VENUS)")
    assert row.code is not None
    negotiating = row.code in (StatusCode.NO_CHANNEL, StatusCode.CHANNEL_UNAVAILABLE)
    partner = venus.is_called() if negotiating else venus.agrees()
    partner.sends(error(row.code, 1 if row.code == StatusCode.MSG_SEQUENCE_ERROR else None))
    assert mars.status("MARS.VENUS") == row.a_sender
    if mars.row("MARS.VENUS")["INDOUBT"] == "NO":
        assert len(mars.contents("VENUS")) == 1
    else:
        mars.types("STOP CHANNEL(MARS.VENUS)")
        mars.types("RESOLVE CHANNEL(MARS.VENUS) ACTION(BACKOUT)")
        assert len(mars.contents("VENUS")) == 1


@pytest.mark.spec("mq-wire.md 6.1")
@pytest.mark.spec("channels.md 5.2")
def test_a_connection_lost_at_any_byte() -> None:
    scene = Scene()
    session = [initial_data(), message(2, b"message 2", luwid=L2), message(3, b"message 3", luwid=L2), end_of_batch(L2)]
    whole = b"".join(session)
    for length in range(0, len(whole), 3):
        partner = scene.calls(whole[:length])
        partner.hangs_up()
        assert scene.mars.contents("TARGET") == [b"message 1"], length
        assert len(scene.mars.gateway.connections) == 1
        if length % 100 == 0:
            scene.aside.says(heartbeat())
    scene.is_unharmed()
