"""The hosts of `queue_manager_host` and `crash_host` with a client channel: programs come by bytes, without sockets."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any, Generic, TypeVar

from crash_host import CrashHost
from queue_manager_host import Host
from wire_program import CHANNEL, Exchange, Gone, WireProgram

from bridge.agents.connection import Connection
from bridge.agents.control import Control
from bridge.agents.effects import Close, Effect, Send
from bridge.agents.gateway import Gateway
from bridge.agents.supervisor import ChannelLimits
from bridge.queue_manager import MQError, QueueManager
from bridge.queue_manager.mqsc import CommandReply, Commands
from bridge.queue_manager.objects import Kind, define_supplied
from protocol.framing import Segment, SegmentReader

T = TypeVar("T")
CALLER, PORT = "127.0.0.1", 5000
LONGEST_SEGMENT = 1 << 20


class Line:
    """A connection of a client to a host. Every call of `perform` is one call of the program, whole."""

    def __init__(self, host: WireHosting) -> None:
        self.host = host
        self.came: deque[Segment] = deque()
        self.ended = False
        self._reader = SegmentReader(LONGEST_SEGMENT)
        connection = host.gateway.supervisor.inbound(CALLER, PORT, host.now)
        assert connection is not None
        self.connection: Connection = connection
        host.lines[connection] = self
        host.pump()

    def perform(self, call: Exchange[T]) -> T:
        """What a call gives. Raises `Gone` when the connection ends meanwhile, and what the call raises."""
        try:
            self.say(next(call))
            while True:
                self.say(call.send(self.next()))
        except StopIteration as end:
            result: T = end.value
            return result

    def start(self, call: Exchange[T]) -> Pending[T]:
        """Makes a call that may wait."""
        return Pending(self, call)

    def say(self, data: bytes) -> None:
        if data and not self.ended:
            self.connection.receive_data(data, self.host.now)
            self.host.pump()

    def next(self) -> Segment:
        if not self.came:
            raise Gone("nothing comes")
        return self.came.popleft()

    def hang_up(self) -> None:
        """The client is gone without a word."""
        if not self.ended:
            self.ended = True
            self.connection.lost(self.host.now)
            self.host.pump()

    def sent(self) -> None:
        while pieces := self.connection.data_to_send(65536):
            self.came.extend(self._reader.feed(b"".join(pieces)))
        self.connection.writable(self.host.now)


class Pending(Generic[T]):
    """A call under way."""

    def __init__(self, line: Line, call: Exchange[T]) -> None:
        self._line, self._call = line, call
        self._outcome: list[T | MQError] = []
        line.say(next(call))

    @property
    def done(self) -> bool:
        """Whether it has ended by what has come so far."""
        while not self._outcome and self._line.came:
            try:
                self._line.say(self._call.send(self._line.came.popleft()))
            except StopIteration as end:
                self._outcome.append(end.value)
            except MQError as error:
                self._outcome.append(error)
        return bool(self._outcome)

    @property
    def result(self) -> T:
        """What it gave. Raises what it raised."""
        assert self.done
        (outcome,) = self._outcome
        if isinstance(outcome, MQError):
            raise outcome
        return outcome

    @property
    def reason(self) -> int:
        """The reason with which it has failed, else 0."""
        assert self.done
        (outcome,) = self._outcome
        return outcome.reason if isinstance(outcome, MQError) else 0


class WireHosting(Host):
    """What makes a host listen; ``shared``: SHARECNV of the channel."""

    gateway: Gateway
    lines: dict[Connection, Line]
    listening = False
    shared = 0

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
            case Close():
                line = self.lines.pop(effect.connection, None)
                if line is not None:
                    line.sent()
                    line.hang_up()
            case _:
                self.effects.append(effect)  # type: ignore[arg-type]

    def types(self, command: str) -> None:
        """An operator enters a command that must succeed."""
        replies: list[CommandReply] = []
        Commands(self.queue_manager, Control(self.gateway.supervisor), self.now).execute(
            command, self.now, replies.append
        )
        self.pump()
        assert [reply.ok for reply in replies] == [True], replies

    def time_passes(self) -> None:
        """Deadlines that have come by now."""
        self.gateway.timeout(self.now)
        self.pump()

    def enter(self, **values: Any) -> tuple[Line, WireProgram]:
        """A program connects."""
        line, program = Line(self), WireProgram(shared=self.shared, **values)
        line.perform(program.connect())
        return line, program


class Client:
    """A program at a host, and its calls as results or reasons."""

    def __init__(self, host: WireHosting) -> None:
        self.host = host
        self.line: Line
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
