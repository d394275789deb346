"""Messages: the properties that Everyplace gives a meaning, and their types (mqe.md 3)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.everyplace import reserved
from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message, Style
from mqbridge.protocol.everyplace.uid import MessageUid


@pytest.mark.spec(
    "E-044", "E-045", "E-046", "E-047", "E-048", "E-049", "E-050", "E-051", "E-052", "E-053", "E-054", "E-055", "E-056"
)
@pytest.mark.spec("E-057", "E-058", "E-059", "E-060", "E-061")
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        (reserved.ADMIN_ACTION, "int"),
        (reserved.CORREL_ID, "untyped byte[]"),
        (reserved.ADMIN_ERRORS, "fields"),
        (reserved.EXPIRE_TIME, "int long"),
        (reserved.LOCK_ID, "long"),
        (reserved.MSG_ID, "untyped byte[]"),
        (reserved.ORIGIN, "ascii"),
        (reserved.ADMIN_PARAMS, "fields"),
        (reserved.PRIORITY, "byte int"),
        (reserved.ADMIN_REASON, "unicode"),
        (reserved.REPLY_TO_Q, "ascii unicode"),
        (reserved.REPLY_TO_Q_MGR, "ascii unicode"),
        (reserved.RESEND, "boolean"),
        (reserved.ADMIN_RC, "byte"),
        (reserved.STYLE, "byte"),
        (reserved.WRAP_MSG, "untyped byte[]"),
        (reserved.TIME, "long"),
        (reserved.BACKOUT_COUNT, "int"),
    ],
)
def test_each_property_has_its_types_and_no_other(name: str, kinds: str) -> None:
    row = reserved.BY_NAME[name]
    assert {each.word for each in row.types} == set(kinds.split())
    message = Message()
    message.put(name, 1.5, FieldType.DOUBLE)
    with pytest.raises(EveryplaceError) as found:
        message.check()
    assert found.value.code is Code.TYPE
    assert name in found.value.text
    assert 0 <= row.number < 128


@pytest.mark.spec("E-041")
def test_the_uid_alone_is_a_filter() -> None:
    message = Message()
    assert len(message.uid_fields) == 0
    message["text"] = "two apples"
    message.identify(MessageUid("MOON", 1000))
    assert dict.fromkeys(message.uid_fields) == dict.fromkeys((reserved.ORIGIN, reserved.TIME))
    assert Message.of(message.uid_fields).uid == message.uid


@pytest.mark.spec("E-058", "E-056", "E-054", "E-055")
def test_properties_of_python_set_and_delete_fields() -> None:
    message = Message()
    assert (message.style, message.resend, message.reply_to) == (Style.DATAGRAM, False, ("", ""))
    message.style, message.resend, message.reply_to = Style.REQUEST, True, ("REPLIES", "MOON")
    again = Message.of(restore(dump(message)))
    assert (again.style, again.resend, again.reply_to) == (Style.REQUEST, True, ("REPLIES", "MOON"))
    again.resend, again.reply_to = False, ("", "")
    assert list(again) == [reserved.STYLE]
    again.put(reserved.STYLE, 99, FieldType.BYTE)
    assert again.style is Style.DATAGRAM


@pytest.mark.spec("E-035", "E-043")
def test_own_fields_stand_beside_and_an_unknown_class_is_a_plain_message() -> None:
    fields = Fields("com.example.Order")
    fields["apples"] = 2
    message = Message.of(restore(dump(fields)))
    assert (message.type, message["apples"], message.uid) == ("com.example.Order", 2, None)


@pytest.mark.spec("E-036", "E-062")
def test_a_uid_of_other_types_or_null_is_none() -> None:
    for origin, time in ((None, 1), ("MOON", None), (b"MOON", 1)):
        message = Message()
        message.put(reserved.ORIGIN, origin, FieldType.UNTYPED if isinstance(origin, bytes) else FieldType.ASCII)
        message.put(reserved.TIME, time, FieldType.LONG if time else FieldType.UNTYPED)
        for _ in range(2):
            with pytest.raises(EveryplaceError) as caught:
                _ = message.uid
            assert caught.value.code is Code.TYPE
