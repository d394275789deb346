"""A message of MQ that has expired when it comes ends at its queue, and its rule is told."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.queues.message_event import MessageEvent
from mqbridge.bridge.everyplace.rules.plug_ins import Kind as PlugIn
from mqbridge.bridge.everyplace.rules.queue_rule import QueueRule
from mqbridge.bridge.everyplace.rules.supplied import supplied
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.inferred import DUMP_FORMAT, DUMP_MSG_TYPE
from mqbridge.protocol.everyplace.dump import dump
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.uid import MessageUid
from support.everyplace import World, text_message
from support.everyplace_bridge import FarQueueManager, Gateway, MqNode


class Noting(QueueRule):
    """Notes what expires."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def message_expired(self, event: MessageEvent, message: Message, now: float) -> bool:
        self.log.append(message["text"])
        return False


def gateway(log: list[str], *, elsewhere: bool) -> tuple[World, Gateway, MqNode]:
    """EARTH with queue LOG and a listener, and the queue manager of MQ that it listens to."""
    world = World()
    world.plug_ins = supplied()
    world.plug_ins.register(PlugIn.QUEUE_RULE, "noting", lambda _: Noting(log))
    earth = Gateway.add(world, "EARTH")
    earth.local("LOG", RULE="noting")
    if elsewhere:
        far = FarQueueManager("MARS", world.now)
        node, path = far.node, earth.bridge_to(far)
    else:
        node, path = earth.node, earth.bridge_to_here()
    node.define(Kind.QLOCAL, "EARTH.XMITQ", USAGE="XMITQ")
    node.define(Kind.QREMOTE, "EARTH", RQMNAME="EARTH", XMITQ="EARTH.XMITQ")
    earth.listen(path, "EARTH.XMITQ")
    world.run(1)
    return world, earth, node


def put(node: MqNode, text: str, number: int, expires: float | None = None) -> None:
    """Put a message of a device that has come to MQ, for queue LOG; MQ itself knows nothing of its expiry."""
    message = text_message(text)
    message.identify(MessageUid("MOON", number))
    if expires is not None:
        message.expire_at(int(expires * 1000))
    node.put("LOG", dump(message), "EARTH", msg_type=DUMP_MSG_TYPE, format=DUMP_FORMAT)


@pytest.mark.spec("E-079", "E-422")
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
def test_it_is_discarded_and_what_is_behind_it_arrives(elsewhere: bool) -> None:
    log: list[str] = []
    world, earth, node = gateway(log, elsewhere=elsewhere)
    put(node, "before", 1)
    put(node, "late", 2, world.now - 1)
    put(node, "behind", 3)
    world.run(5)
    assert earth.texts("LOG") == ["before", "behind"]
    assert log == ["late"]
    assert node.messages("EARTH.XMITQ") == []


@pytest.mark.spec("E-079", "E-422")
@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "elsewhere"])
def test_one_alone_leaves_the_transmission_queue(elsewhere: bool) -> None:
    log: list[str] = []
    world, earth, node = gateway(log, elsewhere=elsewhere)
    put(node, "late", 1, world.now - 1)
    world.run(5)
    assert log == ["late"]
    assert node.messages("EARTH.XMITQ") == []
    put(node, "next", 2)
    world.run(5)
    assert earth.texts("LOG") == ["next"]
