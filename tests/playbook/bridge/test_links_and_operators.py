"""Operators change and ask for queues that a running link carries: nothing is lost, and displays tell of the link."""

from __future__ import annotations

from random import Random

import pytest

from mqbridge.bridge.agents.gateway.effects import ConnectToProvider
from mqbridge.bridge.agents.linking.link import Link
from mqbridge.bridge.agents.linking.message_ids import DUPLICATE_ID
from mqbridge.bridge.agents.linking.provider import Accepted, Attached, Credit, Opened, Outcome, Released
from mqbridge.bridge.agents.linking.settings import LinkSettings, SendEnd
from mqbridge.bridge.queue_manager import MQError
from mqbridge.protocol.constants import MQMODE, MQOO
from support.linking.stand import DEAD, SINK, SOURCE, NotedConnection, Stand, amqp


def started(**settings: object) -> Stand:
    stand = Stand(**settings)  # type: ignore[arg-type]
    stand.start()
    return stand


def status(stand: Stand, queue: str) -> dict[str, str]:
    (row,) = stand.types(f"DISPLAY QSTATUS({queue}) ALL").rows
    return {keyword: cell.text for keyword, cell in row.items()}


def carried(stand: Stand) -> list[object]:
    """Bodies of what goes out, all of it accepted."""
    bodies: list[object] = []
    while sent := stand.sent():
        bodies += [message.body for _, _, message in sent]
        stand.settles(sent)
    return bodies


# Displays


def test_the_status_of_a_queue_shows_the_link():
    stand = Stand()
    assert status(stand, SOURCE)["IPPROCS"] == "0"
    stand.start()
    assert status(stand, SOURCE)["IPPROCS"] == "1"
    stand.put()
    assert (status(stand, SOURCE)["UNCOM"], status(stand, SOURCE)["CURDEPTH"]) == ("1", "0")
    stand.settles(stand.sent())
    assert status(stand, SOURCE)["UNCOM"] == "0"
    stand.link.stop(MQMODE.QUIESCE, stand.now)
    stand.pump()
    assert status(stand, SOURCE)["IPPROCS"] == "0"


# Messages in doubt


@pytest.mark.parametrize("command", [f"CLEAR QLOCAL({SOURCE})", f"DELETE QLOCAL({SOURCE}) PURGE"])
@pytest.mark.parametrize("how", ["running", "stopped", "restarted"])
def test_a_queue_with_messages_in_doubt_is_not_emptied(command, how):
    stand = started()
    stand.put()
    first = stand.sent()
    assert len(first) == 1
    if how == "stopped":
        stand.link.stop(MQMODE.FORCE, stand.now)
        stand.pump()
    elif how == "restarted":
        stand.restart()
    assert not stand.types(command).ok
    if how == "running":
        stand.settles(first)
    else:
        stand.start()
        assert carried(stand) == [b"data"]
    assert not stand.depth(SOURCE)
    assert not stand.hidden(SOURCE)


def test_a_program_gets_no_message_in_doubt():
    stand = started(batch=1, window=1)
    stand.put(b"one")
    stand.put(b"two")
    stand.restart()
    assert [each.data for each in stand.contents(SOURCE)] == [b"two"]
    stand.start()
    assert carried(stand) == [b"one"]


# Queues that change


def test_gets_that_are_inhibited_for_a_while():
    stand = started()
    stand.alter(SOURCE, GET="DISABLED")
    stand.put(b"one")
    assert not stand.sent()
    assert "2016" in stand.link.status(stand.now).detail
    stand.alter(SOURCE, GET="ENABLED")
    stand.wait(60)
    assert carried(stand) == [b"one"]
    assert not stand.link.status(stand.now).detail


def test_a_source_that_is_deleted_and_defined_again():
    stand = started()
    stand.alter(SOURCE, GET="DISABLED")
    assert stand.types(f"DELETE QLOCAL({SOURCE})").ok
    stand.wait(60)
    assert "2085" in stand.link.status(stand.now).detail
    stand.define(SOURCE)
    stand.put(b"one")
    stand.wait(60)
    assert carried(stand) == [b"one"]


def test_an_open_source_is_not_deleted():
    stand = started()
    assert not stand.types(f"DELETE QLOCAL({SOURCE})").ok
    stand.put(b"one")
    assert carried(stand) == [b"one"]


def test_a_source_that_a_program_has_for_itself():
    stand = Stand()
    handle = stand.manager.open(SOURCE, options=int(MQOO.INPUT_EXCLUSIVE), now=stand.now)
    stand.put(b"one")
    stand.start()
    assert not stand.sent()
    assert "2042" in stand.link.status(stand.now).detail
    stand.manager.close(handle, 0, stand.now)
    stand.wait(60)
    assert carried(stand) == [b"one"]


def test_a_link_that_has_a_queue_shares_it_with_programs():
    stand = started()
    with pytest.raises(MQError, match="2042"):
        stand.manager.open(SOURCE, options=int(MQOO.INPUT_EXCLUSIVE), now=stand.now)
    stand.manager.open(SOURCE, options=int(MQOO.INPUT_SHARED), now=stand.now)


def test_puts_that_are_inhibited_for_a_while():
    stand = started(credit=100)
    stand.alter(SINK, PUT="DISABLED")
    stand.asked("grant_credit")
    message = amqp(b"one")
    stand.deliver(message)
    assert stand.asked("settle") == [(1, Released())]
    stand.deliver(message, first=2)
    stand.wait(2)
    assert [each[1] for each in stand.asked("grant_credit")] == []
    stand.alter(SINK, PUT="ENABLED")
    stand.deliver(message, first=3)
    stand.wait(2)
    assert (3, Accepted()) in stand.asked("settle")
    assert [each.data for each in stand.contents(SINK)] == [b"one"]


def test_after_a_failure_one_message_is_asked_for():
    stand = started(credit=4)
    stand.alter(SINK, PUT="DISABLED")
    stand.asked("grant_credit")
    messages = [amqp(b"%d" % number, f"ID:{number}") for number in range(4)]
    stand.deliver(*messages)
    assert not stand.asked("grant_credit")
    stand.wait(2)
    assert [each[1] for each in stand.asked("grant_credit")] == [1]
    stand.alter(SINK, PUT="ENABLED")
    stand.deliver(messages[0], first=5)
    assert [each[1] for each in stand.asked("grant_credit")] == [4]


def test_a_target_that_becomes_smaller_than_the_credit():
    stand = started(credit=10)
    stand.alter(SINK, MAXDEPTH=2)
    stand.deliver(*[amqp(b"%d" % number, f"ID:{number}") for number in range(4)])
    settled = stand.asked("settle")
    assert [each[0] for each in settled if each[1] == Accepted()] == [1, 2]
    assert [each[0] for each in settled if each[1] == Released()] == [3, 4]
    assert len(stand.contents(SINK)) == 2
    assert not stand.contents(DEAD)


def test_a_target_that_is_deleted_and_defined_again():
    stand = started()
    assert stand.types(f"DELETE QLOCAL({SINK})").ok
    stand.deliver(amqp(b"one"))
    assert stand.asked("settle") == [(1, Released())]
    stand.define(SINK)
    stand.wait(2)
    stand.deliver(amqp(b"one"), first=2)
    assert stand.asked("settle") == [(2, Accepted())]
    assert [each.data for each in stand.contents(SINK)] == [b"one"]


def test_no_more_messages_are_under_way_than_maxumsgs():
    stand = Stand(batch=2)
    assert stand.types("ALTER QMGR MAXUMSGS(2)").ok
    for number in range(5):
        stand.put(b"%d" % number)
    stand.start()
    assert stand.hidden(SOURCE) == 2
    assert not stand.link.status(stand.now).detail
    assert carried(stand) == [b"0", b"1", b"2", b"3", b"4"]


# Authorities

MAY = "OBJTYPE(QUEUE) PRINCIPAL('linker')"


@pytest.fixture
def linker() -> Stand:
    """A link of the user linker, who may do what it does."""
    stand = Stand(mcauser="linker")
    assert stand.types(f"SET AUTHREC PROFILE({SOURCE}) {MAY} AUTHADD(GET)").ok
    assert stand.types(f"SET AUTHREC PROFILE({SINK}) {MAY} AUTHADD(PUT,SETALL)").ok
    assert stand.types(f"SET AUTHREC PROFILE({DEAD}) {MAY} AUTHADD(PUT,SETALL)").ok
    assert stand.types("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('linker') AUTHADD(CONNECT,SETALL)").ok
    stand.start()
    return stand


def test_puts_end_with_the_authority(linker):
    linker.deliver(amqp(b"one"))
    assert linker.asked("settle") == [(1, Accepted())]
    assert linker.types(f"SET AUTHREC PROFILE({SINK}) {MAY} AUTHRMV(PUT)").ok
    linker.deliver(amqp(b"two", "ID:2"), first=2)
    assert linker.asked("settle") == [(2, Released())]
    assert "2035" in linker.link.status(linker.now).detail
    assert linker.types(f"SET AUTHREC PROFILE({SINK}) {MAY} AUTHADD(PUT)").ok
    linker.wait(2)
    linker.deliver(amqp(b"two", "ID:2"), first=3)
    assert linker.asked("settle") == [(3, Accepted())]


def test_gets_end_with_the_authority_when_the_queue_is_opened_again(linker):
    assert linker.types(f"SET AUTHREC PROFILE({SOURCE}) {MAY} AUTHRMV(GET)").ok
    linker.put(b"one")
    assert carried(linker) == [b"one"]  # it was checked when the queue was opened, as for programs
    linker.link.stop(MQMODE.FORCE, linker.now)
    linker.pump()
    linker.start()
    linker.put(b"two")
    assert not linker.sent()
    assert "2035" in linker.link.status(linker.now).detail
    assert linker.depth(SOURCE) == 1


# Several links


class SecondLink:
    """A link beside that of the stand, from the same queue to another provider."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand
        settings = LinkSettings(name="depot", send=(SendEnd(SOURCE, "depot.in"),), batch=1)
        self.link = Link(settings, stand.gateway.channel_manager, stand.mapping, Random(2))
        self.connection = NotedConnection()
        stand.gateway.carriers.add(self.link)

    def start(self) -> None:
        stand = self.stand
        self.link.start(stand.now)
        stand.pump()
        assert [effect.link for effect in stand.took(ConnectToProvider)] == [self.link]
        self.connection = NotedConnection()
        self.link.connected(self.connection, stand.now)
        self.link.receive([Opened("broker")], stand.now)
        ((_, handle, _),) = [each for each in self.connection.asked if each[0] == "attach_sender"]
        self.link.receive([Attached(handle), Credit(handle, 100)], stand.now)
        stand.pump()

    def sent(self) -> list[tuple[object, ...]]:
        found = [each[1:] for each in self.connection.asked if each[0] == "send"]
        self.connection.asked.clear()
        return found

    def settles(self, sent: list[tuple[object, ...]]) -> None:
        self.link.receive([Outcome(*each[:2], Accepted()) for each in sent], self.stand.now)  # type: ignore[arg-type]
        self.stand.pump()


def test_two_links_of_one_queue_send_each_message_once():
    stand = Stand(batch=1)
    second = SecondLink(stand)
    stand.start()
    stand.put(b"first")
    second.start()
    first = stand.sent()
    stand.link.receive([Credit(1, 0)], stand.now)
    stand.put(b"second")
    other = second.sent()
    assert [message.body for _, _, message in first] == [b"first"]
    assert [message.body for _, _, message in other] == [b"second"]  # type: ignore[attr-defined]

    def identifier(sent: object) -> object:
        return sent[0][2].application_properties[DUPLICATE_ID]  # type: ignore[index]

    ids = identifier(first), identifier(other)
    stand.restart()
    second = SecondLink(stand)
    assert stand.hidden(SOURCE) == 2
    second.start()
    stand.start()
    again, other = stand.sent(), second.sent()
    assert (identifier(again), identifier(other)) == ids
    stand.settles(again)
    second.settles(other)
    assert not stand.hidden(SOURCE)
    assert not stand.depth(SOURCE)
