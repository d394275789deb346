"""Cases of the rules for heartbeats, refusals and ends of client connections (C-350 to C-399)."""

from __future__ import annotations

from typing import Any, Final

from mqbridge.captures.generate.cases.making import (
    CALLED,
    CALLER,
    FLAGS_1,
    Edit,
    case,
    client,
    end_marked,
    field,
    header,
    marked,
)
from mqbridge.captures.generate.clients import ClientRun
from mqbridge.captures.generate.conversation import End, MadeConversation
from mqbridge.protocol.constants import MQMODE, MQRC, ByteOrder, SegmentType, SocketAction, StatusCode
from mqbridge.protocol.framing import SegmentWriter
from mqbridge.protocol.mqi import Connect, Passwords
from mqbridge.protocol.mqi_client import GetParameters
from mqbridge.protocol.structures import SOCKET, STATUS, status_data

_HEARTBEAT: Final = SegmentType.HEARTBEAT
_STATUS: Final = SegmentType.STATUS_DATA
_OPENED: Final = SegmentType.MQOPEN_REPLY
_QUIET: Final[dict[str, Any]] = {"quiet": 1_000.0}
_PLAIN: Final = client()
_PASSWORD: Final[dict[str, Any]] = {
    "client": {"user": "app", "password": "secret99"},
    "server": {"passwords": Passwords.CLEAR},
}
_WRITER: Final = SegmentWriter(ByteOrder.LITTLE, 819)


def _first_heartbeat_alone(conversation: MadeConversation) -> None:
    """Leave the first heartbeat, of the queue manager, unanswered; its next one shows that."""
    conversation.remove(conversation.find(_HEARTBEAT, CALLER))
    conversation.mark(conversation.find(_HEARTBEAT, CALLED, 2))


def _no_heartbeats(conversation: MadeConversation) -> None:
    places = [place for place, line in enumerate(conversation.lines) if line.type == _HEARTBEAT]
    conversation.remove(*places)
    conversation.mark(conversation.find(SegmentType.MQDISC))


def _status(behind: int, code: StatusCode, flags: int, *, replace: bool = False, stop: bool = True) -> Edit:
    """Let the queue manager send an error behind, or in place of, a segment of its own, and close."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(behind, CALLED)
        data = _WRITER.build(_STATUS, status_data(ByteOrder.LITTLE, code).build(), flags1=flags)
        if replace:
            conversation.change(place, lambda _: data)
        else:
            place += 1
            conversation.insert(place, CALLED, data)
        if stop:
            conversation.stop_after(place, End.CLOSED, CALLED)

    return edit


def _another(answer: SocketAction) -> Edit:
    """Let the client start one more conversation."""

    def edit(conversation: MadeConversation) -> None:
        place = conversation.find(_OPENED)
        for direction, kind in ((CALLER, SocketAction.START_CONVERSATION), (CALLED, answer)):
            place += 1
            body = SOCKET.codec(ByteOrder.LITTLE)(conversation_id=3, type=int(kind)).build()
            conversation.insert(place, direction, _WRITER.build_common(SegmentType.SOCKET_ACTION, body, flags1=0x30))
            conversation.lines[place].marked = direction is CALLED

    return edit


def _quiesces(run: ClientRun) -> None:
    """Stop the channel while the program works."""
    run.open()
    assert run.server is not None
    run.server.link.close(MQMODE.QUIESCE, run.now)
    run.pump()
    run.close()


def _first_notice(conversation: MadeConversation) -> None:
    """Mark the segment that tells the client."""
    kinds = (SegmentType.SOCKET_ACTION, SegmentType.NOTIFICATION)
    place = next(at for at, line in enumerate(conversation.lines) if line.type in kinds and line.direction is CALLED)
    conversation.mark(place)


def _waits(seconds: float) -> Any:
    """Return a program that waits for a message that does not come."""

    def program(run: ClientRun) -> None:
        run.open()
        run.client.calls.get(run.handle, GetParameters(options=1, wait=30.0), run.now)
        run.pump()
        run.let_pass(seconds)
        if run.client.call is None:
            run.close()

    return program


def _refused_password(conversation: MadeConversation) -> None:
    """Answer CONAUTH_INFO with an error."""
    field(_STATUS, STATUS, "code", StatusCode.SECURITY_FAILURE, direction=CALLED)(conversation)
    header(_STATUS, FLAGS_1, b"\x0a", direction=CALLED)(conversation)
    conversation.stop_after(conversation.find(_STATUS, CALLED), End.CLOSED, CALLED)


case("C-350", client(_first_heartbeat_alone, **_QUIET), client(**_QUIET))
case("C-351", client(_no_heartbeats, **_QUIET), client(**_QUIET))
case("C-352", client(end_marked, disconnects=False), _PLAIN)
case(
    "C-353",
    client(_status(_OPENED, StatusCode.QM_TERMINATING, 0x0A)),
    client(_status(_OPENED, StatusCode.QM_TERMINATING, 0x02, stop=False)),
)
case(
    "C-354",
    client(_status(SegmentType.INITIAL_DATA, StatusCode.NO_CHANNEL, 0x0A, replace=True)),
    client(_status(_OPENED, StatusCode.NO_CHANNEL, 0x0A)),
)
case(
    "C-355",
    client(marked(SegmentType.MQCONN_REPLY), refuse={Connect: MQRC.Q_MGR_NAME_ERROR}),
    client(refuse={Connect: MQRC.NOT_AUTHORIZED}),
)
case("C-356", client(_refused_password, **_PASSWORD), client(**_PASSWORD))
case(
    "C-357",
    client(_first_notice, program=_quiesces),
    _PLAIN,
)
case(
    "C-358",
    client(_another(SocketAction.END_CONVERSATION)),
    client(_another(SocketAction.CONVERSATION_STARTED)),
)
case(
    "C-359",
    client(_status(_OPENED, StatusCode.QM_TERMINATING, 0x02, stop=False)),
    client(_status(_OPENED, StatusCode.QM_TERMINATING, 0x0A)),
)
case("C-360", client(end_marked, program=_waits(5.0), disconnects=False), client(program=_waits(60.0)))
