"""A persistent command and the process that dies while it is carried out."""

from __future__ import annotations

import pytest

from mqbridge.bridge.agents.command_server import COMMAND_QUEUE
from mqbridge.bridge.queue_manager import MQError, PutOptions
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQCA, MQCMD, MQIA, MQRCCF, ByteOrder
from mqbridge.protocol.structures.pcf import make_pcf, parse_pcf
from support.gateway.stage import Stage
from support.queue_manager.pcf_operator import REPLIES, PcfOperator, content, parameter

pytestmark = pytest.mark.spec("mq-wire.md 5.16")
COMMITS = 3
"""The put of the command, the definition, the answers with the get."""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("step", range(1, COMMITS + 1))
def test_a_command_that_arrived_is_carried_out_and_answered_once(step: int, seed: int) -> None:
    stage = Stage()
    stage.random.seed(seed)
    station = stage.station("EARTH")
    PcfOperator(station)
    stage.wait()
    store = station.store
    store.crash_at = {store.steps + step}
    values = {"format": "MQADMIN", "encoding": 273, "msg_type": 1, "expiry": -1, "persistence": 1}
    data = make_pcf(ByteOrder.BIG, MQCMD.CREATE_Q, [parameter(MQCA.Q_NAME, "MADE"), parameter(MQIA.Q_TYPE, 1)]).build()
    command = Message.build(data, **values, reply_to_q=REPLIES, reply_to_q_mgr="EARTH", user_identifier="mqm")
    arrived: list[MQError | None] = []
    manager, now = station.manager, station.clock.now
    options = PutOptions(direct=True)
    station.call(lambda: manager.put(manager.resolve(COMMAND_QUEUE), command, options, None, now, arrived.append))
    stage.wait(5)
    assert station.deaths == 1
    waiting = station.depth(COMMAND_QUEUE)
    stored = waiting or station.depth(REPLIES)
    assert stored or not arrived
    if not stored:
        return  # it never came
    PcfOperator(station)
    stage.wait()
    assert station.depth(COMMAND_QUEUE) == 0
    assert station.manager.queue("MADE") is not None
    answers = [parse_pcf(message.data, 0, message.order) for message in iter(lambda: station.get(REPLIES), None)]
    assert len(answers) == 1
    assert answers[0].record.reason in (0, MQRCCF.OBJECT_ALREADY_EXISTS)
    assert content(answers[0]) == {}
