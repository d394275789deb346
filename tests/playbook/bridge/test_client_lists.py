"""Distribution lists of clients (mqi.md 2.4, 3; client-observed.md O-061)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQCC, MQMF, MQOO, MQPMO, MQPMRF, MQRC, SegmentType
from mqbridge.protocol.structures import API, make_od, parse_od
from mqbridge.protocol.structures.dh import OR, put_message_record
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.structures.pmo import make_pmo, parse_pmo
from mqbridge.protocol.structures.rr import RR
from support.clients.playbook import Answer
from support.clients.program import ClientProgram, connects, with_clients

pytestmark = pytest.mark.spec("mqi.md 2.4")

OUTPUT = int(MQOO.OUTPUT)
OBJECTS = """
    DEFINE QLOCAL(A)
    DEFINE QLOCAL(B)
    DEFINE QLOCAL(CLOSED) PUT(DISABLED)
    DEFINE QLOCAL(XQ) USAGE(XMITQ)
    DEFINE QREMOTE(FAR) RNAME(ANY) RQMNAME(VENUS) XMITQ(XQ)
"""
Fared = list[tuple[int, int]]


class Lists:
    """A client that opens distribution lists."""

    def __init__(self) -> None:
        self.stage, self.mars = with_clients(OBJECTS)
        self.client: ClientProgram = connects(self.stage)
        self.order = self.client.writer.order

    def od(self, *names: str, **values: Any) -> Any:
        records = [OR.codec(self.order)(object_name=name.ljust(48).encode()) for name in names]
        responses = [RR.codec(self.order)(comp_code=7, reason=7) for _ in names]
        return make_od(self.order, 2, object_records=records, response_records=responses, **values)

    def opens(self, *names: str, options: int = OUTPUT, **values: Any) -> tuple[Answer, Any]:
        """MQOPEN; the answer and the OD in it."""
        od = self.od(*names, **values)
        answer = self.client.asks(self.client.call(SegmentType.MQOPEN, od.build(), self.client.word(options)))
        return answer, parse_od(answer.body, API.size, answer.order)

    def opened(self, *names: str) -> int:
        answer, _ = self.opens(*names)
        assert answer.api.comp_code != MQCC.FAILED
        return int(answer.api.object_handle)

    def puts(
        self, handle: int, data: bytes = b"data", options: int = 0, md: dict[str, Any] | None = None, **pmo: Any
    ) -> tuple[Answer, Any, Any]:
        """MQPUT; the answer, and the MD and PMO in it."""
        fields = {"version": 2, "expiry": -1, "persistence": 1, **(md or {})}
        head = MD.codec(self.order)(**fields).build() + make_pmo(self.order, 2, options=options, **pmo).build()
        call = self.client.call(SegmentType.MQPUT, head, self.client.word(len(data)), data, handle=handle)
        answer = self.client.asks(call)
        return (
            answer,
            MD.codec(answer.order).parse(answer.body, API.size),
            parse_pmo(answer.body, API.size + MD.size, answer.order),
        )

    def responses(self, count: int) -> list[Any]:
        return [RR.codec(self.order)(comp_code=7, reason=7) for _ in range(count)]


@pytest.fixture
def lists() -> Lists:
    return Lists()


def fared(structure: Any) -> Fared:
    return [(each.comp_code, each.reason) for each in structure.response_records]


def counts(structure: Any) -> tuple[int, int, int]:
    record = structure.record
    return record.known_dest_count, record.unknown_dest_count, record.invalid_dest_count


UNTOUCHED = (7, 7)


def test_one_put_goes_to_every_queue_of_the_list(lists: Lists) -> None:
    answer, od = lists.opens("A", "B", "FAR")
    assert (answer.outcome, counts(od), fared(od)) == ((0, 0), (2, 1, 0), [UNTOUCHED] * 3)
    put, md, pmo = lists.puts(answer.api.object_handle, b"hello", response_records=lists.responses(3))
    assert (put.outcome, counts(pmo), fared(pmo)) == ((0, 0), (2, 1, 0), [UNTOUCHED] * 3)
    assert (lists.mars.contents("A"), lists.mars.contents("B"), lists.mars.depth("XQ")) == ([b"hello"], [b"hello"], 1)
    assert md.msg_id == bytes(24), "each message has an id of its own"
    first, second = lists.mars.got("A").md, lists.mars.got("B").md
    assert len({first.msg_id, second.msg_id, bytes(24)}) == 3
    close = lists.client.asks(lists.client.mqclose(answer.api.object_handle))
    assert close.outcome == (0, 0)
    assert lists.mars.manager.queue("A").output_count == 0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("names", "outcome", "counted", "responses"),
    [
        (["A", "NO.SUCH"], (1, MQRC.MULTIPLE_REASONS), (1, 0, 1), [(0, 0), (2, MQRC.UNKNOWN_OBJECT_NAME)]),
        (["NO.SUCH", "NOR.THIS"], (2, MQRC.UNKNOWN_OBJECT_NAME), (0, 0, 2), [UNTOUCHED] * 2),
        (
            ["NO.SUCH", "SYSTEM.DEFAULT.MODEL.QUEUE"],
            (2, MQRC.MULTIPLE_REASONS),
            (0, 0, 2),
            [(2, MQRC.UNKNOWN_OBJECT_NAME), (2, MQRC.Q_TYPE_ERROR)],
        ),
    ],
)
def test_each_destination_has_its_reason_when_they_fare_differently(
    lists: Lists, names: list[str], outcome: tuple[int, int], counted: tuple[int, int, int], responses: Fared
) -> None:
    answer, od = lists.opens(*names)
    assert (answer.outcome, counts(od), fared(od)) == (outcome, counted, responses)
    assert (answer.api.object_handle == 0xFFFFFFFF or answer.api.object_handle == -1) is (outcome[0] == MQCC.FAILED)


def test_a_put_tells_which_destinations_failed(lists: Lists) -> None:
    handle = lists.opened("A", "CLOSED", "NO.SUCH")
    answer, _, pmo = lists.puts(handle, response_records=lists.responses(3))
    assert answer.outcome == (1, MQRC.MULTIPLE_REASONS)
    assert fared(pmo) == [(0, 0), (2, MQRC.PUT_INHIBITED), (2, MQRC.OPEN_FAILED)]
    assert counts(pmo) == (1, 0, 2)
    assert lists.mars.contents("A") == [b"data"]


@pytest.mark.faulty_traffic
def test_a_reason_that_all_have_is_the_reason_of_the_call(lists: Lists) -> None:
    handle = lists.opened("CLOSED", "CLOSED")
    answer, _, pmo = lists.puts(handle, response_records=lists.responses(2))
    assert (answer.outcome, fared(pmo)) == ((2, MQRC.PUT_INHIBITED), [UNTOUCHED] * 2)
    answer, _, _ = lists.puts(lists.opened("A", "B"), md={"priority": 12})
    assert answer.outcome == (1, MQRC.PRIORITY_EXCEEDS_MAXIMUM)


def test_records_say_what_differs_and_come_back_with_ids(lists: Lists) -> None:
    fields = int(MQPMRF.MSG_ID | MQPMRF.CORREL_ID | MQPMRF.GROUP_ID | MQPMRF.FEEDBACK)
    codec = put_message_record(fields).codec(lists.order)
    records = [
        codec(msg_id=b"m" * 24, correl_id=b"1" * 24, group_id=b"g" * 24, feedback=5),
        codec(msg_id=bytes(24), correl_id=b"2" * 24, group_id=bytes(24), feedback=0),
    ]
    answer, md, pmo = lists.puts(
        lists.opened("A", "B"),
        md={"correl_id": b"c" * 24, "msg_flags": int(MQMF.MSG_IN_GROUP)},
        put_msg_records=records,
        put_msg_rec_fields=fields,
    )
    assert answer.outcome == (0, 0)
    first, second = lists.mars.got("A").md, lists.mars.got("B").md
    assert (first.msg_id, first.correl_id, first.group_id, first.feedback) == (b"m" * 24, b"1" * 24, b"g" * 24, 5)
    assert (second.correl_id, second.feedback) == (b"2" * 24, 0)
    assert second.msg_id != bytes(24)
    back = pmo.put_msg_records
    assert [each.msg_id for each in back] == [first.msg_id, second.msg_id]
    assert [each.group_id for each in back] == [first.group_id, second.group_id]
    assert (md.msg_id, md.correl_id) == (bytes(24), b"c" * 24)


def test_fewer_or_more_records_than_destinations_do_no_harm(lists: Lists) -> None:
    codec = put_message_record(int(MQPMRF.CORREL_ID)).codec(lists.order)
    for count in (1, 3):
        records = [codec(correl_id=b"%d" % number * 24) for number in range(count)]
        handle = lists.opened("A", "B")
        answer, _, _ = lists.puts(
            handle, put_msg_records=records, put_msg_rec_fields=int(MQPMRF.CORREL_ID), md={"correl_id": b"c" * 24}
        )
        assert answer.outcome == (0, 0)
        assert lists.mars.got("A").md.correl_id == b"0" * 24
        assert lists.mars.got("B").md.correl_id == (b"1" if count > 1 else b"c") * 24


def test_all_of_it_is_in_the_unit_of_work(lists: Lists) -> None:
    handle = lists.opened("A", "B")
    assert lists.puts(handle, options=int(MQPMO.SYNCPOINT))[0].outcome == (0, 0)
    assert (lists.mars.contents("A"), lists.mars.depth("B")) == ([], 1)
    assert lists.client.backs_out() == (0, 0)
    assert lists.puts(handle, options=int(MQPMO.SYNCPOINT))[0].outcome == (0, 0)
    assert lists.client.commits() == (0, 0)
    assert (lists.mars.contents("A"), lists.mars.contents("B")) == ([b"data"], [b"data"])


def test_a_store_that_is_full_is_told(lists: Lists, monkeypatch: pytest.MonkeyPatch) -> None:
    handle = lists.opened("A", "B")
    monkeypatch.setattr(lists.mars.store, "commit", lambda units: [StoreFull("no room")] * len(units))
    answer, _, pmo = lists.puts(handle)
    assert (answer.outcome, counts(pmo)) == ((2, MQRC.Q_SPACE_NOT_AVAILABLE), (0, 0, 2))


def test_put1_opens_puts_and_closes(lists: Lists) -> None:
    client = lists.client
    head = lists.od("A", "NO.SUCH", "B").build() + MD.codec(lists.order)(version=2, expiry=-1).build()
    head += make_pmo(lists.order, 2, response_records=lists.responses(3)).build()
    answer = client.asks(client.call(SegmentType.MQPUT1, head, client.word(4), b"once", handle=-1))
    assert answer.outcome == (1, MQRC.MULTIPLE_REASONS)
    od = parse_od(answer.body, API.size, answer.order)
    pmo = parse_pmo(answer.body, API.size + od.known + len(od.rest) + MD.size, answer.order)
    assert fared(od) == fared(pmo) == [(0, 0), (2, MQRC.UNKNOWN_OBJECT_NAME), (0, 0)]
    assert counts(od) == counts(pmo) == (2, 0, 1)
    assert (lists.mars.contents("A"), lists.mars.contents("B")) == ([b"once"], [b"once"])
    assert lists.mars.manager.queue("A").output_count == 0  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("values", "options", "reason"),
    [
        ({"object_name": b"A".ljust(48)}, OUTPUT, MQRC.OBJECT_NAME_ERROR),
        ({"object_q_mgr_name": b"A".ljust(48)}, OUTPUT, MQRC.OBJECT_Q_MGR_NAME_ERROR),
        ({"object_type": 8}, OUTPUT, MQRC.RECS_PRESENT_ERROR),
        ({}, OUTPUT | int(MQOO.INQUIRE), MQRC.OPTION_NOT_VALID_FOR_TYPE),
        ({}, int(MQOO.INPUT_SHARED), MQRC.OPTION_NOT_VALID_FOR_TYPE),
    ],
)
def test_a_list_that_is_none_is_refused(lists: Lists, values: dict[str, Any], options: int, reason: MQRC) -> None:
    answer, _ = lists.opens("A", "B", options=options, **values)
    assert answer.outcome == (2, reason)


def test_records_must_stand_somewhere(lists: Lists) -> None:
    client = lists.client
    od = make_od(lists.order, 2, recs_present=2)
    answer = client.asks(client.call(SegmentType.MQOPEN, od.build(), client.word(OUTPUT)))
    assert answer.outcome == (2, MQRC.OBJECT_RECORDS_ERROR)


@pytest.mark.parametrize(
    ("pmo", "reason"),
    [
        ({"put_msg_rec_fields": 0x40}, MQRC.PMO_RECORD_FLAGS_ERROR),
        ({"put_msg_rec_fields": int(MQPMRF.ACCOUNTING_TOKEN)}, MQRC.PMO_RECORD_FLAGS_ERROR),
        ({"put_msg_rec_fields": int(MQPMRF.MSG_ID), "recs_present": 2}, MQRC.PUT_MSG_RECORDS_ERROR),
    ],
)
def test_records_of_a_put_that_cannot_be_are_refused(lists: Lists, pmo: dict[str, Any], reason: MQRC) -> None:
    handle = lists.opened("A", "B")
    assert lists.puts(handle, **pmo)[0].outcome == (2, reason)
    assert lists.mars.depth("A") == 0


def test_destinations_share_no_group(lists: Lists) -> None:
    handle = lists.opened("A", "B")
    md = {"group_id": b"g" * 24, "msg_flags": int(MQMF.MSG_IN_GROUP)}
    assert lists.puts(handle, md=md)[0].outcome == (2, MQRC.GROUP_ID_ERROR)
    assert lists.puts(handle, md=md | {"group_id": bytes(24)})[0].outcome == (0, 0)
    assert lists.mars.got("A").md.group_id != lists.mars.got("B").md.group_id


def test_a_queue_takes_no_records(lists: Lists) -> None:
    handle = lists.client.opens("A", OUTPUT)
    answer, _, _ = lists.puts(handle, response_records=lists.responses(1))
    assert answer.outcome == (2, MQRC.RECS_PRESENT_ERROR)


def test_a_list_cannot_be_deleted_or_inquired(lists: Lists) -> None:
    client = lists.client
    handle = lists.opened("A", "B")
    delete = client.call(SegmentType.MQCLOSE, client.word(1), handle=handle)
    assert client.asks(delete).outcome == (2, MQRC.OPTION_NOT_VALID_FOR_TYPE)
    assert client.asks(client.mqclose(handle)).outcome == (0, 0)
    assert client.asks(client.mqclose(handle)).outcome == (2, MQRC.HOBJ_ERROR)


def test_a_client_that_is_gone_has_nothing_open(lists: Lists) -> None:
    lists.opened("A", "B")
    lists.client.breaks_off()
    assert lists.mars.manager.queue("A").output_count == 0  # type: ignore[union-attr]


def test_asynchronous_puts_are_counted_one_by_one(lists: Lists) -> None:
    handle = lists.opened("A", "CLOSED", "B")
    head = MD.codec(lists.order)(version=2, expiry=-1).build()
    head += make_pmo(lists.order, 2, options=int(MQPMO.ASYNC_RESPONSE)).build()
    client = lists.client
    assert client.sends(client.call(SegmentType.MQPUT, head, client.word(1), b"x", handle=handle)) == []
    status = client.status_of_puts()
    counted = (status.put_success_count, status.put_warning_count, status.put_failure_count, status.reason)
    assert counted == (2, 0, 1, MQRC.PUT_INHIBITED)
