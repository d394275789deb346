"""Puts of clients that wait for no answer (mqi.md 5.5, client-observed.md O-063, O-067)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.store.interface import StoreFull
from mqbridge.protocol.constants import MQCC, MQCO, MQOO, MQPMO, MQRC, SegmentType
from mqbridge.protocol.structures import API, make_od
from mqbridge.protocol.structures.fopa import FOPA, parse_fopa
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.structures.pmo import make_pmo
from support.clients.program import ClientProgram, connects, with_clients
from support.gateway.stage import Station

pytestmark = pytest.mark.spec("mqi.md 5.5")

OUTPUT = int(MQOO.OUTPUT)
ASYNC = int(MQPMO.ASYNC_RESPONSE)
IN_UNIT = ASYNC | int(MQPMO.SYNCPOINT)
OBJECTS = """
    DEFINE QLOCAL(SMALL) MAXDEPTH(1)
    DEFINE QLOCAL(CLOSED) PUT(DISABLED)
    DEFINE QLOCAL(LATER) DEFPRESP(ASYNC)
"""


@pytest.fixture
def mars_and_client() -> tuple[Station, ClientProgram]:
    stage, mars = with_clients(OBJECTS)
    return mars, connects(stage)


Both = tuple[Station, ClientProgram]


def counts(client: ClientProgram) -> tuple[int, int, int]:
    status = client.status_of_puts()
    return status.put_success_count, status.put_warning_count, status.put_failure_count


def put1(client: ClientProgram, name: str, options: int, **od: Any) -> bytes:
    order = client.writer.order
    head = (
        make_od(order, object_name=name.ljust(48).encode(), **od).build()
        + MD.codec(order)(version=2, expiry=-1).build()
    )
    head += make_pmo(order, 2, options=options).build()
    return client.call(SegmentType.MQPUT1, head, client.word(1), b"x", handle=-1)


@pytest.mark.faulty_traffic
def test_a_put_without_answer_is_counted(mars_and_client: Both) -> None:
    mars, client = mars_and_client
    handle = client.opens("TARGET", OUTPUT)
    assert client.sends(*(client.put_segment(b"%d" % number, handle, ASYNC) for number in range(3))) == []
    assert client.sends(client.put_segment(b"warns", handle, ASYNC, priority=12)) == []
    assert counts(client) == (3, 1, 0)
    assert counts(client) == (0, 0, 0), "counting begins anew"
    assert mars.contents("TARGET") == [b"warns", b"0", b"1", b"2"]


@pytest.mark.faulty_traffic
def test_the_first_failure_is_told_with_its_names(mars_and_client: Both) -> None:
    _, client = mars_and_client
    small, closed = client.opens("SMALL", OUTPUT), client.opens("CLOSED", OUTPUT)
    client.sends(
        client.put_segment(b"fits", small, ASYNC),
        client.put_segment(b"warns", closed, ASYNC, priority=12),
        client.put_segment(b"too many", small, ASYNC),
    )
    status = client.status_of_puts()
    assert (status.comp_code, status.reason) == (MQCC.FAILED, MQRC.PUT_INHIBITED)
    assert (status.object_name.rstrip(), status.resolved_object_name.rstrip()) == (b"CLOSED", b"CLOSED")
    assert (status.put_success_count, status.put_failure_count) == (1, 2)


def test_a_failure_in_a_unit_of_work_backs_it_out_at_commit(mars_and_client: Both) -> None:
    mars, client = mars_and_client
    good, closed = client.opens("TARGET", OUTPUT), client.opens("CLOSED", OUTPUT)
    client.sends(client.put_segment(b"good", good, IN_UNIT), client.put_segment(b"bad", closed, IN_UNIT))
    assert client.commits() == (MQCC.FAILED, MQRC.BACKED_OUT)
    assert mars.depth("TARGET") == 0
    assert client.puts(b"next", good, int(MQPMO.SYNCPOINT)).outcome == (0, 0)
    assert client.commits() == (0, 0)
    assert mars.contents("TARGET") == [b"next"]
    assert counts(client) == (1, 0, 1)


def test_a_failure_outside_does_not_touch_the_unit_of_work(mars_and_client: Both) -> None:
    mars, client = mars_and_client
    good, closed = client.opens("TARGET", OUTPUT), client.opens("CLOSED", OUTPUT)
    client.sends(client.put_segment(b"good", good, IN_UNIT), client.put_segment(b"bad", closed, ASYNC))
    assert client.commits() == (0, 0)
    assert mars.contents("TARGET") == [b"good"]


def test_a_disconnect_tells_that_it_was_backed_out(mars_and_client: Both) -> None:
    mars, client = mars_and_client
    good, closed = client.opens("TARGET", OUTPUT), client.opens("CLOSED", OUTPUT)
    client.sends(client.put_segment(b"good", good, IN_UNIT), client.put_segment(b"bad", closed, IN_UNIT))
    assert client.disconnects() == (MQCC.WARNING, MQRC.BACKED_OUT)
    assert mars.depth("TARGET") == 0


@pytest.mark.parametrize("options", [ASYNC, IN_UNIT])
def test_a_put_that_could_not_even_be_tried_counts_as_failed(mars_and_client: Both, options: int) -> None:
    _, client = mars_and_client
    handle = client.opens("TARGET", OUTPUT)
    records = {"recs_present": 1}
    assert client.sends(client.put_segment(b"x", handle, options, records)) == []
    assert client.sends(client.put_segment(b"x", 4711, options)) == []
    status = client.status_of_puts()
    assert (status.reason, status.put_failure_count) == (MQRC.RECS_PRESENT_ERROR, 2)
    assert status.object_name.rstrip() == b"TARGET"
    outcome = (MQCC.FAILED, MQRC.BACKED_OUT) if options == IN_UNIT else (0, 0)
    assert client.commits() == outcome


def test_mqput1_too(mars_and_client: Both) -> None:
    mars, client = mars_and_client
    calls = [put1(client, name, ASYNC) for name in ("TARGET", "NO.SUCH.QUEUE")]
    calls.append(put1(client, "NO.SUCH.TOPIC", ASYNC, object_type=8))
    assert client.sends(*calls) == []
    status = client.status_of_puts()
    assert (status.put_success_count, status.put_failure_count) == (1, 2)
    assert (status.reason, status.object_name.rstrip()) == (MQRC.UNKNOWN_OBJECT_NAME, b"NO.SUCH.QUEUE")
    assert mars.contents("TARGET") == [b"x"]


def test_a_store_that_refuses_is_told_by_mqstat(mars_and_client: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    mars, client = mars_and_client
    handle = client.opens("TARGET", OUTPUT)
    monkeypatch.setattr(mars.store, "commit", lambda units: [StoreFull("no room")] * len(units))
    assert client.sends(client.put_segment(b"x", handle, ASYNC, persistence=1)) == []
    status = client.status_of_puts()
    assert (status.reason, status.put_failure_count) == (MQRC.Q_SPACE_NOT_AVAILABLE, 1)


def test_a_message_that_is_too_long_for_the_channel_counts_as_failed() -> None:
    stage, mars = with_clients("ALTER CHANNEL(CLIENTS) CHLTYPE(SVRCONN) MAXMSGL(1000)")
    client = connects(stage)
    handle = client.opens("TARGET", OUTPUT)
    assert client.sends(client.put_segment(b"good", handle, IN_UNIT)) == []
    assert client.sends(client.put_segment(bytes(1001), handle, IN_UNIT)) == []
    status = client.status_of_puts()
    assert (status.reason, status.object_name.rstrip()) == (MQRC.MSG_TOO_BIG_FOR_CHANNEL, b"TARGET")
    assert client.commits() == (MQCC.FAILED, MQRC.BACKED_OUT)
    assert mars.depth("TARGET") == 0


@pytest.mark.parametrize(("kind", "reason"), [(1, MQRC.ENVIRONMENT_ERROR), (7, MQRC.STAT_TYPE_ERROR)])
def test_other_kinds_of_status_are_refused(mars_and_client: Both, kind: int, reason: MQRC) -> None:
    _, client = mars_and_client
    assert client.asks(client.mqstat(kind)).outcome == (MQCC.FAILED, reason)


@pytest.mark.parametrize(("queue", "response"), [("TARGET", 1), ("LATER", 2)])
@pytest.mark.spec("client-observed.md O-054")
def test_an_open_says_how_the_queue_wants_to_be_put_to(mars_and_client: Both, queue: str, response: int) -> None:
    _, client = mars_and_client
    order = client.writer.order
    od = make_od(order, object_name=queue.ljust(48).encode())
    call = client.call(
        SegmentType.MQOPEN, od.build(), client.word(OUTPUT), FOPA.codec(order)(version=2, length=84).build()
    )
    answer = client.asks(call)
    found = parse_fopa(answer.body, API.size + od.known + 4, order)
    assert found.record.def_put_response_type == response


def test_both_responses_at_once_are_refused(mars_and_client: Both) -> None:
    _, client = mars_and_client
    handle = client.opens("TARGET", OUTPUT)
    assert client.sends(client.put_segment(b"x", handle, ASYNC | int(MQPMO.SYNC_RESPONSE))) == []
    assert client.status_of_puts().reason == MQRC.OPTIONS_ERROR
    close = client.call(SegmentType.MQCLOSE, client.word(int(MQCO.NONE)), handle=handle)
    assert client.asks(close).outcome == (0, 0)
