"""Completing plain descriptors quickly comes to the same as taking them apart, on any descriptor and any options."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.queue_manager import MQError, PutOptions
from mqbridge.bridge.queue_manager.ids import IdSource
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.putting import descriptors, plain_descriptors
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMF, MQMT, MQPMO, MQRO, ByteOrder
from mqbridge.protocol.structures.md import MD, MD1
from mqbridge.protocol.text import encode_field
from support.queue_manager.host import Host


def mostly(usual: list[object], *others: object) -> st.SearchStrategy[object]:
    """A usual value eight times as often as another one: most descriptors are to be plain but for one thing."""
    return st.sampled_from([*usual * (8 * len(others) // len(usual) or 1), *others])


NOW = 1_800_000_000.567
NAMES = st.sampled_from(["", "REPLIES", "ELSEWHERE", " ODD"])
IDS = st.sampled_from([bytes(24), b"M" * 24])
OPTIONS = mostly(
    [0, int(MQPMO.SYNCPOINT), int(MQPMO.NEW_MSG_ID | MQPMO.NEW_CORREL_ID), int(MQPMO.DEFAULT_CONTEXT)],
    int(MQPMO.NO_CONTEXT),
    int(MQPMO.SET_ALL_CONTEXT),
    int(MQPMO.SET_IDENTITY_CONTEXT),
    int(MQPMO.SUPPRESS_REPLYTO),
    int(MQPMO.SYNCPOINT | MQPMO.NO_SYNCPOINT),
)
FIELDS = st.fixed_dictionaries(
    {
        "report": mostly([0], int(MQRO.COA), int(MQRO.PASS_MSG_ID), 0x10000000),
        "msg_type": mostly([int(MQMT.DATAGRAM), int(MQMT.REQUEST), int(MQMT.REPLY)], int(MQMT.REPORT), 99),
        "expiry": mostly([-1, 1, 300], 0, -2),
        "feedback": mostly([0], 1, 1_000_000_000),
        "coded_char_set_id": mostly([0, 1208, 500], -2, -3, -4),
        "priority": mostly([-1, 0, 9, 12], -2),
        "persistence": mostly([0, 1, 2], 3),
        "msg_id": IDS,
        "correl_id": IDS,
        "backout_count": st.sampled_from([0, 7]),
        "accounting_token": st.sampled_from([bytes(32), b"T" * 32]),
    }
)
GROUPS = st.fixed_dictionaries(
    {
        "group_id": IDS,
        "msg_seq_number": st.sampled_from([0, 1, 5]),
        "offset": st.sampled_from([0, 100]),
        "msg_flags": mostly([0], int(MQMF.MSG_IN_GROUP), int(MQMF.LAST_SEGMENT), 0x00100000),
        "original_length": st.sampled_from([-1, 3]),
    }
)


def outcome(host: Host, complete: object, message: Message, options: PutOptions) -> tuple[object, ...]:
    """What a completion returns or raises, and the descriptor that it leaves."""
    core = host.queue_manager.connections.core
    core.ids = IdSource("EARTH", 1_800_000_000)
    target = host.queue_manager.resolve("QUEUE")
    try:
        returned = complete(core, target, message, options, NOW)  # type: ignore[operator]
    except MQError as error:
        return ("raised", error.reason)
    return ("returned", returned, message.raw_md, message.body)


@pytest.fixture(scope="module")
def host() -> Host:
    made = Host()
    made.local("QUEUE")
    return made


@pytest.mark.spec("mqi.md 5.2", "mqi.md 5.4")
@given(
    fields=FIELDS,
    group=st.none() | GROUPS,
    names=st.tuples(NAMES, NAMES),
    options=OPTIONS,
    order=st.sampled_from([ByteOrder.BIG, ByteOrder.LITTLE]),
    ccsid=mostly([819, 1208], 500, 1200),
    user=mostly(["app", "a-name-that-is-too-long"], "ä"),
    struc_id=mostly([b"MD  "], b"XX  "),
    version=mostly([0], 3),
    format_name=mostly(["", "MQSTR"], "MQHMDE"),
)
def test_both_ways_agree(
    host: Host, fields, group, names, options, order, ccsid, user, struc_id, version, format_name
) -> None:
    values = {**fields, **(group or {}), "struc_id": struc_id, "version": version or (1 if group is None else 2)}
    if ccsid != 1200:
        for key, text, size in (
            ("reply_to_q", names[0], 48),
            ("reply_to_q_mgr", names[1], 48),
            ("format", format_name, 8),
        ):
            values[key] = encode_field(text, size, ccsid)
    raw = (MD1 if group is None else MD).codec(order)(**values).build()
    given_options = PutOptions(
        options, Application(user=user, appl_type=28, appl_name="program", accounting_token=b"\x01" * 32)
    )
    made = [
        outcome(host, complete, Message(raw, b"data", order=order, ccsid=ccsid), given_options)
        for complete in (plain_descriptors.complete, descriptors.complete)
    ]
    assert made[0] == made[1]


def test_most_descriptors_are_plain(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def unexpected(*_: object) -> int:
        raise AssertionError("it was taken apart")

    monkeypatch.setattr(plain_descriptors, "complete_any", unexpected)
    for order in (ByteOrder.BIG, ByteOrder.LITTLE):
        for structure in (MD1, MD):
            raw = structure.codec(order)(version=1 if structure is MD1 else 2).build()
            message = Message(raw, b"data", order=order, ccsid=819)
            assert outcome(host, plain_descriptors.complete, message, PutOptions())[0] == "returned"
