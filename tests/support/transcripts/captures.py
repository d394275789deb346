"""Recorded conversations of real clients (``transcripts.client_transcripts``) as captures."""

from __future__ import annotations

import io

from mqbridge.captures.recording.recorder import ConnectionRecorder, Recorder
from mqbridge.captures.streams.flow_events import Direction, Endpoint
from support.transcripts.client_transcripts import transcript

BEGUN = 1_700_000_000.0
"""When the first connection of each begins; the others a quarter of an hour after one another."""
APART = 900.0


def transcript_capture(name: str) -> bytes:
    """The pcap of the file of this name, each segment in packets of its own; both ends close after the last one."""
    file = io.BytesIO()
    recorder = Recorder(file)
    open_ones: dict[int, ConnectionRecorder] = {}
    latest: dict[int, float] = {}
    for segment in transcript(name).segments:
        number = segment.socket
        begun = BEGUN + number * APART
        if number not in open_ones:
            client = Endpoint("10.0.0.1", 40_000 + number)
            open_ones[number] = recorder.connect(client, Endpoint("10.0.0.2", 1414), begun)
        direction = Direction.INITIATOR if segment.side == "client" else Direction.RESPONDER
        latest[number] = begun + segment.time + 0.001
        open_ones[number].send(direction, segment.data, latest[number])
    for number, flow in open_ones.items():
        for direction in Direction:
            flow.close(direction, latest[number] + 0.01)
    return file.getvalue()
