"""The same message on its way: put, got, and carried by a message channel, short, split and longer than is kept."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from typing import Any

import pytest
from message_faults import rfh2

from captures.analysis import AnalysisOptions, analyse_file
from captures.generate import ChannelTraffic, ClientTraffic, Scenario
from captures.generate.clients import ClientRun
from captures.tables import FindingRow, MessageRow
from protocol.constants import MQGMO
from protocol.structures import MD

HEADER = rfh2(b"<usr><size dt='i4'>42</size><on dt='boolean'>1</on></usr>  ", ccsid=819)


def messages(channels: Sequence[ChannelTraffic] = (), clients: Sequence[ClientTraffic] = ()) -> list[MessageRow]:
    made = Scenario(seed=1, channels=channels, clients=clients).build()
    rows = analyse_file(io.BytesIO(made.data), AnalysisOptions("c", frozenset({"messages"})))
    return [row for row in rows if isinstance(row, MessageRow)]


def rules(clients: Sequence[ClientTraffic]) -> list[str]:
    made = Scenario(seed=1, channels=(), clients=clients).build()
    return [row.rule for row in analyse_file(io.BytesIO(made.data)) if isinstance(row, FindingRow)]


def put_and_get(*data: bytes, message_format: bytes = b"MQHRF2  ") -> Any:
    """A program that puts messages and gets them back."""

    def program(run: ClientRun) -> None:
        assert run.open()
        order = run.client.wire.writer.order
        values = {"version": 2, "encoding": 0x222, "coded_char_set_id": 819, "format": message_format}
        for one in data:
            run.done(run.client.put(run.handle, MD.codec(order)(**values).build(), one, 0, run.now))
        for _ in data:
            run.get(int(MQGMO.NO_SYNCPOINT))

    return program


@pytest.mark.parametrize("length", [0, 2_000, 200_000, 1_500_000])
def test_the_hash_of_a_body_is_the_same_wherever_the_message_passes(length: int) -> None:
    body = bytes(range(256)) * (length // 256) + b"!"
    big = {"max_message_length": 4_194_304}
    rows = messages(
        [ChannelTraffic(sizes=[0], text=HEADER + body, format="MQHRF2")],
        [
            ClientTraffic(program=put_and_get(HEADER + body), server=big),
            ClientTraffic(program=put_and_get(HEADER + body), server={**big, "shared_conversations": 0}),
        ],
    )
    assert sorted(row.course for row in rows) == ["channel", "get", "get", "put", "put"]
    for row in rows:
        assert row.body_sha256 == hashlib.sha256(body).hexdigest(), row.course
        assert (row.whole, row.fate, row.headers) == (True, "confirmed", ["RFH2"])
        assert (row.length, row.body_length) == (len(HEADER + body), len(body))
        assert row.properties["size"] == "42"


def test_headers_that_go_on_behind_what_is_kept_leave_no_hash() -> None:
    long = rfh2(b"<usr>" + b" " * 1_100_000 + b"</usr>", ccsid=819)
    clients = [ClientTraffic(program=put_and_get(long + b"body"))]
    assert "C-430" not in rules(clients)
    for row in messages(clients=clients):
        assert (row.body_sha256, row.headers, row.whole) == (None, [], True)


def test_a_unit_of_work_may_hold_more_data_than_are_kept() -> None:
    rows = messages(clients=[ClientTraffic(puts=[900_000] * 25, syncpoint=True, commit_every=25)])
    assert [row.fate for row in rows] == ["confirmed"] * 25


def test_a_batch_may_hold_more_data_than_are_kept() -> None:
    text = HEADER + bytes(900_000)
    rows = messages([ChannelTraffic(sizes=[0] * 25, text=text, format="MQHRF2")])
    assert [(row.fate, row.headers) for row in rows] == [("confirmed", ["RFH2"])] * 25
    assert {row.body_sha256 for row in rows} == {hashlib.sha256(bytes(900_000)).hexdigest()}
