from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.connections import Connections, ConnectOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQCNO, MQGMO, MQOO, MQOT, MQPMO
from support.queue_manager.host import NOW, Host
from support.queue_manager.program import Program

pytestmark = pytest.mark.spec("mqi.md 1")


def refused(reason: int, call, *arguments, **more) -> None:
    with pytest.raises(MQError) as error:
        call(*arguments, **more)
    assert error.value.reason == reason


@pytest.mark.parametrize("name", ["", "EARTH", "*", "*EARTH", "*ANY", "   "])
def test_a_connection_goes_to_the_queue_manager_that_is_meant(host: Host, name: str) -> None:
    connection = Program(host, q_mgr_name=name).mq.connection
    assert connection.id.startswith(b"AMQCEARTH       ")
    assert len(connection.id) == 24
    assert host.queue_manager.connections.find(connection.id) is connection


def test_another_queue_manager_is_not_served(host: Host) -> None:
    refused(2058, Program, host, q_mgr_name="MARS")
    assert len(host.queue_manager.connections) == 0


@pytest.mark.parametrize(
    "options",
    [
        MQCNO.HANDLE_SHARE_NONE | MQCNO.HANDLE_SHARE_BLOCK,
        MQCNO.HANDLE_SHARE_BLOCK | MQCNO.HANDLE_SHARE_NO_BLOCK,
        MQCNO.FASTPATH_BINDING | MQCNO.ISOLATED_BINDING,
        MQCNO.LOCAL_BINDING | MQCNO.CLIENT_BINDING,
        MQCNO.ACCOUNTING_Q_ENABLED | MQCNO.ACCOUNTING_Q_DISABLED,
        MQCNO.RECONNECT | MQCNO.RECONNECT_DISABLED,
        MQCNO.NO_CONV_SHARING | MQCNO.ALL_CONVS_SHARE,
        MQCNO.SERIALIZE_CONN_TAG_Q_MGR,
    ],
)
def test_options_that_exclude_each_other_are_refused(host: Host, options: int) -> None:
    refused(2046, Program, host, options=options)


def test_options_that_go_together_are_taken(host: Host) -> None:
    assert Program(host, options=MQCNO.HANDLE_SHARE_BLOCK | MQCNO.RECONNECT_Q_MGR).mq.options.reconnectable
    assert not Program(host, options=MQCNO.CLIENT_BINDING).mq.options.reconnectable


def test_one_program_too_many_is_refused(host: Host) -> None:
    connections = Connections(host.queue_manager.connections._services, limit=1)
    first = connections.connect(ConnectOptions(), NOW)
    refused(2025, connections.connect, ConnectOptions(), NOW)
    first.lost(NOW)
    connections.connect(ConnectOptions(), NOW)


def test_while_the_queue_manager_quiesces_nobody_connects(host: Host) -> None:
    host.queue_manager.quiesce()
    refused(2161, Program, host)


def test_while_the_queue_manager_stops_nobody_connects(host: Host) -> None:
    host.queue_manager.connections.stop()
    refused(2162, Program, host)


# Handles


def test_handles_are_numbered_per_connection(host: Host) -> None:
    host.local("Q")
    one, other = Program(host), Program(host)
    assert [one.open("Q"), one.open("Q"), other.open("Q")] == [2, 4, 2]
    one.close(2)
    assert one.open("Q") == 6
    refused(2019, other.put, 4)


def test_no_more_handles_than_maxhands(host: Host) -> None:
    host.local("Q")
    host.alter_manager(MAXHANDS=2)
    program = Program(host)
    first = program.open("Q")
    program.open("", MQOO.INQUIRE, object_type=MQOT.Q_MGR)
    refused(2017, program.open, "Q")
    refused(2017, program.put1, "Q")
    assert host.queue_manager.queue("Q").output_count == 1
    program.close(first)
    program.open("Q")


def test_a_model_queue_is_not_made_where_there_is_no_handle(host: Host) -> None:
    host.define(Kind.QMODEL, "MODEL")
    host.alter_manager(MAXHANDS=1)
    program = Program(host)
    program.open("MODEL", dynamic_name="D.*")
    refused(2017, program.open, "MODEL", dynamic_name="D.*")
    assert len(host.objects.select(Kind.QLOCAL, generic="D.*")) == 1


CALLS = [
    (lambda program, hobj: program.put(hobj), 2039),
    (lambda program, hobj: program.get(hobj), 2037),
    (lambda program, hobj: program.get(hobj, MQGMO.BROWSE_FIRST), 2036),
    (lambda program, hobj: program.mq.inquire(hobj, [3], 1, 0), 2038),
    (lambda program, hobj: program.mq.set(hobj, [10], [0], [], NOW), 2040),
]


@pytest.mark.parametrize(("call", "reason"), CALLS)
@pytest.mark.parametrize("hobj", [-1, 0, 3, 99])
def test_a_handle_that_is_none_is_refused(host: Host, call, reason: int, hobj: int) -> None:
    refused(2019, call, Program(host), hobj)


@pytest.mark.parametrize(("call", "reason"), CALLS)
@pytest.mark.parametrize("access", [MQOO.OUTPUT, MQOO.INPUT_SHARED, MQOO.BROWSE, MQOO.INQUIRE, MQOO.SET])
def test_a_handle_is_good_for_what_it_was_opened_for(host: Host, call, reason: int, access: int) -> None:
    host.local("Q")
    program = Program(host)
    hobj = program.open("Q", access)
    fits = {2039: MQOO.OUTPUT, 2037: MQOO.INPUT_SHARED, 2036: MQOO.BROWSE, 2038: MQOO.INQUIRE, 2040: MQOO.SET}[reason]
    if access == fits:
        call(program, hobj)
    else:
        refused(reason, call, program, hobj)


@pytest.mark.parametrize(("call", "reason"), CALLS[:3] + CALLS[4:])
def test_a_handle_of_the_queue_manager_is_good_for_inquiring_only(host: Host, call, reason: int) -> None:
    program = Program(host)
    hobj = program.open("", MQOO.INQUIRE | MQOO.FAIL_IF_QUIESCING, object_type=MQOT.Q_MGR)
    refused(reason, call, program, hobj)


@pytest.mark.parametrize(
    ("object_type", "name", "options", "reason"),
    [
        (MQOT.Q_MGR, "EARTH", MQOO.INQUIRE, 2194),
        (MQOT.PROCESS, "NONE", MQOO.INQUIRE, 2085),
        (MQOT.NAMELIST, "NONE", MQOO.INQUIRE, 2085),
        (MQOT.Q_MGR, "", MQOO.INQUIRE | MQOO.OUTPUT, 2045),
        (MQOT.Q_MGR, "", MQOO.FAIL_IF_QUIESCING, 2046),
        (MQOT.CHANNEL, "X", MQOO.INQUIRE, 2043),
        (77, "X", MQOO.INQUIRE, 2043),
    ],
)
def test_objects_that_cannot_be_opened(host: Host, object_type: int, name: str, options: int, reason: int) -> None:
    refused(reason, Program(host).open, name, options, object_type=object_type)


@pytest.mark.spec("mqi.md 3")
@pytest.mark.parametrize("options", [1, 2])
def test_what_is_no_queue_cannot_be_deleted_by_a_close(host: Host, options: int) -> None:
    program = Program(host)
    hobj = program.open("", MQOO.INQUIRE, object_type=MQOT.Q_MGR)
    refused(2045, program.close, hobj, options)
    assert program.close(hobj) == 0
    refused(2019, program.close, hobj)


@pytest.mark.spec("mqi.md 3")
def test_a_handle_stays_open_where_its_close_fails(host: Host) -> None:
    host.define(Kind.QMODEL, "MODEL", DEFTYPE="PERMDYN")
    program = Program(host)
    hobj = program.open("MODEL", dynamic_name="PERM")
    program.put(hobj)
    refused(2055, program.close, hobj, 1)
    assert program.data(hobj) == b"data"
    assert program.close(hobj, 1) == 0
    assert host.queue_manager.queue("PERM") is None


def test_put1_opens_puts_and_closes(host: Host) -> None:
    host.local("Q")
    program = Program(host)
    message = program.put1("Q", b"one")
    assert message.md.msg_id.startswith(b"AMQ EARTH")
    assert host.contents("Q") == [b"one"]
    assert len(program.mq.handles) == 0
    assert host.queue_manager.queue("Q").output_count == 0


@pytest.mark.spec("mqi.md 5.2")
def test_options_of_put_and_put1_only(host: Host) -> None:
    host.local("Q")
    program = Program(host)
    hobj = program.open("Q")
    refused(2046, program.put, hobj, b"", MQPMO.ALTERNATE_USER_AUTHORITY)
    refused(2046, program.put1, "Q", b"", MQPMO.LOGICAL_ORDER)
    program.put1("Q", b"", MQPMO.ALTERNATE_USER_AUTHORITY)
    assert len(program.mq.handles) == 1


def test_put1_to_nowhere(host: Host) -> None:
    program = Program(host)
    refused(2085, program.put1, "NOWHERE")
    assert len(program.mq.handles) == 0


class Subscription:
    closed = 0

    def close_at_end(self, now: float) -> None:
        self.closed += 1


def test_other_things_have_handles_too(host: Host) -> None:
    program, first, second = Program(host), Subscription(), Subscription()
    hsub, other = program.mq.add(first), program.mq.add(second)
    refused(2039, program.put, hsub)
    refused(2038, program.mq.inquire, hsub, [3], 1, 0)
    program.close(hsub)
    assert (first.closed, second.closed) == (1, 0)
    program.disconnect()
    assert (first.closed, second.closed) == (1, 1)
    assert other == 4
