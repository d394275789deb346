"""A message is recorded where a client puts it, on the channel that carries it, and where another client gets it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import mqbridge
from mqbridge.captures.analysis import AnalysisOptions, analyse_file
from mqbridge.captures.tables import MessageRow
from mqbridge.protocol.constants import MQMF
from support.processes.running_service import MakeService, RunningService, wait_for

SENDING = """
ALTER QMGR CHLAUTH(DISABLED) CONNAUTH(' ')
DEFINE CHANNEL(OPEN) CHLTYPE(SVRCONN) MCAUSER('app')
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALL)
"""
RECEIVING = """
DEFINE QLOCAL(TARGET) MAXDEPTH(1000)
DEFINE CHANNEL(EARTH.SATURN) CHLTYPE(RCVR) MCAUSER('app')
"""
CARRYING = """
DEFINE QLOCAL(SATURN) USAGE(XMITQ)
DEFINE CHANNEL(EARTH.SATURN) CHLTYPE(SDR) XMITQ(SATURN) CONNAME('127.0.0.1({port})') BATCHSZ(4)
DEFINE QREMOTE(FAR) RNAME(TARGET) RQMNAME(SATURN)
"""
PROPERTIES = {"colour": "red", "size": 42, "ratio": 1.5, "on": True, "nothing": None, "raw": b"\x01\xff"}
SENT: list[dict[str, Any]] = [
    {"body": "plain"},
    {"body": b"\x00\x01\xfe", "persistent": True, "priority": 7, "correl_id": b"c" * 24},
    {"body": "with properties", "properties": PROPERTIES, "expiry": 600.0},
    {"body": b"z" * 60_000, "properties": PROPERTIES, "reply_to": "ANSWERS", "reply_to_queue_manager": "EARTH"},
    {"body": b"", "properties": {"only": "these"}},
    {"body": bytes(range(256)) * 6_000, "properties": PROPERTIES, "persistent": True},
    {"body": "of a group", "group_id": b"g" * 24, "msg_seq_number": 3, "msg_flags": int(MQMF.MSG_IN_GROUP)},
]
SAME = (
    "body_sha256", "body_length", "body_format", "correl_id", "priority", "persistence", "msg_type", "report",
    "group_id", "msg_seq_number", "msg_flags", "put_date", "put_time", "put_appl_name", "user_identifier",
    "reply_to_q", "reply_to_q_mgr", "properties", "property_types",
)  # fmt: skip


def messages(service: RunningService) -> list[MessageRow]:
    """All that a queue manager recorded."""
    assert service.recordings is not None
    found = []
    for path in sorted(Path(service.recordings).iterdir()):
        rows = analyse_file(path, AnalysisOptions(tables=frozenset({"messages"})))
        found += [row for row in rows if isinstance(row, MessageRow)]
    return found


@pytest.fixture
def ways(make_service: MakeService) -> dict[str, list[tuple[str, MessageRow]]]:
    """Rows of each message by message id, with the name of the queue manager that recorded them."""
    saturn = make_service("SATURN", mqsc=SENDING + RECEIVING, options=("--store", "memory"))
    earth = make_service("EARTH", mqsc=SENDING + CARRYING.format(port=saturn.port), options=("--store", "memory"))
    with mqbridge.connect(f"mq://127.0.0.1:{earth.port}/?channel=OPEN") as manager, manager.transaction():
        for sent in SENT:
            manager.put("FAR", **sent)
    earth.mqsc("START CHANNEL(EARTH.SATURN)")
    wait_for("arrival", lambda: saturn.depth("TARGET") == len(SENT))
    with mqbridge.connect(f"mq://127.0.0.1:{saturn.port}/?channel=OPEN") as manager:
        assert None not in [manager.get("TARGET", wait=60) for _ in SENT]
    earth.stop()
    saturn.stop()
    found = defaultdict(list)
    for service in (earth, saturn):
        for row in messages(service):
            found[row.msg_id].append((service.name, row))
    return found


def test_a_message_is_the_same_wherever_it_passes(ways: dict[str, list[tuple[str, MessageRow]]]) -> None:
    assert len(ways) == len(SENT)
    for sent, rows in zip(SENT, ways.values(), strict=True):
        way = sorted((name, row.course, row.queue, row.fate) for name, row in rows)
        assert way == [
            ("EARTH", "channel", "TARGET", "confirmed"),
            ("EARTH", "put", "FAR", "confirmed"),
            ("SATURN", "channel", "TARGET", "confirmed"),
            ("SATURN", "get", "TARGET", "confirmed"),
        ]
        body = sent["body"]
        put = next(row for _, row in rows if row.course == "put")
        assert put.body_sha256 == hashlib.sha256(body.encode() if isinstance(body, str) else body).hexdigest()
        assert put.property_types.keys() == sent.get("properties", {}).keys()
        for name, row in rows:
            for column in SAME:
                assert getattr(row, column) == getattr(put, column), (name, row.course, column)
            assert row.whole
            assert row.latency is not None
            assert 0 <= row.latency < 60
            assert (row.expiry == -1) == ("expiry" not in sent)
