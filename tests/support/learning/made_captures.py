"""Streams of made-up protocols as captures."""

from __future__ import annotations

import io
from collections.abc import Iterable

from mqbridge.captures import Direction, Endpoint, Recorder
from mqbridge.captures.learning import INITIATOR, Stream

PORT = 7000


def capture_of(streams: Iterable[Stream], port: int = PORT) -> bytes:
    """Return a pcap of streams, each a connection to ``port``."""
    file = io.BytesIO()
    recorder = Recorder(file)
    for stream in streams:
        client = Endpoint("127.0.0.1", 40_000 + stream.number)
        time = stream.pieces[0].time
        connection = recorder.connect(client, Endpoint("127.0.0.1", port), time)
        for piece in stream.pieces:
            side = Direction.INITIATOR if piece.side == INITIATOR else Direction.RESPONDER
            connection.send(side, piece.data, piece.time)
            time = piece.time
        for side in Direction:
            connection.close(side, time + 0.1)
    return file.getvalue()
