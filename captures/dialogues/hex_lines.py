"""Lines of hexadecimal text as dialogues: each line is one message."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan

from mqbridge.protocol.direction import Direction
from mqbridge.protocol.dissection.hex_text import HexTextError, read_hex_text

from .events import Began, Ended, Event, Sent


class HexDialogues:
    """See `events.Dialogues`. Lines without marks are taken for the initiator's."""

    are_messages = True

    def __init__(self, text: bytes) -> None:
        self._text = text
        self.notes: list[str] = []
        self.remarks: list[str] = []

    def __iter__(self) -> Iterator[Event]:
        connection = unmarked = 0
        try:
            for number, piece in enumerate(read_hex_text(self._text), 1):
                if piece.connection != connection:
                    if connection:
                        yield Ended(connection, True)
                    connection = piece.connection
                    yield Began(connection)
                unmarked += piece.direction is None
                direction = Direction.RESPONDER if piece.direction == "responder" else Direction.INITIATOR
                yield Sent(connection, direction, nan, piece.data, number)
        except HexTextError as error:
            self.notes.append(str(error))
        if connection:
            yield Ended(connection, True)
        if unmarked:
            self.remarks.append(f"{unmarked} lines have no mark (C> or S>) and are taken for the initiator's")
