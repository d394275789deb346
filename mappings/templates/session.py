"""One end of a connection that follows its script: bytes and times in, events and bytes out (M-156, M-169)."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from .errors import BuildError, PacketError, ScriptError, StreamError
from .protocol import Protocol
from .script import On, Other, Reaction, Rule, State
from .sending import SessionValues
from .session_events import EXTRACT, Accepted, Answered, Delivered, Ended, Event, Refused, Unknown
from .transaction import Role
from .values import Counters, SessionCounters, Value, Values

MAX_UNREAD: Final = 1 << 20
"""Bytes that may come, beyond one packet, while a delivered message is not settled yet."""


class _Held(NamedTuple):
    """What waits for `settled`: a rule, and the packet that it is for."""

    rule: Rule
    packet: Values


class SessionMachine:
    """One end of one connection.

    ``values``: of this end, by names of fields or of mappings, for every packet that is sent. ``counters``: sequence
    numbers, which the owner may keep. Times are seconds. Nothing but `put` raises: what goes wrong ends the session by
    the event `Ended`.
    """

    __slots__ = (
        "_entered", "_fault", "_framer", "_held", "_lost", "_message", "_output", "_packets", "_protocol", "_script",
        "_sender", "_sent", "_state", "_unread", "_values", "role",
    )  # fmt: skip

    def __init__(
        self,
        protocol: Protocol,
        role: Role,
        dice: random.Random,
        values: Mapping[str, Value] | None = None,
        counters: Counters | None = None,
    ) -> None:
        """Raises `ScriptError` where the protocol has no script for this end."""
        script = protocol.scripts.get(role)
        if script is None:
            raise ScriptError(f"protocol {protocol.name!r} has no session script for the {role}")
        self.role = role
        self._protocol = protocol
        self._script = script
        self._sender: Role = "responder" if role == "initiator" else "initiator"
        self._framer = protocol.framer(self._sender)
        counters, own = counters or Counters(), protocol.restarting
        kept = SessionCounters(counters, own) if own else counters
        self._values = SessionValues(protocol, role, dice, values or {}, kept)
        self._state: State | None = script.states[script.first]
        self._entered = self._sent = 0.0
        self._output = bytearray()
        self._packets: deque[bytes] = deque()
        self._unread = bytearray()
        self._message: Mapping[str, Value] | None = None
        self._held: _Held | None = None
        self._fault: StreamError | None = None
        self._lost = False

    @property
    def state(self) -> str:
        """The name of the state; empty when the session has ended."""
        return self._state.name if self._state is not None else ""

    @property
    def can_put(self) -> bool:
        """Whether `put` is possible now."""
        state = self._state
        return state is not None and self._message is None and self._held is None and state.rule(On.PUT) is not None

    @property
    def has_output(self) -> bool:
        """Whether `take` has something."""
        return bool(self._output)

    @property
    def wants_data(self) -> bool:
        """Whether more bytes should be read from the connection."""
        return self._state is not None and self._held is None

    def take(self) -> bytes:
        """Return the bytes to send."""
        data = bytes(self._output)
        self._output.clear()
        return data

    @property
    def next_timeout(self) -> float | None:
        """When `timeout` is due; None for never. While a message is not settled, time does not run out."""
        state = self._state
        if state is None or self._held is not None:
            return None
        times = [self._entered + state.within] if state.within else []
        if state.idle:
            times.append(max(self._sent, self._entered) + state.idle)
        return min(times, default=None)

    # The own side

    def connected(self, now: float) -> list[Event]:
        """The connection stands."""
        events: list[Event] = []
        self._entered = self._sent = now
        if self._state is not None:
            first = self._state
            rule = first.rule(On.CONNECT)
            if rule is not None:
                events += self._perform(rule, now, None, {})
            if self._state is first and (rule is None or not rule.next):
                events += self._enter(first, now)
        return events

    def put(self, values: Mapping[str, Value], now: float, ready: Mapping[str, bytes] | None = None) -> list[Event]:
        """Send a message, by names of fields or of mappings.

        ``ready``: packets of it that were `built` before, which go out with the same bytes. Raises `ScriptError` where
        the state allows none, and `BuildError` for values of which no packet can be made; nothing is sent then, and the
        session is as before.
        """
        rule = self._state.rule(On.PUT) if self._state is not None and self.can_put else None
        if rule is None:
            raise ScriptError(
                f"no message can be sent in state {self.state!r}" if self._state else "the session has ended"
            )
        sent = self._values.packets(rule.send, now, None, {**values}, ready)
        self._message = dict(values)
        return [*self._sent_out(sent, rule, now, None), *self._go_on(now)]

    @property
    def built(self) -> Mapping[str, bytes]:
        """The packets with an identity that were built last, by transaction: after `put`, what to repeat."""
        return self._values.built

    def settled(self, now: float, answer: Mapping[str, Value] | None = None) -> list[Event]:
        """What was delivered, or the answer, is safe: confirm it and go on.

        ``answer``: values for what the rule sends. Raises `ScriptError` where nothing waits for this.
        """
        held, self._held = self._held, None
        if held is None:
            raise ScriptError("nothing waits to be settled")
        if self._state is None:
            return []
        self._entered = self._sent = now
        return [*self._perform(held.rule, now, held.packet, answer or {}, told=held.rule.answer), *self._go_on(now)]

    def timeout(self, now: float) -> list[Event]:
        """`next_timeout` has come."""
        due = self.next_timeout
        state = self._state
        if state is None or due is None or now < due:
            return []
        if state.within and now >= self._entered + state.within:
            rule = state.rule(On.TIMEOUT)
            if rule is None:
                return self._end(f"nothing led out of state {state.name!r} within {state.within:g} s")
            self._entered = now
        else:
            rule = state.rule(On.IDLE)
            self._sent = now
        return [] if rule is None else [*self._perform(rule, now, None, {}), *self._go_on(now)]

    def close(self, reason: str) -> list[Event]:
        """End the session from our side."""
        return [] if self._state is None else self._end(reason)

    # The other side

    def receive_data(self, data: bytes, now: float) -> list[Event]:
        """Bytes have come."""
        if self._state is None:
            return []
        self._unread += data
        if self._held is not None and len(self._unread) > self._protocol.most + MAX_UNREAD:
            return self._end(f"{len(self._unread)} bytes came while a message was not settled")
        return self._go_on(now)

    def connection_lost(self, now: float) -> list[Event]:
        """The connection is gone. `Ended` follows, at once unless a message is not settled."""
        if self._state is None:
            return []
        self._lost = True
        return self._go_on(now)

    def _go_on(self, now: float) -> list[Event]:
        """Act on what has come, until a message must be settled."""
        events: list[Event] = []
        while self._state is not None and self._held is None:
            if self._packets:
                events += self._packet(self._packets.popleft(), now)
            elif self._fault is not None:
                events += self._broken(self._fault, now)
            elif self._unread:
                data = bytes(self._unread)
                self._unread.clear()
                self._cut(self._framer.receive(data))
            elif self._lost and self._framer.pending:
                self._cut(self._framer.finish())
            elif self._lost:
                rule = self._state.rule(On.CLOSED)
                events += [] if rule is None else self._perform(rule, now, None, {})
                if self._state is not None:
                    events += self._end("the other end has closed the connection")
            else:
                break
        return events

    def _cut(self, packets: Iterator[bytes]) -> None:
        try:
            self._packets.extend(packets)
        except StreamError as error:
            self._fault = error

    def _packet(self, packet: bytes, now: float) -> list[Event]:
        assert self._state is not None, "an open session"
        try:
            found = self._protocol.read(packet, self._sender)
        except PacketError as error:
            return self._unknown(str(error), packet, self._script.unrecognised, now)
        if found is None:
            return self._unknown("a packet that no transaction is", packet, self._script.unrecognised, now)
        values = found.values
        self._values.remember(values)
        rule = self._state.rule_for(values)
        if rule is None:
            reason = f"{values.transaction!r} is not expected in state {self._state.name!r}"
            return self._unknown(reason, packet, self._script.unexpected, now)
        if rule.deliver or rule.answer:
            self._held = _Held(rule, values)
            if rule.deliver:
                return [Delivered(values)]
            return [Answered(values, rule.accepted, rule.refused)]
        return self._perform(rule, now, values, {})

    def _unknown(self, reason: str, packet: bytes, reaction: Reaction, now: float) -> list[Event]:
        events: list[Event] = [Unknown(reason, packet[:EXTRACT])]
        if reaction.other is Other.CLOSE:
            events += self._end(reason)
        elif reaction.send is not None:
            events += self._perform(Rule(On.PACKET, send=(reaction.send,)), now, None, {})
        return events

    def _broken(self, fault: StreamError, now: float) -> list[Event]:
        """The stream cannot be cut: say so if the script does, and end."""
        events: list[Event] = [Unknown(fault.reason, fault.extract)]
        send = self._script.unrecognised.send
        if send is not None and not self._lost:
            events += self._perform(Rule(On.PACKET, send=(send,)), now, None, {})
        return [*events, *(self._end(fault.reason) if self._state is not None else [])]

    # Rules

    def _perform(
        self, rule: Rule, now: float, packet: Values | None, answer: Mapping[str, Value], told: bool = False
    ) -> list[Event]:
        """Do what a rule says. ``told``: whether an event has said already that the message is accepted or refused."""
        try:
            sent = self._values.packets(rule.send, now, packet, {**(self._message or {}), **answer})
        except BuildError as error:
            return self._end(str(error))
        return self._sent_out(sent, rule, now, packet, told)

    def _sent_out(self, sent: bytes, rule: Rule, now: float, packet: Values | None, told: bool = False) -> list[Event]:
        """What follows when the packets of a rule are built."""
        events: list[Event] = []
        if sent:
            self._output += sent
            self._sent = now
        if rule.accepted or rule.refused:
            if self._message is not None and not told:
                events.append(Accepted() if rule.accepted else Refused(packet))
            self._message = None
        if rule.close:
            events += self._end(rule.close)
        elif rule.next:
            events += self._enter(self._script.states[rule.next], now)
        return events

    def _enter(self, state: State, now: float) -> list[Event]:
        self._state = state
        self._entered = now
        rule = state.rule(On.ENTER)
        return [] if rule is None else self._perform(rule, now, None, {})

    def _end(self, reason: str) -> list[Event]:
        in_doubt = self._message is not None
        self._state = self._message = self._held = None
        self._packets.clear()
        self._unread.clear()
        return [Ended(reason, in_doubt)]
