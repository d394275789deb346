"""Bad input of clients: every row of the table in docs/protocol.md against a whole queue manager at work.

Each case says what the bad client does. A row with a code cuts it off, a row with reason codes fails its calls, of the
others the case itself sees what happens. Then everybody else must be unharmed, and nothing lost.
"""

from __future__ import annotations

import pytest

from support.clients import cases_of_calls as client_cases_of_calls
from support.clients import cases_of_segments as client_cases_of_segments
from support.clients.cases import CASES, ROWS
from support.clients.scene import ClientScene
from support.gateway.bad_input_table import ClientRow

pytestmark = pytest.mark.faulty_traffic

MODULES = (client_cases_of_segments, client_cases_of_calls)
"""Where the cases stand; importing them is enough."""
NOT_SHARED_TOO = [
    "no segment",
    "segment shorter than its header, or longer than agreed",
    "unknown byte order",
    "FAP level below 4",
    "compressed segment all the same",
    "segment type that no client sends",
    "user or password in a conversation that is connected",
    "body that ends too soon",
    "data of a put that are more or fewer bytes than told",
    "segments of a call out of order, a call inside a call",
    "call of more than 1 MiB without its message data",
    "security exit wants an answer",
    "MQCONN twice",
    "malformed OD, MD, PMO, GMO, SD, STS, SRO",
    "lengths and offsets that reach beyond the call",
    "header in front of the data that is none, behind a version 2 descriptor",
    "SPI verb that is not known",
    "topic string of more than 10,240 characters",
    "no MQCONN within `handshake_timeout`",
]
"""Cases that lead to the same where a connection carries one conversation (SHARECNV 0)."""


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_row_is_as_the_page_says(row: ClientRow) -> None:
    _play(row, 10)


@pytest.mark.parametrize("name", NOT_SHARED_TOO)
def test_the_same_where_nothing_is_shared(name: str) -> None:
    _play(ROWS[name], 0)


def _play(row: ClientRow, conversations: int) -> None:
    scene = ClientScene(conversations, case=row.case)
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
    assert set(CASES) == set(ROWS)
