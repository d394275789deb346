"""Names that come back from MQOPEN, MQPUT and MQPUT1 of clients (mqi.md 2.4, 5.5)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.protocol.constants import MQOO, MQPMO, SegmentType
from mqbridge.protocol.structures import API, make_od, parse_od
from mqbridge.protocol.structures.md import MD
from mqbridge.protocol.structures.pmo import make_pmo, parse_pmo
from support.clients.playbook import Answer
from support.clients.program import ClientProgram, connects, with_clients

pytestmark = pytest.mark.spec("mqi.md 2.4")

OBJECTS = """
    DEFINE QALIAS(ALIAS) TARGET(TARGET)
    DEFINE QLOCAL(XQ) USAGE(XMITQ)
    DEFINE QREMOTE(FAR) RNAME(THERE) RQMNAME(VENUS) XMITQ(XQ)
    DEFINE QREMOTE(JUPITER) RNAME(' ') RQMNAME(VENUS) XMITQ(XQ)
    DEFINE QREMOTE(HOME) RNAME(' ') RQMNAME(MARS)
"""
OPEN_LOCAL, PUT_LOCAL = int(MQOO.RESOLVE_LOCAL_Q), int(MQPMO.RESOLVE_LOCAL_Q)
CASES = [
    ("TARGET", 0, ("TARGET", "MARS"), (1, 0)),
    ("ALIAS", 0, ("TARGET", "MARS"), (1, 0)),
    ("ALIAS", 1, ("TARGET", "MARS"), (1, 0)),
    ("FAR", 0, ("THERE", "VENUS"), (0, 1)),
    ("FAR", 1, ("XQ", "MARS"), (0, 1)),
]


def names(structure: Any) -> tuple[str, str]:
    record = structure.record
    return record.resolved_q_name.decode().rstrip(), record.resolved_q_mgr_name.decode().rstrip()


def counts(structure: Any) -> tuple[int, int]:
    return structure.record.known_dest_count, structure.record.unknown_dest_count


@pytest.fixture
def client() -> ClientProgram:
    stage, _ = with_clients(OBJECTS)
    return connects(stage)


@pytest.mark.parametrize(("name", "local", "resolved", "counted"), CASES)
def test_an_open_and_a_put_tell_where_messages_go(
    client: ClientProgram, name: str, local: int, resolved: tuple[str, str], counted: tuple[int, int]
) -> None:
    od = make_od(client.writer.order, 3, object_name=name.ljust(48).encode())
    options = int(MQOO.OUTPUT) | OPEN_LOCAL * local
    opened = client.asks(client.call(SegmentType.MQOPEN, od.build(), client.word(options)))
    back = parse_od(opened.body, API.size, opened.order)
    assert (names(back), counts(back)) == (resolved, counted)
    assert back.record.object_name.rstrip() == name.encode()
    put = client.puts(b"x", int(opened.api.object_handle), PUT_LOCAL * local)
    pmo = parse_pmo(put.body, API.size + MD.size, put.order)
    assert (names(pmo), counts(pmo)) == (resolved, counted)


@pytest.mark.parametrize(("name", "local", "resolved", "counted"), CASES)
def test_so_does_mqput1(
    client: ClientProgram, name: str, local: int, resolved: tuple[str, str], counted: tuple[int, int]
) -> None:
    order = client.writer.order
    od = make_od(order, 3, object_name=name.ljust(48).encode())
    head = od.build() + MD.codec(order)(version=2, expiry=-1).build()
    head += make_pmo(order, 2, options=PUT_LOCAL * local).build()
    answer: Answer = client.asks(client.call(SegmentType.MQPUT1, head, client.word(1), b"x", handle=-1))
    back = parse_od(answer.body, API.size, answer.order)
    pmo = parse_pmo(answer.body, API.size + back.known + MD.size, answer.order)
    assert answer.outcome == (0, 0)
    assert (names(back), counts(back)) == (names(pmo), counts(pmo)) == (resolved, counted)


@pytest.mark.parametrize(
    ("manager", "resolved"), [("JUPITER", ("TARGET", "VENUS")), ("HOME", ("TARGET", "MARS")), ("XQ", ("TARGET", "XQ"))]
)
def test_the_name_that_was_asked_for_stays_where_another_queue_manager_is_named(
    client: ClientProgram, manager: str, resolved: tuple[str, str]
) -> None:
    od = make_od(client.writer.order, 3, object_name=b"TARGET".ljust(48), object_q_mgr_name=manager.ljust(48).encode())
    opened = client.asks(client.call(SegmentType.MQOPEN, od.build(), client.word(int(MQOO.OUTPUT))))
    back = parse_od(opened.body, API.size, opened.order)
    assert opened.outcome == (0, 0)
    assert names(back) == resolved
    assert back.record.object_name.rstrip() == b"TARGET"
