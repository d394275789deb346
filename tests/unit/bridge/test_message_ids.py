"""Rows of channels.md 18: each id that has a text has one of this gist."""

from __future__ import annotations

import pytest

from mqbridge.bridge.operator_messages import MESSAGES
from mqbridge.bridge.queue_manager.mqsc.messages import TEXTS

GISTS = [
    ("AMQ9001", "ended normally"), ("AMQ9002", "started"), ("AMQ9202", "host not available"),
    ("AMQ9206", "sending"), ("AMQ9207", "not valid"), ("AMQ9208", "receiving"), ("AMQ9209", "closed by the partner"),
    ("AMQ9213", "communications error"), ("AMQ9218", "listener"), ("AMQ9259", "timed out"), ("AMQ9492", "responder"),
    ("AMQ9503", "negotiation failed"), ("AMQ9504", "protocol error"), ("AMQ9505", "sequence wrap values differ"),
    ("AMQ9506", "not confirmed"), ("AMQ9507", "in doubt"), ("AMQ9508", "cannot connect to queue manager"),
    ("AMQ9509", "cannot open"), ("AMQ9510", "cannot get"), ("AMQ9511", "cannot put"), ("AMQ9512", "ping"),
    ("AMQ9513", "too many"), ("AMQ9514", "in use"), ("AMQ9519", "not defined"), ("AMQ9520", "at the partner"),
    ("AMQ9523", "partner found a protocol error"), ("AMQ9524", "queue manager of the partner is not available"),
    ("AMQ9525", "queue manager is ending"), ("AMQ9526", "message sequence number"), ("AMQ9527", "cannot be sent"),
    ("AMQ9528", "stopped by command"), ("AMQ9530", "queue"), ("AMQ9531", "transmission queue"),
    ("AMQ9533", "not active"), ("AMQ9534", "not enabled"), ("AMQ9536", "exit"), ("AMQ9540", "commit failed"),
    ("AMQ9541", "conversion"), ("AMQ9544", "could not be put"), ("AMQ9545", "disconnect interval expired"),
    ("AMQ9546", "error"), ("AMQ9547", "types"), ("AMQ9548", "dead-letter queue"), ("AMQ9549", "inhibited for get"),
    ("AMQ9552", "security flow"), ("AMQ9555", "synchronisation"), ("AMQ9556", "missing"), ("AMQ9557", "user id"),
    ("AMQ9558", "not available"), ("AMQ9565", "no dead-letter queue"), ("AMQ9572", "message header"),
    ("AMQ9599", "could not be opened"), ("AMQ9604", "unexpectedly"), ("AMQ9616", "CipherSpec"),
    ("AMQ9631", "CipherSpec"), ("AMQ9635", "CipherSpec"), ("AMQ9639", "CipherSpec"), ("AMQ9641", "TLS"),
    ("AMQ9633", "certificate"), ("AMQ9637", "certificate is missing"), ("AMQ9642", "certificate"),
    ("AMQ9636", "name"), ("AMQ9643", "name"), ("AMQ9776", "user is blocked"), ("AMQ9777", "blocked"),
    ("AMQ9791", "client gave no"), ("AMQ9999", "ended abnormally"), ("AMQ8101", "unexpected error"),
    ("AMQ8006", "queue created"), ("AMQ8007", "queue deleted"), ("AMQ8008", "queue changed"),
    ("AMQ8014", "channel created"), ("AMQ8015", "channel deleted"), ("AMQ8016", "channel changed"),
    ("AMQ8018", "start"), ("AMQ8019", "stop"), ("AMQ8020", "ping"), ("AMQ8022", "queue cleared"),
    ("AMQ8023", "channel reset"), ("AMQ8025", "channel resolved"), ("AMQ8409", "queue details"),
    ("AMQ8414", "channel details"), ("AMQ8417", "channel status"), ("AMQ8450", "queue status"),
    ("AMQ8276", "connection"), ("AMQ8690", "topic created"), ("AMQ8691", "topic changed"),
    ("AMQ8694", "topic deleted"), ("AMQ8633", "topic details"), ("AMQ8877", "channel authentication"),
    ("AMQ8878", "channel authentication"),
]  # fmt: skip


@pytest.mark.spec("channels.md 18")
@pytest.mark.parametrize(("amq", "gist"), GISTS, ids=[amq for amq, _ in GISTS])
def test_the_gist_of_a_message(amq: str, gist: str) -> None:
    texts = [table[amq][1] for table in (TEXTS, MESSAGES) if amq in table]
    assert texts
    assert any(gist in text for text in texts), texts
