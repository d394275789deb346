from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.connections import Consumers, ConsumerState
from mqbridge.bridge.queue_manager.connections.consumers import (
    DEREGISTER,
    EVENT_HANDLER,
    REGISTER,
    RESUME,
    START,
    START_WAIT,
    STOP,
    SUSPEND,
)
from support.queue_manager.host import Host
from support.queue_manager.program import Program

pytestmark = pytest.mark.spec("mqi.md 16.3")


def refused(reason: int, call, *arguments) -> None:
    with pytest.raises(MQError) as error:
        call(*arguments)
    assert error.value.reason == reason


@pytest.fixture
def consumers() -> Consumers:
    made = Consumers()
    made.callback(2, REGISTER)
    return made


@pytest.mark.parametrize("operation", [0, 1, REGISTER | DEREGISTER, SUSPEND | RESUME, DEREGISTER | SUSPEND, 0x40000])
def test_callback_operations_that_are_none(consumers: Consumers, operation: int) -> None:
    refused(2488, consumers.callback, 2, operation)


@pytest.mark.parametrize("operation", [DEREGISTER, SUSPEND, RESUME])
def test_where_nothing_is_registered(consumers: Consumers, operation: int) -> None:
    refused(2448, consumers.callback, 4, operation)


@pytest.mark.parametrize("operation", [0, 3, REGISTER, SUSPEND | RESUME])
def test_control_operations_that_are_none(consumers: Consumers, operation: int) -> None:
    refused(2488, consumers.control, operation)


@pytest.mark.parametrize("start", [START, START_WAIT])
def test_messages_flow_between_start_and_stop(consumers: Consumers, start: int) -> None:
    assert not consumers.may_deliver(2)
    consumers.control(start)
    assert consumers.may_deliver(2)
    assert not consumers.may_deliver(4)
    refused(2500, consumers.control, start)
    refused(2500, consumers.require_idle)
    refused(2500, consumers.callback, 4, REGISTER)
    consumers.control(SUSPEND)
    assert (consumers.flow, consumers.may_deliver(2)) == (ConsumerState.SUSPENDED, False)
    consumers.require_idle()
    refused(2500, consumers.control, start)
    consumers.control(RESUME)
    assert consumers.may_deliver(2)
    consumers.control(STOP)
    assert not consumers.may_deliver(2)
    consumers.require_idle()


def test_suspending_and_resuming_what_is_stopped_changes_nothing(consumers: Consumers) -> None:
    consumers.control(SUSPEND)
    consumers.control(RESUME)
    assert consumers.flow is ConsumerState.STOPPED


def test_one_consumer_is_suspended_alone(consumers: Consumers) -> None:
    consumers.callback(4, REGISTER)
    consumers.control(START)
    consumers.callback(2, SUSPEND)
    assert (consumers.may_deliver(2), consumers.may_deliver(4)) == (False, True)
    consumers.callback(2, RESUME)
    assert consumers.may_deliver(2)
    consumers.callback(2, DEREGISTER)
    assert not consumers.may_deliver(2)


def test_without_callbacks_nothing_starts() -> None:
    consumers = Consumers()
    refused(2446, consumers.control, START)
    consumers.callback(EVENT_HANDLER, REGISTER)
    consumers.control(START)
    assert consumers.flow is ConsumerState.STARTED


def test_a_consumer_goes_with_its_handle(host: Host) -> None:
    host.local("Q")
    program = Program(host)
    hobj = program.open("Q")
    program.mq.consumers.callback(hobj, REGISTER)
    program.mq.consumers.control(START)
    assert program.mq.consumers.may_deliver(hobj)
    program.close(hobj)
    assert not program.mq.consumers.may_deliver(hobj)
