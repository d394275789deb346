"""The thread of a device that carries bytes between its network and its sockets.

Whatever may block has a thread of its own: opening a connection, waiting for callers, adapters without socket.
"""

from __future__ import annotations

import selectors
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Thread, get_ident
from typing import Final

from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.listener_definition import ListenerDefinition
from mqbridge.bridge.everyplace.effects import Alarm, Effect, StartListener, StopListener
from mqbridge.bridge.everyplace.network.calling_line import CallingLine
from mqbridge.bridge.everyplace.network.network import Network
from mqbridge.bridge.everyplace.network.outgoing import Line
from mqbridge.bridge.everyplace.network.settings import Peer
from mqbridge.protocol.everyplace.errors import EveryplaceError

from .adapters.interface import Adapter
from .engine import Engine
from .listening import Listeners
from .outside import Outside
from .pump import as_everyplace
from .wire import Wire

_LOOK: Final = 5.0
"""Most seconds without a look at the clock, which may be set."""
MAX_ANSWERING: Final = 64
"""Most connections of callers that are being made ready at once."""

MakeAdapter = Callable[[ConnectionDefinition], Adapter]


class Carrier:
    """``make_adapter``: of a connection. ``listeners``: of this queue manager. ``outside``: performs effects that are
    no bytes."""

    def __init__(
        self,
        engine: Engine,
        network: Network,
        make_adapter: MakeAdapter,
        listeners: Listeners,
        outside: Outside,
    ) -> None:
        self._engine = engine
        self.network = network
        self._make_adapter = make_adapter
        self._listeners = listeners
        self._outside = outside
        self._selector = selectors.DefaultSelector()
        self._wires: dict[Line, Wire] = {}
        self._later: deque[Callable[[], None]] = deque()
        self._awake, self._waker = socket.socketpair()
        for each in (self._awake, self._waker):
            each.setblocking(False)
        self._selector.register(self._awake, selectors.EVENT_READ)
        self._woken = self._stopping = self._ended = False
        self._thread = Thread(target=self._run, name=f"connections of {engine.manager.name}", daemon=True)
        self._ident = 0
        self._answering = 0

    # Called by other threads

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End all connections, at once."""
        self._stopping = True
        self.wake()
        if self._thread.is_alive():
            self._thread.join()

    def wake(self) -> None:
        """Have the thread look at everything soon."""
        if not self._woken:
            self._woken = True
            with suppress(OSError):
                self._waker.send(b"\0")

    def follow(self) -> None:
        """Take effects; see `engine.Follower`. In another thread, this one does it."""
        if get_ident() == self._ident:
            self.network.go_on(self._engine.clock())
        else:
            self.wake()

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do; under the lock."""
        return not self._later and self.network.idle

    def trigger(self) -> None:
        """Send and pull everything that waits, now (E-211)."""
        self._do_later(lambda: self.network.trigger(self._engine.clock()))

    # The thread

    def _run(self) -> None:
        self._ident = get_ident()
        try:
            for listener in list(self._engine.manager.listeners.values()):
                self._perform(StartListener(listener))  # E-231
            while not self._stopping:
                self._turn()
        finally:
            self._ended = True
            self._listeners.close()
            with self._engine.lock:
                while self._later:
                    self._later.popleft()()
            for wire in self._wires.values():
                wire.close()
            self._selector.close()
            self._awake.close()
            self._waker.close()

    def _turn(self) -> None:
        come = self._wait()
        engine, network = self._engine, self.network
        with engine.lock:
            now = engine.clock()
            while self._later:
                self._later.popleft()()
            for wire, data in come:
                self._received(wire, data, now)
            due = network.next_timeout()
            if due is not None and due <= now:
                network.timeout(now)
            network.go_on(now)
        engine.settle()
        with engine.lock:
            now = engine.clock()
            openings = network.openings(now)
            effects = network.take_effects()
            output = [(line, line.take(), line.ended) for line in network.lines_to_send()]
            if come:
                engine.changed()
        for line, data, ended in output:
            self._send(line, data, ended=ended)
        for definition in openings:
            self._open(definition)
        for effect in effects:
            self._perform(effect)

    def _wait(self) -> list[tuple[Wire, bytes]]:
        """Wait for events. Returns what has come."""
        with self._engine.lock:
            until = self.network.next_timeout()
            left = _LOOK if until is None else min(until - self._engine.clock(), _LOOK)
        more = {wire for wire in self._wires.values() if wire.more}
        events = self._selector.select(0 if more or self._later else max(left, 0))
        ready = dict.fromkeys(more)
        for key, _ in events:
            if key.data is None:
                self._woken = False
                with suppress(BlockingIOError):
                    self._awake.recv(1024)
            else:
                ready[key.data] = None
        come = []
        for wire in ready:
            wire.flush()
            data = wire.read()
            if data or wire.error is not None:
                come.append((wire, data))
            else:
                self._watch(wire)
        return come

    def _received(self, wire: Wire, data: bytes, now: float) -> None:
        """Pass on what has come, and the end; under the lock."""
        line = wire.line
        assert line is not None
        if data:
            line.receive_data(data, now)
        if wire.error is not None:
            if isinstance(line, CallingLine):
                line.fail(wire.error)  # why it has ended is shown as what blocks
            else:
                line.cut(now)
            self._forget(wire)
        else:
            self._watch(wire)

    def _send(self, line: Line, data: bytes, *, ended: bool) -> None:
        wire = self._wires.get(line)
        if wire is None:
            return
        wire.send(data, last=ended)
        if wire.done:
            if wire.error is not None and not ended:
                self._do_later(lambda: self._received(wire, b"", self._engine.clock()) if line in self._wires else None)
                return
            self._forget(wire)
        else:
            self._watch(wire)

    def _watch(self, wire: Wire) -> None:
        if wire.line in self._wires:
            if wire.done:
                self._forget(wire)
            else:
                self._selector.modify(wire.socket, wire.interest, wire)

    def _carry(self, line: Line, wire: Wire) -> None:
        """Begin to carry a line; under the lock."""
        wire.line = line
        self._wires[line] = wire
        self._selector.register(wire.socket, wire.interest, wire)

    def _forget(self, wire: Wire) -> None:
        if wire.line is not None and self._wires.pop(wire.line, None) is not None:
            self._selector.unregister(wire.socket)
            wire.close()

    def _do_later(self, call: Callable[[], None]) -> None:
        """Have something called by the thread, under the lock."""
        self._later.append(call)
        self.wake()

    # Opening

    def _open(self, definition: ConnectionDefinition) -> None:
        def opened(wire: Wire, peer: Peer) -> None:
            self._carry(self.network.opened(definition.name, self._engine.clock(), peer), wire)

        def failed(error: EveryplaceError) -> None:
            self.network.failed(definition.name, error, self._engine.clock())

        self._make_ready(definition.name, lambda: self._make_adapter(definition), opened, failed)

    def _contact(self, listener: ListenerDefinition, adapter: Adapter) -> None:
        """A listener's thread has a caller, perhaps when all others are at their end."""
        self._do_later(lambda: self._called(listener, adapter))
        if self._ended:
            adapter.close()

    def _called(self, listener: ListenerDefinition, adapter: Adapter) -> None:
        """Somebody has called; a thread makes the connection ready, unless too many are."""
        if self._answering >= MAX_ANSWERING:
            adapter.close()
            return
        self._answering += 1

        def opened(wire: Wire, peer: Peer) -> None:
            self._answering -= 1
            self._carry(self.network.called(listener, peer, self._engine.clock()), wire)

        def failed(error: EveryplaceError) -> None:
            self._answering -= 1
            self._engine.manager.tell(Alarm(listener.name, error.text))

        self._make_ready(listener.name, lambda: adapter, opened, failed)

    def _make_ready(
        self,
        name: str,
        make: Callable[[], Adapter],
        opened: Callable[[Wire, Peer], None],
        failed: Callable[[EveryplaceError], None],
    ) -> None:
        """Open an adapter in a thread of its own; what comes of it is told under the lock."""

        def work() -> None:
            adapter = None
            try:
                adapter = make()
                adapter.open()
                wire, peer = Wire(adapter, name), adapter.peer
            except Exception as error:  # adapters of others may raise anything
                if adapter is not None:
                    adapter.close()
                failure = as_everyplace(error)
                self._do_later(lambda: failed(failure))
                return
            self._do_later(lambda: carried(wire, peer))
            if self._ended:
                wire.close()

        def carried(wire: Wire, peer: Peer) -> None:
            try:
                opened(wire, peer)
            except EveryplaceError:  # which the network knows
                wire.close()

        Thread(target=work, name=f"opens {name}", daemon=True).start()

    def _perform(self, effect: Effect) -> None:
        match effect:
            case StartListener(definition):
                try:
                    self._listeners.start(definition, lambda adapter: self._contact(definition, adapter))
                except EveryplaceError as error:
                    self._outside.perform(Alarm(definition.name, error.text))
            case StopListener(name):
                self._listeners.stop(name)
            case _:
                with self._engine.lock:
                    self._outside.perform(effect)
                    self._engine.changed()
