from __future__ import annotations

import json

import pytest

from mqbridge.bridge.queue_manager.objects import (
    MQRCCF,
    AttributeMissing,
    AttributeUnknown,
    Definition,
    Kind,
    NameRefused,
    ObjectExists,
    ObjectMissing,
    Objects,
    ValueRefused,
    WrongType,
    connection_names,
    date_and_time,
    define_supplied,
    from_record,
    unsafe_attributes,
)
from mqbridge.bridge.store.interface import PutRecord, RemoveRecord, StoreDamaged

NOW = 1_800_000_000.0
LATER = NOW + 86400


@pytest.fixture
def objects() -> Objects:
    made = Objects("EARTH", NOW)
    define_supplied(made, NOW)
    return made


def sender(objects: Objects, name: str = "A.B", **attributes: object) -> Definition:
    given = {"CHLTYPE": "SDR", "CONNAME": "host(1414)", "XMITQ": "B", **attributes}
    change = objects.define(Kind.CHANNEL, name, given, NOW)  # type: ignore[arg-type]
    assert change.new is not None
    return change.new


@pytest.mark.spec("mqi.md 4.1")
def test_a_local_queue_has_the_defaults_of_the_supplied_one(objects: Objects) -> None:
    objects.define(Kind.QLOCAL, "A", {}, NOW)
    queue = objects.queue("A")
    assert queue is not None
    expected = {
        "PUT": "ENABLED", "GET": "ENABLED", "DEFPRTY": 0, "DEFPSIST": "NO", "DEFSOPT": "SHARED", "SHARE": True,
        "MAXDEPTH": 5000, "MAXMSGL": 4194304, "MSGDLVSQ": "PRIORITY", "BOTHRESH": 0, "BOQNAME": "",
        "HARDENBO": False, "TRIGGER": False, "TRIGTYPE": "FIRST", "TRIGDPTH": 1, "TRIGMPRI": 0, "TRIGDATA": "",
        "USAGE": "NORMAL", "DISTL": "NO", "RETINTVL": 999999999, "PROPCTL": "COMPAT", "DEFREADA": "NO",
        "DEFPRESP": "SYNC", "NPMCLASS": "NORMAL", "DEFBIND": "OPEN", "QDEPTHHI": 80, "QDEPTHLO": 20,
        "CRDATE": "2027-01-15", "CRTIME": "08.00.00", "ALTDATE": "2027-01-15", "ALTTIME": "08.00.00",
    }  # fmt: skip
    assert {keyword: queue[keyword] for keyword in expected} == expected


@pytest.mark.spec("channels.md 3")
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (
            "SDR",
            {
                "BATCHSZ": 50, "BATCHINT": 0, "BATCHLIM": 5000, "BATCHHB": 0, "DISCINT": 6000, "HBINT": 300,
                "KAINT": -1, "NPMSPEED": "FAST", "SEQWRAP": 999999999, "MAXMSGL": 4194304, "CONVERT": "NO",
                "SHORTRTY": 10, "SHORTTMR": 60, "LONGRTY": 999999999, "LONGTMR": 1200, "COMPHDR": ("NONE",),
                "COMPMSG": ("NONE",), "USEDLQ": "YES", "PROPCTL": "COMPAT", "TRPTYPE": "TCP", "MONCHL": "QMGR",
            },
        ),
        ("RCVR", {"MRRTY": 10, "MRTMR": 1000, "PUTAUT": "DEF", "SSLCAUTH": "REQUIRED", "BATCHSZ": 50}),
        ("SVRCONN", {"DISCINT": 0, "MAXINST": 999999999, "MAXINSTC": 999999999, "SHARECNV": 10}),
    ],
)  # fmt: skip
def test_channels_have_the_defaults_of_their_type(objects: Objects, kind: str, expected: dict[str, object]) -> None:
    name = {"SDR": "SYSTEM.DEF.SENDER", "RCVR": "SYSTEM.DEF.RECEIVER", "SVRCONN": "SYSTEM.DEF.SVRCONN"}[kind]
    channel = objects.channel(name)
    assert channel is not None
    assert {keyword: channel[keyword] for keyword in expected} == expected


@pytest.mark.spec("channels.md 3")
@pytest.mark.parametrize(
    ("kind", "absent"),
    [
        ("SDR", "MRRTY"),
        ("SDR", "SHARECNV"),
        ("SDR", "SSLCAUTH"),
        ("RCVR", "XMITQ"),
        ("RCVR", "CONNAME"),
        ("RCVR", "CONVERT"),
        ("SVRCONN", "BATCHSZ"),
        ("CLNTCONN", "MCAUSER"),
    ],
)
def test_a_type_of_channel_has_no_attributes_of_others(objects: Objects, kind: str, absent: str) -> None:
    with pytest.raises(AttributeUnknown):
        objects.define(Kind.CHANNEL, "X", {"CHLTYPE": kind, absent: 1}, NOW)


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("BATCHSZ", 0), ("BATCHSZ", 10000), ("SEQWRAP", 99), ("HBINT", -1), ("HBINT", 1000000), ("KAINT", 100000),
        ("MAXMSGL", 104857601), ("NPMSPEED", "SLOW"), ("XMITQ", "a b"), ("XMITQ", "X" * 49), ("CONNAME", "h(70000)"),
        ("CONNAME", "h(1414"), ("MCAUSER", "u" * 65), ("COMPMSG", ("RLE", "RLE")), ("COMPMSG", ("ZIP",)),
        ("COMPMSG", ("ANY",)), ("BATCHSZ", "50x"), ("BATCHSZ", True), ("DESCR", "a\nb"), ("COMPHDR", ()),
    ],
)  # fmt: skip
@pytest.mark.spec("channels.md 3")
def test_values_out_of_range_are_refused(objects: Objects, keyword: str, value: object) -> None:
    with pytest.raises(ValueRefused):
        sender(objects, **{keyword: value})
    assert objects.channel("A.B") is None


@pytest.mark.spec("channels.md 16 rule 1")
@pytest.mark.parametrize("name", ["a.B/c_D%9", "X" * 48])
def test_names_that_are_valid(objects: Objects, name: str) -> None:
    objects.define(Kind.QLOCAL, name, {}, NOW)
    assert objects.queue(name) is not None


@pytest.mark.spec("channels.md 16 rule 2")
@pytest.mark.parametrize("name", ["", "X" * 49, "A B", " A", "A-B", "Ä", "A*"])
def test_names_that_are_not(objects: Objects, name: str) -> None:
    with pytest.raises(NameRefused):
        objects.define(Kind.QLOCAL, name, {}, NOW)


@pytest.mark.spec("channels.md 16 rule 2")
def test_a_channel_name_has_twenty_characters(objects: Objects) -> None:
    sender(objects, "X" * 20)
    with pytest.raises(NameRefused):
        sender(objects, "X" * 21)


@pytest.mark.spec("channels.md 16 rule 3")
def test_all_queues_share_one_name_space_and_others_have_their_own(objects: Objects) -> None:
    objects.define(Kind.QLOCAL, "A", {}, NOW)
    for kind in (Kind.QALIAS, Kind.QREMOTE, Kind.QMODEL):
        for replace in (False, True):
            with pytest.raises(WrongType):
                objects.define(kind, "A", {}, NOW, replace=replace)
    objects.define(Kind.PROCESS, "A", {}, NOW)
    objects.define(Kind.NAMELIST, "A", {}, NOW)
    sender(objects, "A")
    with pytest.raises(WrongType):
        objects.define(Kind.CHANNEL, "A", {"CHLTYPE": "RCVR"}, NOW, replace=True)


@pytest.mark.spec("channels.md 16 rule 3")
def test_names_are_case_sensitive(objects: Objects) -> None:
    objects.define(Kind.QLOCAL, "a", {}, NOW)
    assert objects.queue("A") is None


@pytest.mark.spec("channels.md 17.2 rule 1")
def test_an_existing_name_is_refused_without_replace(objects: Objects) -> None:
    objects.define(Kind.QLOCAL, "A", {"MAXDEPTH": 7}, NOW)
    with pytest.raises(ObjectExists) as caught:
        objects.define(Kind.QLOCAL, "A", {}, NOW)
    assert (caught.value.amq, caught.value.reason) == ("AMQ8150", MQRCCF.OBJECT_ALREADY_EXISTS)


@pytest.mark.spec("channels.md 17.2 rule 1")
def test_unspecified_attributes_come_from_like_or_from_the_default_object(objects: Objects) -> None:
    objects.define(Kind.QLOCAL, "A", {"MAXDEPTH": 7, "DESCR": "a"}, NOW)
    objects.define(Kind.QLOCAL, "B", {"DESCR": "b"}, NOW, like="A")
    objects.alter(Kind.QLOCAL, "SYSTEM.DEFAULT.LOCAL.QUEUE", {"MAXDEPTH": 9}, NOW)
    objects.define(Kind.QLOCAL, "C", {}, NOW)
    found = [objects.queue(name) for name in "ABC"]
    assert [(queue["MAXDEPTH"], queue["DESCR"]) for queue in found if queue] == [(7, "a"), (7, "b"), (9, "")]
    with pytest.raises(ObjectMissing):
        objects.define(Kind.QLOCAL, "D", {}, NOW, like="NONE")
    with pytest.raises(WrongType) as caught:
        objects.define(Kind.CHANNEL, "D", {"CHLTYPE": "RCVR"}, NOW, like=sender(objects).name)
    assert caught.value.reason == MQRCCF.LIKE_OBJECT_WRONG_TYPE


@pytest.mark.spec("channels.md 17.2 rule 1")
def test_replace_sets_every_attribute_and_keeps_number_and_creation(objects: Objects) -> None:
    objects.define(Kind.QLOCAL, "A", {"MAXDEPTH": 7, "DESCR": "a"}, NOW)
    number = objects.queue("A").number  # type: ignore[union-attr]
    objects.define(Kind.QLOCAL, "A", {"DESCR": "b"}, LATER, replace=True)
    queue = objects.queue("A")
    assert queue is not None
    assert (queue["MAXDEPTH"], queue["DESCR"], queue.number) == (5000, "b", number)
    assert (queue["CRDATE"], queue["ALTDATE"]) == ("2027-01-15", "2027-01-16")


@pytest.mark.spec("channels.md 17.2 rule 2")
def test_alter_changes_only_what_it_names(objects: Objects) -> None:
    sender(objects, DESCR="a", HBINT=7)
    change = objects.alter(Kind.CHANNEL, "A.B", {"HBINT": 8}, LATER)
    assert change.old is not None
    assert change.new is not None
    assert change.new is objects.channel("A.B")
    different = {keyword for keyword in change.new if change.new[keyword] != change.old[keyword]}
    assert different == {"HBINT", "ALTDATE"}
    with pytest.raises(WrongType):
        objects.alter(Kind.CHANNEL, "A.B", {"CHLTYPE": "RCVR", "HBINT": 1}, LATER)
    with pytest.raises(ObjectMissing):
        objects.alter(Kind.QLOCAL, "NONE", {"MAXDEPTH": 1}, LATER)


@pytest.mark.parametrize("keyword", ["CRDATE", "ALTTIME", "DEFTYPE"])
def test_read_only_attributes_cannot_be_set(objects: Objects, keyword: str) -> None:
    with pytest.raises(AttributeUnknown):
        objects.define(Kind.QLOCAL, "A", {keyword: "x"}, NOW)


def test_what_must_be_given(objects: Objects) -> None:
    for kind, given in (
        (Kind.CHANNEL, {"CHLTYPE": "SDR", "XMITQ": "B"}),
        (Kind.CHANNEL, {"CHLTYPE": "SDR", "CONNAME": "h"}),
        (Kind.CHANNEL, {"CHLTYPE": "SVR"}),
        (Kind.CHANNEL, {"CHLTYPE": "RQSTR"}),
        (Kind.CHANNEL, {}),
        (Kind.TOPIC, {}),
        (Kind.SUB, {"TOPICSTR": "a"}),
        (Kind.SUB, {"DEST": "Q"}),
        (Kind.AUTHINFO, {}),
    ):
        with pytest.raises(AttributeMissing):
            objects.define(kind, "X", given, NOW)
    objects.define(Kind.CHANNEL, "X", {"CHLTYPE": "SVR", "XMITQ": "B"}, NOW)


def test_a_topic_string_belongs_to_one_topic(objects: Objects) -> None:
    objects.define(Kind.TOPIC, "A", {"TOPICSTR": "a/b"}, NOW)
    with pytest.raises(ObjectExists) as caught:
        objects.define(Kind.TOPIC, "B", {"TOPICSTR": "a/b"}, NOW)
    assert caught.value.reason == MQRCCF.TOPICSTR_ALREADY_EXISTS
    objects.define(Kind.TOPIC, "A", {"TOPICSTR": "a/b", "DESCR": "x"}, NOW, replace=True)
    with pytest.raises(AttributeUnknown):
        objects.define(Kind.TOPIC, "A", {"TOPICSTR": "other"}, NOW, replace=True)


def test_a_change_says_what_makes_it_durable_and_listeners_hear_of_it(objects: Objects) -> None:
    heard: list[tuple[str, str]] = []
    objects.add_listener(lambda old, new: heard.append((repr(old), repr(new))))
    made = objects.define(Kind.QLOCAL, "A", {"DESCR": "ä"}, NOW)
    (put,) = made.operations
    assert isinstance(put, PutRecord)
    assert (put.table, put.key) == ("objects", b"QUEUE A")
    assert json.loads(put.value)["attributes"]["DESCR"] == "ä"
    gone = objects.delete(Kind.QLOCAL, "A")
    assert gone.operations == [RemoveRecord("objects", b"QUEUE A")]
    assert heard == [("None", "<QLOCAL(A)>"), ("<QLOCAL(A)>", "None")]


def test_a_change_that_could_not_be_stored_is_undone(objects: Objects) -> None:
    objects.define(Kind.QLOCAL, "A", {"MAXDEPTH": 1}, NOW)
    before = objects.queue("A")
    objects.undo(objects.alter(Kind.QLOCAL, "A", {"MAXDEPTH": 2}, LATER))
    assert objects.queue("A") is before
    objects.undo(objects.delete(Kind.QLOCAL, "A"))
    assert objects.queue("A") is before
    objects.undo(objects.define(Kind.QLOCAL, "B", {}, LATER))
    assert objects.queue("B") is None


def test_a_store_gives_back_what_it_was_given(objects: Objects) -> None:
    sender(objects, MSGEXIT=("a(b)", "c(d)"))
    objects.define(Kind.SUB, "s" * 9000, {"TOPICSTR": "a", "DEST": "Q"}, NOW)
    records = [(each.key, each.value) for each in objects.operations() if isinstance(each, PutRecord)]
    assert max(len(key) for key, _ in records) <= 480
    other = Objects("FRESH", LATER)
    assert other.load(records) == len(records) == len(objects)
    assert {each.key(): each for each in other} == {each.key(): each for each in objects}
    assert (other.name, other.manager["CRDATE"]) == ("EARTH", "2027-01-15")
    numbers = [each.number for each in objects if each.kind is Kind.QLOCAL]
    assert len(set(numbers)) == len(numbers)
    assert other.define(Kind.QLOCAL, "NEW", {}, NOW).new.number > max(numbers)  # type: ignore[union-attr]


@pytest.mark.parametrize("value", [b"", b"{}", b"[]", b'{"kind":"NONE","name":"A","attributes":{}}', b"\xff"])
def test_a_record_that_cannot_be_read_is_damage(objects: Objects, value: bytes) -> None:
    with pytest.raises(StoreDamaged):
        objects.load([(b"QUEUE A", value)])


def test_a_temporary_dynamic_queue_is_not_stored(objects: Objects) -> None:
    queue = Definition(Kind.QLOCAL, "AMQ.1", {"DEFTYPE": "TEMPDYN"}, objects.next_number())
    assert objects.add(queue).operations == []
    assert objects.queue("AMQ.1") is queue
    assert not any(b"AMQ.1" in each.key for each in objects.operations() if isinstance(each, PutRecord))
    assert objects.delete(Kind.QLOCAL, "AMQ.1").operations == []


def test_a_record_leaves_defaults_out() -> None:
    definition = Definition(Kind.CHANNEL, "A", {"CHLTYPE": "RCVR", "HBINT": 300, "MRRTY": 3})
    assert json.loads(definition.value()) == {
        "kind": "CHANNEL",
        "name": "A",
        "attributes": {"CHLTYPE": "RCVR", "MRRTY": 3},
    }
    assert from_record(definition.value()) == definition


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({}, []),
        ({"SSLPEER": "CN=x", "MSGDATA": ("x",)}, []),
        ({"SSLCIPH": "ANY_TLS12"}, []),
        ({"SCYEXIT": "lib(f)"}, [("SCYEXIT", 0x17, "AMQ9536")]),
        ({"SENDEXIT": ("a", "b"), "MSGEXIT": ("c",)}, [("MSGEXIT", 0x17, "AMQ9536"), ("SENDEXIT", 0x17, "AMQ9536")]),
    ],
)
def test_attributes_that_change_safety(
    objects: Objects, attributes: dict[str, object], expected: list[tuple[str, int, str]]
) -> None:
    assert unsafe_attributes(sender(objects, **attributes)) == expected


def test_connection_names() -> None:
    assert connection_names("a(1415), 10.0.0.1 ,[::1](9)") == [("a", 1415), ("10.0.0.1", 1414), ("::1", 9)]
    assert connection_names(" ") == []
    for text in ("a(0)", "a(65536)", "a b", "(1414)", "a(1),", "a(x)"):
        with pytest.raises(ValueRefused):
            connection_names(text)


@pytest.mark.parametrize(
    ("address", "good"),
    [
        ("*", True), ("10.*", True), ("10.1-3.*", True), ("10.0.0.1", True), ("host*.example", True), ("fe80:*", True),
        ("10.256.*", False), ("10.3-1.*", False), ("1.2.3.4.5", False), ("a b", False), ("10..1", False),
    ],
)  # fmt: skip
@pytest.mark.spec("channels.md 14")
def test_address_patterns(objects: Objects, address: str, good: bool) -> None:
    given = {"TYPE": "ADDRESSMAP", "ADDRESS": address, "USERSRC": "CHANNEL"}
    if good:
        objects.define(Kind.CHLAUTH, "A.*", given, NOW)
    else:
        with pytest.raises(ValueRefused) as caught:
            objects.define(Kind.CHLAUTH, "A.*", given, NOW)
        assert caught.value.reason == MQRCCF.ADDRESS_ERROR


def test_times_are_written_as_mqsc_has_them() -> None:
    assert date_and_time(NOW + 3661.9) == ("2027-01-15", "09.01.01")
