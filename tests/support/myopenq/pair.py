"""Two queue managers on a simulated network: remote queues at one, a door at the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from mqbridge.bridge.agents.myopenq.definitions import Definitions
from mqbridge.bridge.agents.myopenq.digest_lists import DigestLists
from mqbridge.bridge.agents.myopenq.door import Door
from mqbridge.bridge.agents.myopenq.queues import Queues
from mqbridge.bridge.agents.myopenq.sending.context import SendingContext
from mqbridge.bridge.agents.myopenq.sending.effects import CallManager, LeaveManager, ManagerCaller, SendToManager
from mqbridge.bridge.agents.myopenq.sending.senders import Senders
from mqbridge.bridge.agents.myopenq.settings import DoorSettings
from mqbridge.protocol.myopenq import Answer, Asked, Create, Ended, Misread, Packet, Responder
from support.simulation.network import Stream
from support.simulation.node import Node

ADDRESS = "127.0.0.1"
"""Of whoever calls; the door admits it."""


class CallingEnd:
    """The sender's end of a stream."""

    side = 0

    def __init__(self, calling: Calling, caller: ManagerCaller) -> None:
        self._calling = calling
        self.caller = caller
        self.stream: Stream | None = None

    def received(self, data: bytes) -> None:
        self._calling.tell(self, lambda now: self.caller.receive(data, now))

    def lost(self) -> None:
        self._calling.tell(self, lambda now: self.caller.receive(b"", now), last=True)


class Calling:
    """Performs the effects of the senders of ``node``, which call ``other``."""

    def __init__(self, node: Node, other: Node, queues: Sequence[Create], md5list: int) -> None:
        self.node = node
        self.other = other
        self._queues = queues
        self._md5list = md5list
        self._ends: dict[ManagerCaller, CallingEnd] = {}
        node.join = self._join
        node.call_manager = self.perform

    def _join(self, node: Node) -> None:
        self._ends = {}
        context = SendingContext(node.gateway.channel_manager, node.random, md5list=self._md5list)
        Senders(node.gateway.carriers, context, self._queues)
        node.gateway.carriers.start_all(node.clock.now)

    def perform(self, effect: CallManager | SendToManager | LeaveManager) -> None:
        caller = effect.sender
        if isinstance(effect, CallManager):
            end = self._ends[caller] = CallingEnd(self, caller)
            self.node.network.connect(
                self.other.name, lambda stream: self._made(end, stream), lambda: self._failed(end)
            )
            return
        found = self._ends.get(caller)
        if found is None or found.stream is None:
            if isinstance(effect, LeaveManager):
                self._ends.pop(caller, None)
        elif isinstance(effect, SendToManager):
            found.stream.send(0, caller.take())
        else:
            self._forget(found)
            self.node.clock.after(0, lambda: found.stream.close(0, abort=True))  # type: ignore[union-attr]

    def _made(self, end: CallingEnd, stream: Stream) -> CallingEnd | None:
        if self._ends.get(end.caller) is not end:
            return None
        end.stream = stream
        self.node.ends[end] = end  # type: ignore[index,assignment]
        self.node.clock.after(0, lambda: self.tell(end, end.caller.connected))
        return end

    def _failed(self, end: CallingEnd) -> None:
        self.tell(end, lambda now: end.caller.failed("refused", now), last=True)

    def tell(self, end: CallingEnd, action: Callable[[float], None], *, last: bool = False) -> None:
        """Tell a sender of something, unless it has given up the connection or died."""
        if self._ends.get(end.caller) is end:
            if last:
                self._forget(end)
            self.node.call(lambda: action(self.node.clock.now))

    def _forget(self, end: CallingEnd) -> None:
        del self._ends[end.caller]
        self.node.ends.pop(end, None)  # type: ignore[call-overload]


class CalledEnd:
    """The door's end of a stream."""

    side = 1

    def __init__(self, called: Called, stream: Stream) -> None:
        self._called = called
        self.stream = stream
        self._responder = Responder(framed=True, now=called.node.clock.now)

    def received(self, data: bytes) -> None:
        self._called.node.call(lambda: self._takes(data))

    def lost(self) -> None:
        self._called.node.ends.pop(self, None)  # type: ignore[call-overload]

    def _takes(self, data: bytes) -> None:
        self._responder.receive_data(data, self._called.node.clock.now)
        self._turn()

    def _turn(self) -> None:
        while (event := self._responder.next_event()) is not None:
            assert not isinstance(event, Misread | Ended), event
            if isinstance(event, Asked):
                self._ask(event.packet)

    def _ask(self, packet: Packet) -> None:
        called = self._called

        def then(answer: Answer, _written: Any) -> None:
            called.answered(answer)
            if called.node.ends.get(self) is self:  # type: ignore[call-overload]
                self._responder.answer(answer, called.node.clock.now)
                self.stream.send(1, self._responder.take())
                self._turn()

        called.door.ask(packet, ADDRESS, then, called.node.clock.now)


class Called:
    """A door at ``node``. ``fullest``: the most digests that its list has had."""

    def __init__(self, node: Node, md5list: int) -> None:
        self.node = node
        self._settings = DoorSettings(name="DOOR", framed=True, md5_list=md5list, max_message=99_999)
        self.door: Door
        self.fullest = 0
        self.answers: dict[int, int] = {}
        self.repeated = 0
        node.join = self._join
        node.accept = self._accept  # type: ignore[method-assign]

    def _join(self, node: Node) -> None:
        host = node.gateway.channel_manager
        lists = DigestLists(node.manager.store)
        self.fullest = max(self.fullest, lists.count(ADDRESS))
        self.door = Door(host, self._settings, Queues(host, Definitions(node.manager.store)), lists, Random(1))
        node.gateway.carriers.add(self.door)
        self.door.start(node.clock.now)

    def _accept(self, stream: Stream) -> CalledEnd | None:
        if not self.node.alive:
            return None
        end = CalledEnd(self, stream)
        self.node.ends[end] = end  # type: ignore[index,assignment]
        return end

    def answered(self, answer: Answer) -> None:
        self.answers[answer.code] = self.answers.get(answer.code, 0) + 1
        self.fullest = max(self.fullest, self.door.lists.count(ADDRESS))
        self.repeated += self.door.counts.pop("repeated", 0)
