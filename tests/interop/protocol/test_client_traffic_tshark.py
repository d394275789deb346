"""tshark sees in the recorded conversations of real clients what we see, field by field."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from mqbridge.captures.recording.recorder import Recorder
from mqbridge.captures.streams.flow_events import Direction, Endpoint
from support.transcripts.client_transcripts import transcript, transcript_names
from support.tshark.agreement import Agreement

Agree = Callable[..., Agreement]

SERVER_FAULTS = {
    "auth-compat",
    "auth-mqcsp-fap",
    "compress-accepted-by-silence",
    "connect-fap-4",
    "connect-fap-6",
    "connect-fap-8",
    "mqi-fap8-open-fails",
}
"""The recorded server built a structure wrong there."""

LONG = {"jms-readahead-listener", "jms-two-listeners", "mqi-large", "mqi-sharecnv0-large"}
SECONDS_OF_A_RUN = 9000.0

FAMILIES = {
    "start": ("auth-mqcsp", "auth-compat-", "connect-", "reconnect-", "sockact-", "hb-s", "late-A"),
    "calls": ("mqi-", "pcf"),
    "messaging": ("jms-xa", "jms-d", "jms-sel", "jms-shared", "jms-put", "jms-spi", "jms-sharecnv0-p"),
}
MOST_SEGMENTS = 70
"""Segments of a connection that are compared."""


def capture_of(names: list[str]) -> bytes:
    """Return a pcap of these transcripts, one connection for each socket."""
    file = io.BytesIO()
    recorder = Recorder(file)
    port = 2000
    for name in names:
        for sent in transcript(name).sockets():
            port += 1
            connection = recorder.connect(Endpoint("192.168.0.90", port), Endpoint("192.168.0.91", 1414), 1.0)
            for count, recorded in enumerate(sent):
                direction = Direction.INITIATOR if recorded.side == "client" else Direction.RESPONDER
                connection.send(direction, recorded.data, 2.0 + count)
            connection.close(Direction.INITIATOR, SECONDS_OF_A_RUN)
            connection.close(Direction.RESPONDER, SECONDS_OF_A_RUN + 1)
    return file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.spec("mq-wire.md 5.6")
@pytest.mark.spec("mq-wire.md 5.11")
@pytest.mark.spec("mq-wire.md 5.12")
@pytest.mark.spec("mq-wire.md 5.13")
def test_tshark_agrees_on_client_traffic(family: str, assert_tshark_agrees: Agree, tmp_path: Path) -> None:
    names = [name for name in transcript_names() if name.startswith(FAMILIES[family])]
    names = [name for name in names if name not in SERVER_FAULTS | LONG]
    capture = tmp_path / f"{family}.pcap"
    capture.write_bytes(capture_of(names))
    agreement = assert_tshark_agrees(capture, limit_per_connection=MOST_SEGMENTS)
    assert agreement.segments == sum(
        min(len(sent), MOST_SEGMENTS) for name in names for sent in transcript(name).sockets()
    )
    assert agreement.structures["API"] > 500


def test_a_split_message_is_seen_by_both(assert_tshark_agrees: Agree, tmp_path: Path) -> None:
    capture = tmp_path / "large.pcap"
    capture.write_bytes(capture_of(["mqi-large"]))
    agreement = assert_tshark_agrees(capture)
    assert agreement.kinds["ASYNC_MESSAGE"] > 10
    assert agreement.structures["ASYNC"] == agreement.kinds["ASYNC_MESSAGE"]
