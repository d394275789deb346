"""Selectors of open queues: what gets, browses and waits mean (mqi.md 10.3, 18)."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import GetOptions, MQError, RetrievedMessage, SearchYielded, Waiter
from mqbridge.bridge.queue_manager.getting.message_selection import MAX_REMEMBERED
from mqbridge.bridge.queue_manager.getting.searching import Search
from mqbridge.bridge.queue_manager.handle import Handle
from mqbridge.bridge.queue_manager.queues.indexes import IdKind
from mqbridge.mappings.rfh2 import FolderValue, write_folder
from mqbridge.protocol.constants import MQGMO, MQMF, MQMO, MQOO, MQRC, ByteOrder
from mqbridge.protocol.structures import make_rfh2
from mqbridge.protocol.text import encode_field
from support.queue_manager.direct_calls import get_message
from support.queue_manager.host import Host

INPUT = int(MQOO.INPUT_SHARED | MQOO.BROWSE)


def with_properties(data: bytes, *, jms: dict[str, str] | None = None, **properties: Any) -> bytes:
    kinds = {bool: "boolean", int: "i4", float: "r8", str: "string"}
    folders = [write_folder("jms", [FolderValue(name, "string", text) for name, text in (jms or {}).items()])]
    folders.append(
        write_folder("usr", [FolderValue(name, kinds[type(value)], value) for name, value in properties.items()])
    )
    header = make_rfh2(
        ByteOrder.LITTLE,
        [folder.encode() for folder in folders],
        encoding=546,
        coded_char_set_id=1208,
        format=encode_field("MQSTR", 8, 1208),
        name_value_ccsid=1208,
    )
    return header.build() + data


def put(host: Host, data: bytes, *, jms: dict[str, str] | None = None, **properties: Any) -> bytes:
    """Puts a message with properties; fields of the descriptor by their names with ``md_`` in front."""
    fields = {name[3:]: properties.pop(name) for name in list(properties) if name.startswith("md_")}
    body = with_properties(data, jms=jms, **properties)
    message = host.put("Q", body, format="MQHRF2", encoding=546, coded_char_set_id=1208, **fields)
    return message.md.msg_id


@pytest.fixture
def queue(host: Host) -> Host:
    host.local("Q")
    return host


def opened(host: Host, selector: str, options: int = INPUT) -> Handle:
    return host.queue_manager.open("Q", options=options, owner=b"test", now=host.now, selection_string=selector)


def get(host: Host, handle: Handle, bits: int = 0, unit: Any = None, **options: Any) -> RetrievedMessage | None:
    try:
        return get_message(host.queue_manager, handle, GetOptions(bits, **options), unit, host.now)
    finally:
        host.pump()


def data(got: RetrievedMessage | None) -> bytes | None:
    return None if got is None else got.message.data[-2:]


@pytest.mark.spec("mqi.md 10.3")
@pytest.mark.parametrize("persistence", [0, 1])
def test_gets_only_what_is_selected(queue: Host, persistence: int) -> None:
    for number, colour in enumerate(["red", "blue", "red", "green"]):
        put(queue, b"M%d" % number, colour=colour, md_persistence=persistence)
    queue.put("Q", b"M9")
    handle = opened(queue, "colour = 'red'")
    assert [data(get(queue, handle)) for _ in range(3)] == [b"M0", b"M2", None]
    assert queue.depth("Q") == 3
    assert data(get(queue, opened(queue, "colour IS NULL"))) == b"M9"
    assert data(get(queue, opened(queue, ""))) == b"M1"


@pytest.mark.spec("mqi.md 10.3")
def test_browses_only_what_is_selected(queue: Host) -> None:
    for number in range(6):
        put(queue, b"M%d" % number, n=number)
    handle = opened(queue, "n BETWEEN 1 AND 2 OR n = 4")
    first = get(queue, handle, MQGMO.BROWSE_FIRST)
    others = [get(queue, handle, MQGMO.BROWSE_NEXT) for _ in range(3)]
    assert [data(got) for got in (first, *others)] == [b"M1", b"M2", b"M4", None]
    assert data(get(queue, handle, MQGMO.BROWSE_MSG_UNDER_CURSOR)) == b"M4"
    assert data(get(queue, handle, MQGMO.MSG_UNDER_CURSOR)) == b"M4"


@pytest.mark.spec("mqi.md 10.3")
def test_selector_and_match_options_together(queue: Host) -> None:
    put(queue, b"M0", n=1, md_correl_id=b"x")
    put(queue, b"M1", n=2, md_correl_id=b"y")
    put(queue, b"M2", n=2, md_correl_id=b"x")
    handle = opened(queue, "n = 2")
    correl_id = b"x".ljust(24, b"\0")
    assert data(get(queue, handle, match=MQMO.MATCH_CORREL_ID, correl_id=correl_id)) == b"M2"
    assert get(queue, handle, match=MQMO.MATCH_CORREL_ID, correl_id=correl_id) is None


def test_options_may_serve_many_handles(queue: Host) -> None:
    put(queue, b"M0", n=0)
    put(queue, b"M1", n=1)
    options = GetOptions(MQGMO.BROWSE_FIRST)
    one, other = opened(queue, "n = 1"), opened(queue, "n = 0")
    plain = opened(queue, "")
    found = [get_message(queue.queue_manager, each, options, None, queue.now) for each in (one, other, plain, one)]
    assert [data(got) for got in found] == [b"M1", b"M0", b"M0", b"M1"]
    assert options.selection is None


@pytest.mark.spec("mqi.md 15.4")
def test_names_of_jms_and_of_the_descriptor(queue: Host) -> None:
    put(queue, b"M0", md_priority=3)
    put(queue, b"M1", md_priority=7, jms={"Cid": "order 1", "Dlv": "2"})
    assert data(get(queue, opened(queue, "JMSPriority < 5"), MQGMO.BROWSE_FIRST)) == b"M0"
    assert data(get(queue, opened(queue, "Root.MQMD.Priority = 7"), MQGMO.BROWSE_FIRST)) == b"M1"
    assert data(get(queue, opened(queue, "JMSCorrelationID = 'order 1'"), MQGMO.BROWSE_FIRST)) == b"M1"
    assert data(get(queue, opened(queue, "JMSDeliveryMode = 'NON_PERSISTENT'"), MQGMO.BROWSE_FIRST)) == b"M0"
    assert data(get(queue, opened(queue, "NOT JMSRedelivered AND JMSXDeliveryCount = 1"))) == b"M1"
    unit = queue.begin()
    assert data(get(queue, opened(queue, ""), MQGMO.SYNCPOINT, unit)) == b"M0"
    assert get(queue, opened(queue, "JMSRedelivered")) is None
    queue.backout(unit)
    assert data(get(queue, opened(queue, "JMSRedelivered AND JMSXDeliveryCount = 2"))) == b"M0"


def test_a_backout_is_seen_by_a_handle_that_has_looked_before(queue: Host) -> None:
    put(queue, b"M0")
    handle = opened(queue, "JMSRedelivered")
    assert get(queue, handle) is None
    unit = queue.begin()
    get(queue, opened(queue, ""), MQGMO.SYNCPOINT, unit)
    queue.backout(unit)
    assert data(get(queue, handle)) == b"M0"


@pytest.mark.parametrize(
    ("selector", "kind"),
    [
        ("JMSMessageID = 'ID:{msg_id}'", IdKind.MSG_ID),
        ("'ID:{upper}' = JMSMessageID AND n = 5", IdKind.MSG_ID),
        ("JMSCorrelationID = 'ID:{correl_id}'", IdKind.CORREL_ID),
        ('Root.MQMD.MsgId = "0x{msg_id}"', IdKind.MSG_ID),
        ('n = 5 AND Root.MQMD.CorrelId = "0x{correl_id}"', IdKind.CORREL_ID),
    ],
)
def test_ids_are_found_by_their_index(queue: Host, selector: str, kind: IdKind) -> None:
    ids = [put(queue, b"M%d" % number, n=number, md_correl_id=bytes([number + 1] * 24)) for number in range(8)]
    text = selector.format(msg_id=ids[5].hex(), upper=ids[5].hex().upper(), correl_id="06" * 24)
    handle = opened(queue, text)
    assert data(get(queue, handle, MQGMO.BROWSE_FIRST)) == b"M5"
    found = queue.queue_manager.queue("Q")
    assert found is not None
    assert set(found.indexes) == {kind}
    assert data(get(queue, handle)) == b"M5"
    assert get(queue, handle) is None


@pytest.mark.spec("mqi.md 15.4")
def test_correlation_texts_are_found_with_and_without_their_bytes_in_the_descriptor(queue: Host) -> None:
    put(queue, b"M0", jms={"Cid": "an order"})
    put(queue, b"M1", jms={"Cid": "an order"}, md_correl_id=b"an order")
    put(queue, b"M2", md_correl_id=b"an order")
    selector = "JMSCorrelationID = 'an order'"
    handle = opened(queue, selector)
    browsed = [get(queue, handle, MQGMO.BROWSE_NEXT) for _ in range(3)]
    assert [data(got) for got in browsed] == [b"M0", b"M1", None]
    assert sorted(filter(None, (data(get(queue, handle)) for _ in range(3)))) == [b"M0", b"M1"]
    assert queue.depth("Q") == 1


@pytest.mark.spec("mqi.md 18")
def test_only_what_must_be_looked_into_is_read(queue: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        put(queue, b"M%d" % number, n=number, md_priority=number, md_persistence=1)
    reads: list[int] = []
    read = queue.store.read
    monkeypatch.setattr(queue.store, "read", lambda *given: reads.append(given[1]) or read(*given))
    assert data(get(queue, opened(queue, "JMSPriority = 2"), MQGMO.BROWSE_FIRST)) == b"M2"
    assert len(reads) == 1
    reads.clear()
    assert data(get(queue, opened(queue, "JMSPriority < 2 AND n = 0"), MQGMO.BROWSE_FIRST)) == b"M0"
    assert len(reads) <= 3
    handle = opened(queue, "n = 99")
    assert get(queue, handle) is None
    reads.clear()
    assert get(queue, handle) is None
    assert reads == []


def test_long_messages_are_read_as_far_as_their_headers_go(queue: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    body = with_properties(b"x" * 900_000, n=1)
    queue.put("Q", body, format="MQHRF2", encoding=546, coded_char_set_id=1208, persistence=1)
    lengths: list[int] = []
    read = queue.store.read
    monkeypatch.setattr(queue.store, "read", lambda *given: lengths.append(len(read(*given))) or read(*given))
    assert get(queue, opened(queue, "n = 2")) is None
    assert sum(lengths) < 100_000
    assert data(get(queue, opened(queue, "n = 1"))) == b"xx"


def test_what_is_remembered_is_bounded(queue: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.bridge.queue_manager.getting.message_selection.MAX_REMEMBERED", 3)
    assert MAX_REMEMBERED > 3
    handle, others = opened(queue, "n = 9"), opened(queue, "n < 9")
    assert handle.selection is not None
    for _ in range(10):
        for number in range(10):
            put(queue, b"M%d" % number, n=number)
        assert data(get(queue, handle, MQGMO.BROWSE_FIRST)) == b"M9"
        assert len(handle.selection.rejected) <= 20  # of 90 that were looked at in the end
        assert data(get(queue, handle)) == b"M9"
        for number in range(9):
            assert data(get(queue, others)) == b"M%d" % number


def test_no_message_of_a_deep_queue_is_looked_at_twice(queue: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mqbridge.bridge.queue_manager.getting.message_selection.MAX_REMEMBERED", 3)
    for number in range(10):
        put(queue, b"M%d" % number, n=number)
    handle = opened(queue, "n > 10")
    assert handle.selection is not None
    for _ in range(3):
        assert get(queue, handle) is None
        assert handle.selection.looked_at == 10


def test_handles_with_the_same_selector_remember_together(queue: Host) -> None:
    for number in range(10):
        put(queue, b"M%d" % number, n=number)
    handles = [opened(queue, "n > 10") for _ in range(5)]
    for handle in handles:
        assert get(queue, handle) is None
    assert sum(handle.selection.looked_at for handle in handles if handle.selection is not None) == 10


@pytest.mark.parametrize("bits", [0, int(MQGMO.BROWSE_NEXT), int(MQGMO.BROWSE_NEXT | MQGMO.LOCK)])
def test_a_long_search_gives_way_and_comes_to_its_end(queue: Host, monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    monkeypatch.setattr("mqbridge.bridge.queue_manager.turns.UNITS_IN_A_TURN", 1)
    for number in range(11):
        put(queue, b"%02d" % number, n=number)
    handle = opened(queue, "n = 10")
    turns, search = queue.queue_manager.turns, Search()
    for _ in range(10):
        with pytest.raises(SearchYielded):
            get(queue, handle, bits, in_turns=turns, search=search)
    assert data(get(queue, handle, bits, in_turns=turns, search=search)) == b"10"
    search.end()
    assert data(get(queue, opened(queue, "n = 9"))) == b"09"  # who does not ask for turns has none


@pytest.mark.spec("mqi.md 8")
def test_only_matching_messages_wake(queue: Host) -> None:
    selected = [("red", "colour = 'red'"), ("blue", "colour = 'blue'"), ("any", "")]
    for owner, selector in selected:
        handle = opened(queue, selector)
        source = queue.queue_manager.resolve("Q")
        queue.queue_manager.wait(source, Waiter(owner, GetOptions(MQGMO.WAIT), handle=handle), queue.now)
    queue.pump()
    put(queue, b"M0", colour="blue")
    assert queue.woken() == [("blue", 0)]
    put(queue, b"M1", colour="blue")
    assert queue.woken()[1:] == [("any", 0)]
    put(queue, b"M2", colour="green")
    assert len(queue.woken()) == 2
    put(queue, b"M3", colour="red")
    assert queue.woken()[2:] == [("red", 0)]


def test_browsers_that_wait_wake_for_what_they_select(queue: Host) -> None:
    handle = opened(queue, "n > 5")
    waiter = Waiter("browser", GetOptions(MQGMO.WAIT | MQGMO.BROWSE_NEXT), handle=handle)
    queue.queue_manager.wait(queue.queue_manager.resolve("Q"), waiter, queue.now)
    put(queue, b"M0", n=1)
    assert queue.woken() == []
    put(queue, b"M1", n=6)
    assert queue.woken() == [("browser", 0)]


def test_a_wait_ends_at_once_where_something_is_selected(queue: Host) -> None:
    put(queue, b"M0", n=1)
    put(queue, b"M1", n=6)
    for owner, selector in (("one", "n = 6"), ("other", "n = 7")):
        waiter = Waiter(owner, GetOptions(MQGMO.WAIT), handle=opened(queue, selector))
        queue.queue_manager.wait(queue.queue_manager.resolve("Q"), waiter, queue.now)
    queue.pump()
    assert queue.woken() == [("one", 0)]


@pytest.mark.spec("mqi.md 10.3")
def test_segments_follow_the_first_one(queue: Host) -> None:
    group_id = b"g".ljust(24, b"\0")
    for colour in ("blue", "red"):
        first = with_properties(b"1.", colour=colour)
        flags = int(MQMF.SEGMENT)
        fields = {"group_id": (colour[:1].encode() + group_id)[:24], "format": "MQHRF2", "encoding": 546}
        queue.put("Q", first, coded_char_set_id=1208, msg_flags=flags, **fields)
        queue.put("Q", b"2.", msg_flags=flags | MQMF.LAST_SEGMENT, offset=len(first), **fields)
    handle = opened(queue, "colour = 'red'")
    whole = get(queue, handle, MQGMO.BROWSE_FIRST | MQGMO.COMPLETE_MSG)
    assert whole is not None
    assert whole.message.data.endswith(b"1.2.")
    assert [data(get(queue, handle)) for _ in range(3)] == [b"1.", b"2.", None]


@pytest.mark.spec("mqi.md 10.3")
def test_a_group_goes_on_as_its_first_message_was_selected(queue: Host) -> None:
    for colour in ("blue", "red"):
        group_id = colour.encode().ljust(24, b"\0")
        body = with_properties(b"1.", colour=colour)
        md = {"format": "MQHRF2", "encoding": 546, "coded_char_set_id": 1208}
        queue.put("Q", body, group_id=group_id, msg_flags=int(MQMF.MSG_IN_GROUP), msg_seq_number=1, **md)
        flags = int(MQMF.LAST_MSG_IN_GROUP | MQMF.MSG_IN_GROUP)
        queue.put("Q", b"2.", group_id=group_id, msg_flags=flags, msg_seq_number=2)
    handle = opened(queue, "colour = 'red'")
    found = [get(queue, handle, MQGMO.LOGICAL_ORDER) for _ in range(3)]
    assert [data(got) for got in found] == [b"1.", b"2.", None]
    assert found[1] is not None
    assert found[1].message.md.group_id.startswith(b"red")


@pytest.mark.spec("mqi.md 21.19")
@pytest.mark.spec("mqi.md 18.2")
@pytest.mark.parametrize(
    ("selector", "options", "reason"),
    [
        ("colour = = 3", INPUT, MQRC.SELECTION_NOT_AVAILABLE),
        ("Root.XMLNSC.a = 1", INPUT, MQRC.SELECTION_NOT_AVAILABLE),
        ("a = '" + "x" * 10_240 + "'", INPUT, MQRC.SELECTION_STRING_ERROR),
        ("1 = 2", INPUT, MQRC.SELECTOR_ALWAYS_FALSE),
        ("a = 1", int(MQOO.OUTPUT), MQRC.SELECTOR_INVALID_FOR_TYPE),
        ("a = 1", int(MQOO.INQUIRE), MQRC.SELECTOR_INVALID_FOR_TYPE),
    ],
)
def test_selectors_that_cannot_be_opened_with(queue: Host, selector: str, options: int, reason: int) -> None:
    with pytest.raises(MQError) as caught:
        opened(queue, selector, options)
    assert caught.value.reason == reason
    found = queue.queue_manager.queue("Q")
    assert found is not None
    assert not found.handles


def test_a_message_that_cannot_be_read_is_not_selected(queue: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    from mqbridge.bridge.store.interface import StoreDamaged

    put(queue, b"M0", n=1, md_persistence=1)
    put(queue, b"M1", n=1)

    def fail(*given: Any) -> bytes:
        raise StoreDamaged("torn", "here")

    monkeypatch.setattr(queue.store, "read", fail)
    assert data(get(queue, opened(queue, "n = 1"))) == b"M1"
    assert "AMQ7472" in queue.logged()


def test_malformed_headers_have_no_properties(queue: Host) -> None:
    queue.put("Q", b"RFH \2\0\0\0rubbish", format="MQHRF2", encoding=546)
    queue.put("Q", b"", format="MQHRF2", encoding=546)
    broken = make_rfh2(ByteOrder.LITTLE, [b"<usr><n dt='i4'>x</n><m>1</m></us"], encoding=546, coded_char_set_id=1208)
    queue.put("Q", broken.build(), format="MQHRF2", encoding=546)
    wrong = make_rfh2(ByteOrder.LITTLE, [b"<usr><n dt='i4'>x</n><m>1</m></usr>"], encoding=546, coded_char_set_id=1208)
    queue.put("Q", wrong.build() + b"M3", format="MQHRF2", encoding=546)
    assert get(queue, opened(queue, "n IS NOT NULL")) is None
    assert data(get(queue, opened(queue, "n IS NULL AND m = '1'"))) == b"M3"
