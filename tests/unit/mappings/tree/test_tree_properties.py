"""Properties and MQMD: which of them wins."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mqbridge.mappings.message import Message
from mqbridge.mappings.tree import MessageTree, TreeError, message_tree
from support.wire.tree_messages import bare

CORREL_ID = bytes.fromhex("4d454e53") + bytes(20)
PAIRS = {
    "ReplyIdentifier": ("CorrelId", CORREL_ID, bytes([7]) * 24),
    "Encoding": ("Encoding", 785, 273),
    "CodedCharSetId": ("CodedCharSetId", 500, 819),
    "Persistence": ("Persistence", 1, False),
    "Expiry": ("Expiry", 10000, 50),
    "Priority": ("Priority", 9, 4),
}
"""By name in Properties: name in MQMD, a value of MQMD, another one of Properties."""


def http_message() -> Message:
    """What an HTTP input makes of a request."""
    return bare(b"", encoding=546, coded_char_set_id=1208, persistence=0, priority=0)


def in_properties(value: object, name: str) -> object:
    return value == 1 if name == "Persistence" else value


def written(tree: MessageTree[Message], name: str) -> object:
    """The MQMD field of a property in the message that the tree gives."""
    return in_properties(message_tree(tree.message())[f"MQMD.{PAIRS[name][0]}"], name)


@pytest.mark.spec("jms-mapping.md 10.4 row 1")
@pytest.mark.parametrize("name", PAIRS)
def test_from_a_queue_the_descriptor_wins(name: str) -> None:
    field, of_descriptor, of_properties = PAIRS[name]
    tree = message_tree(http_message())
    assert tree[f"Properties.{name}"] == in_properties(tree[f"MQMD.{field}"], name)
    tree[f"MQMD.{field}"] = of_descriptor
    assert tree[f"Properties.{name}"] == in_properties(of_descriptor, name)
    tree[f"Properties.{name}"] = of_properties
    assert tree[f"Properties.{name}"] == of_properties
    assert written(tree, name) == in_properties(of_descriptor, name)
    assert tree[f"Properties.{name}"] == in_properties(of_descriptor, name)
    tree[f"Properties.{name}"] = of_properties
    tree[f"MQMD.{field}"] = of_descriptor
    assert tree[f"Properties.{name}"] == in_properties(of_descriptor, name)


@pytest.mark.spec("jms-mapping.md 10.4 row 2")
@pytest.mark.parametrize("name", PAIRS)
def test_of_another_input_the_properties_win(name: str) -> None:
    field, of_descriptor, of_properties = PAIRS[name]
    tree = message_tree(http_message(), entered_by="other")
    before = tree[f"Properties.{name}"]
    tree[f"MQMD.{field}"] = of_descriptor
    assert tree[f"Properties.{name}"] == before
    assert tree[f"MQMD.{field}"] == of_descriptor
    assert written(tree, name) == before
    tree[f"Properties.{name}"] = of_properties
    assert written(tree, name) == of_properties
    assert tree[f"MQMD.{field}"] == (0 if name == "Persistence" else of_properties)


@pytest.mark.spec("jms-mapping.md 10.4")
@pytest.mark.spec("jms-mapping.md 11.16")
def test_the_vector_of_an_http_input() -> None:
    tree = message_tree(http_message(), entered_by="other")
    for field, value, _ in PAIRS.values():
        tree[f"MQMD.{field}"] = value
    assert "MQMD" in tree
    tree.message()
    assert tree["MQMD.CorrelId"] == bytes(24)
    assert (tree["MQMD.Encoding"], tree["MQMD.CodedCharSetId"]) == (546, 1208)
    assert (tree["MQMD.Persistence"], tree["Properties.Persistence"]) == (0, False)
    assert (tree["MQMD.Expiry"], tree["MQMD.Priority"]) == (-1, 0)


@pytest.mark.spec("jms-mapping.md 10.4")
def test_the_same_vector_from_a_queue() -> None:
    tree = message_tree(http_message())
    for field, value, _ in PAIRS.values():
        tree[f"MQMD.{field}"] = value
    md = tree.message().md
    assert (md.correl_id, md.encoding, md.coded_char_set_id) == (CORREL_ID, 785, 500)
    assert (md.persistence, md.expiry, md.priority) == (1, 10000, 9)


def test_a_programs_own_message_has_no_properties_until_given() -> None:
    tree = message_tree(http_message(), entered_by="user")
    assert list(tree) == []
    assert "Properties.Priority" not in tree
    tree["MQMD.Priority"] = 3
    tree["MQMD.Expiry"] = 70
    assert "Properties" not in tree
    tree["Properties.Priority"] = 5
    assert list(tree) == ["Properties", "MQMD"]
    md = tree.message().md
    assert (md.priority, md.expiry) == (5, 70)
    del tree["Properties.Priority"]
    assert "Properties" not in tree


def test_an_untouched_message_of_another_input_keeps_persistence_as_the_queue_has_it() -> None:
    message = bare(b"", persistence=2)
    tree = message_tree(message, entered_by="other")
    assert tree["Properties.Persistence"] is False
    assert tree.message() is message
    tree["Properties.Persistence"] = True
    assert tree.message().md.persistence == 1


@pytest.mark.spec("jms-mapping.md 10.4")
@pytest.mark.parametrize("path", ["MQMD.Expiry", "Properties.Expiry"])
@pytest.mark.parametrize(
    ("given", "tenths"),
    [
        (10, 10),
        (-1, -1),
        (0, 1),
        (-5, 1),
        (timedelta(seconds=30), 300),
        (timedelta(seconds=-30), 1),
        (timedelta(), 1),
        (timedelta(days=36500), 2**31 - 1),
    ],
)
def test_expiry_is_tenths_of_a_second_or_a_time(path: str, given: int | timedelta, tenths: int) -> None:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    entered_by = "queue" if path.startswith("MQMD") else "other"
    tree = message_tree(http_message(), entered_by=entered_by)  # type: ignore[arg-type]
    tree[path] = now + given if isinstance(given, timedelta) else given
    assert tree.message(now.timestamp()).md.expiry == tenths


def test_an_expiry_that_is_a_time_needs_zone_and_time() -> None:
    tree = message_tree(http_message())
    with pytest.raises(TreeError, match="a time needs its time zone"):
        tree["MQMD.Expiry"] = datetime(2026, 1, 1)
    tree["MQMD.Expiry"] = datetime(2026, 1, 1, tzinfo=UTC)
    assert tree["Properties.Expiry"] == datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(TreeError, match=r"^MQMD: an absolute Expiry needs the time"):
        tree.message()


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("Properties.Topic", "a", "there is no such field"),
        ("Properties.Persistence", 1, "True or False is needed"),
        ("Properties.Priority", "5", "a number is needed, not str"),
        ("Properties.ReplyIdentifier", bytes(25), "25 bytes"),
        ("MQMD.Priority", True, "a number is needed, not bool"),
        ("MQMD.Priority", 2**40, "does not fit"),
        ("MQMD.ReplyToQ", "Q" * 49, "the field has 48"),
        ("MQMD.ReplyToQ", b"Q", "text is needed, not bytes"),
        ("MQMD.MsgId", "Q", "bytes are needed, not str"),
        ("MQMD.Nothing", 1, "there is no such field"),
        ("MQMD.MsgId.x", 1, "there is no such field"),
        ("MQMD.Version", 2, "the version follows from the fields"),
        ("MQMD", 2, "a header is set by a mapping of fields"),
    ],
)
def test_values_that_do_not_fit_are_refused(path: str, value: object, what: str) -> None:
    tree = message_tree(http_message())
    with pytest.raises(TreeError, match=what) as caught:
        tree[path] = value
    assert caught.value.path == path
    assert not tree.changed


def test_fields_of_version_2_make_a_descriptor_of_version_2() -> None:
    tree = message_tree(http_message())
    tree["MQMD"] = {"GroupId": b"g", "MsgSeqNumber": 4}
    assert tree["MQMD.Version"] == 2
    assert tree.message().md.group_id == b"g" + bytes(23)


def test_fields_of_the_descriptor_cannot_be_deleted() -> None:
    with pytest.raises(TreeError, match="an MQMD and its fields stay"):
        del message_tree(http_message())["MQMD.Priority"]
