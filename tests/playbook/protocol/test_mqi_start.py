"""How a client's connection begins: agreement, sign-on, MQCONN (client-observed.md 1 to 3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mqbridge.protocol.channel import ChannelRequested, Closed, Responder
from mqbridge.protocol.constants import ByteOrder, SegmentType, StatusCode
from mqbridge.protocol.errors import LocalProtocolError
from mqbridge.protocol.framing import SegmentReader, SegmentWriter
from mqbridge.protocol.mqi import (
    CallRefused,
    Connect,
    ConversationEnded,
    ConversationStarted,
    CredentialsGiven,
    Passwords,
    ServerConnection,
    Started,
    UserIdentified,
)
from mqbridge.protocol.structures import parse_initial_data
from support.captures.vectors import VECTORS, from_hex
from support.clients.playbook import (
    CHANNEL,
    CONNECTION_ID,
    ClientPlay,
    answering,
    asked,
    connected,
    initial_data,
    parameters,
    started,
)
from support.transcripts.client_transcripts import transcript

CLIENT_LENGTHS = {4: 102, 6: 102, 8: 128, 9: 208, 10: 208, 11: 240, 12: 240, 13: 240, 14: 240, 15: 240, 17: 240}


def real_flow(side: str) -> bytes:
    return from_hex((VECTORS / "jms-client" / f"flow-jms2-refused-2035.{side}.hex").read_text(encoding="ascii"))


@pytest.mark.spec("mq-wire.md 5.1", "mq-wire.md 8.1")
def test_a_real_client_is_answered_as_a_real_queue_manager_did() -> None:
    """All fields of both our INITIAL_DATA but process, thread, trace, product and random bytes."""
    client = list(SegmentReader(1 << 16).feed(real_flow("client")))
    theirs = list(SegmentReader(1 << 16).feed(real_flow("server")))
    definition = parameters(channel_name="APP.SVRCONN", queue_manager="QM3", queue_manager_id="QM3_2025-09-05_02.13.44")
    play = answering(client[0].data, definition)
    first = play.we_answer(SegmentType.INITIAL_DATA)
    play.says(client[1].data)
    second = play.we_answer(SegmentType.INITIAL_DATA)
    ours = {"process_id", "thread_id", "trace_id", "product_id", "r"}
    for answer, real in zip((first, second), theirs[:2], strict=True):
        assert (answer.flags, answer.struc_id, answer.length) == (real.flags1, real.struc_id, real.length)
        expected = parse_initial_data(real.body, real.order).record.as_dict()
        found = answer.id.record.as_dict()
        assert {key for key in expected if found[key] != expected[key]} <= ours
    assert json.loads(
        (VECTORS / "jms-client" / "flow-jms2-refused-2035.expect.json").read_text(encoding="utf-8")
    )  # the flow ends with 2035, as ours may
    play.says(client[2].data)
    (call,) = play.says(client[3].data)
    play.machine.replies.refuse(call, 2035)
    answer = play.we_answer(SegmentType.MQCONN_REPLY)
    assert (answer.outcome, answer.length, answer.body[:4]) == ((2, 2035), theirs[2].length, theirs[2].body[:4])


@pytest.mark.spec("client-observed.md O-003", "client-observed.md O-003a")
def test_one_round_when_nothing_differs() -> None:
    play = answering(initial_data())
    (event,) = play.events
    assert isinstance(event, Started)
    assert (event.agreed.fap_level, event.agreed.conversations, event.agreed.shared) == (17, 10, True)
    assert (event.channel_name, event.product) == (CHANNEL, "MQJM09040300")
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert (answer.flags, answer.struc_id) == (0, b"TSH ")
    assert play.machine.conversations == (1,)


@pytest.mark.spec("client-observed.md O-003a", "mq-wire.md 7.2")
@pytest.mark.parametrize(
    "differs",
    [
        {"heartbeat_interval": 1},
        {"max_message_size": 104857600},
        {"max_transmission_size": 65536},
        {"conv_per_socket": 11},
        {"cap_flags3": 0x28},
        {"cap_flags2": 0x55},
        {"fap_level": 18},
        {"msg_comp_list": b"\x01\x02" + b"\xff" * 14},
    ],
)
def test_error_when_a_value_differs(differs: dict[str, Any]) -> None:
    play = answering(initial_data(**differs))
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert answer.flags == 0x02
    assert play.events == []
    agreed = answer.id.record
    play.says(
        initial_data(
            conversation=1,
            fap_level=agreed.fap_level,
            heartbeat_interval=agreed.heartbeat_interval,
            max_message_size=agreed.max_message_size,
            max_transmission_size=agreed.max_transmission_size,
            conv_per_socket=agreed.conv_per_socket,
            cap_flags2=agreed.cap_flags2,
            cap_flags3=agreed.cap_flags3,
        )
    )
    assert [type(event) for event in play.events] == [Started]
    second = play.we_answer(SegmentType.INITIAL_DATA)
    assert (second.flags, second.struc_id, second.conversation, second.request) == (0, b"TSHM", 1, 0)


@pytest.mark.spec("client-observed.md O-012")
def test_compression_is_refused_by_a_bit() -> None:
    play = answering(initial_data(hdr_comp_list=b"\x08\xff"))
    answer = play.we_answer(SegmentType.INITIAL_DATA).id
    assert answer.record.init_err_flags2 == 0x03
    assert (answer.record.hdr_comp_list, answer.record.msg_comp_list) == (b"\x00\xff", b"\x00" + b"\xff" * 15)


@pytest.mark.spec("client-observed.md O-006", "mq-wire.md 5.1")
@pytest.mark.parametrize("level", CLIENT_LENGTHS)
def test_the_length_goes_with_the_level(level: int) -> None:
    play = answering(initial_data(), parameters(fap_level=level))
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert (answer.id.record.fap_level, answer.length - 28) == (level, CLIENT_LENGTHS[level])
    sizes = {9: 160, 10: 208, 11: 208, 12: 208}
    shared = level >= 9
    if level < 17:
        play.says(
            initial_data(
                conversation=1 if shared else None,
                fap_level=level,
                size=sizes.get(level),
                conv_per_socket=answer.id.record.conv_per_socket,
            )
        )
    (event,) = play.events
    assert isinstance(event, Started)
    assert (event.agreed.fap_level, event.agreed.shared) == (level, shared)


@pytest.mark.spec("mq-wire.md 8.2")
def test_a_level_that_its_length_cannot_mean_is_not_taken() -> None:
    """The earliest Java clients offer level 255 in 102 bytes."""
    play = answering(initial_data(fap_level=255, size=102, cap_flags1=0x25, cap_flags2=0x01))
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert (answer.flags, answer.id.record.fap_level, answer.length) == (0x02, 6, 130)
    play.says(initial_data(fap_level=6, cap_flags1=answer.id.record.cap_flags1, cap_flags2=0x01))
    (event,) = play.events
    assert isinstance(event, Started)
    assert (event.agreed.fap_level, event.agreed.conversations) == (6, 0)


@pytest.mark.spec("client-observed.md O-004", "client-observed.md O-005")
@pytest.mark.parametrize(("ours", "theirs", "agreed"), [(0, 10, 0), (10, 0, 0), (10, 1, 1), (3, 10, 3), (1, 1, 1)])
def test_the_lower_sharecnv_wins(ours: int, theirs: int, agreed: int) -> None:
    play = answering(initial_data(conv_per_socket=theirs), parameters(shared_conversations=ours))
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert answer.id.record.conv_per_socket == agreed
    assert answer.flags == (0 if theirs == agreed else 0x02)
    if theirs != agreed:
        play.says(initial_data(conversation=1 if agreed else None, conv_per_socket=agreed))
    assert play.machine.agreed.conversations == agreed
    assert play.machine.conversations == ((1,) if agreed else (0,))


@pytest.mark.spec("client-observed.md O-022", "client-observed.md O-023")
@pytest.mark.parametrize(
    ("passwords", "level", "pal"),
    [
        (Passwords.PROTECTED, 17, b"\x01\x00\x00\x00" + b"\xff" * 16),
        (Passwords.INSIDE_TLS, 17, b"\x00\x00" + b"\xff" * 18),
        (Passwords.CLEAR, 12, None),
    ],
)
def test_how_passwords_may_come(passwords: Passwords, level: int, pal: bytes | None) -> None:
    play = answering(initial_data(), parameters(passwords=passwords, nonce=b"twelve bytes"))
    answer = play.we_answer(SegmentType.INITIAL_DATA).id
    assert answer.record.fap_level == level
    if pal is not None:
        assert (answer.record.pal, answer.record.r) == (pal, b"twelve bytes")


@pytest.mark.spec("client-observed.md O-002")
@pytest.mark.parametrize(
    ("ccsid", "order"),
    [
        (819, ByteOrder.BIG),
        (1208, ByteOrder.LITTLE),
        (437, ByteOrder.LITTLE),
        (500, ByteOrder.LITTLE),
        (500, ByteOrder.BIG),
    ],
)
def test_we_speak_our_own_byte_order_and_ccsid(ccsid: int, order: ByteOrder) -> None:
    definition = parameters(ccsid=ccsid, order=order)
    play = answering(initial_data(SegmentWriter(ByteOrder.BIG, 819), heartbeat_interval=1), definition)
    answer = play.we_answer(SegmentType.INITIAL_DATA)
    assert (answer.order, answer.ccsid) == (order, ccsid)
    assert answer.id.record.struc_id == b"ID  "
    assert answer.id.record.channel_name == CHANNEL.ljust(20).encode("cp500" if ccsid == 500 else "ascii")
    play.writer = SegmentWriter(order, ccsid)
    play.says(initial_data(play.writer, conversation=1))
    assert [type(event) for event in play.events] == [Started]
    play.we_sent()
    name = "QM1".ljust(48).encode("cp500" if ccsid == 500 else "ascii")
    (call,) = play.says(play.call(SegmentType.MQCONN, name + bytes(72)))
    assert isinstance(call, Connect)
    assert call.queue_manager == "QM1"
    play.machine.replies.connect(call, connection_id=CONNECTION_ID)
    assert play.we_answer(SegmentType.MQCONN_REPLY).body[16:64] == name


@pytest.mark.spec("client-observed.md O-002")
def test_an_ebcdic_client_signs_on() -> None:
    """What a real client said after it had adopted CCSID 500."""
    client = [one.data for one in transcript("connect-ccsid-500").segments if one.side == "client"]
    definition = parameters(channel_name="CS500", ccsid=500, max_message_length=104857600)
    responder = Responder(0.0)
    (request,) = responder.link.receive_data(client[0], 0.0)
    assert isinstance(request, ChannelRequested)
    machine, _ = ServerConnection.answering(responder, definition, 0.0)
    play = ClientPlay(machine)
    started_, user, call = play.says(*client[1:4])
    assert isinstance(started_, Started)
    assert isinstance(user, UserIdentified)
    assert isinstance(call, Connect)
    assert (user.user, call.queue_manager, call.application) == ("app", "QM1", "explore")


@pytest.mark.spec("mq-wire.md 1.2")
def test_a_client_that_does_not_adopt_our_byte_order_is_answered_in_its_own() -> None:
    play = connected()
    play.writer = SegmentWriter(ByteOrder.BIG, 437)
    (call,) = play.says(play.call(SegmentType.MQCMIT))
    play.machine.replies.answer(call)
    answer = play.we_answer(SegmentType.MQCMIT_REPLY)
    assert (answer.order, answer.ccsid, answer.outcome) == (ByteOrder.BIG, 437, (0, 0))


@pytest.mark.spec("client-observed.md O-008", "client-observed.md O-024")
def test_who_the_user_is() -> None:
    play = started()
    (event,) = play.says(play.user_id())
    assert isinstance(event, UserIdentified)
    assert (event.conversation, event.user, event.password) == (1, "app", "")
    assert play.we_sent() == []
    real = next(one.data for one in transcript("auth-compat-other-user").segments if b"UID " in one.data)
    (event,) = play.says(real)
    assert isinstance(event, UserIdentified)
    assert (event.user, event.password) == ("bob", "passw0rd")
    assert "passw0rd" not in repr(event)


@pytest.mark.spec("client-observed.md O-020", "client-observed.md O-025")
@pytest.mark.parametrize(
    ("name", "changes", "protected"),
    [
        ("auth-mqcsp", {}, True),
        ("auth-mqcsp-fap", {"passwords": Passwords.CLEAR}, False),
        ("tls-pal0", {"passwords": Passwords.INSIDE_TLS}, False),
    ],
)
def test_credentials_are_taken_and_judged_with_mqconn(name: str, changes: dict[str, Any], protected: bool) -> None:
    real = next(one.data for one in transcript(name).segments if b"CAUT" in one.data)
    level = {"passwords": Passwords.CLEAR}
    play = started() if changes != level else answering(initial_data(fap_level=12, size=208), parameters(**changes))
    play.machine.identification.passwords = parameters(**changes).passwords
    play.we_sent()
    (event,) = play.says(real)
    assert isinstance(event, CredentialsGiven)
    assert (event.conversation, event.user, event.protected) == (1, "app", protected)
    assert protected or event.password == b"passw0rd"
    assert "passw0rd" not in repr(event)
    answer = play.we_answer(SegmentType.STATUS_DATA)
    assert (answer.flags, answer.struc_id, answer.length, answer.conversation) == (0x40, b"TSHM", 36, 1)
    (call,) = play.says(play.mqconn())
    play.machine.replies.refuse(call, 2035)
    assert play.we_answer(SegmentType.MQCONN_REPLY).outcome == (2, 2035)


@pytest.mark.spec("client-observed.md O-009", "client-observed.md O-011", "mq-wire.md 5.5")
@pytest.mark.parametrize(
    ("name", "length", "version", "shape"),
    [
        ("connect-fap-4", 120, None, 0),
        ("connect-fap-8", 260, 1, 0),
        ("connect-fap-10", 332, 1, 0),
        ("connect-fap-13", 332, 2, 0),
        ("connect-fap-14", 460, 3, 128),
        ("connect-basic", 472, 3, 128),
    ],
)
def test_mqconn_is_answered_in_its_own_shape(name: str, length: int, version: int | None, shape: int) -> None:
    real = [one.data for one in transcript(name).segments if one.side == "client"]
    request = next(data for data in real if data[9 if data[3:4] == b" " else 17] == SegmentType.MQCONN)
    play = started(shared_conversations=0 if request[3:4] == b" " else 10)
    (call,) = play.says(request)
    assert isinstance(call, Connect)
    assert call.tag == b""
    play.machine.replies.connect(call, connection_id=CONNECTION_ID, tag=b"MQCT1234")
    answer = play.we_answer(SegmentType.MQCONN_REPLY)
    assert answer.outcome == (0, 0)
    body = answer.body[16:]
    assert len(body) == length
    if version is not None:
        assert (body[120:124], int.from_bytes(body[124:128], "little")) == (b"FCNO", version)
        assert body[132:260] == CONNECTION_ID + bytes(104)
        assert body[260 : 260 + shape] == b"MQCT1234".ljust(shape, b"\0")[:shape]
        assert not any(body[260 + shape :])


@pytest.mark.spec("client-observed.md O-011", "client-observed.md O-130")
def test_a_client_that_comes_back_names_its_connection() -> None:
    real = [one for one in transcript("reconnect-get").segments if one.side == "client"]
    requests = [one.data for one in real if one.data[17] == SegmentType.MQCONN and one.socket > 1]
    play = started(shared_conversations=10)
    (call,) = play.says(requests[0])
    assert isinstance(call, Connect)
    assert call.tag.startswith(b"MQCT")
    assert call.lost_connection.startswith(b"AMQC")


@pytest.mark.spec("client-observed.md O-032")
def test_a_refused_client_may_ask_again_or_go() -> None:
    play = started()
    (call,) = play.says(play.mqconn("OTHER"))
    assert isinstance(call, Connect)
    play.machine.replies.refuse(call, 2058)
    answer = play.we_answer(SegmentType.MQCONN_REPLY)
    assert (answer.outcome, answer.api.object_handle, answer.conversation, answer.flags) == ((2, 2058), 0, 1, 0x30)
    (call,) = play.says(play.mqconn("QM1"))
    play.machine.replies.connect(call, connection_id=CONNECTION_ID)
    assert play.we_answer(SegmentType.MQCONN_REPLY).outcome == (0, 0)
    play.says(play.socket_action(1, 2, flags=0x38))
    ended, closed = play.events
    assert ended == ConversationEnded(conversation=1, orderly=False)
    assert isinstance(closed, Closed)
    assert closed.normal


@pytest.mark.spec("client-observed.md O-040", "client-observed.md O-042")
def test_further_conversations() -> None:
    play = connected()
    assert play.says(play.socket_action(3, 1)) == [ConversationStarted(conversation=3)]
    answer = play.we_answer(SegmentType.SOCKET_ACTION)
    assert (answer.struc_id, answer.conversation, answer.request, answer.flags) == (b"TSHM", 3, 0, 0)
    assert (answer.socket.conversation_id, answer.socket.request_id, answer.socket.type) == (3, 0, 8)
    (call,) = play.says(play.mqconn(conversation=3))
    assert isinstance(call, Connect)
    assert call.conversation == 3
    play.machine.replies.connect(call, connection_id=CONNECTION_ID)
    assert play.we_answer(SegmentType.MQCONN_REPLY).conversation == 3
    (call,) = play.says(play.call(SegmentType.MQDISC, conversation=3))
    play.machine.replies.answer(call)
    play.we_answer(SegmentType.MQDISC_REPLY)
    assert play.says(play.socket_action(3, 2)) == [ConversationEnded(conversation=3, orderly=True)]
    assert play.we_sent() == []
    assert play.machine.conversations == (1,)


@pytest.mark.spec("client-observed.md O-041", "client-observed.md O-043")
def test_no_more_conversations_than_agreed() -> None:
    play = connected(shared_conversations=2)
    play.another(3)
    assert play.says(play.socket_action(5, 1)) == []
    answer = play.we_answer(SegmentType.SOCKET_ACTION)
    assert (answer.conversation, answer.socket.type) == (5, 2)
    assert play.machine.conversations == (1, 3)


@pytest.mark.spec("client-observed.md O-004")
def test_one_conversation_without_sharing() -> None:
    play = connected(shared_conversations=0)
    (call,) = play.says(play.call(SegmentType.MQDISC))
    play.machine.replies.answer(call)
    answer = play.we_answer(SegmentType.MQDISC_REPLY)
    assert (answer.struc_id, answer.length, answer.api.reply_length) == (b"TSH ", 44, 44)
    play.says(play.status(0x38))
    assert play.events[0] == ConversationEnded(conversation=0, orderly=True)
    assert isinstance(play.events[1], Closed)
    assert play.events[1].normal


def test_the_responder_gives_a_connection_once() -> None:
    responder = asked(initial_data())
    ServerConnection.answering(responder, parameters(), 1000.0)
    with pytest.raises(LocalProtocolError):
        ServerConnection.answering(responder, parameters(), 1000.0)
    with pytest.raises(LocalProtocolError):
        ServerConnection.answering(Responder(1000.0), parameters(), 1000.0)


@pytest.mark.spec("mq-wire.md 7.1")
def test_what_came_behind_the_first_segment_is_not_lost() -> None:
    play = started()
    behind = play.user_id() + play.mqconn()
    play = answering(initial_data() + behind)
    assert [type(event) for event in play.events] == [Started, UserIdentified, Connect]


@pytest.mark.spec("client-observed.md O-031")
def test_a_client_whose_ccsid_we_do_not_know_is_refused() -> None:
    responder = Responder(1000.0)
    (closed,) = responder.link.receive_data(initial_data(SegmentWriter(ByteOrder.LITTLE, 1200)), 1000.0)
    assert isinstance(closed, Closed)
    assert closed.status == StatusCode.CCSID_NOT_SUPPORTED


def test_no_call_before_mqconn() -> None:
    play = started()
    (event,) = play.says(play.mqopen())
    assert isinstance(event, CallRefused)
    assert (event.reason, event.conversation) == (2018, 1)
    answer = play.we_answer(SegmentType.MQOPEN_REPLY)
    assert (answer.outcome, answer.api.object_handle) == ((2, 2018), -1)


def test_mqconn_twice() -> None:
    play = connected()
    play.says(play.mqconn())
    assert play.we_answer(SegmentType.MQCONN_REPLY).outcome == (2, 2002)
    (call,) = play.says(play.mqopen())
    assert call.conversation == 1
