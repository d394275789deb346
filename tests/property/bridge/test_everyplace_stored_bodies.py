"""What a PUSH carries of a message is what is kept of it, byte for byte as it would be encoded again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.everyplace.queues.held_messages import Limits
from mqbridge.bridge.everyplace.queues.stored_messages import StoredMessages
from mqbridge.bridge.everyplace.security.at_rest import PLAIN, AtRest, Protected
from mqbridge.bridge.everyplace.transfer.parts_in import LONG
from mqbridge.bridge.everyplace.transfer.parts_out import PartsOut, pushed
from mqbridge.bridge.store.memory import MemoryStore
from mqbridge.protocol.everyplace.batches import Push, read_body, write_body
from mqbridge.protocol.everyplace.errors import EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.frames import Kind
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.names import Address
from mqbridge.protocol.everyplace.uid import MessageUid

ADDRESS = Address("ORDERS", "EARTH")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES: st.SearchStrategy[tuple[FieldType, Any]] = st.one_of(
    st.tuples(st.just(FieldType.UNICODE), st.none() | TEXTS),
    st.tuples(st.just(FieldType.UNTYPED), st.none() | st.binary(max_size=300)),
    st.tuples(st.just(FieldType.LONG), st.integers(-(2**63), 2**63 - 1)),
    st.tuples(st.just(FieldType.DOUBLE), st.floats()),
    st.tuples(st.just(FieldType.UNICODE_ARRAY), st.lists(TEXTS, max_size=3)),
    st.tuples(
        st.just(FieldType.FIELDS), st.dictionaries(st.sampled_from("abc"), TEXTS, max_size=2).map(lambda v: fields(v))
    ),
)
NAMES = st.text(st.sampled_from("abcXYZ019_"), min_size=1, max_size=8)


def fields(values: dict[str, str]) -> Fields:
    found = Fields("com.example.Order")
    for name, value in values.items():
        found[name] = value
    return found


@st.composite
def messages(draw: st.DrawFn) -> Message:
    found = Message()
    found.identify(MessageUid("MOON", draw(st.integers(0, 2**62))))
    found.priority = draw(st.none() | st.integers(0, 9))
    found.correl_id = draw(st.none() | st.binary(max_size=24))
    for name, (kind, value) in draw(st.dictionaries(NAMES, VALUES, max_size=6)).items():
        found.put(name, value, kind)
    return found


def kept(message: Message, at_rest: AtRest) -> StoredMessages:
    store = MemoryStore()
    found = StoredMessages(2**31, "ORDERS@EARTH", store, Limits(), at_rest)
    change = found.put(message, 0, 0, ADDRESS)
    assert store.commit([change.operations]) == [None]
    change.ended(committed=True)
    return found


@pytest.mark.spec("E-095", "E-188")
@given(messages(), st.booleans())
def test_messages_go_as_they_are_kept(message: Message, compressed: bool) -> None:
    queue = kept(message, Protected(compressing=True, encryption=None) if compressed else PLAIN)
    entries = list(queue.held.list)
    sent = write_body(Push("ORDERS@EARTH", 3, pushed(entries, queue)))
    assert sent == write_body(Push("ORDERS@EARTH", 3, ((ADDRESS, queue.read(entries[0])),)))
    push = read_body(Kind.PUSH, sent)
    assert isinstance(push, Push)
    assert push.messages == ((ADDRESS, message),)


@pytest.mark.spec("E-188")
@given(st.binary(min_size=1, max_size=100))
def test_long_messages_go_as_they_are_kept(data: bytes) -> None:
    message = Message()
    message.identify(MessageUid("MOON", 1))
    message["photo"] = data * (LONG // len(data) + 1)
    queue = kept(message, PLAIN)
    parts = PartsOut("ORDERS@EARTH", list(queue.held.list), queue)
    body = b""
    while len(body) < parts.length:
        body += parts.part(len(body)).data
    assert body == message.body()


@pytest.mark.spec("E-459")
def test_what_is_no_dump_is_not_sent() -> None:
    message = Message()
    message.identify(MessageUid("MOON", 1))
    queue = kept(message, PLAIN)
    (entry,) = queue.held.list
    queue.held.at_rest = Protected(compressing=True, encryption=None)
    assert queue.held.bodies([entry]) == [message.body()]  # kept before the queue had a compressor
    queue.held.at_rest = NoDump()  # type: ignore[assignment]
    with pytest.raises(EveryplaceError, match="no dump"):
        pushed([entry], queue)


class NoDump:
    """Rows that are something else."""

    def opened(self, uid: MessageUid, row: bytes) -> bytes:
        return b"something else"
