"""Conversations of message channels: our sender and our receiver joined in memory, with agents that do what they must.

Nothing is stored: the sending agent takes made messages from a list, the receiving agent counts what is confirmed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from mqbridge.captures.generate.conversation import End, MadeConversation
from mqbridge.captures.generate.run import MachineRun
from mqbridge.protocol.channel import (
    BatchConfirmed,
    ChannelParameters,
    ChannelRequested,
    ConfirmRequested,
    EndOfBatch,
    InDoubtResolved,
    LuwidSource,
    ReceiverState,
    Responder,
    SenderChannel,
    SenderState,
    SequenceReset,
)
from mqbridge.protocol.constants import MQMODE, StatusCode
from mqbridge.protocol.direction import Direction
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.structures.message_headers import TRANSMISSION_HEADERS
from mqbridge.protocol.text import encode_field

#: Seconds that the receiving end needs to commit a batch.
COMMIT: Final = 0.001


@dataclass(slots=True, kw_only=True)
class ChannelTraffic:
    """What one message channel carries.

    ``sizes``: bytes of data of each message, in order. ``interval``: seconds between two messages. ``persistent``:
    of all of them. ``format``: of the descriptors. ``text``: data to send instead of made bytes. ``quiet``: seconds of
    silence behind the last message, in which heartbeats pass. ``sequence``: number of the last message of the
    session before; ``in_doubt``: messages of a batch behind it that only the receiver knows to be committed; ``reset``:
    number that comes next by command. ``ping``: test data that are sent in place of everything else. ``refused``: why
    the called end refuses. ``stopped``: the receiving end wants to end. Parameters of the two ends in ``sender`` and
    ``receiver``, those that differ from the others of ``ChannelParameters``.
    """

    channel: str = "TO.VENUS"
    sending: str = "MARS"
    receiving: str = "VENUS"
    queue: str = "TARGET"
    sizes: Sequence[int] = (100, 200, 300)
    interval: float = 0.001
    persistent: bool = True
    format: str = "MQSTR"
    text: bytes | None = None
    quiet: float = 0.0
    sequence: int = 0
    in_doubt: int = 0
    reset: int = 0
    ping: bytes | None = None
    refused: StatusCode | None = None
    stopped: bool = False
    big_endian: bool = False
    ccsid: int = 819
    batch_size: int = 50
    sender: dict[str, Any] = field(default_factory=dict)
    receiver: dict[str, Any] = field(default_factory=dict)
    end: End = End.CLOSED

    def parameters(self, *, sending: bool) -> ChannelParameters:
        """The definition of one end."""
        common = {
            "channel_name": self.channel,
            "queue_manager": self.sending if sending else self.receiving,
            "queue_manager_id": (self.sending if sending else self.receiving) + "_2026-01-01_00.00.00",
            "batch_size": self.batch_size,
            "big_endian": self.big_endian,
            "ccsid": self.ccsid,
        }
        return ChannelParameters(**{**common, **(self.sender if sending else self.receiver)})


class ChannelRun(MachineRun):
    """Runs one channel from its start to its end; :meth:`run` gives what passed."""

    def __init__(self, traffic: ChannelTraffic, random: Random, now: float) -> None:
        super().__init__(random, now)
        self.traffic = traffic
        luwids = LuwidSource(int(now), random.randrange(0x10000))
        saved = SenderState(luwid=luwids(), sequence=traffic.sequence) if traffic.sequence else SenderState()
        self.received = ReceiverState(luwid=saved.luwid, sequence=saved.sequence)
        if traffic.in_doubt:
            luwid, last = luwids(), saved.sequence + traffic.in_doubt
            saved = saved.asking(luwid, last, traffic.in_doubt)
            self.received = ReceiverState(luwid=luwid, sequence=last)
        if traffic.reset:
            saved = saved.reset_to(traffic.reset)
        self.sender = SenderChannel(traffic.parameters(sending=True), saved, luwids, now, ping=traffic.ping)
        self.receiver: Any = Responder(now)

    def run(self) -> MadeConversation:
        """Start, send everything, be quiet, end."""
        traffic = self.traffic
        self.pump()
        if traffic.ping is None and traffic.refused is None:
            self.work()
        self.conversation.ended = self.now
        self.conversation.end = traffic.end
        return self.conversation

    def work(self) -> None:
        """Everything between the start and the end."""
        traffic = self.traffic
        assert self.sender.batches.ready, "the channel did not start"
        for number, size in enumerate(traffic.sizes):
            message = made_message(traffic, number, size, self.random, self.now)
            self.send(message, persistent=traffic.persistent)
            self.let_pass(traffic.interval)
        if self.sender.batches.open and self.sender.batches.ready:
            self.act(Direction.INITIATOR, self.sender.batches.queue_empty(self.now))
        self.pump()
        if traffic.stopped:
            self.receiver.link.close(MQMODE.QUIESCE, self.now)
        self.let_pass(max(traffic.quiet, 0.05))
        if traffic.end is End.CLOSED and not self.sender.link.closed:
            self.act(Direction.INITIATOR, self.sender.link.close(MQMODE.QUIESCE, self.now))
            self.pump()

    def send(self, message: bytes, *, persistent: bool) -> None:
        """One message, as soon as the sender takes it."""
        while not self.sender.batches.ready:
            self.pump()
        self.conversation.messages += 1
        self.act(Direction.INITIATOR, self.sender.batches.send_message(message, self.now, persistent=persistent))

    def machine(self, direction: Direction) -> Any:
        """Return the sender, or the receiver, a responder at first."""
        return self.sender if direction is Direction.INITIATOR else self.receiver

    def act(self, direction: Direction, events: Iterable[Any]) -> None:
        """Do what the sending (initiator) or receiving agent does on events."""
        for event in events:
            if isinstance(event, EndOfBatch):
                self.sender.batches.request_confirm(self.now)
            elif isinstance(event, ConfirmRequested):
                self.now += COMMIT
                self.receiver.confirm(self.now)
            elif isinstance(event, BatchConfirmed):
                self.conversation.batches += 1
            elif isinstance(event, InDoubtResolved | SequenceReset):
                self.act(direction, self.machine(direction).recorded(self.now))
            elif isinstance(event, ChannelRequested) and self.traffic.refused is not None:
                self.receiver.refuse(self.traffic.refused, self.now)
            elif isinstance(event, ChannelRequested):
                parameters = self.traffic.parameters(sending=False)
                self.receiver, more = self.receiver.accept(parameters, self.received, self.now)
                self.act(Direction.RESPONDER, more)


def channel_conversation(traffic: ChannelTraffic, random: Random, now: float) -> MadeConversation:
    """What the two ends of a message channel say from the first byte to the last."""
    return ChannelRun(traffic, random, now).run()


def made_message(traffic: ChannelTraffic, number: int, size: int, random: Random, now: float) -> bytes:
    """MQXQH and data, as a sender takes them from a transmission queue."""
    order: ByteOrder = "big" if traffic.big_endian else "little"
    ccsid = traffic.ccsid
    names = {
        "xqh_struc_id": ("XQH ", 4),
        "xqh_remote_q_name": (traffic.queue, 48),
        "xqh_remote_q_mgr_name": (traffic.receiving, 48),
        "md_struc_id": ("MD  ", 4),
        "md_format": (traffic.format, 8),
        "md_reply_to_q": ("", 48),
        "md_reply_to_q_mgr": (traffic.sending, 48),
        "md_user_identifier": ("app", 12),
        "md_appl_identity_data": ("", 32),
        "md_put_appl_name": ("generator", 28),
        "md_put_date": ("20260101", 8),
        "md_put_time": ("12000000", 8),
        "md_appl_origin_data": ("", 4),
    }
    headers = TRANSMISSION_HEADERS.codec(order)(
        **{key: encode_field(text, length, ccsid) for key, (text, length) in names.items()},
        md_msg_type=8,
        md_coded_char_set_id=ccsid,
        md_encoding=273 if traffic.big_endian else 546,
        md_priority=4,
        md_persistence=int(traffic.persistent),
        md_msg_id=message_id(traffic.sending, number, random, now),
        md_put_appl_type=6,
    )
    return headers.build() + (made_text(size, random) if traffic.text is None else traffic.text)


def message_id(queue_manager: str, number: int, random: Random, now: float) -> bytes:
    """24 bytes like those that queue managers make."""
    name = b"AMQ " + queue_manager.encode("ascii")[:12].ljust(12)
    return (
        name
        + int(now).to_bytes(4, "little")
        + (number + random.randrange(1 << 16) * 0x10000 & 0xFFFFFFFF).to_bytes(4, "little")
    )


def made_text(size: int, random: Random) -> bytes:
    """``size`` bytes of text that compresses badly but reads well; EBCDIC or ASCII does not matter to the wire."""
    return random.randbytes((size + 1) // 2).hex().encode("ascii")[:size]
