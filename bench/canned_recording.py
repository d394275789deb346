"""Recordings of a server's answers: a relay between clients and a server, and the answers by conversation.

A recording has, for each socket in order of connection and each conversation on it, the answer to each segment: the
segments of the server between a segment of the client and the next one.
"""

from __future__ import annotations

import contextlib
import pickle
import socket
import threading
from pathlib import Path

from mqbridge.protocol.constants import SegmentType
from mqbridge.protocol.framing import LARGEST_SEGMENT, Segment, SegmentReader

CHUNK = 1 << 16
_FLAGS_OF_REQUEST = slice(32, 36)
_VERB_OF_SPI = slice(16, 20)

Key = tuple[int, bytes]
"""What is asked: segment type, and the verb of an SPI call or the flags of a request for messages."""
Answers = dict[tuple[int, Key], list[list[bytes]]]
"""By conversation and key: the segments of each answer, in order of the questions."""


def key_of(segment: Segment) -> Key:
    """The key of a client's segment: see `Key`."""
    if segment.type == SegmentType.SPI:
        return segment.type, segment.body[_VERB_OF_SPI]
    if segment.type == SegmentType.REQUEST_MSGS:
        return segment.type, segment.body[_FLAGS_OF_REQUEST]
    return segment.type, b""


def conversation_of(segment: Segment) -> int:
    """The conversation of a segment; for a segment of the socket itself, the one that it starts or ends."""
    if segment.type == SegmentType.SOCKET_ACTION:
        return int.from_bytes(segment.body[:4], segment.order.endian)
    return segment.conversation_id


class Relay:
    """A relay that listens on ``port``, passes everything on to a server, and records it."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._said: list[list[tuple[bool, Segment]]] = []
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", self._server_port))
                said: list[tuple[bool, Segment]] = []
                self._said.append(said)
                for source, target, asks in ((client, server, True), (server, client, False)):
                    source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    threading.Thread(target=self._pass, args=(source, target, asks, said), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, asks: bool, said: list[tuple[bool, Segment]]) -> None:
        reader = SegmentReader(LARGEST_SEGMENT)
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                with self._lock:
                    said.extend((asks, segment) for segment in reader.feed(data))
                target.sendall(data)
        target.close()

    def close(self) -> None:
        """Stop accepting clients."""
        self._listener.close()

    def forget(self) -> None:
        """Discard what was recorded, of clients that are gone."""
        with self._lock:
            self._said.clear()

    @property
    def said(self) -> list[list[tuple[bool, Segment]]]:
        """The segments of each socket in order, and whether the client said them."""
        with self._lock:
            return [list(said) for said in self._said]

    def save(self, path: Path) -> None:
        """Write the answers of all sockets to a file."""
        with self._lock:
            path.write_bytes(pickle.dumps([_answers(said) for said in self._said]))


def _answers(said: list[tuple[bool, Segment]]) -> Answers:
    found: Answers = {}
    latest: dict[int, list[bytes]] = {}
    for asks, segment in said:
        conversation = conversation_of(segment)
        if asks:
            answer = latest[conversation] = []
            found.setdefault((conversation, key_of(segment)), []).append(answer)
        elif conversation in latest:
            latest[conversation].append(segment.data)
        elif latest:
            next(iter(latest.values())).append(segment.data)
    return found
