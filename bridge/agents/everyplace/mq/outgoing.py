"""A message on its way to MQ: transformed, put, and disposed of if MQ will never take it (E-406, E-423)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.agents.everyplace.mq.program import MqDone, MqFailure, MqProgram, PutOutcome
from mqbridge.bridge.agents.everyplace.mq.reasons import may_pass
from mqbridge.bridge.agents.everyplace.mq.way import Way
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions import queue_properties
from mqbridge.bridge.everyplace.definitions.queue_properties import NO_LIMIT
from mqbridge.bridge.everyplace.elsewhere import TargetElsewhere
from mqbridge.protocol.constants import MQPMO
from mqbridge.protocol.everyplace.dump import dump
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.message import Message

DEAD_LETTER: Final = "dead-letter"
"""The rule that puts what MQ will never take on a dead-letter queue of MQ."""


class Outgoing:
    """A message as MQ will get it. Raises `EveryplaceError` for one that it cannot have."""

    __slots__ = ("destination", "message", "target", "uid", "way")

    def __init__(self, way: Way, target: TargetElsewhere, message: Message) -> None:
        most = target.queue.definition.value(queue_properties.MAX_MSG_SIZE)
        if most != NO_LIMIT and len(dump(message)) > most:
            raise EveryplaceError(Code.TOO_LONG, f"{message.uid} is longer than the {most} bytes of {target.queue}")
        self.way = way
        self.target = target
        self.uid = message.uid
        self.destination = way.destination(target)
        transformer = way.transformer_of(target)
        self.message = transformer.to_mq(message, target.address, MQPMO.SYNCPOINT, way.host.date).message


def put_outgoing(program: MqProgram, outgoing: Outgoing, then: Callable[[PutOutcome], None]) -> None:
    """Put a message under syncpoint; one that MQ will never take goes to its dead-letter queue, if the rule of the
    client connection says so."""
    connection = outgoing.way.connection

    def answered(outcome: PutOutcome) -> None:
        if isinstance(outcome, MqDone) or may_pass(outcome) or connection.value(rows.REFUSED_RULE) != DEAD_LETTER:
            then(outcome)
            return
        name = connection.value(rows.DEAD_LETTER_QUEUE)
        program.dispose(outgoing.message, outcome.reason, outgoing.destination, name, buried(outcome))

    def buried(why: MqFailure) -> Callable[[PutOutcome], None]:
        def disposed(outcome: PutOutcome) -> None:
            if isinstance(outcome, MqDone):
                text = f"{outgoing.uid} is on the dead-letter queue: MQ says {why.reason}"
                outgoing.way.host.alarm(str(outgoing.target.address), "; ".join(filter(None, (text, outcome.but))))
                then(outcome)
            else:
                then(why)

        return disposed

    program.put(*outgoing.destination, outgoing.message, answered)
