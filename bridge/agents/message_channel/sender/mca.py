"""The sender MCA: gets messages from its transmission queue and sends them in batches.

:mod:`bridge.agents.message_channel.sender.batches` defines what is written to disk in which order.
"""

from __future__ import annotations

from mqbridge.bridge.agents.channel_instance import status_word
from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.event_queue import EventQueue
from mqbridge.bridge.agents.message_channel.application import application_of
from mqbridge.bridge.agents.message_channel.channel import Channel
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.agents.message_channel.connection_attempts import ConnectionAttempt
from mqbridge.bridge.agents.message_channel.host import MCAHost
from mqbridge.bridge.agents.message_channel.sender.batches import SendingBatches
from mqbridge.bridge.agents.message_channel.sender.flow import SendingFlow
from mqbridge.bridge.agents.message_channel.status import last_batch, running_row
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import (
    BatchConfirmed,
    BatchFailed,
    Closed,
    EndOfBatch,
    Event,
    InDoubtResolved,
    PingAnswered,
    SenderChannel,
    SequenceReset,
    Started,
)
from mqbridge.protocol.constants import MQMODE, StatusCode


class SenderMCA:
    """The agent of a sender or server channel on one connection, or of PING CHANNEL (``ping``)."""

    __slots__ = (
        "_flow",
        "_ping",
        "batches",
        "channel",
        "connection",
        "definition",
        "events",
        "host",
        "machine",
        "next_timeout",
        "out",
        "product",
        "receive_data",
        "replaced",
        "started_at",
        "stopping",
        "timeout",
        "transmission_queue",
        "wake",
    )

    def __init__(
        self,
        host: MCAHost,
        channel: Channel,
        definition: Definition,
        connection: PartnerConnection,
        machine: SenderChannel,
        ping: ConnectionAttempt | None = None,
    ) -> None:
        self.host = host
        self.channel = channel
        self.definition = definition
        self.connection = connection
        self.machine = machine
        self.events = events = EventQueue(machine, self.handle, connection)
        self.receive_data, self.wake, self.timeout = events.receive_data, events.run, events.timeout
        self.next_timeout, self.out = machine.link.next_timeout, machine.link.wire
        connection.reads_while_stalled = True
        self.transmission_queue = definition.text("XMITQ")
        self.product = ""
        self.started_at = 0.0
        self.stopping = False
        self.replaced = False
        """A newer connection of the same partner takes over."""
        self._ping = ping
        program = ChannelProgram(host.manager, application_of(host.manager.name, definition, connection))
        self.batches = SendingBatches(host, channel, program, self.transmission_queue)
        self._flow: SendingFlow | None = None

    # The conversation

    def writable(self, now: Time) -> None:
        """The transport takes more: get more messages."""
        if self._flow is not None:
            self._flow.fill(now)
            self.events.run(now)

    def row(self) -> StatusRow:
        """The row of DISPLAY CHSTATUS."""
        saved = {"XMITQ": self.transmission_queue, **last_batch(self.channel.sender)}
        return running_row(self, self.machine, saved)

    # Events

    def handle(self, event: Event, now: Time) -> None:
        """Process one event of the machine."""
        match event:
            case BatchConfirmed():
                self.batches.confirmed()
                if self._flow is not None:
                    self._flow.batch_begins(now)
                    self._flow.fill(now)
            case EndOfBatch():
                self.batches.ending(event, self._asked, now)
            case Started():
                self._started(event, now)
            case BatchFailed():
                if self._flow is not None:
                    self._flow.give_back(now)
                self.batches.failed(event, self.settled, now)
            case InDoubtResolved():
                outcome = "committed" if event.commit else "backed out"
                self.host.log("AMQ8025", self.channel.name, event.luwid.hex(), outcome)
                self.host.synchronisation.settle(self.channel, event.commit, now, self._recorded)
            case SequenceReset():
                self.channel.sender.state = self.channel.sender.state.reset_done()
                self.batches.record(self._recorded, now)
            case PingAnswered():
                word = "answered" if event.same else "answered with other data"
                self._ping_over("AMQ8020" if event.same else "AMQ9504", f"PING of {event.length} bytes {word}")
            case Closed():
                self._closed(event, now)
            case _:
                pass

    def _started(self, event: Started, now: Time) -> None:
        self.started_at, self.product = now, event.product
        if self._ping is not None:
            return
        self.channel.sender.partner = event.partner
        self._flow = SendingFlow(self, event.negotiated)
        self.host.started(self.channel, self)
        try:
            self._flow.open(now)
        except MQError as error:
            self.give_up("AMQ9509", error, now)
            return
        self._flow.fill(now)

    # What is on disk

    def _asked(self, error: MQError | None) -> None:
        """The in-doubt record was written, or failed to be."""
        if self.machine.link.closed:
            return
        if error is not None:
            self.settled(error)
            return
        self.machine.batches.request_confirm(self.host.now)
        self.connection.wake()

    def _recorded(self, error: MQError | None) -> None:
        """The outcome of resynchronisation or reset was written, or failed to be."""
        if self.machine.link.closed:
            return
        if error is not None:
            self.settled(error)
            return
        now = self.host.now
        self.events.add(self.machine.recorded(now))
        self.events.run(now)
        self.writable(now)
        self.connection.wake()

    def settled(self, error: MQError | None) -> None:
        """A record was written; if it failed to be, the channel ends."""
        if error is not None:
            self.host.problem("AMQ9540", self.channel.name, error)
            self.channel.store_failed = True
            self.stop(MQMODE.FORCE, self.host.now)

    # Status

    @property
    def partner(self) -> str:
        """Name of the partner's queue manager."""
        return self.channel.sender.partner

    @property
    def status(self) -> str:
        """STATUS of DISPLAY CHSTATUS."""
        return "STOPPING" if self.stopping else status_word(self.machine.status)

    # Ending

    def stop(self, mode: MQMODE, now: Time, status: StatusCode = StatusCode.USER_CLOSED) -> None:
        """Stop: STOP CHANNEL, REFRESH SECURITY, the queue manager ends, or a reason of our own."""
        self.stopping = True
        if not self.machine.link.closed:
            self.events.add(self.machine.link.close(mode, now, status))
            self.events.run(now)
            self.connection.wake()

    def give_up(self, amq: str, error: MQError, now: Time) -> None:
        """Stop the channel because of a failure that an operator must correct."""
        self.host.problem(amq, self.channel.name, error)
        self.channel.status.stopped = True
        self.stop(MQMODE.FORCE, now)

    def _ping_over(self, amq: str, text: str) -> None:
        if self._ping is not None and self._ping.ping_reply is not None:
            reply, self._ping.ping_reply = self._ping.ping_reply, None
            reply(amq, text)

    def _closed(self, event: Closed, now: Time) -> None:
        self.batches.settle(self.settled, now)
        if self._flow is not None:
            self._flow.give_back(now)
        self.batches.back_out(self.settled, now)
        if self._flow is not None:
            self._flow.close(now)
        if self._ping is not None:
            self._ping_over(event.amq, event.reason)
            self.connection.close()
            return
        self.host.ended(self.channel, self, event, now)
