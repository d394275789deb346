"""The agent of a server connection: a connection's conversations, each of which is a program."""

from __future__ import annotations

from mqbridge.bridge.agents.channel_instance import common_row
from mqbridge.bridge.agents.conversation import PartnerConnection
from mqbridge.bridge.agents.event_queue import EventQueue
from mqbridge.bridge.agents.svrconn.admission import ClientAdmission
from mqbridge.bridge.agents.svrconn.calls import CALLS
from mqbridge.bridge.agents.svrconn.hconn import Hconn, SharedConnection
from mqbridge.bridge.agents.svrconn.host import ServerConnectionHost
from mqbridge.bridge.agents.svrconn.streams import OutboundStreams
from mqbridge.bridge.agents.unsent_budget import UNCOUNTED
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.outcomes import failed
from mqbridge.bridge.queue_manager.control import StatusRow
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.mappings.moment import Time
from mqbridge.protocol.channel import Closed
from mqbridge.protocol.constants import MQMODE, MQRC, StatusCode
from mqbridge.protocol.errors import MQBridgeError
from mqbridge.protocol.mqi import (
    Call,
    CallRefused,
    ConversationEnded,
    ConversationStarted,
    CredentialsGiven,
    Event,
    MessagesWanted,
    ServerConnection,
    ServerParameters,
    Started,
    UserIdentified,
)


def server_parameters(definition: Definition, queue_manager: Definition, handshake_timeout: float) -> ServerParameters:
    """The machine's parameters from the definition of a SVRCONN channel."""
    return ServerParameters(
        channel_name=definition.name,
        queue_manager=queue_manager.name,
        queue_manager_id=queue_manager.text("QMID"),
        max_message_length=definition.integer("MAXMSGL") or queue_manager.integer("MAXMSGL"),
        heartbeat_interval=definition.integer("HBINT"),
        shared_conversations=definition.integer("SHARECNV"),
        disconnect_interval=definition.integer("DISCINT"),
        handshake_timeout=handshake_timeout,
    )


class ServerConnectionAgent:
    """The agent of one connection: makes its programs' calls at the queue manager and returns the replies."""

    __slots__ = (
        "_full", "_identified", "connection", "definition", "events", "host", "machine", "out", "product",
        "receive_data", "shared", "started_at", "wake",
    )  # fmt: skip

    partner = ""
    """Blank: clients are no queue managers."""

    def __init__(
        self,
        host: ServerConnectionHost,
        definition: Definition,
        connection: PartnerConnection,
        machine: ServerConnection,
    ) -> None:
        self.host = host
        self.definition = definition
        self.connection = connection
        self.machine = machine
        self.events = EventQueue(machine, self.handle, connection)
        self.receive_data, self.wake = self.events.receive_data, self.events.run
        self.out = machine.link.wire
        admission = ClientAdmission(host, definition, connection)
        self.shared = SharedConnection(host, definition.name, connection, machine, admission)
        self.product = ""
        self.started_at = 0.0
        self._full = False
        self._identified: UserIdentified | None = None

    # Events

    def handle(self, event: Event, now: Time) -> None:
        """Process one event of the machine."""
        match event:
            case Call():
                program = self._program(event.conversation)
                try:
                    make = CALLS.get(type(event))
                    if make is None:
                        raise MQError(MQRC.FUNCTION_NOT_SUPPORTED, type(event).__name__)
                    make(program, event, now)
                except MQError as error:
                    program.fail(event, failed(error))
                except MQBridgeError as error:
                    program.misread(event, error)
            case MessagesWanted():
                stream = self._program(event.delivery.conversation).streams.of(event.delivery)
                stream.asked(now)
                stream.fill(now)
            case Started():
                self.started_at, self.product = now, event.product
                self.host.log("AMQ9002", self.definition.name, self.connection.peer)
            case UserIdentified():
                self._identify(event)
            case CredentialsGiven():
                self._program(event.conversation).credentials = event
            case ConversationStarted():
                self._program(event.conversation)
            case ConversationEnded():
                self._ended(event, now)
            case CallRefused():
                self.host.log("AMQ9209", self.definition.name, event.detail)
                self._program(event.conversation).refused(event)
            case Closed():
                self._closed(event, now)
            case _:
                pass
        buffered = self.out.buffered
        if buffered > UNCOUNTED and not self.host.unsent.allows(buffered) and not self.machine.link.closed:
            self._full = True
            self.events.hold()

    def _program(self, conversation: int) -> Hconn:
        programs = self.shared.programs
        found = programs.get(conversation)
        if found is None:
            found = programs[conversation] = Hconn(self.shared, OutboundStreams)
            found.identified = self._identified
        return found

    def _identify(self, event: UserIdentified) -> None:
        """Note the user of a conversation; the first one's applies to the later ones too (client-observed.md O-040)."""
        self._program(event.conversation).identified = event
        if self._identified is None:
            self._identified = event

    def _ended(self, event: ConversationEnded, now: Time) -> None:
        program = self.shared.programs.pop(event.conversation, None)
        if program is not None:
            program.lost(now)

    def _closed(self, event: Closed, now: Time) -> None:
        programs = self.shared.programs
        for conversation in list(programs):
            programs.pop(conversation).lost(now)
        self.shared.admission.leave()
        self.connection.close()
        self.host.client_gone(self, event)

    # The conversation

    def writable(self, now: Time) -> None:
        """The transport takes more: continue with calls held back and with message streams."""
        if self._full:
            self._full = False
            self.events.release(now)
        if self.shared.stalled:
            self.shared.stalled = False
            for program in list(self.shared.programs.values()):
                program.streams.resume(now)

    def next_timeout(self) -> float | None:
        """The machine's next deadline, or the time at which a program's MQCONN is answered."""
        first, second = self.machine.link.next_timeout(), self.shared.admission.next_timeout()
        if first is None or second is None:
            return first if second is None else second
        return min(first, second)

    def timeout(self, now: Time) -> None:
        """Do what is due: the machine's deadlines, and answers to MQCONN."""
        self.events.timeout(now)
        self.shared.admission.timeout(now)

    # Ending and status

    def stop(self, mode: MQMODE, now: Time, _status: StatusCode = StatusCode.USER_CLOSED) -> None:
        """Stop: STOP CHANNEL, REFRESH SECURITY, or the queue manager ends. Clients know the first and last reason."""
        self.shared.stopping = True
        if self.machine.link.closed:
            return
        status = StatusCode.QM_TERMINATING if self.host.stopping else StatusCode.USER_CLOSED
        for program in self.shared.programs.values():
            program.quiesce()
        self.events.add(self.machine.link.close(mode, now, status))
        self.events.run(now)
        self.connection.wake()

    def started_again(self) -> None:
        """START CHANNEL: clients still connected may start further conversations."""
        if not self.machine.link.closed and not self.host.stopping:
            self.shared.stopping = False
            self.machine.open_again()

    @property
    def stopping(self) -> bool:
        """Whether it has been told to stop."""
        return self.shared.stopping

    @property
    def status(self) -> str:
        """STATUS of DISPLAY CHSTATUS."""
        return "STOPPING" if self.stopping else "RUNNING" if self.started_at else "STARTING"

    def row(self) -> StatusRow:
        """The row of DISPLAY CHSTATUS."""
        agreed = self.machine.agreed
        joined = [program.session for program in self.shared.programs.values() if program.session and program.joined]
        row = common_row(self, self.machine) | {
            "MCAUSER": joined[0].application.user if joined else "",
            "RAPPLTAG": joined[0].application.appl_name if joined else "",
            "CURSHCNV": len(self.shared.programs),
        }
        if agreed is not None:
            row |= {"MAXSHCNV": agreed.conversations, "HBINT": agreed.heartbeat_interval}
            row["MAXMSGL"] = agreed.max_message_length
        return row
