"""Messages of Everyplace that only the program of one queue manager can read."""

from __future__ import annotations

import random
from typing import Final

import pytest

from mqbridge.bridge.everyplace.security.cryptography import Cryptography
from mqbridge.bridge.everyplace.security.program_keys import ProgramKeys, PublicKeys
from mqbridge.bridge.everyplace.security.wrapping import Unwrapped, is_wrapped, unwrap, unwrap_shared, wrap, wrap_shared
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.reserved import WRAP_MSG
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace_security import library

UID: Final = MessageUid("MOON", 1_795_251_600_000)
SHARED: Final = bytes(range(32))


class People:
    """The keys of three queue managers, which know each other."""

    def __init__(self) -> None:
        self.library: Cryptography = library()
        self.random = random.Random(1)
        self.moon, self.earth, self.mars = (
            ProgramKeys.new(name, self.library, self.random) for name in ("MOON", "EARTH", "MARS")
        )

    def known(self, name: str) -> PublicKeys | None:
        return {"MOON": self.moon.public, "EARTH": self.earth.public}.get(name)

    def wrap(self, message: Message) -> Message:
        return wrap(message, self.moon, self.earth.public, self.library, self.random)

    def unwrap(self, outer: Message, receiver: ProgramKeys | None = None) -> Unwrapped:
        return unwrap(outer, receiver or self.earth, self.known, self.library)

    def refused(self, outer: Message, receiver: ProgramKeys | None = None) -> Code:
        with pytest.raises(EveryplaceError) as caught:
            self.unwrap(outer, receiver)
        return caught.value.code


@pytest.fixture
def people() -> People:
    return People()


def message(uid: MessageUid = UID) -> Message:
    found = Message("com.example.Order")
    found.identify(uid)
    found["secret"] = "two apples"
    found.priority, found.msg_id = 7, b"order 17"
    found.reply_to = "REPLIES", "MOON"
    return found


def with_uid(outer: Message, uid: MessageUid) -> Message:
    """A copy under another UID."""
    found = outer.copy()
    found.put("Msg_OriginQMgr", uid.origin, FieldType.ASCII)
    found.put("Msg_Time", uid.time, FieldType.LONG)
    return found


def changed(outer: Message, at: int) -> Message:
    data = bytearray(outer.get(WRAP_MSG))
    data[at] ^= 1
    found = outer.copy()
    found.put(WRAP_MSG, bytes(data), FieldType.BYTE_ARRAY)
    return found


@pytest.mark.spec("E-059", "E-440")
def test_the_receiver_reads_it_and_knows_who_has_sent_it(people: People) -> None:
    outer = people.wrap(message())
    assert is_wrapped(outer)
    assert b"apples" not in dump(outer)
    assert (outer.uid, outer.priority, outer.msg_id, outer.reply_to) == (UID, 7, b"order 17", ("REPLIES", "MOON"))
    assert "secret" not in outer
    found = people.unwrap(Message.of(restore(dump(outer))))
    assert found.message == message()
    assert found.sender == people.moon.public


@pytest.mark.spec("E-440")
def test_a_copy_under_another_uid_is_refused(people: People) -> None:
    outer = people.wrap(message())
    assert people.refused(with_uid(outer, MessageUid("MOON", UID.time + 1))) is Code.AUTHENTICATE
    assert people.refused(with_uid(outer, MessageUid("MARS", UID.time))) is Code.AUTHENTICATE


@pytest.mark.spec("E-440")
def test_nobody_else_reads_it(people: People) -> None:
    outer = people.wrap(message())
    assert people.refused(outer, people.mars) is Code.AUTHENTICATE
    assert people.refused(outer, people.moon) is Code.AUTHENTICATE


@pytest.mark.spec("E-440")
def test_no_byte_of_it_can_be_changed(people: People) -> None:
    outer = people.wrap(message())
    length = len(outer.get(WRAP_MSG))
    for at in range(length):
        assert people.refused(changed(outer, at)) in (Code.AUTHENTICATE, Code.NOT_SUPPORTED)
    for size in (0, 1, 2, 33, 34, 46, 61, length - 1):
        cut = outer.copy()
        cut.put(WRAP_MSG, outer.get(WRAP_MSG)[:size], FieldType.BYTE_ARRAY)
        assert people.refused(cut) in (Code.AUTHENTICATE, Code.NOT_SUPPORTED)


@pytest.mark.spec("E-440")
def test_a_sender_who_is_not_known_or_says_a_wrong_name_is_refused(people: People) -> None:
    stranger = wrap(message(), people.mars, people.earth.public, people.library, people.random)
    assert people.refused(stranger) is Code.AUTHENTICATE
    pretender = ProgramKeys(people.moon.public, people.mars.exchange, people.mars.signing)
    forged = wrap(message(), pretender, people.earth.public, people.library, people.random)
    assert people.refused(forged) is Code.AUTHENTICATE


@pytest.mark.spec("E-440")
def test_a_key_in_common(people: People) -> None:
    outer = wrap_shared(message(), SHARED, people.library, people.random)
    assert b"apples" not in dump(outer)
    assert unwrap_shared(outer, SHARED, people.library) == message()
    for wrong in (
        (with_uid(outer, MessageUid("MOON", 5)), SHARED),
        (changed(outer, 20), SHARED),
        (outer, bytes(32)),
        (people.wrap(message()), SHARED),
    ):
        with pytest.raises(EveryplaceError) as caught:
            unwrap_shared(*wrong, people.library)
        assert caught.value.code is Code.AUTHENTICATE
    with pytest.raises(EveryplaceError) as caught:
        wrap_shared(message(), b"short", people.library, people.random)
    assert caught.value.code is Code.SYNTAX
    assert people.refused(outer) is Code.AUTHENTICATE


def test_what_cannot_be_wrapped_or_is_not(people: People) -> None:
    with pytest.raises(EveryplaceError) as caught:
        people.wrap(Message())
    assert caught.value.code is Code.BAD_REQUEST
    assert people.refused(message()) is Code.NOT_FOUND
    nobody = PublicKeys("EARTH", bytes(32), bytes(32))
    with pytest.raises(EveryplaceError) as caught:
        wrap(message(), people.moon, nobody, people.library, people.random)
    assert caught.value.code is Code.SYNTAX
    empty = people.wrap(message())
    empty.put(WRAP_MSG, None, FieldType.BYTE_ARRAY)
    assert people.refused(empty) is Code.NOT_SUPPORTED


def test_two_wrappings_of_one_message_differ(people: People) -> None:
    assert people.wrap(message()) != people.wrap(message())
