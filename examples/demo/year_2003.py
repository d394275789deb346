"""Real packets of the year 2003, captured between two MQSeries queue managers, played to SATURN.

``packets-2003/``: 01 starts channel ``ch.clon.hp``, 03 carries a message for queue ``MyHPQ`` at ``QM_carlitosway``, 04
asks whether the batch has arrived. 04 was captured in another session, so it gets the LUWID of 03.
"""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

from proxy import LOCAL
from rest import Rest
from screen import Screen

from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import Segment, SegmentReader

PACKETS = Path(__file__).parent / "packets-2003"
PATIENCE = 10.0
LUWID = slice(12, 20)
SHOWN = (
    *("MsgType", "Format", "Encoding", "CodedCharSetId", "Persistence", "MsgId"),
    *("ReplyToQMgr", "UserIdentifier", "PutApplName", "PutDate", "PutTime"),
)
"""Fields of the MQMD that are worth a look; the others are empty."""


def packet(number: int) -> bytes:
    """The bytes of one packet, out of its hexadecimal file."""
    (file,) = PACKETS.glob(f"{number:02}-*.hex")
    lines = file.read_text("ascii").splitlines()
    return bytes.fromhex("".join(line for line in lines if not line.startswith("#")))


def play(port: int, saturn: Rest, screen: Screen) -> bool:
    """Plays the packets and shows the message that arrived; whether it is the one that was sent."""
    screen.say("\nNow three real packets of September 2003, which MQSeries sent from QM_cmolina to QM_carlitosway:")
    message = packet(3)
    confirm = bytearray(packet(4))
    confirm[LUWID] = message[LUWID]
    with socket.create_connection((LOCAL, port), timeout=PATIENCE) as connection:
        answers = _Answers(connection)
        _send(connection, packet(1), screen)
        agreed = answers.next(screen)
        _send(connection, message, screen)
        _send(connection, bytes(confirm), screen)
        done = answers.next(screen)
    if agreed.type != SegmentType.INITIAL_DATA or done.luwid != message[LUWID] or done.flags1:
        screen.say("SATURN did not take them.")
        return False
    return _show(saturn.get("MyHPQ", limit=2), screen)


class _Answers:
    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reader = SegmentReader()

    def next(self, screen: Screen) -> Segment:
        while data := self._connection.recv(65536):
            for segment in self._reader.feed(data):
                screen.say(f"  SATURN answers {SegmentType(segment.type)}, {segment.length} bytes")
                return segment
        raise ConnectionError("SATURN has ended the connection")


def _send(connection: socket.socket, data: bytes, screen: Screen) -> None:
    connection.sendall(data)
    screen.say(f"  we send        {SegmentType(data[9])}, {len(data)} bytes")


def _show(messages: list[dict[str, Any]], screen: Screen) -> bool:
    if [message["body"].get("text") for message in messages] != ["hola"]:
        screen.say(f"On queue MyHPQ there should be the message 'hola', and there is: {messages}")
        return False
    (message,) = messages
    screen.say("The message that has arrived on queue MyHPQ, with its descriptor:")
    for field in SHOWN:
        screen.say(f"  {field:<16}{message['MQMD'][field]}")
    screen.say(f"  [bold]{message['body']['text']}[/bold]")
    return True
