"""The hosts of `queue_manager.host` and `crash_host` with a client channel: programs come by bytes, without sockets."""

from __future__ import annotations

from random import Random
from typing import Any, TypeVar

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.control import Control
from mqbridge.bridge.agents.gateway.conversation_driver import ConversationDriver
from mqbridge.bridge.agents.gateway.effects import CloseConnection, Effect, Send
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.queue_manager import MQError, QueueManager
from mqbridge.bridge.queue_manager.mqsc import CommandReply, Commands
from mqbridge.bridge.queue_manager.objects import Kind, define_supplied
from support.queue_manager.crash_host import CrashHost
from support.queue_manager.host import Host
from support.wire.connections import Pending, WireConnection, WireSharedConversation
from support.wire.program import CHANNEL, Exchange, WireProgram

T = TypeVar("T")
__all__ = ["Client", "Pending", "WireConnection", "WireCrashHost", "WireHost", "WireHosting", "WireSharedConversation"]


class WireHosting(Host):
    """What makes a host listen; ``shared``: SHARECNV of the channel."""

    gateway: Gateway
    lines: dict[ConversationDriver, WireConnection]
    listening = False
    shared = 0
    common: WireConnection | None = None

    def listen(self) -> None:
        """Makes the supplied objects and begins to listen."""
        define_supplied(self.objects, self.now)
        self.store.commit([self.objects.operations()])
        self.alter(Kind.CHANNEL, CHANNEL, SHARECNV=self.shared)
        self.open_doors()

    def open_doors(self) -> None:
        self.lines = {}
        self.gateway = Gateway(self.queue_manager, self.store, ChannelLimits(), self.now)
        self.listening = True
        self.pump()

    def restart(self, *after: float) -> QueueManager:
        self.listening = False
        for line in self.lines.values():
            line.ended = True
        found = super().restart(*after)
        self.open_doors()
        return found

    def pump(self) -> None:
        if not self.listening:
            super().pump()
            return
        if self.hold:
            return
        gateway = self.gateway
        while True:
            gateway.settle(self.now)
            pending = self.queue_manager.take_commits()
            effects = gateway.take_effects()
            if not pending and not effects:
                return
            for effect in effects:
                self.perform(effect)
            answers = self.store.commit([each.operations for each in pending]) if pending else []
            for each, error in zip(pending, answers, strict=True):
                gateway.committed(each, error, self.now)

    def perform(self, effect: Effect) -> None:
        match effect:
            case Send():
                if effect.connection in self.lines:
                    self.lines[effect.connection].sent()
            case CloseConnection():
                line = self.lines.pop(effect.connection, None)
                if line is not None:
                    line.sent()
                    line.hang_up()
            case _:
                self.effects.append(effect)  # type: ignore[arg-type]

    def types(self, command: str) -> None:
        """An operator enters a command that must succeed."""
        replies: list[CommandReply] = []
        Commands(self.queue_manager, Control(self.gateway.channel_manager), self.now).execute(
            command, self.now, replies.append
        )
        self.pump()
        assert [reply.ok for reply in replies] == [True], replies

    def time_passes(self) -> None:
        """Deadlines that have come by now."""
        self.gateway.timeout(self.now)
        self.pump()

    def enter(self, **values: Any) -> tuple[WireConnection, WireProgram]:
        """A program connects."""
        line, program = WireConnection(self), WireProgram(shared=self.shared, **values)
        line.perform(program.connect())
        return line, program

    def join(self) -> tuple[WireSharedConversation, WireProgram]:
        """A program connects on the socket of others, which there is as long as nobody breaks it."""
        if self.common is None or self.common.ended:
            self.common, _ = self.enter()
        conversation = self.common.conversation()
        program = WireProgram(shared=self.shared)
        conversation.perform(program.join(conversation.number))
        return conversation, program


class Client:
    """A program at a host, and its calls as results or reasons."""

    def __init__(self, host: WireHosting) -> None:
        self.host = host
        self.line: WireConnection
        self.calls: WireProgram
        self.line, self.calls = host.enter()

    def does(self, call: Exchange[T]) -> T:
        """What a call gives."""
        return self.line.perform(call)

    def reason(self, call: Exchange[Any]) -> int:
        """The reason with which a call fails, 0 where it does not."""
        try:
            self.line.perform(call)
        except MQError as error:
            return error.reason
        return 0


class WireHost(WireHosting):
    """On a store in memory."""

    def __init__(self, shared: int = 0) -> None:
        super().__init__()
        self.shared = shared
        self.listen()


class WireCrashHost(WireHosting, CrashHost):
    """On a store whose process may die at any call."""

    def __init__(self, random: Random, shared: int = 0) -> None:
        CrashHost.__init__(self, random)
        self.shared = shared
        self.listen()
