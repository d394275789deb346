"""Bad input of clients: every row of the table in docs/protocol.md against a whole queue manager at work.

Each case says what the bad client does. A row with a code cuts it off, a row with reason codes fails its calls, of the
others the case itself sees what happens. Then everybody else must be unharmed, and nothing lost.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bad_input_table import ClientRow, client_rows
from client_playbook import ClientPlay, initial_data
from client_program import CHANNEL, ClientProgram, GotMessage, connects
from client_scene import BOTH, OTHER, ClientScene, reasons_of

from protocol.constants import MQGMO, MQOO, MQPMO, MQRC, SegmentType
from protocol.mqi import MAX_CALL_LENGTH
from protocol.structures import make_od
from protocol.structures.md import MD
from protocol.structures.pmo import make_pmo
from protocol.structures.sd import make_sd

Case = Callable[[ClientScene], "list[int] | None"]
CASES: dict[str, Case] = {}
UNSHARED = "header without conversation on a shared connection, or the other way round"
MIB = 1 << 20


def case(name: str) -> Callable[[Case], Case]:
    def register(scenario: Case) -> Case:
        CASES[name] = scenario
        return scenario

    return register


def changed(segment: bytes, offset: int, *values: int) -> bytes:
    return segment[:offset] + bytes(values) + segment[offset + len(values) :]


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
        _cut_off(scene, line(scene.bad, scene.handle))

    return scenario


def _cut_off(scene: ClientScene, *segments: bytes) -> None:
    (row,) = [row for row in client_rows() if row.case == scene.case]
    scene.is_cut_off(scene.says(*segments, seconds=0.5), *row.codes)


for name, line in LINES.items():
    CASES[name] = _say(line)


@case("FAP level below 4")
def _(scene: ClientScene) -> None:
    scene.caller()
    _cut_off(scene, initial_data(scene.bad.writer, channel_name=CHANNEL, q_mgr_name="MARS", fap_level=3, size=44))


@case("values on which the ends never agree")
def _(scene: ClientScene) -> None:
    scene.caller()
    small = initial_data(scene.bad.writer, channel_name=CHANNEL, q_mgr_name="MARS", max_transmission_size=1000)
    _cut_off(scene, small)


@case("CCSID without conversion")
def _(scene: ClientScene) -> None:
    scene.caller()
    _cut_off(scene, changed(initial_data(scene.bad.writer, channel_name=CHANNEL), 24, 0x39, 0x30))


@case("compression offered")
def _(scene: ClientScene) -> None:
    scene.caller()
    (answer,) = scene.says(initial_data(scene.bad.writer, channel_name=CHANNEL, hdr_comp_list=b"\x08\xff"))
    assert (answer.id.init_err_flags2, answer.id.hdr_comp_list) == (0x03, b"\x00\xff")
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
    _cut_off(scene, *segments)


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
    md = MD.codec("little")(version=2).build()
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


@case("lengths and offsets that reach beyond the call")
def _(scene: ClientScene) -> list[int]:
    """Strings and records, told to stand where nothing is."""
    play, order = scene.bad, scene.bad.writer.order
    far = make_od(order, 4, object_string_vs_offset=100_000, object_string_vs_length=50, object_string_vs_ptr=1)
    records = make_od(order, 2, recs_present=1_000_000, object_rec_offset=200)
    put = MD.codec(order)(version=2, expiry=-1).build()
    put += make_pmo(order, 2, recs_present=9, response_rec_offset=152).build()
    sd = make_sd(order, sub_name_vs_offset=0x7FFFFFFF, sub_name_vs_length=-2, sub_name_vs_ptr=1)
    return reasons_of(
        scene.says(
            play.call(SegmentType.MQOPEN, far.build(), play.word(0x2010)),
            play.call(SegmentType.MQOPEN, records.build(), play.word(0x2010)),
            play.call(SegmentType.MQPUT, put, play.word(0), handle=scene.handle),
            play.call(SegmentType.MQSUB, bytes(8), sd.build()),
        )
    )


@case("header in front of the data that is none, behind a version 2 descriptor")
def _(scene: ClientScene) -> list[int]:
    names = (b"MQHDIST ", b"MQDEAD  ", b"MQHRF2  ", b"MQXMIT  ")
    return [int(scene.bad.puts(b"no header", scene.handle, format=name).api.reason) for name in names]


@case("handle that the program has not")
def _(scene: ClientScene) -> list[int]:
    """Closed, of another conversation, of another connection, never given."""
    bad = scene.bad
    closed = bad.opens("TARGET", BOTH)
    assert bad.asks(bad.mqclose(closed)).outcome == (0, 0)
    bad.conversation = OTHER
    others = [bad.opens("TARGET", BOTH) for _ in range(3)]
    bad.conversation = 1
    assert scene.handle not in others[1:]
    found = set()
    for handle in (closed, others[-1], 0, -1, 0x7FFFFFFF):
        inquire = bad.call(SegmentType.MQINQ, bytes(12), handle=handle)
        found |= {scene.reason(call) for call in (bad.put_segment(b"x", handle), bad.mqclose(handle), inquire)}
    return list(found)


@case("call on a handle that was not opened for it")
def _(scene: ClientScene) -> list[int]:
    bad = scene.bad
    writes, reads = bad.opens("TARGET", int(MQOO.OUTPUT)), bad.opens("TARGET", int(MQOO.INPUT_SHARED))
    wanted = bad.request_msgs(writes, 0x1E)
    browsed = bad.request_msgs(reads, 0x1E, get_msg_options=int(MQGMO.BROWSE_NEXT), selection_index=2)
    told = [scene.says(each)[0].stream.reason_code for each in (wanted, browsed)]
    return [*told, int(bad.puts(b"x", reads).api.reason)]


@case("options that exclude each other")
def _(scene: ClientScene) -> list[int]:
    bad = scene.bad
    both = int(MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT)
    answers = [bad.asks(bad.mqopen("TARGET", 0x2020 | 6)), bad.puts(b"x", scene.handle, both)]
    found = set(reasons_of(answers))
    wanted = bad.request_msgs(scene.handle, 0x1E, get_msg_options=int(MQGMO.SYNCPOINT | MQGMO.NO_SYNCPOINT))
    found.add(scene.says(wanted)[0].stream.reason_code)
    return list(found)


@case("message longer than the channel's MAXMSGL")
def _(scene: ClientScene) -> list[int]:
    """100 MiB and one byte, in 3,500 segments."""
    bad, length = scene.bad, 100 * MIB + 1
    head = bad.put_segment(b"", scene.handle)[:-4] + bad.word(length)
    begun = bad.segment(SegmentType.MQPUT, head[36:], bytes(30_000), flags=0x10)
    middle = bad.segment(SegmentType.MQPUT, bytes(30_000), flags=0)
    left = length - 30_000
    scene.says(begun, middle * (left // 30_000))
    return reasons_of(scene.says(bad.segment(SegmentType.MQPUT, bytes(left % 30_000), flags=0x20)))


@case("the same, put asynchronously")
def _(scene: ClientScene) -> None:
    bad, length = scene.bad, 100 * MIB + 1
    head = bad.put_segment(b"", scene.handle, int(MQPMO.ASYNC_RESPONSE))[:-4] + bad.word(length)
    assert scene.says(bad.segment(SegmentType.MQPUT, head[36:], bytes(30_000), flags=0x10)) == []
    middle = bad.segment(SegmentType.MQPUT, bytes(30_000), flags=0)
    left = length - 30_000
    scene.says(middle * (left // 30_000), bad.segment(SegmentType.MQPUT, bytes(left % 30_000), flags=0x20))
    status = bad.status_of_puts()
    assert (status.put_failure_count, status.reason) == (1, MQRC.MSG_TOO_BIG_FOR_CHANNEL)


@case("selector of more than 10,240 characters, of 10,000 terms for one")
def _(scene: ClientScene) -> list[int]:
    """10,000 terms."""
    return [_open_with(scene, " OR ".join(f"n = {number}" for number in range(10_000)))[0]]


@case("selector that is none")
def _(scene: ClientScene) -> list[int]:
    """What is one, however many terms and however deep, is evaluated."""
    assert scene.bad.puts(b"not for them", scene.handle).outcome == (0, 0)
    deep = ("(" * 5000 + "n=1" + ")" * 5000, "NOT " * 2500 + "n=1", "-" * 5000 + "1 = n", " OR ".join(["n=1"] * 1463))
    for text in deep:
        assert _open_with(scene, text) == (0, None)
    assert scene.mars.got("TARGET").data == b"not for them"
    return sorted({_open_with(scene, text)[0] for text in ("n =", "'open", "NOT " * 2500, "n = 1 AND")})


def _open_with(scene: ClientScene, selector: str) -> tuple[int, GotMessage | None]:
    """The reason of an open with a selector, and what is then got."""
    play: ClientProgram = scene.bad
    od = make_od(play.writer.order, 4, object_name=b"TARGET".ljust(48), strings={"selection_string": selector.encode()})
    opened = play.call(SegmentType.MQOPEN, od.build(), play.word(BOTH))
    segments = [opened] if len(opened) < 32_000 else _cut(play, SegmentType.MQOPEN, opened[36:])
    answer = scene.says(*segments)[0]  # a reply repeats the call, in as many segments
    handle = int(answer.api.object_handle)
    return int(answer.api.reason), None if answer.api.reason else play.takes(handle)


def _cut(play: ClientPlay, kind: SegmentType, body: bytes) -> list[bytes]:
    """A long call in segments."""
    parts = [body[at : at + 30_000] for at in range(0, len(body), 30_000)]
    flags = [0x10, *[0x00] * (len(parts) - 2), 0x20]
    return [play.segment(kind, part, flags=flag) for part, flag in zip(parts, flags, strict=True)]


@case("topic string of more than 10,240 characters")
def _(scene: ClientScene) -> list[int]:
    """One of 10,240 is taken."""
    play = scene.bad

    def opens(length: int) -> tuple[int, int]:
        text = ("level/" * 2000)[: length - 1] + "x"
        od = make_od(play.writer.order, 4, object_type=8, strings={"object_string": text.encode()})
        answer = play.asks(play.call(SegmentType.MQOPEN, od.build(), play.word(int(MQOO.OUTPUT))))
        return int(answer.api.reason), int(answer.api.object_handle)

    reason, handle = opens(10_240)
    assert reason == 0
    assert play.puts(b"news", handle).outcome == (0, 0)
    return [opens(10_241)[0]]


@case("silence longer than twice HBINT, or HBINT and 60 seconds")
def _(scene: ClientScene) -> None:
    for client in (scene.aside, scene.waiter, scene.bad):
        client.answers_heartbeats = client is not scene.bad
    scene.stage.wait(400)
    assert scene.bad.gone


@case("the same in a waiting MQGET")
def _(scene: ClientScene) -> None:
    single = connects(scene.stage, host="VENUS", conversations=0)
    single.answers_heartbeats = False
    handle = single.opens("DEV.QUEUE.1", BOTH)
    wait = single.get_segment(handle, int(MQGMO.WAIT), gmo={"wait_interval": -1})
    assert single.sends(wait) == []
    scene.stage.wait(400)
    assert single.gone
    scene.venus.put("DEV.QUEUE.1", b"for somebody else")
    assert scene.venus.contents("DEV.QUEUE.1") == [b"for somebody else"]


@case("no MQCONN within `handshake_timeout`")
def _(scene: ClientScene) -> None:
    scene.newcomer()
    scene.stage.wait(60)
    assert scene.bad.gone


@case("client that vanishes in a get-wait or in a transaction")
def _(scene: ClientScene) -> None:
    bad = scene.bad
    scene.mars.put("TARGET", b"got")
    assert bad.takes(scene.handle, int(MQGMO.SYNCPOINT)) is not None
    assert bad.sends(bad.request_msgs(scene.handle, 0x18, get_msg_options=int(MQGMO.WAIT), wait_interval=-1)) == []
    bad.breaks_off()
    assert scene.mars.contents("TARGET") == [b"got"]
    assert scene.mars.got("TARGET").md.backout_count == 1


@pytest.mark.parametrize("row", client_rows(), ids=lambda row: row.case)
def test_every_row_is_as_the_page_says(row: ClientRow) -> None:
    scene = ClientScene(case=row.case)
    told = [(station, len(station.lines)) for station in (scene.mars, scene.venus)]
    found = CASES[row.case](scene)
    if row.codes:
        assert scene.bad.gone
    if row.reasons:
        assert found == list(row.reasons)
    if row.amq:
        lines = [line for station, before in told for line in station.lines[before:]]
        assert any(f" {row.amq} " in line for line in lines), lines
    scene.is_unharmed()


def test_every_case_has_a_row() -> None:
    assert set(CASES) == {row.case for row in client_rows()}
