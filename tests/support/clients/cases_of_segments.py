"""Cases of bad input of clients: what is no call, ends a connection, or comes at the wrong time."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.protocol.constants import MQGMO, ByteOrder, SegmentType
from mqbridge.protocol.mqi import MAX_CALL_LENGTH
from mqbridge.protocol.structures.md import MD
from support.clients.cases import CASES, Case, case, changed, cut_off
from support.clients.playbook import ClientPlay, initial_data
from support.clients.program import CHANNEL, connects
from support.clients.scene import BOTH, OTHER, ClientScene, reasons_of

UNSHARED = "header without conversation on a shared connection, or the other way round"

Line = Callable[[ClientPlay, int], bytes]
LINES: dict[str, Line] = {
    "no segment": lambda play, handle: b"GET / HTTP/1.1\r\nHost: mars.example\r\n\r\n",
    "segment shorter than its header, or longer than agreed": lambda play, handle: b"TSHM\0\1\0\0" + bytes(40),
    "unknown byte order": lambda play, handle: changed(play.heartbeat(), 8, 3),
    "compressed segment all the same": lambda play, handle: changed(play.heartbeat(), 11, 0x05),
    "segment type that no client sends": lambda play, handle: play.segment(SegmentType.MESSAGE_DATA),
    "segment before the agreement, or INITIAL_DATA after it": lambda play, handle: initial_data(conversation=1),
    "user or password in a conversation that is connected": lambda play, handle: play.user_id(),
    "conversation that does not exist, or is started twice": lambda play, handle: play.socket_action(1, 1),
    "SOCKET_ACTION of unknown type": lambda play, handle: play.socket_action(OTHER, 11),
    UNSHARED: lambda play, handle: play.writer.build(SegmentType.MQCMIT, bytes(16), flags1=0x30),
    "messages wanted of a handle that is not open": lambda play, handle: play.request_msgs(handle=4711),
    "body that ends too soon": lambda play, handle: play.call(SegmentType.MQCLOSE, handle=handle),
    "data of a put that are more or fewer bytes than told": lambda play, handle: play.mqput(b"five", handle, length=5),
    "segments of a call out of order, a call inside a call": lambda play, handle: (
        play.mqput(b"begun", handle, length=200, flags=0x10) + play.call(SegmentType.MQCMIT)
    ),
    "security exit wants an answer": lambda play, handle: play.segment(SegmentType.SECURITY_DATA),
}


def _say(line: Line) -> Case:
    def scenario(scene: ClientScene) -> None:
        cut_off(scene, line(scene.bad, scene.handle))

    return scenario


for name, line in LINES.items():
    CASES[name] = _say(line)


@case("FAP level below 4")
def _(scene: ClientScene) -> None:
    scene.caller()
    cut_off(scene, initial_data(scene.bad.writer, channel_name=CHANNEL, q_mgr_name="MARS", fap_level=3, size=44))


@case("values on which the ends never agree")
def _(scene: ClientScene) -> None:
    scene.caller()
    small = initial_data(scene.bad.writer, channel_name=CHANNEL, q_mgr_name="MARS", max_transmission_size=1000)
    cut_off(scene, small)


@case("CCSID without conversion")
def _(scene: ClientScene) -> None:
    scene.caller()
    cut_off(scene, changed(initial_data(scene.bad.writer, channel_name=CHANNEL), 24, 0x39, 0x30))


@case("compression offered")
def _(scene: ClientScene) -> None:
    scene.caller()
    (answer,) = scene.says(initial_data(scene.bad.writer, channel_name=CHANNEL, hdr_comp_list=b"\x08\xff"))
    assert (answer.id.record.init_err_flags2, answer.id.record.hdr_comp_list) == (0x03, b"\x00\xff")
    scene.bad.breaks_off()


@case("one conversation more than agreed")
def _(scene: ClientScene) -> None:
    for number in range(5, 2 + 2 * 9 + 1, 2):
        scene.says(scene.bad.socket_action(number, 1))
    (answer,) = scene.says(scene.bad.socket_action(99, 1))
    assert (answer.type, answer.conversation, answer.socket.type) == (SegmentType.SOCKET_ACTION, 99, 2)


@case("call of more than 1 MiB without its message data")
def _(scene: ClientScene) -> None:
    bad = scene.bad
    segments = [bad.call(SegmentType.MQSUB, bytes(30_000), flags=0x10)]
    segments += [bad.segment(SegmentType.MQSUB, bytes(30_000), flags=0)] * (MAX_CALL_LENGTH // 30_000)
    cut_off(scene, *segments)


@case("call before MQCONN or after MQDISC")
def _(scene: ClientScene) -> list[int]:
    scene.says(scene.bad.socket_action(5, 1))
    before = scene.says(scene.bad.call(SegmentType.MQCMIT, conversation=5))
    for call in (scene.bad.mqconn("MARS", conversation=5), scene.bad.call(SegmentType.MQDISC, conversation=5)):
        assert scene.bad.asks(call).outcome == (0, 0)
    after = scene.says(scene.bad.mqopen("TARGET", conversation=5))
    assert reasons_of(before) == reasons_of(after)
    return reasons_of(after)


@case("MQCONN twice")
def _(scene: ClientScene) -> list[int]:
    return [scene.reason(scene.bad.mqconn("MARS"))]


@case("call while another one of the conversation waits for its reply")
def _(scene: ClientScene) -> list[int]:
    """MQGET waits; so does only a connection that is not shared."""
    single = connects(scene.stage, host="VENUS", conversations=0)
    handle = single.opens("DEV.QUEUE.1", BOTH)
    wait = single.get_segment(handle, int(MQGMO.WAIT), gmo={"wait_interval": -1})
    assert single.sends(wait) == []
    (beside,) = single.sends(single.call(SegmentType.MQCMIT))
    scene.venus.put("DEV.QUEUE.1", b"here it is")
    scene.stage.wait(0.05)
    (answer,) = single.hears()
    assert (answer.outcome, answer.body.endswith(b"here it is")) == ((0, 0), True)
    return reasons_of([beside])


@case("XA call at the wrong time")
def _(scene: ClientScene) -> None:
    scene.says(scene.bad.socket_action(5, 1))
    xa = scene.bad.segment(SegmentType.XA_START, bytes(16) + bytes(8), conversation=5)
    (answer,) = scene.says(xa)
    assert int.from_bytes(answer.body[4:8], "little", signed=True) == -6


@case("malformed OD, MD, PMO, GMO, SD, STS, SRO")
def _(scene: ClientScene) -> list[int]:
    md = MD.codec(ByteOrder.LITTLE)(version=2).build()
    calls = [
        (SegmentType.MQOPEN, b"OD  \5\0\0\0" + bytes(400)),
        (SegmentType.MQPUT, b"MD  \3\0\0\0" + bytes(600)),
        (SegmentType.MQPUT, md + b"PMO \7\0\0\0" + bytes(300)),
        (SegmentType.MQGET, md + b"GMO \5\0\0\0" + bytes(300)),
        (SegmentType.MQSUB, bytes(8) + b"SD  \2\0\0\0" + bytes(304)),
        (SegmentType.MQSTAT, bytes(4) + b"STAT\3\0\0\0" + bytes(400)),
        (SegmentType.MQSUBRQ, bytes(4) + b"SRO \2\0\0\0" + bytes(8)),
    ]
    return reasons_of(scene.says(*(scene.bad.call(kind, body, handle=scene.handle) for kind, body in calls)))


@case("SPI verb that is not known")
def _(scene: ClientScene) -> list[int]:
    return [scene.reason(scene.bad.call(SegmentType.SPI, b"\x63\0\0\0\1\0\0\0\0\1\0\0"))]
