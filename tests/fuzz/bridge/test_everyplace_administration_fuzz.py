"""Any fields in an administration message: it is obeyed or answered, and the queue manager stays usable."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.bridge.everyplace.administration.actions import CLASS_PREFIX, CLASSES
from mqbridge.bridge.everyplace.administration.requests import read_reply
from mqbridge.bridge.everyplace.administration.vocabulary import Vocabulary
from mqbridge.bridge.everyplace.definitions.manager_properties import ManagerProperties
from mqbridge.bridge.everyplace.registry import Registry
from mqbridge.protocol.everyplace.calls import Done, Refused
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message, Style
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.reserved import ADMIN_ACTION, ADMIN_MAX_ATTEMPTS, ADMIN_PARAMS, ADMIN_RC, ADMIN_TARGET
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace_hosts import DirectHost, some_message

VOCABULARY = Vocabulary()
FIELDS = sorted({row.field for name in VOCABULARY.classes() for row in VOCABULARY.rows(name)} | {"nonsense"})
TEXTS = st.sampled_from(["", "A", "AdminQ", "EARTH", "MOON", "AdminReplyQ", ".", "x" * 300]) | st.text(max_size=9)
VALUES: st.SearchStrategy[tuple[Any, FieldType | None]] = st.one_of(
    st.tuples(TEXTS, st.just(FieldType.UNICODE)),
    st.tuples(st.sampled_from(["A", "EARTH", "MOON"]), st.just(FieldType.ASCII)),
    st.tuples(st.integers(-(2**31), 2**31 - 1), st.just(FieldType.INT)),
    st.tuples(st.integers(-3, 12), st.just(FieldType.BYTE)),
    st.tuples(st.integers(-(2**63), 2**63 - 1), st.just(FieldType.LONG)),
    st.tuples(st.booleans(), st.just(FieldType.BOOLEAN)),
    st.tuples(st.lists(TEXTS, max_size=3), st.just(FieldType.UNICODE_ARRAY)),
    st.tuples(st.binary(max_size=5), st.just(FieldType.UNTYPED)),
    st.tuples(st.none(), st.just(None)),
)


@st.composite
def admin_messages(draw: st.DrawFn) -> Message:
    found = Message(draw(st.sampled_from([CLASS_PREFIX + name for name in CLASSES] + ["", "Admin.", "Admin.x"])))
    parameters = Fields()
    for name in draw(st.lists(st.sampled_from(FIELDS), max_size=6)):
        value, kind = draw(VALUES)
        parameters.put(name, value, kind)
    if draw(st.booleans()):
        parameters.put("admname", draw(st.sampled_from(["A", "B", "AdminQ", "EARTH"])), FieldType.ASCII)
    found.put(ADMIN_PARAMS, draw(st.sampled_from([parameters, parameters, parameters, None])), FieldType.FIELDS)
    for name, kind, values in (
        (ADMIN_ACTION, FieldType.INT, st.integers(0, 12)),
        (ADMIN_MAX_ATTEMPTS, FieldType.INT, st.integers(-1, 2)),
        (ADMIN_TARGET, FieldType.ASCII, st.sampled_from(["EARTH", "MARS", ""])),
        (ADMIN_RC, FieldType.BYTE, st.integers(0, 4)),
    ):
        if draw(st.integers(0, 9)) < (2 if name == ADMIN_RC else 9):
            found.put(name, draw(values), kind)
    if draw(st.booleans()):
        found.style = Style.REQUEST
        found.reply_to = draw(st.sampled_from([("AdminReplyQ", "EARTH"), ("NONE", "EARTH"), ("Q", "MARS"), ("", "")]))
    return found


@pytest.mark.spec("E-032", "E-288", "E-567")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(admin_messages(), st.booleans()), min_size=1, max_size=5))
def test_it_is_obeyed_or_answered(messages: list[tuple[Message, bool]]) -> None:
    host = DirectHost()
    host.store.commit([[Registry.put_properties(ManagerProperties(administrators=("MOON",)))]])
    host.restart()
    for number, (message, transferred) in enumerate(messages):
        if not transferred:
            outcome = host.put("AdminQ", message=message.copy())
            assert isinstance(outcome, Done | Refused)
            continue
        message.identify(MessageUid("MOON", number + 1))
        try:
            change = host.manager.place(message, Address("AdminQ", "EARTH"), host.now, "MOON")
        except EveryplaceError as error:
            assert error.code in (Code.TYPE, Code.SYNTAX, Code.Q_UNKNOWN, Code.TOO_LONG, Code.Q_FULL)  # noqa: PT017
            continue
        host.manager.submit(change, lambda _: None)
        host.settle()
    host.now += 200
    host.settle()
    host.restart()
    host.settle()
    assert host.put("SYSTEM.DEFAULT.LOCAL.QUEUE", message=some_message()) is not None
    for name in ("AdminReplyQ", "DeadLetterQ"):
        for each in host.browse(name):
            if ADMIN_RC in each and each.style is Style.REPLY:
                read_reply_safely(each)


def read_reply_safely(message: Message) -> None:
    try:
        read_reply(message)
    except EveryplaceError as error:
        assert error.code in (  # noqa: PT017
            Code.ADMIN_NOT_ADMIN_MSG,
            Code.ADMIN_ACTION_NOT_SUPPORTED,
            Code.ADMIN_INVALID_FIELD,
        )
