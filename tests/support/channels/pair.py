"""A sender and a receiver with their agents and disks, joined by a link that may be cut anywhere.

Enough of two queue managers to prove what the machines promise: each end keeps its saved state and its messages on
a "disk" that only commits reach, and may be killed between any two steps. Everything that happens is drawn from one
source of randomness.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from mqbridge.protocol.channel import (
    BatchConfirmed,
    BatchFailed,
    ChannelParameters,
    ChannelRequested,
    Closed,
    ConfirmRequested,
    EndOfBatch,
    InDoubtResolved,
    MessageReceived,
    ReceiverState,
    Responder,
    SenderChannel,
    SenderState,
    SequenceReset,
    Started,
)
from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import TRANSMISSION_HEADERS

HEADERS = TRANSMISSION_HEADERS.codec(ByteOrder.LITTLE)(
    xqh_remote_q_name=b"TARGET".ljust(48), md_put_date=b"20030928", md_put_time=b"01304759"
).build()


def xmitq_message(number: int, length: int, persistent: bool) -> bytes:
    """MQXQH and data that name the message; MQMD.Persistence stands at byte 44 of the descriptor."""
    headers = bytearray(HEADERS)
    headers[104 + 44] = int(persistent)
    return bytes(headers) + number.to_bytes(4, "big").ljust(length, b"d")


class SendingSide:
    """The agent of the sender. On disk: ``queue`` (persistent messages by number), ``saved``, ``doubted``."""

    def __init__(self, definition: ChannelParameters, messages: list[tuple[int, int, bool]]) -> None:
        self.definition = definition
        self.queue = {number: (length, persistent) for number, length, persistent in messages}
        self.saved = SenderState()
        self.doubted: list[int] = []  # persistent messages of the batch in doubt
        self.resolved: list[bool] = []
        self.ended: list[Closed] = []
        self._luwid = 0
        self.revive()

    def revive(self) -> None:
        """A new process: what is not on disk is gone, fast messages too, once they were sent."""
        self.machine: SenderChannel | None = None
        self.sent: list[int] = []
        self.todo: list[Any] = []

    def luwid(self) -> bytes:
        self._luwid += 1
        return self._luwid.to_bytes(8, "big")

    def connect(self, now: float) -> None:
        self.sent, self.todo = [], []
        self.machine = SenderChannel(self.definition, self.saved, self.luwid, now)

    def waiting(self) -> Iterator[int]:
        busy = {*self.sent, *self.doubted}
        return (number for number in sorted(self.queue) if number not in busy)

    def take(self, events: list[Any]) -> None:
        for event in events:
            if isinstance(event, BatchFailed | Closed):
                self.act(event, 0.0)  # at once: nothing is written before
            elif not isinstance(event, Started):
                self.todo.append(event)

    def step(self, now: float) -> bool:
        """One step of the agent, which may be its last; whether there was one."""
        if self.machine is None:
            return False
        if self.todo:
            self.act(self.todo.pop(0), now)
            return True
        if self.machine.link.closed or not self.machine.batches.ready:
            return False
        number = next(self.waiting(), None)
        if number is None:
            if not self.machine.batches.open:
                return False
            self.take(self.machine.batches.queue_empty(now))
            return True
        length, persistent = self.queue[number]
        self.sent.append(number)
        payload = xmitq_message(number, length, persistent)
        self.take(self.machine.batches.send_message(payload, now, persistent=persistent))
        if not persistent:
            del self.queue[number]  # at most once
        return True

    def act(self, event: Any, now: float) -> None:
        machine = self.machine
        assert machine is not None
        if isinstance(event, EndOfBatch):
            if not machine.link.closed:
                self.saved = self.saved.asking(event.luwid, event.sequence, event.count)
                self.doubted = list(self.sent)
                machine.batches.request_confirm(now)
        elif isinstance(event, BatchConfirmed):
            assert self.saved.in_doubt is not None
            assert self.saved.in_doubt.luwid == event.luwid
            self._settle(True)
            # Messages of the next batch may have gone out already.
            self.sent = [number for number in self.sent if number in self.queue]
        elif isinstance(event, InDoubtResolved):
            self.resolved.append(event.commit)
            self._settle(event.commit)
            assert self.saved.sequence == event.sequence
            self.take(machine.recorded(now))
        elif isinstance(event, SequenceReset):
            self.saved = self.saved.reset_done()
            self.take(machine.recorded(now))
        elif isinstance(event, BatchFailed):
            if not event.in_doubt:
                # A confirmation that was told but not yet acted upon comes first.
                for earlier in self.todo:
                    if isinstance(earlier, BatchConfirmed):
                        self.act(earlier, now)
                self.saved = self.saved.settled(commit=False)
                self.doubted = []
            self.sent, self.todo = [], []
        elif isinstance(event, Closed):
            for earlier in self.todo:
                if isinstance(earlier, BatchConfirmed):
                    self.act(earlier, now)
            self.todo = []
            self.ended.append(event)

    def _settle(self, commit: bool) -> None:
        """One unit of work: the deletes and the record."""
        if commit:
            for number in self.doubted:
                self.queue.pop(number, None)
        self.doubted = []
        self.saved = self.saved.settled(commit)


class ReceivingSide:
    """The agent of the receiver. On disk: ``arrived`` (what was committed, in order), ``saved``."""

    def __init__(self, definition: ChannelParameters) -> None:
        self.definition = definition
        self.arrived: list[int] = []
        self.saved = ReceiverState()
        self.revive()

    def revive(self) -> None:
        self.machine: Any = None
        self.unit: list[int] = []
        self.todo: list[Any] = []

    def connect(self, now: float) -> None:
        """A new connection; an older one is ended first, as an agent must."""
        self.unit, self.todo = [], []
        self.machine = Responder(now)

    def take(self, events: list[Any]) -> None:
        for event in events:
            if isinstance(event, BatchFailed):
                self.unit = []
                self.todo = [one for one in self.todo if not isinstance(one, MessageReceived) or one.fast]
            self.todo.append(event)

    def step(self, now: float) -> bool:
        if self.machine is None or not self.todo:
            return False
        event, machine = self.todo.pop(0), self.machine
        if isinstance(event, ChannelRequested):
            self.machine, events = machine.accept(self.definition, self.saved, now)
            self.take(events)
        elif isinstance(event, MessageReceived):
            data = event.data if isinstance(event.data, bytes) else b"".join(event.data)
            number = int.from_bytes(data[:4], "big")
            (self.arrived if event.fast else self.unit).append(number)
        elif isinstance(event, ConfirmRequested):
            self.arrived += self.unit
            self.unit = []
            self.saved = ReceiverState(luwid=event.luwid, sequence=event.sequence)
            self.machine.confirm(now)
        elif isinstance(event, SequenceReset):
            self.saved = self.saved.reset_to(event.sequence)
            self.take(machine.recorded(now))
        elif isinstance(event, BatchFailed):
            self.unit = []
        return True


class Pair:
    """Both sides, the bytes between them, and an adversary that cuts and kills."""

    def __init__(self, seed: int, sending: SendingSide, receiving: ReceivingSide) -> None:
        self.random = Random(seed)
        self.sending = sending
        self.receiving = receiving
        self.there = bytearray()
        self.back = bytearray()
        self.now = 1000.0
        self.connected = False

    def connect(self) -> None:
        self.there.clear()
        self.back.clear()
        self.receiving.connect(self.now)
        self.sending.connect(self.now)
        self.connected = True

    def cut(self) -> None:
        """The link is lost with what is on it; both sides learn it, if they live."""
        self.connected = False
        for side in (self.sending, self.receiving):
            if side.machine is not None:
                side.take(side.machine.link.receive_eof(self.now))

    def kill(self, side: SendingSide | ReceivingSide) -> None:
        side.revive()
        self.cut()

    def carry(self) -> bool:
        """Some bytes move."""
        moved = False
        for side, out in ((self.sending, self.there), (self.receiving, self.back)):
            for piece in side.machine.link.wire.take(4096):
                out += piece
        for side, pipe in ((self.receiving, self.there), (self.sending, self.back)):
            if pipe:
                count = self.random.randint(1, len(pipe))
                data = bytes(pipe[:count])
                del pipe[:count]
                side.take(side.machine.link.receive_data(data, self.now))
                moved = True
        return moved

    def run(self, *, faults: int) -> None:
        """Go on until everything has arrived and nothing moves any more, with so many faults on the way."""
        for _ in range(100_000):
            if not self.connected:
                self.connect()
            if faults and self.random.random() < 0.04:
                faults -= 1
                self.random.choice((self.cut, self._kill_sender, self._kill_receiver))()
                continue
            choice = self.random.random()
            moved = self.carry() if choice < 0.4 else (self.sending if choice < 0.7 else self.receiving).step(self.now)
            self.now += 0.001
            if self.sending.machine is not None and self.sending.machine.link.closed:
                self.cut()
            if not moved and self._at_rest():
                return
        raise AssertionError("no end")

    def _at_rest(self) -> bool:
        machine = self.sending.machine
        moving = self.there or self.back or self.sending.todo or self.receiving.todo
        return not (
            moving
            or machine is None
            or not machine.batches.ready
            or machine.batches.open
            or machine.link.wire.wants_to_send
            or self.receiving.machine.link.wire.wants_to_send
            or any(True for _ in self.sending.waiting())
        )

    def _kill_sender(self) -> None:
        self.kill(self.sending)

    def _kill_receiver(self) -> None:
        self.kill(self.receiving)
