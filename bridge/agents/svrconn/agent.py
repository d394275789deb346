"""The agent of a SVRCONN channel on one connection: its conversations, each of which is a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mqbridge.bridge.agents.gateway.unsent import UNCOUNTED
from mqbridge.bridge.agents.svrconn.admission import ClientAdmission
from mqbridge.bridge.agents.svrconn.hconn import Hconn
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.protocol.channel import Closed
from mqbridge.protocol.constants import MQMODE, StatusCode
from mqbridge.protocol.mqi import (
    Call,
    CallRefused,
    ConversationEnded,
    ConversationStarted,
    CredentialsGiven,
    Event,
    MessagesWanted,
    ServerConnection,
    Started,
    UserIdentified,
)

if TYPE_CHECKING:
    from mqbridge.bridge.agents.gateway.channel import Channel
    from mqbridge.bridge.agents.gateway.channel_manager import ChannelManager
    from mqbridge.bridge.agents.gateway.connection import Connection
    from mqbridge.bridge.queue_manager.objects import Definition


class ServerConnectionAgent:
    """Carries the calls of the programs of one connection to the queue manager, and the answers back."""

    __slots__ = (
        "_full",
        "_identified",
        "_programs",
        "admission",
        "channel",
        "channel_manager",
        "connection",
        "definition",
        "entered",
        "machine",
        "manager",
        "product",
        "stalled",
        "started_at",
        "stopping",
    )  # fmt: skip

    def __init__(
        self, channel_manager: ChannelManager, channel: Channel, definition: Definition, connection: Connection
    ) -> None:
        self.channel_manager = channel_manager
        self.manager = channel_manager.manager
        self.channel = channel
        self.definition = definition
        self.connection = connection
        self.admission = ClientAdmission(channel_manager, definition, connection)
        self.entered = self.admission.enter()
        """Whether MAXINST and MAXINSTC allow the connection; if not, its programs learn so when they connect (2025)."""
        self.machine: ServerConnection
        self.product = ""
        self.started_at = 0.0
        self.stopping = False
        self.stalled = False
        """A stream of some program waits for the transport."""
        self._full = False
        self._programs: dict[int, Hconn] = {}
        self._identified: UserIdentified | None = None

    # Events

    def handle(self, event: Event, now: float) -> None:
        """Acts on one event of the machine."""
        match event:
            case Call():
                self._program(event.conversation).call(event, now)
            case MessagesWanted():
                self._program(event.delivery.conversation).streams.wants(event.delivery, now)
            case Started():
                self.started_at, self.product = now, event.product
                self.channel_manager.log("AMQ9002", self.channel.name, self.connection.peer)
            case UserIdentified():
                self._identify(event)
            case CredentialsGiven():
                self._program(event.conversation).credentials = event
            case ConversationStarted():
                self._program(event.conversation)
            case ConversationEnded():
                self._ended(event, now)
            case CallRefused():
                self.channel_manager.log("AMQ9209", self.channel.name, event.detail)
                self._program(event.conversation).refused(event)
            case Closed():
                self._closed(event, now)
            case _:
                pass
        buffered = self.machine.link.wire.buffered
        if buffered > UNCOUNTED and not self.channel_manager.unsent.allows(buffered) and not self.machine.link.closed:
            self._full = True
            self.connection.hold()

    @property
    def programs(self) -> list[Hconn]:
        """Those of all conversations."""
        return list(self._programs.values())

    def _program(self, conversation: int) -> Hconn:
        found = self._programs.get(conversation)
        if found is None:
            found = self._programs[conversation] = Hconn(self)
            found.identified = self._identified
        return found

    def _identify(self, event: UserIdentified) -> None:
        """The first conversation says it for the later ones as well (client-observed.md O-040)."""
        self._program(event.conversation).identified = event
        if self._identified is None:
            self._identified = event

    def _ended(self, event: ConversationEnded, now: float) -> None:
        program = self._programs.pop(event.conversation, None)
        if program is not None:
            program.lost(now)

    def _closed(self, event: Closed, now: float) -> None:
        for conversation in list(self._programs):
            self._programs.pop(conversation).lost(now)
        self.admission.leave()
        if self in self.channel.clients:
            self.channel.clients.remove(self)
        self.channel_manager.close(self.connection)
        self.channel_manager.log(event.amq, self.channel.name, event.reason)

    def answered(self) -> None:
        """Something was said outside of an event: it is to be sent."""
        self.channel_manager.touched(self.connection, self.channel_manager.now)

    # The connection's side

    def drained(self, now: float) -> None:
        """Nothing has gathered here."""

    def writable(self, now: float) -> None:
        """The transport takes more: calls that were kept back and messages that stream go on."""
        if self._full:
            self._full = False
            self.connection.release(now)
        if self.stalled:
            self.stalled = False
            for program in list(self._programs.values()):
                program.go_on(now)

    def next_timeout(self) -> float | None:
        """When a program that asked to come in is answered; other deadlines are those of machine and queue manager."""
        return self.admission.next_timeout()

    def timeout(self, now: float) -> None:
        """Programs that asked to come in are answered."""
        self.admission.timeout(now)

    # Ending and status

    def stop(self, mode: MQMODE, now: float) -> None:
        """STOP CHANNEL, or the end of the queue manager."""
        self.stopping = True
        if self.machine.link.closed:
            return
        status = StatusCode.QM_TERMINATING if self.channel_manager.stopping else StatusCode.USER_CLOSED
        for program in self._programs.values():
            program.quiesce()
        self.connection.deliver(self.machine.link.close(mode, now, status), now)
        self.channel_manager.touched(self.connection, now)

    def started_again(self) -> None:
        """START CHANNEL: whoever still holds the connection may begin further conversations on it."""
        if not self.machine.link.closed and not self.channel_manager.stopping:
            self.stopping = False
            self.machine.open_again()

    @property
    def partner(self) -> str:
        """Clients are no queue managers."""
        return ""

    @property
    def status(self) -> str:
        """STATUS of DISPLAY CHSTATUS."""
        return "STOPPING" if self.stopping else "RUNNING" if self.started_at else "STARTING"

    def row(self) -> StatusRow:
        """The row of DISPLAY CHSTATUS, but for what all channels have."""
        agreed = self.machine.agreed
        joined = [program.session for program in self._programs.values() if program.session and program.joined]
        row: StatusRow = {
            "MCAUSER": joined[0].application.user if joined else "",
            "RAPPLTAG": joined[0].application.appl_name if joined else "",
            "CURSHCNV": len(self._programs),
        }
        if agreed is not None:
            row |= {"MAXSHCNV": agreed.conversations, "HBINT": agreed.heartbeat_interval}
            row["MAXMSGL"] = agreed.max_message_length
        return row
