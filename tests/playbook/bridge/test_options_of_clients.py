"""Options that exclude each other, as clients say them: each conflict is told with its reason, whatever the mode."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQCO, MQGMO, MQOO, MQPMO, MQRC
from support.queue_manager.option_tables import CELLS, NEEDS_A_BROWSE_OPTION, NEVER, OPTIONS
from support.wire.host import Client, WireHost

EVERYTHING = int(MQOO.BROWSE | MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.CO_OP)


@pytest.fixture(params=[0, 10], ids=["alone", "sharing"])
def client(request: pytest.FixtureRequest) -> Client:
    host = WireHost(request.param)
    host.local("Q")
    return Client(host)


@pytest.mark.spec("mqi.md 7.2", "mqi.md 21.1", "client-observed.md O-089")
def test_every_cell_of_the_matrix_of_gets(client: Client) -> None:
    """As the queue manager has it; a pair in order finds a message, none, or nothing under the cursor.

    IBM's client that shares its connection asks for the first message with BROWSE_FIRST and BROWSE_NEXT together, and
    refuses that pair to its programs itself.
    """
    handle = client.does(client.calls.open("Q", EVERYTHING))
    wrong = []
    for one, other in itertools.combinations(OPTIONS, 2):
        pair = {one, other}
        refused = CELLS[one, other] or bool(pair & NEVER)
        refused &= not (client.host.shared and pair == {"BF", "BN"})
        refused |= bool(pair & NEEDS_A_BROWSE_OPTION) and not pair & {"BF", "BN", "BUC"}
        client.host.put("Q")
        reason = client.reason(client.calls.get(handle, int(OPTIONS[one] | OPTIONS[other])))
        client.does(client.calls.commit())
        if (reason == MQRC.OPTIONS_ERROR) is not refused:
            wrong.append((one, other, reason))
    assert not wrong


@pytest.mark.spec("mqi.md 7.3")
@pytest.mark.parametrize(
    ("opened", "options", "more", "reason"),
    [
        (MQOO.INPUT_SHARED, MQGMO.BROWSE_FIRST, {}, MQRC.NOT_OPEN_FOR_BROWSE),
        (MQOO.BROWSE, MQGMO.NONE, {}, MQRC.NOT_OPEN_FOR_INPUT),
        (MQOO.BROWSE, MQGMO.MSG_UNDER_CURSOR, {}, MQRC.NOT_OPEN_FOR_INPUT),
        (MQOO.INPUT_SHARED, MQGMO.MSG_UNDER_CURSOR, {}, MQRC.NOT_OPEN_FOR_BROWSE),
        (MQOO.BROWSE, MQGMO.BROWSE_FIRST | MQGMO.MARK_BROWSE_CO_OP, {}, MQRC.OPTIONS_ERROR),
        (MQOO.BROWSE | MQOO.CO_OP, MQGMO.BROWSE_FIRST | MQGMO.MARK_BROWSE_CO_OP, {}, 0),
        (MQOO.INPUT_SHARED, MQGMO.COMPLETE_MSG, {"match": 0x10}, MQRC.MATCH_OPTIONS_ERROR),
        (MQOO.INPUT_SHARED, MQGMO.NO_PROPERTIES | MQGMO.PROPERTIES_COMPATIBILITY, {}, MQRC.OPTIONS_ERROR),
        (MQOO.BROWSE, MQGMO.UNLOCK, {}, MQRC.NO_MSG_LOCKED),
    ],
)
def test_what_options_of_gets_require(
    client: Client, opened: int, options: int, more: dict[str, Any], reason: int
) -> None:
    client.host.put("Q")
    handle = client.does(client.calls.open("Q", int(opened)))
    if reason == MQRC.NO_MSG_LOCKED:
        assert client.does(client.calls.unlock(handle)) == reason
    else:
        assert client.reason(client.calls.get(handle, int(options), **more)) == reason
    assert client.host.depth("Q") == 1


CONTEXTS = [
    MQPMO.DEFAULT_CONTEXT, MQPMO.NO_CONTEXT, MQPMO.PASS_ALL_CONTEXT, MQPMO.PASS_IDENTITY_CONTEXT,
    MQPMO.SET_ALL_CONTEXT, MQPMO.SET_IDENTITY_CONTEXT,
]  # fmt: skip


@pytest.mark.spec("mqi.md 5.2")
def test_conflicts_of_puts(client: Client) -> None:
    handle = client.does(client.calls.open("Q", int(MQOO.OUTPUT)))

    def put(options: int) -> int:
        return client.reason(client.calls.put(handle, b"data", options))

    refused = [MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT, MQPMO.ALTERNATE_USER_AUTHORITY]
    refused += [one | other for one, other in itertools.combinations(CONTEXTS, 2)]
    assert [put(int(each)) for each in refused] == [MQRC.OPTIONS_ERROR] * len(refused)
    put1 = client.calls.put1("Q", b"data", int(MQPMO.LOGICAL_ORDER))
    assert client.reason(put1) == MQRC.OPTIONS_ERROR
    assert client.host.depth("Q") == 0
    for each in (MQPMO.SYNCPOINT, MQPMO.NO_SYNCPOINT, MQPMO.DEFAULT_CONTEXT, MQPMO.NO_CONTEXT, MQPMO.LOGICAL_ORDER):
        assert put(int(each)) == 0
    assert client.host.depth("Q") == 5


@pytest.mark.spec("mqi.md 2.2")
@pytest.mark.parametrize(
    "options",
    [
        MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE,
        MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED,
        MQOO.OUTPUT | MQOO.BIND_ON_OPEN | MQOO.BIND_NOT_FIXED,
        MQOO.BROWSE | MQOO.READ_AHEAD | MQOO.NO_READ_AHEAD,
        MQOO.BROWSE | MQOO.SAVE_ALL_CONTEXT,
        MQOO.BROWSE | MQOO.PASS_ALL_CONTEXT,
        MQOO.BROWSE | MQOO.SET_IDENTITY_CONTEXT,
        MQOO.INPUT_SHARED | MQOO.CO_OP,
        MQOO.FAIL_IF_QUIESCING,
    ],
)
def test_conflicts_of_opens(client: Client, options: MQOO) -> None:
    assert client.reason(client.calls.open("Q", int(options))) == MQRC.OPTIONS_ERROR


@pytest.mark.spec("mqi.md 3", "mqi.md 21.16")
@pytest.mark.parametrize(
    ("queue", "options", "reason", "left"),
    [
        ("predefined", MQCO.NONE, 0, True),
        ("predefined", MQCO.DELETE, MQRC.OPTION_NOT_VALID_FOR_TYPE, True),
        ("predefined", MQCO.DELETE_PURGE, MQRC.OPTION_NOT_VALID_FOR_TYPE, True),
        ("permanent", MQCO.NONE, 0, True),
        ("permanent", MQCO.DELETE, MQRC.Q_NOT_EMPTY, True),
        ("permanent", MQCO.DELETE_PURGE, 0, False),
        ("temporary", MQCO.NONE, 0, False),
        ("temporary", MQCO.DELETE, 0, False),
        ("temporary", MQCO.DELETE_PURGE, 0, False),
        ("another's temporary", MQCO.NONE, 0, True),
        ("another's temporary", MQCO.DELETE, MQRC.OPTION_NOT_VALID_FOR_TYPE, True),
        ("another's temporary", MQCO.DELETE_PURGE, MQRC.OPTION_NOT_VALID_FOR_TYPE, True),
    ],
)
def test_what_closing_does_to_queues(client: Client, queue: str, options: int, reason: int, left: bool) -> None:
    """The matrix of MQCLOSE, each queue with a message on it."""
    host, name = client.host, "Q"
    other = Client(host)
    if queue != "predefined":
        host.define(Kind.QMODEL, "M", DEFTYPE="PERMDYN" if queue == "permanent" else "TEMPDYN")
        creator = other if queue == "another's temporary" else client
        opened = creator.calls.open_as("M", int(MQOO.OUTPUT), dynamic_q_name=b"DYN*".ljust(48))
        handle, od = creator.does(opened)
        name = od.record.object_name.decode().strip()
        assert name.startswith("DYN")
        assert len(name) == len("DYN") + 16
        if creator is other:
            handle = client.does(client.calls.open(name, int(MQOO.OUTPUT)))
    else:
        handle = client.does(client.calls.open("Q", int(MQOO.OUTPUT)))
    client.does(client.calls.put(handle, b"data"))
    assert client.reason(client.calls.close(handle, int(options))) == reason
    opens_again = other.reason(other.calls.open(name, int(MQOO.OUTPUT)))
    assert opens_again == (0 if left else MQRC.UNKNOWN_OBJECT_NAME)
