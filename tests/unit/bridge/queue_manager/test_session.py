"""The door of values: requests in, outcomes at once or later with the tag of their request."""

from __future__ import annotations

import pickle

import pytest

from mqbridge.bridge.queue_manager import Application, Disposal, RetrievedMessage
from mqbridge.bridge.queue_manager.calls.agent_requests import DisposeUndelivered, InquirePutAuthority
from mqbridge.bridge.queue_manager.calls.outcomes import (
    Available,
    Disposed,
    Done,
    Failed,
    ListPlaced,
    Opened,
    Placed,
    PutAuthority,
    Staging,
)
from mqbridge.bridge.queue_manager.calls.requests import (
    Backout,
    Cancel,
    Close,
    Commit,
    Disconnect,
    Get,
    Open,
    OpenList,
    OpenTopic,
    Put,
    PutList,
    PutOne,
    Request,
    SeparateUnit,
    Settle,
    Stage,
    Wait,
    Wanted,
)
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.bridge.store.interface import PutRecord, StoreFull
from mqbridge.protocol.constants import MQFMT, MQGMO, MQOO, MQPMO, MQRC, ByteOrder
from support.queue_manager.session_run import Ask, Connect, Go, Lose, SessionRun, descriptor

IN_AND_OUT = int(MQOO.INPUT_SHARED | MQOO.OUTPUT)
WAITING = Wanted(int(MQGMO.WAIT | MQGMO.NO_SYNCPOINT))
OUTSIDE = Wanted(int(MQGMO.NO_WAIT | MQGMO.NO_SYNCPOINT))
SYNCPOINT = Wanted(int(MQGMO.NO_WAIT | MQGMO.SYNCPOINT))


@pytest.fixture
def run() -> SessionRun:
    run = SessionRun()
    for program in (1, 2):
        run.play(Connect(program))
        opened = run.play(Ask(program, Open(1, "Q", "", IN_AND_OUT)))
        assert isinstance(opened, Opened)
        assert opened.hobj == 2
    return run


def put(tag: int = 5, data: bytes = b"data", options: int = 0, *, persistence: int = 1) -> Put:
    return Put(tag, 2, descriptor(persistence=persistence), data, options, ByteOrder.LITTLE, 1208)


def got(run: SessionRun, request: Request, program: int = 1) -> RetrievedMessage:
    outcome = run.play(Ask(program, request))
    assert isinstance(outcome, RetrievedMessage)
    return outcome


def test_a_persistent_put_is_answered_when_it_is_on_disk(run: SessionRun) -> None:
    assert run.play(Ask(1, put(7))) is None
    assert run.later(1, 7) == []
    run.play(Go())
    (placed,) = run.later(1, 7)
    assert isinstance(placed, Placed)
    assert placed.reason == 0
    assert placed.names is not None
    assert placed.names.resolved_object_name == "Q"
    assert got(run, Get(8, 2, OUTSIDE)).message.raw_md[48:72] == placed.descriptor[48:72]  # MsgId


def test_what_the_store_refuses_has_failed(run: SessionRun) -> None:
    run.play(Ask(1, put(7)))
    run.host.store.failure = StoreFull("no room")
    run.play(Go())
    assert [each.reason for each in run.later(1, 7)] == [MQRC.Q_SPACE_NOT_AVAILABLE]


def test_a_call_that_cannot_be_made_fails_with_its_reason(run: SessionRun) -> None:
    assert run.play(Ask(1, Get(5, 99, OUTSIDE)))[:2] == (2, MQRC.HOBJ_ERROR)
    assert run.play(Ask(1, Get(5, 2, OUTSIDE))) == Failed(2, int(MQRC.NO_MSG_AVAILABLE))
    assert run.play(Ask(1, Get(5, 2, WAITING, -2)))[:2] == (2, MQRC.WAIT_INTERVAL_ERROR)


def test_a_get_that_waits_is_answered_with_the_message_or_when_its_time_is_up(run: SessionRun) -> None:
    assert run.play(Ask(2, Get(8, 2, WAITING, 5000))) is None
    assert run.play(Ask(2, Get(9, 2, WAITING, 3000))) is None
    assert isinstance(run.play(Ask(1, put(persistence=0))), Placed | None)
    run.play(Go(4.0))
    assert run.later(2, 8)[0][1] == b"data"
    assert run.later(2, 9) == [Failed(2, int(MQRC.NO_MSG_AVAILABLE), "Q")]


def test_a_get_waits_to_the_end_of_its_interval(run: SessionRun) -> None:
    run.play(Ask(1, Get(8, 2, WAITING, 3000)))
    run.play(Go(2.5))
    assert run.later(1, 8) == []
    run.play(Go(0.5))
    assert run.later(1, 8) == [Failed(2, int(MQRC.NO_MSG_AVAILABLE), "Q")]


@pytest.mark.parametrize(
    ("options", "resolved"), [(0, ("THERE", "FAR")), (int(MQPMO.RESOLVE_LOCAL_Q), ("XMIT", "EARTH"))]
)
def test_a_put_to_a_remote_queue_tells_the_transmission_queue_only_if_asked(
    run: SessionRun, options: int, resolved: tuple[str, str]
) -> None:
    run.host.transmission("XMIT")
    run.host.define(Kind.QREMOTE, "AFAR", RNAME="THERE", RQMNAME="FAR", XMITQ="XMIT")
    hobj = run.play(Ask(1, Open(1, "AFAR", "", int(MQOO.OUTPUT)))).hobj
    bits = options | int(MQPMO.NO_SYNCPOINT)
    placed = run.play(Ask(1, Put(5, hobj, descriptor(persistence=0), b"data", bits, ByteOrder.LITTLE, 1208)))
    assert (placed.names.resolved_object_name, placed.names.resolved_q_mgr_name) == resolved


@pytest.mark.parametrize(("persistence", "persists"), [("YES", True), ("NO", False)])
def test_an_open_topic_tells_the_default_persistence(run: SessionRun, persistence: str, persists: bool) -> None:
    run.host.define(Kind.TOPIC, "NEWS", TOPICSTR="news", DEFPSIST=persistence)
    opened = run.play(Ask(1, OpenTopic(1, "NEWS", "", int(MQOO.OUTPUT))))
    assert opened.defaults.persistent is persists


@pytest.mark.parametrize("count", [1, 3])
def test_a_put_to_a_list_has_a_descriptor_for_each_destination(run: SessionRun, count: int) -> None:
    opened = run.play(Ask(1, OpenList(1, (("Q", ""), ("R", "")), int(MQOO.OUTPUT))))
    descriptors = (descriptor(persistence=0),) * 3

    def put_list(number: int) -> object:
        return run.play(Ask(1, PutList(5, opened.hobj, descriptors[:number], b"data", 0, ByteOrder.LITTLE, 1208)))

    assert put_list(count)[:2] == (2, MQRC.RECS_PRESENT_ERROR)  # type: ignore[index]
    assert isinstance(put_list(2), ListPlaced)
    assert (run.host.contents("Q"), run.host.contents("R")) == ([b"data"], [b"data"])


@pytest.mark.parametrize(("reason", "told"), [(0, []), (2009, [2009])])
def test_a_wait_is_cancelled_unseen_or_with_a_reason(run: SessionRun, reason: int, told: list[int]) -> None:
    run.play(Ask(2, Get(8, 2, WAITING, -1)))
    assert run.play(Ask(2, Cancel(9, 8, reason))) == Done()
    assert [each.reason for each in run.later(2, 8)] == told
    run.play(Ask(1, put(persistence=0)))
    run.play(Go())
    assert got(run, Get(8, 2, OUTSIDE)).length == 4


def test_a_consumer_is_told_that_there_is_a_message_and_may_leave_it_to_others(run: SessionRun) -> None:
    assert run.play(Ask(2, Wait(8, 2, OUTSIDE))) is None
    assert run.play(Ask(1, Get(9, 2, WAITING, -1))) is None
    run.play(Ask(1, put(persistence=0)))
    run.play(Go())
    assert run.later(2, 8) == [Available()]
    run.play(Ask(2, Cancel(10, 8)))
    run.play(Go())
    assert run.later(1, 9)[0][1] == b"data"


def test_a_message_outside_syncpoint_is_gone_when_it_has_arrived(run: SessionRun) -> None:
    for data in (b"one", b"two"):
        run.play(Ask(1, put(data=data)))
        run.play(Go())
    first, second = got(run, Get(8, 2, OUTSIDE)), got(run, Get(9, 2, OUTSIDE))
    run.play(Ask(1, Settle(10, (first.token,), (second.token,))))
    run.play(Go())
    run.play(Lose(1))
    assert got(run, Get(8, 2, OUTSIDE), 2).length == 3
    assert run.play(Ask(2, Get(9, 2, OUTSIDE))).reason == MQRC.NO_MSG_AVAILABLE


def test_a_settlement_with_a_tag_has_its_outcome_when_it_is_on_disk(run: SessionRun) -> None:
    run.play(Ask(1, put()))
    run.play(Go())
    token = got(run, Get(8, 2, OUTSIDE)).token
    assert run.play(Ask(1, Settle(9, (token,)))) is None
    run.host.store.failure = StoreFull("no room")
    run.play(Go())
    assert [each.reason for each in run.later(1, 9)] == [MQRC.Q_SPACE_NOT_AVAILABLE]
    run.host.store.failure = None
    again = got(run, Get(10, 2, OUTSIDE))
    assert again.message.md.backout_count == 0
    assert run.play(Ask(1, Settle(11, (again.token,)))) is None
    run.play(Go())
    assert run.later(1, 11) == [Done()]
    assert run.play(Ask(1, Settle(12, (again.token,)))) == Done()


def test_maxumsgs_does_not_count_what_is_on_its_way_outside_syncpoint(run: SessionRun) -> None:
    for number in range(3):
        run.play(Ask(1, put(number)))
    run.play(Go())
    run.host.queue_manager.connections.core.max_uncommitted = 1
    for wanted in (OUTSIDE, OUTSIDE, SYNCPOINT):
        got(run, Get(8, 2, wanted))
    assert run.play(Ask(1, Get(9, 2, SYNCPOINT))).reason == MQRC.SYNCPOINT_LIMIT_REACHED


def test_what_was_not_settled_goes_back_when_the_program_is_gone(run: SessionRun) -> None:
    run.play(Ask(1, put()))
    run.play(Go())
    got(run, Get(8, 2, OUTSIDE))
    run.play(Lose(1))
    run.play(Go())
    assert got(run, Get(8, 2, OUTSIDE), 2).message.md.backout_count == 0


def test_rows_of_the_caller_are_committed_with_the_messages(run: SessionRun) -> None:
    run.play(Ask(1, put(options=int(MQPMO.SYNCPOINT))))
    row = PutRecord("channels", b"K", b"7")
    assert run.play(Ask(1, Commit(9, (row,)))) is None
    assert run.host.store.record("channels", b"K") is None
    run.play(Go())
    assert run.later(1, 9) == [Done()]
    assert run.host.store.record("channels", b"K") == b"7"
    assert run.host.contents("Q") == [b"data"]
    assert run.play(Ask(1, Commit(10, (PutRecord("channels", b"K", b"8"),)))) is None  # rows alone
    run.play(Go())
    assert run.host.store.record("channels", b"K") == b"8"


def test_a_separate_message_is_committed_alone_and_maxumsgs_does_not_count_it(run: SessionRun) -> None:
    for number in range(4):
        run.play(Ask(2, put(number, b"%d" % number)))
    run.play(Go())
    run.host.queue_manager.connections.core.max_uncommitted = 1
    tokens = []
    for number in range(3):
        tokens.append(got(run, Get(10, 2, SYNCPOINT)).token)
        assert run.play(Ask(1, SeparateUnit(11 + number, tokens[-1]))) == Done()
    assert run.play(Ask(1, Commit(20, tokens=(tokens[0], tokens[2])))) is None
    run.play(Go())
    assert run.later(1, 20) == [Done()]
    assert run.play(Ask(1, Commit(21, tokens=(tokens[0],)))) == Done()
    run.play(Ask(1, Backout(22)))
    run.host.queue_manager.connections.core.max_uncommitted = 10_000
    run.play(Go())
    left = [got(run, Get(23, 2, OUTSIDE), 2).message for _ in range(2)]
    assert [(each.data, each.md.backout_count) for each in left] == [(b"1", 1), (b"3", 0)]


@pytest.mark.parametrize("ends", [Ask(1, Disconnect(30)), Lose(1)])
def test_a_separate_message_that_is_not_committed_goes_back_at_the_end(run: SessionRun, ends: Ask | Lose) -> None:
    run.play(Ask(2, put(5)))
    run.play(Go())
    run.play(Ask(1, SeparateUnit(7, got(run, Get(6, 2, SYNCPOINT)).token)))
    run.play(ends)
    run.play(Go())
    assert got(run, Get(9, 2, OUTSIDE), 2).message.md.backout_count == 1


def test_a_separate_message_that_the_store_keeps_goes_back_alone(run: SessionRun) -> None:
    for number in range(2):
        run.play(Ask(2, put(number, b"%d" % number)))
    run.play(Go())
    tokens = [got(run, Get(6, 2, SYNCPOINT)).token for _ in range(2)]
    run.play(Ask(1, SeparateUnit(7, tokens[0])))
    run.host.store.failure = StoreFull("no room")
    run.play(Ask(1, Commit(8, tokens=(tokens[0],))))
    run.play(Go())
    assert [each.reason for each in run.later(1, 8)] == [MQRC.BACKED_OUT]
    run.host.store.failure = None
    assert run.play(Ask(1, Commit(9))) is None
    run.play(Go())
    assert got(run, Get(9, 2, OUTSIDE), 2).message.data == b"0"
    assert run.play(Ask(2, Get(9, 2, OUTSIDE)))[:2] == (2, MQRC.NO_MSG_AVAILABLE)


def test_data_in_parts_become_the_body_of_a_put(run: SessionRun) -> None:
    staging = run.play(Ask(1, Stage(5, 2)))
    assert isinstance(staging, Staging)
    assert (staging.longest, staging.too_long) == (4_194_304, MQRC.MSG_TOO_BIG_FOR_Q)
    for part in (b"in ", b"parts"):
        staging.writer.write(part)
    run.play(Ask(1, put(6, staging.writer.finish())))  # type: ignore[arg-type]
    run.play(Go())
    assert got(run, Get(7, 2, OUTSIDE)).message.data == b"in parts"
    assert run.play(Ask(1, Stage(8, 99)))[:2] == (2, MQRC.HOBJ_ERROR)


def test_a_session_inside_is_not_listed_not_counted_and_works_to_the_end(run: SessionRun) -> None:
    manager = run.host.queue_manager
    connections = manager.connections
    connections.limit = len(connections)
    inside = Session(manager, ConnectOptions(inside=True), run.host.now)
    assert len(connections) == connections.limit
    assert connections.find(inside.id) is None
    manager.quiesce()
    connections.stop()
    assert isinstance(inside.submit(Open(1, "Q", "", IN_AND_OUT), run.host.now), Opened)
    assert run.play(Ask(1, Open(1, "Q", "", IN_AND_OUT)))[:2] == (2, MQRC.Q_MGR_STOPPING)


def put_for(run: SessionRun, inside: Session, user: str) -> Placed | Failed:
    bits = int(MQPMO.SYNCPOINT | MQPMO.ALTERNATE_USER_AUTHORITY)
    request = PutOne(1, "R", "", descriptor(), b"answer", bits, ByteOrder.LITTLE, 1208, alternate_user=user)
    outcome = inside.submit(request, run.host.now)
    assert isinstance(outcome, Placed | Failed)
    return outcome


def test_who_acts_for_another_asks_whose_message_it_is_and_puts_with_that_authority(run: SessionRun) -> None:
    inside = Session(run.host.queue_manager, ConnectOptions(inside=True), run.host.now)
    inside.submit(Open(1, "Q", "", IN_AND_OUT), run.host.now)
    run.host.queue_manager.local_queue("Q").require_gettable().names_putter = True
    run.play(Ask(1, put(5)))
    run.play(Go())
    message = inside.submit(Get(2, 2, SYNCPOINT), run.host.now)
    assert isinstance(message, RetrievedMessage)
    assert inside.submit(InquirePutAuthority(3, message.token), run.host.now) == PutAuthority("")
    refused = inside.submit(InquirePutAuthority(3, bytes(16)), run.host.now)
    assert isinstance(refused, Failed)
    assert refused.reason == MQRC.MSG_TOKEN_ERROR
    assert put_for(run, inside, "nobody").reason == MQRC.NOT_AUTHORIZED
    assert isinstance(put_for(run, inside, ""), Placed)
    inside.submit(Commit(4), run.host.now)
    run.play(Go())
    run.play(Ask(2, Open(9, "R", "", IN_AND_OUT)))
    assert got(run, Get(9, 4, OUTSIDE), 2).message.data == b"answer"


def test_what_cannot_be_put_goes_to_the_dead_letter_queue_under_syncpoint(run: SessionRun) -> None:
    host = run.host
    host.local("DLQ")
    host.queue_manager.objects.alter(Kind.QMGR, host.queue_manager.name, {"DEADQ": "DLQ"}, host.now)
    inside = Session(host.queue_manager, ConnectOptions(inside=True), host.now)
    dead = DisposeUndelivered(1, "GONE", "", descriptor(), b"x", ByteOrder.LITTLE, 1208, 2085, True, False, "")
    assert inside.submit(dead, host.now) == Disposed(Disposal.DEAD_LETTERED)
    inside.lost(host.now)
    run.play(Go())
    assert inside.submit(dead, host.now) == Failed(2, int(MQRC.HCONN_ERROR))
    inside = Session(host.queue_manager, ConnectOptions(inside=True), host.now)
    inside.submit(dead._replace(object_name="GONE"), host.now)
    inside.submit(Commit(2), host.now)
    run.play(Go())
    run.play(Ask(2, Open(9, "DLQ", "", IN_AND_OUT)))
    assert got(run, Get(9, 4, OUTSIDE), 2).message.md.format == MQFMT.DEAD_LETTER_HEADER
    assert run.play(Ask(2, Get(9, 4, OUTSIDE)))[:2] == (2, MQRC.NO_MSG_AVAILABLE)


def test_disconnecting_commits_and_closes(run: SessionRun) -> None:
    run.play(Ask(1, put(options=int(MQPMO.SYNCPOINT))))
    assert run.play(Ask(1, Disconnect(9))) is None
    run.play(Go())
    assert run.later(1, 9) == [Done()]
    for request in (Close(10, 2, 0), Get(11, 2, OUTSIDE), put(12)):
        assert run.play(Ask(1, request)).reason == MQRC.HCONN_ERROR
    assert run.host.contents("Q") == [b"data"]


@pytest.mark.interpreted("counts uses of a class")
def test_options_of_a_stream_are_read_once(run: SessionRun, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    from mqbridge.bridge.queue_manager.calls import gets

    real = gets.GetOptions
    monkeypatch.setattr(gets, "GetOptions", lambda *given: made.append(1) or real(*given))
    for _ in range(3):
        run.play(Ask(1, put()))
        run.play(Go())
    for _ in range(3):
        got(run, Get(8, 2, SYNCPOINT))
    assert made == [1]


def test_requests_are_values_that_can_be_sent_elsewhere() -> None:
    requests = [put(), Get(8, 2, WAITING, 100), Settle(9, (b"t",), ()), Commit(1, (PutRecord("t", b"k", b"v"),))]
    assert pickle.loads(pickle.dumps(requests)) == requests


def test_a_session_says_who_it_is_and_takes_a_tag_and_another_user_of_it(run: SessionRun) -> None:
    manager = run.host.queue_manager
    session = Session(manager, ConnectOptions(application=Application("first")), run.host.now)
    connection = manager.connections.find(session.id)
    assert connection is not None
    assert len(session.id) == 24
    session.tag = b"tag"
    session.application = Application("second")
    assert (session.tag, session.application) == (connection.tag, connection.application)
    assert (connection.tag, connection.application.user) == (b"tag", "second")
