"""The messages of one handle, streamed to a client on request (client-observed.md 5)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from mqbridge.bridge.agents.svrconn.descriptors import ORDER, as_version, for_client, status_of
from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.agents.svrconn.unsent_bodies import UnsentBody
from mqbridge.bridge.agents.unsent_budget import MAX_UNSENT, UNCOUNTED
from mqbridge.bridge.queue_manager import MQError, RetrievedMessage
from mqbridge.bridge.queue_manager.calls.outcomes import Available, Done, Failed, Outcome, failed
from mqbridge.bridge.queue_manager.calls.requests import UNLIMITED, Cancel, Get, Settle, Unlock, Wait, Wanted
from mqbridge.bridge.queue_manager.options import BROWSE_OPTIONS
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQCC, MQGMO, MQRC, NotificationCode, RequestFlags
from mqbridge.protocol.inferred import GETS_ALLOWED_VALUE, REQUESTS_OF_GETS, TOO_LONG_IS_ASKED_FOR_AGAIN
from mqbridge.protocol.mqi import Delivery

_WAITS: Final = int(MQGMO.WAIT)
_SINGLE: Final = int(RequestFlags.SINGLE)
_CALLED: Final = int(REQUESTS_OF_GETS)
_GETS_ALLOWED: Final = int(MQRC.GET_ENABLED)
_TRUNCATED_FAILED: Final = int(MQRC.TRUNCATED_MSG_FAILED)
_UNLOCKS: Final = int(MQGMO.UNLOCK)
_NO_MESSAGE: Final = int(MQRC.NO_MSG_AVAILABLE)
_BROWSE_FIRST: Final = int(MQGMO.BROWSE_FIRST)
_BROWSE_NEXT: Final = int(MQGMO.BROWSE_NEXT)
_BROWSES: Final = _BROWSE_FIRST | _BROWSE_NEXT


class OutboundStream:
    """The streamed messages of one handle. ``pending``: by tag, streams of the program with a search or wait in
    progress."""

    __slots__ = (
        "_asked", "_bits", "_from_first", "_inhibited", "_leaving", "_length", "_pending", "_requests", "_selection",
        "_waits", "_wanted", "delivery", "paused", "program", "stalled",
    )  # fmt: skip

    def __init__(self, program: Hconn, delivery: Delivery, pending: dict[int, OutboundStream]) -> None:
        self.program = program
        self._pending = pending
        self.delivery = delivery
        self.stalled = False
        """More can be sent when the transport has taken what waits."""
        self.paused = False
        """The last message sent belongs to the unit of work; what is sent before its end would be committed with it."""
        self._asked = 0
        """Tag of the request in progress; 0 for none."""
        self._waits = False
        """The request in progress is a wait, otherwise a search."""
        self._leaving: Callable[[], None] | None = None
        """Sends a message when its removal, which is the request in progress, is on disk."""
        self._from_first = True
        self._inhibited = False  # the client knows, and waits for the news that gets are allowed
        self._requests = 0
        self._bits = -1
        self._length = 0
        self._selection: Any = None
        self._wanted = Wanted()

    @property
    def called(self) -> bool:
        """Whether the client's last request came from an MQGET call."""
        return self.delivery.flags & _CALLED != 0

    def asked(self, now: Time) -> None:
        """The client requests messages, possibly again."""
        if self.program.broken:
            self.refuse(MQRC.CONNECTION_BROKEN)
            return
        if self._leaving is None:
            self.forget_wait(now)
        if self._requests != self.delivery.requests:  # else its listeners have started
            self._requests, self.paused = self.delivery.requests, False
        self._from_first = not self.delivery.message_index or not self.delivery.read_ahead
        self.confirm(now)

    def fill(self, now: Time) -> None:
        """Send messages while they are requested; waits for more if there are none."""
        self.stalled = False
        program, machine, delivery = self.program, self.program.machine, self.delivery
        session = program.session
        if session is None or not program.joined or self._asked:
            return
        unsent = program.shared.host.unsent
        try:
            if delivery.options & _WAITS and delivery.wait_interval < UNLIMITED:
                raise MQError(MQRC.WAIT_INTERVAL_ERROR, str(delivery.wait_interval))
            while delivery.ready and not self.paused and not self._asked:
                waiting = machine.link.wire.unsent
                if waiting > UNCOUNTED and (waiting >= MAX_UNSENT or not unsent.allows(machine.link.wire.buffered)):
                    self.stalled = program.shared.stalled = True
                    break
                if delivery.options & _UNLOCKS:
                    self._unlock(now)
                    break
                request = self._next()
                outcome = session.submit(request, now)
                if outcome is None:
                    self._set_pending(request.tag, waits=False)
                    break
                if type(outcome) is Failed and outcome.reason != _NO_MESSAGE:
                    self._failed(outcome, now)
                    break
                if self._inhibited:
                    self._allowed()
                if not isinstance(outcome, RetrievedMessage):
                    self._no_message(now)
                    break
                self._deliver(outcome, now)
            if self.paused:
                machine.deliveries.no_message(delivery)
        except MQError as error:
            self._failed(failed(error), now)

    def _next(self) -> Get:
        """The request for the next message."""
        program, delivery = self.program, self.delivery
        bits = delivery.options & ~_WAITS
        if bits & _BROWSES == _BROWSES:
            # IBM's client asks so for the first message; where it reads ahead, for those behind it too.
            bits &= ~_BROWSE_NEXT if self._from_first else ~_BROWSE_FIRST
        if bits != self._bits or delivery.max_length != self._length or delivery.selection is not self._selection:
            self._read(bits)
        program.tag += 1
        return Get(program.tag, delivery.handle, self._wanted)

    def _read(self, bits: int) -> None:
        """Read the client's request, once until it changes."""
        delivery, selection = self.delivery, self.delivery.selection
        self._bits, self._length, self._selection = bits, delivery.max_length, selection
        self._wanted = Wanted(
            bits,
            selection.match_options,
            selection.msg_id,
            selection.correl_id,
            selection.group_id,
            selection.msg_seq_number,
            selection.offset,
            selection.msg_token,
            delivery.max_length,
            md_version=selection.md_version,
            encoding=selection.encoding,
            ccsid=selection.ccsid,
            asks_again=TOO_LONG_IS_ASKED_FOR_AGAIN,
        )

    def _unlock(self, now: Time) -> None:
        delivery = self.delivery
        self._read(delivery.options)
        outcome = self.program.connected().submit(Unlock(0, delivery.handle, self._wanted), now)
        if type(outcome) is Failed:
            self._failed(outcome, now)
        elif isinstance(outcome, Done):
            self._send_reason(outcome.reason)
            self.program.machine.deliveries.no_message(delivery)

    def _no_message(self, now: Time) -> None:
        """There is no message now: the next one is sent when it comes, if the client still wants it."""
        self.program.machine.deliveries.no_message(self.delivery)
        if self.delivery.ready:
            self._wait(now)

    def _wait(self, now: Time, *, for_gets: bool = False) -> None:
        """Wait for a message, or until gets are enabled."""
        program = self.program
        tag = program.next_tag()
        outcome = program.connected().submit(Wait(tag, self.delivery.handle, self._wanted, for_gets), now)
        if outcome is None:
            self._set_pending(tag, waits=True)
        elif type(outcome) is Failed:
            self._failed(outcome, now)

    def _set_pending(self, tag: int, *, waits: bool) -> None:
        self._asked, self._waits = tag, waits
        self._pending[tag] = self

    def completed(self, outcome: Outcome, now: Time) -> None:
        """A search or wait has ended."""
        tag, self._asked = self._asked, 0
        program, delivery = self.program, self.delivery
        leaving, self._leaving = self._leaving, None
        if not program.joined:
            return
        if leaving is not None:
            self._removed(leaving, outcome, now)
            return
        try:
            if not delivery.ready and not (type(outcome) is Failed and outcome.reason == _GETS_ALLOWED):
                self._give_back(tag, outcome, now)
                return
            if isinstance(outcome, Available):
                request = self._next()
                again = program.connected().submit(request, now)
                if again is None:
                    self._set_pending(request.tag, waits=False)
                    return
                if type(again) is Failed and again.reason == _NO_MESSAGE:  # somebody else was faster
                    self._wait(now)
                    return
                outcome = again
            if isinstance(outcome, RetrievedMessage):
                if self._inhibited:
                    self._allowed()
                self._deliver(outcome, now)
            elif type(outcome) is Failed and outcome.reason == _GETS_ALLOWED:
                self._allowed()
            elif type(outcome) is Failed and outcome.reason != _NO_MESSAGE:
                self._failed(outcome, now)
                return
            elif not self._waits:  # a search that has found none must not begin again
                self._no_message(now)
                return
        except MQError as error:
            self._failed(failed(error), now)
            return
        self.fill(now)

    def _give_back(self, tag: int, outcome: Outcome, now: Time) -> None:
        """The client has given up: return a message that has been got."""
        session = self.program.connected()
        if isinstance(outcome, Available):
            session.submit(Cancel(0, tag), now)
        elif isinstance(outcome, RetrievedMessage) and not self._bits & BROWSE_OPTIONS:
            session.submit(Settle(0, back=(outcome.token,)), now)

    def end(self, reason: int, now: Time) -> None:
        """End the search or wait of a get, with a reason."""
        if self._asked and self.called:
            self.program.connected().submit(Cancel(0, self._asked, reason), now)

    def abort(self, reason: int) -> None:
        """End the wait and the search of a get for good, and tell the client."""
        if self._asked and (self._waits or self.called):
            self._forget()
            self.refuse(reason)

    def refuse(self, reason: int) -> None:
        """Send the client no further messages."""
        self._failed(Failed(MQCC.FAILED, reason), 0.0)

    def forget_wait(self, now: Time) -> None:
        """Cancel the wait."""
        tag = self._forget()
        if tag and self.program.session is not None and self.program.joined:
            self.program.session.submit(Cancel(0, tag), now)

    def _forget(self) -> int:
        tag, self._asked, self._leaving = self._asked, 0, None
        self._pending.pop(tag, None)
        return tag

    def closed(self, unreceived: list[bytes], now: Time) -> None:
        """The handle is being closed: messages not received go back, the others have arrived."""
        self.forget_wait(now)
        if unreceived:
            self.program.unsent_bodies.discard(unreceived)
        self.confirm(now, tuple(unreceived))

    def _deliver(self, got: RetrievedMessage, now: Time) -> None:
        program, delivery, token = self.program, self.delivery, got.token
        raw, message = for_client(got.message, delivery.selection.md_version, program.machine.parameters.ccsid)
        taken = not delivery.options & BROWSE_OPTIONS and got.reason != _TRUNCATED_FAILED
        single = taken and delivery.flags & _SINGLE != 0
        try:
            data = program.unsent_bodies.data(message.body, token, stays=taken, tells=single)
        except MQError:
            if taken:
                program.connected().submit(Settle(0, back=(token,)), now)
            raise
        self._from_first = False
        send = partial(
            program.machine.deliveries.send,
            delivery,
            raw,
            data,
            full_length=got.length,
            reason=got.reason,
            token=token,
            queue=got.queue_name.encode("ascii", "replace"),
            status=status_of(got),
            reference=token if taken else None,
            held=got.held and not single,
        )
        if single and got.held and not isinstance(data, UnsentBody):
            tag = program.next_tag()
            if program.connected().submit(Settle(tag, (token,)), now) is None:
                self._leaving = send
                self._set_pending(tag, waits=False)
                return
        send()
        self.paused = taken and not delivery.single and not got.held

    def _removed(self, send: Callable[[], None], outcome: Outcome, now: Time) -> None:
        """Send the message if its removal is on disk; otherwise keep it."""
        if type(outcome) is Failed:
            self._failed(outcome, now)
        elif self.delivery.ready:
            send()
            self.fill(now)

    def confirm(self, now: Time, back: tuple[bytes, ...] = ()) -> None:
        """Remove the messages that the client has confirmed; those in ``back``, by their tokens, go back."""
        arrived, session = self.delivery.take_arrived(), self.program.session
        if (arrived or back) and session is not None and self.program.joined:
            session.submit(Settle(0, arrived, back), now)

    def _failed(self, outcome: Failed, now: Time) -> None:
        """A get has failed: tell the client, as far as the protocol allows."""
        machine, delivery = self.program.machine, self.delivery
        reason = outcome.reason
        if reason == MQRC.GET_INHIBITED:
            called = self.called
            if called or not self._inhibited:
                # Without the reason as its value the thread of IBM's client that calls listeners dies of it.
                machine.deliveries.notify(delivery, NotificationCode.GET_INHIBITED, reason)
            if not called and self.program.joined:
                self._inhibited = True
                self._wait(now, for_gets=True)
        elif reason in (MQRC.Q_MGR_QUIESCING, MQRC.CONNECTION_QUIESCING):
            machine.deliveries.notify(delivery, NotificationCode.QM_QUIESCING, reason)
        elif delivery.ready:
            self._send_reason(reason)
        machine.deliveries.no_message(delivery)

    def _allowed(self) -> None:
        """Tell a client that counts on messages that gets are enabled again, also while its delivery is stopped."""
        self._inhibited = False
        self.program.machine.deliveries.notify(self.delivery, NotificationCode.GET_ALLOWED, GETS_ALLOWED_VALUE)

    def _send_reason(self, reason: int) -> None:
        """Send a reason code without message (O-089), also for an unlock: otherwise the client would report no
        message."""
        machine, delivery = self.program.machine, self.delivery
        empty = Message.build(ccsid=machine.parameters.ccsid)
        descriptor = as_version(empty.raw_md, delivery.selection.md_version, ORDER)
        machine.deliveries.send(delivery, descriptor, b"", reason=reason)
