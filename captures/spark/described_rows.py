"""Rows of messages of a protocol that is described as data, in a worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import BinaryIO

from mqbridge.captures.described import DescribedMessages, ReadMessage, shown_value
from mqbridge.captures.described.messages import Found
from mqbridge.captures.dialogues.captures import CaptureDialogues, StepDialogues
from mqbridge.captures.indexing import FlowShare
from mqbridge.captures.spark.options import Description
from mqbridge.captures.spark.planning import CapturePiece
from mqbridge.captures.tables import ProtocolMessageRow


class DescribedRows:
    """Rows by the description of a protocol. ``port``: of the responder, None for all; ``keylog``: of TLS."""

    def __init__(self, description: Description, port: int | None, keylog: str | None) -> None:
        self._protocol = description.protocol()
        self._port = port
        self._keylog = keylog

    def of_piece(self, piece: CapturePiece) -> Iterator[ProtocolMessageRow]:
        """Yield the rows of a capture, or of some of its flows; none of one that cannot be opened."""
        try:
            if isinstance(piece.part, FlowShare):
                dialogues = StepDialogues(piece.part.read().steps(), self._port)
                yield from _rows(DescribedMessages(self._protocol, dialogues), piece.capture)
            elif piece.is_whole:
                yield from self.of_content(piece.path, piece.capture)
        except OSError:
            return

    def of_content(self, source: str | BinaryIO, capture: str) -> Iterator[ProtocolMessageRow]:
        """Yield the rows of a capture by its path, or that is open."""
        dialogues = CaptureDialogues(source, self._port, self._keylog)
        yield from _rows(DescribedMessages(self._protocol, dialogues), capture)


def _rows(messages: Iterable[Found], capture: str) -> Iterator[ProtocolMessageRow]:
    for found in messages:
        time = found.time if isfinite(found.time) else None
        place = capture, found.connection, found.direction.value, time, found.packet, found.offset
        if isinstance(found, ReadMessage):
            values = found.values.fields
            fields = {name: str(shown_value(values[name])) for name in found.transaction.fields}
            yield ProtocolMessageRow(*place, len(found.data), found.transaction.name, fields, None)
        else:
            yield ProtocolMessageRow(*place, found.length, None, None, found.reason)
