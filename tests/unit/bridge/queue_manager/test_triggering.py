from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import Handle
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQAT, MQCO, MQOO, ByteOrder
from mqbridge.protocol.structures.tm import parse_tm
from mqbridge.protocol.text import decode_field
from support.queue_manager.host import Host

pytestmark = pytest.mark.spec("channels.md 13")


def open_input(host: Host, name: str) -> Handle:
    handle = host.queue_manager.open(name, options=MQOO.INPUT_SHARED, owner=b"server", now=host.now)
    host.pump()
    return handle


def close(host: Host, handle: Handle) -> None:
    host.queue_manager.close(handle, MQCO.NONE, host.now)
    host.pump()


@pytest.fixture
def served(host: Host) -> Host:
    host.local("INITQ")
    host.define(Kind.PROCESS, "P", APPLICID="/bin/serve", APPLTYPE="UNIX", USERDATA="user", ENVRDATA="env")
    open_input(host, "INITQ")
    return host


def queue(host: Host, kind: str = "FIRST", **attributes: Any) -> str:
    given = {"TRIGGER": True, "TRIGTYPE": kind, "INITQ": "INITQ", "PROCESS": "P", "TRIGDATA": "data", **attributes}
    return host.local("Q", **given)


def triggers(host: Host) -> int:
    count = 0
    while host.get("INITQ") is not None:
        count += 1
    return count


def test_a_trigger_message_says_what_to_start(served: Host) -> None:
    queue(served)
    served.put("Q")
    message = served.got("INITQ")
    assert (message.md.format, message.md.put_appl_type) == ("MQTRIG", MQAT.QMGR)
    trigger = parse_tm(message.data, 0, ByteOrder.LITTLE).record
    texts = {key: decode_field(getattr(trigger, key), 1208) for key in ("q_name", "process_name", "trigger_data")}
    assert texts == {"q_name": "Q", "process_name": "P", "trigger_data": "data"}
    texts = {key: decode_field(getattr(trigger, key), 1208) for key in ("appl_id", "env_data", "user_data")}
    assert texts == {"appl_id": "/bin/serve", "env_data": "env", "user_data": "user"}
    assert trigger.appl_type == MQAT.UNIX


@pytest.mark.spec("channels.md 20.16")
def test_first_triggers_when_the_queue_was_empty(served: Host) -> None:
    queue(served)
    served.put("Q")
    served.put("Q")
    assert triggers(served) == 1
    served.got("Q")
    served.got("Q")
    served.put("Q")
    assert triggers(served) == 1


def test_every_triggers_for_each_message(served: Host) -> None:
    queue(served, "EVERY")
    unit = served.begin()
    served.put("Q", unit=unit)
    served.put("Q", unit=unit)
    assert triggers(served) == 0
    served.commit(unit)
    assert triggers(served) == 2


def test_depth_triggers_once_and_turns_itself_off(served: Host) -> None:
    queue(served, "DEPTH", TRIGDPTH=3)
    for _ in range(2):
        served.put("Q")
    assert triggers(served) == 0
    served.put("Q")
    served.put("Q")
    assert triggers(served) == 1
    definition = served.objects.queue("Q")
    assert definition is not None
    assert definition["TRIGGER"] is False
    served.restart()
    definition = served.objects.queue("Q")
    assert definition is not None
    assert definition["TRIGGER"] is False


@pytest.mark.parametrize("sequence", ["PRIORITY", "FIFO"])
def test_messages_below_the_priority_do_not_count(served: Host, sequence: str) -> None:
    queue(served, TRIGMPRI=5, MSGDLVSQ=sequence)
    served.put("Q", priority=4)
    assert triggers(served) == 0
    served.put("Q", priority=5)
    assert triggers(served) == 1
    served.put("Q", priority=9)
    assert triggers(served) == 0


def test_uncommitted_messages_do_not_count(served: Host) -> None:
    queue(served)
    unit = served.begin()
    served.put("Q", unit=unit)
    assert triggers(served) == 0
    served.backout(unit)
    assert triggers(served) == 0


@pytest.mark.parametrize(
    "missing",
    [
        {"INITQ": "NOWHERE"},
        {"PROCESS": "NONE"},
        {"PROCESS": " "},
        {"GET": "DISABLED"},
        {"TRIGGER": False},
        {"TRIGTYPE": "NONE"},
    ],
)
def test_no_trigger_where_a_condition_is_missing(served: Host, missing: dict[str, Any]) -> None:
    queue(served, **missing)
    served.put("Q")
    assert triggers(served) == 0


def test_the_initiation_queue_must_be_open_and_take_messages(host: Host) -> None:
    host.local("INITQ")
    host.define(Kind.PROCESS, "P")
    queue(host)
    host.put("Q")
    assert triggers(host) == 0
    handle = open_input(host, "INITQ")
    assert triggers(host) == 1
    host.got("Q")
    host.alter(Kind.QLOCAL, "INITQ", PUT="DISABLED")
    host.put("Q")
    assert triggers(host) == 0
    close(host, handle)


def test_a_queue_that_is_served_does_not_trigger_until_its_server_leaves(served: Host) -> None:
    queue(served)
    handle = open_input(served, "Q")
    served.put("Q")
    assert triggers(served) == 0
    close(served, handle)
    assert triggers(served) == 1
    handle = open_input(served, "Q")
    served.got("Q")
    close(served, handle)
    assert triggers(served) == 0


def test_turning_triggering_on_looks_at_what_is_there(served: Host) -> None:
    queue(served, TRIGGER=False)
    served.put("Q")
    served.alter(Kind.QLOCAL, "Q", TRIGGER=True)
    assert triggers(served) == 1


def test_after_the_trigger_interval_first_triggers_again(served: Host) -> None:
    served.alter_manager(TRIGINT=5_000)
    queue(served)
    served.put("Q")
    served.now += 4
    served.put("Q")
    assert triggers(served) == 1
    served.now += 2
    served.put("Q")
    assert triggers(served) == 1


@pytest.mark.parametrize(("kind", "count"), [("FIRST", 0), ("DEPTH", 0), ("EVERY", 2)])
def test_only_every_triggers_while_the_queue_is_served(served: Host, kind: str, count: int) -> None:
    queue(served, kind)
    open_input(served, "Q")
    served.put("Q")
    served.put("Q")
    assert triggers(served) == count


def test_depth_counts_messages_of_the_priority_alone(served: Host) -> None:
    queue(served, "DEPTH", TRIGDPTH=2, TRIGMPRI=5)
    for priority in (4, 5, 4):
        served.put("Q", priority=priority)
    assert triggers(served) == 0
    served.put("Q", priority=9)
    assert triggers(served) == 1


@pytest.mark.parametrize("change", [{"TRIGMPRI": 0}, {"GET": "ENABLED"}, {"INITQ": "INITQ"}, {"PROCESS": "P"}])
def test_an_attribute_that_was_in_the_way_is_looked_at_when_it_changes(served: Host, change: dict[str, Any]) -> None:
    given = {"TRIGMPRI": 9, "GET": "DISABLED", "INITQ": "OTHER", "PROCESS": "NONE"}
    queue(served, **{key: given[key] for key in change})
    served.put("Q", priority=1)
    assert triggers(served) == 0
    served.alter(Kind.QLOCAL, "Q", **change)
    assert triggers(served) == 1


def test_what_is_there_after_a_restart_triggers_when_somebody_serves_the_initiation_queue(served: Host) -> None:
    queue(served)
    served.put("Q", persistence=1)
    assert triggers(served) == 1
    served.restart()
    assert triggers(served) == 0
    open_input(served, "INITQ")
    assert triggers(served) == 1


# Channels


@pytest.fixture
def transmission(host: Host) -> Host:
    host.transmission("X", TRIGGER=True, INITQ="SYSTEM.CHANNEL.INITQ")
    host.define(Kind.CHANNEL, "TO.SATURN", CHLTYPE="SDR", XMITQ="X", CONNAME="localhost")
    return host


def send(host: Host, **fields: Any) -> None:
    host.put("THERE", queue_manager="X", **fields)


def test_a_transmission_queue_asks_for_the_channel_that_serves_it(transmission: Host) -> None:
    send(transmission)
    assert transmission.started() == ["TO.SATURN"]


def test_the_trigger_data_name_the_channel(transmission: Host) -> None:
    transmission.alter(Kind.QLOCAL, "X", TRIGDATA="OTHER")
    send(transmission)
    assert transmission.started() == ["OTHER"]


def test_a_channel_that_left_messages_is_asked_for_again_with_the_next(transmission: Host) -> None:
    handle = open_input(transmission, "X")
    send(transmission)
    assert transmission.started() == []
    close(transmission, handle)
    send(transmission, persistence=1)
    assert transmission.started() == ["TO.SATURN"]


def test_channels_are_asked_for_at_start(transmission: Host) -> None:
    send(transmission, persistence=1)
    transmission.restart()
    assert transmission.started() == ["TO.SATURN"]


def test_a_queue_without_channel_or_trigger_asks_for_none(host: Host) -> None:
    host.transmission("X", TRIGGER=True, INITQ="SYSTEM.CHANNEL.INITQ")
    host.transmission("Y")
    send(host)
    host.put("THERE", queue_manager="Y")
    assert host.started() == []
