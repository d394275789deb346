"""Cases of bad input of clients: calls that fail with a reason code."""

from __future__ import annotations

from mqbridge.protocol.constants import MQGMO, MQOO, MQPMO, MQRC, SegmentType, TMFlags
from mqbridge.protocol.structures import make_od
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.structures.pmo import make_pmo
from mqbridge.protocol.structures.sd import make_sd
from mqbridge.protocol.structures.xa import XA
from mqbridge.protocol.structures.xid import make_xid
from support.clients.cases import case
from support.clients.playbook import ClientPlay
from support.clients.program import ClientProgram, GotMessage, connects
from support.clients.scene import BOTH, OTHER, ClientScene, reasons_of

MIB = 1 << 20


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


@case("client that vanishes in doubt")
def _(scene: ClientScene) -> None:
    bad = scene.bad
    assert bad.commits() == (0, 0)
    bad.conversation = OTHER
    assert bad.commits() == (0, 0)
    bad.conversation = 1
    branch = make_xid(bad.writer.order, 7, b"global", b"branch").build()
    assert [_xa(bad, SegmentType.XA_OPEN, bytes(257)), _xa(bad, SegmentType.XA_START, branch)] == [0, 0]
    assert bad.puts(b"in doubt", scene.handle, int(MQPMO.SYNCPOINT), persistence=1).outcome == (0, 0)
    assert _xa(bad, SegmentType.XA_END, branch, int(TMFlags.SUCCESS)) == 0
    assert _xa(bad, SegmentType.XA_PREPARE, branch) == 0
    bad.breaks_off()
    for data in (b"bad", b"other"):
        assert scene.mars.got("TARGET").data == data
    assert (scene.mars.contents("TARGET"), scene.mars.depth("TARGET")) == ([], 1)
    manager = connects(scene.stage)
    assert _xa(manager, SegmentType.XA_OPEN, bytes(257)) == 0
    assert _xa(manager, SegmentType.XA_RECOVER, manager.word(10), int(TMFlags.STARTRSCAN)) == 1
    assert _xa(manager, SegmentType.XA_COMMIT, branch) == 0
    assert scene.mars.got("TARGET").data == b"in doubt"
    manager.breaks_off()


def _xa(client: ClientProgram, kind: SegmentType, behind: bytes, flags: int = 0) -> int:
    """An XA call; its return value."""
    header = XA.codec(client.writer.order)(length=200, tm_flags=flags)
    answer = client.asks(client.segment(kind, header.build(), behind))
    return XA.codec(answer.order).parse(answer.body).return_value
