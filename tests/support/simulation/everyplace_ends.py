"""Ends of simulated connections at a node of Everyplace: of lines, and of its bridge's programs elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mqbridge.bridge.agents.everyplace.mq.calling import Calling
from mqbridge.bridge.agents.everyplace.mq.client_program import ClientProgram
from mqbridge.bridge.agents.everyplace.mq.parameters import parameters_of
from mqbridge.bridge.everyplace.definitions import bridge_properties
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.bridge.everyplace.network.outgoing import Line

from .network import Stream

if TYPE_CHECKING:
    from .everyplace_node import EveryplaceNode


class LineEnd:
    """One side of a stream, at a line of a node's present life."""

    def __init__(self, node: EveryplaceNode, line: Line, stream: Stream, side: int) -> None:
        self.node = node
        self.line = line
        self.stream = stream
        self.side = side
        self.life = node.life
        node.ends[line] = self

    def received(self, data: bytes) -> None:
        if self.life == self.node.life:
            self.node.call(lambda: self.line.receive_data(data, self.node.now))

    def lost(self) -> None:
        if self.life == self.node.life and self.node.ends.pop(self.line, None) is not None:
            self.node.call(lambda: self.line.cut(self.node.now))


class MqEnd:
    """The transport of a program that a bridge has at a queue manager elsewhere, in a node's present life."""

    def __init__(self, node: EveryplaceNode, program: ClientProgram, stream: Stream) -> None:
        self._node = node
        self._program = program
        self.stream = stream
        self._life = node.life
        self._due = 0.0
        node.mq_ends[self] = None

    # What the network calls

    def received(self, data: bytes) -> None:
        self._call(lambda: self._program.receive_data(data))

    def lost(self) -> None:
        if self in self._node.mq_ends:
            del self._node.mq_ends[self]
            self._call(lambda: self._program.lost("the line is cut"))

    # What the program calls

    def write(self, data: bytes) -> None:
        self.stream.send(0, data)
        self._plan()

    def close(self) -> None:
        if self in self._node.mq_ends:
            del self._node.mq_ends[self]
            self.stream.close(0, abort=False)

    # Time

    def _call(self, action: Callable[[], None]) -> None:
        if self._life == self._node.life:
            self._node.call(action)
            self._plan()

    def _plan(self) -> None:
        due = self._program.next_timeout()
        if due is not None and not self._node.clock.now < self._due <= due:
            self._due = due
            self._node.clock.at(due, self._time_out)

    def _time_out(self) -> None:
        if self in self._node.mq_ends:
            self._due = 0.0
            self._call(self._program.timeout)


def program_at(
    node: EveryplaceNode, proxy: BridgeDefinition, connection: BridgeDefinition, calling: Calling
) -> ClientProgram:
    """A program that is being connected to a queue manager elsewhere."""
    parameters = parameters_of(proxy, connection, node.random.randbytes(12))
    program = ClientProgram(parameters, lambda: node.clock.now, calling.told)
    life = node.life

    def made(stream: Stream) -> MqEnd | None:
        if life != node.life:
            return None
        end = MqEnd(node, program, stream)
        # The network knows it before anything is sent on it.
        stream.ends[0] = end
        node.call(lambda: program.connected(end))
        return end if end in node.mq_ends else None

    def failed() -> None:
        if life == node.life:
            node.call(lambda: program.lost("nobody answers"))

    node.wire.connect(proxy.value(bridge_properties.HOST), made, failed)
    return program
