"""Findings of rules about clients in recorded traffic, each reviewed: which, how often, and why it is right.

The transcripts hold IBM's true clients against a recorded server that injects what their names say. Findings of the
rules in `OF_ALL` are in every connection and are not listed one by one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

OF_ALL = {
    "C-603": "nothing of the transcripts shows TLS: those of TLS runs hold what was inside it",
    "C-607": "most programs of the transcripts send no password",
    "C-009": "IBM's Java clients state Encoding 0x0111 whatever their byte order",
    "C-010": "a client adopts the byte order of the server's first answer (O-002)",
}


@dataclass(frozen=True, slots=True)
class Reviewed:
    """``count`` findings of a rule in each of the ``transcripts``."""

    rule: str
    transcripts: str
    count: int
    reason: str


REVIEWED = (
    Reviewed("C-601", "auth-compat", 3, "compatibility mode sends passwords in USERID_DATA in clear (O-024)"),
    Reviewed("C-601", "auth-compat-other-user", 1, "likewise"),
    Reviewed("C-601", "auth-mqcsp-fap", 4, "below FAP 13 there is no protection (O-023)"),
    Reviewed("C-601", "connect-one-round", 1, "one of the three connections has FAP 12"),
    Reviewed("C-601", "tls-pal0", 1, "in clear, inside TLS that the transcript does not show"),
    Reviewed(
        "C-602",
        "auth-accepted-then-2035 auth-mqcsp auth-mqcsp-fap auth-pal tls-basic",
        1,
        "FAP 17 with the algorithm 1 (O-022)",
    ),
    Reviewed("C-602", "auth-reject", 5, "likewise, five connections"),
    Reviewed("C-602", "connect-one-round", 2, "likewise, two of the connections"),
    Reviewed("C-611", "auth-accepted-then-2035 reject-mqconn", 1, "the server refuses MQCONN with 2035"),
    Reviewed("C-356", "auth-reject", 3, "the server answers CONAUTH_INFO with ERROR on three of the channels"),
    Reviewed("C-355", "compress-accepted-by-silence", 1, "the server does not read the compressed name"),
    Reviewed("C-355", "connect-ccsid-500", 1, "the server does not read EBCDIC names"),
    Reviewed("C-355", "reject-qmgr-name", 1, "the name is not that of the server"),
    Reviewed("C-355", "reject-mqconn", 13, "a reason for each channel, as its name says"),
    Reviewed("C-506", "reject-mqconn", 1, "channel HKCLOSE: TCP close in place of the reply"),
    Reviewed("C-533", "compress-accepted-by-silence", 1, "the client compresses MQCONN (O-012)"),
    Reviewed("C-531", "connect-one-round", 2, "the server forces FAP 12, and no sharing, without ERROR (O-003a)"),
    Reviewed("C-531", "connect-one-round-mt", 1, "likewise a smaller segment"),
    Reviewed("C-011", "connect-one-round-mt", 1, "and the client does not obey it (O-003a)"),
    Reviewed("C-351", "hb-sharecnv0-none", 2, "the server keeps silent on purpose (O-122)"),
    Reviewed("C-350", "hb-noanswer", 1, "the server does not answer on purpose (O-120)"),
    Reviewed(
        "C-352",
        "hb-noanswer inject-IN7B inject-INCL inject-INSO2 inject-INSO4 inject-INSO5 inject-INST5C inject-INST7C"
        " inject-listener-IN1A inject-listener-INST5C late-AFTER late-NOTIFAFTER reconnect-get reconnect-listen",
        1,
        "what the server injects, or its close, ends the socket under connected programs",
    ),
    Reviewed("C-352", "jms-sharecnv0-listen mqi-sharecnv0-putget", 1, "the recording stops before the program does"),
    Reviewed("C-352", "reject-flags", 1, "flags 0x04 are ignored, and the server closes later"),
    Reviewed(
        "C-360",
        "hb-noanswer inject-IN7B inject-INCL inject-INSO2 inject-INSO4 inject-INSO5 inject-INST5C inject-INST7C"
        " reconnect-get",
        1,
        "receive() waits when its socket ends",
    ),
    Reviewed("C-353", "inject-INST5C inject-INST7C inject-listener-INST5C", 1, "the injected status"),
    Reviewed("C-359", "inject-INST5", 1, "a status in TSHM, which clients ignore (O-034)"),
    Reviewed("C-359", "reject-flags", 5, "flags without CLOSE_CHANNEL, which clients ignore (O-030)"),
    Reviewed("C-354", "reject-flags", 3, "flags with CLOSE_CHANNEL"),
    Reviewed("C-354", "reject-status", 37, "a status for each channel, as its name says"),
    Reviewed(
        "C-357",
        "inject-IN7B inject-IN7D inject-INSO3 inject-INSO7 inject-listener-IN7D inject-listener-INSO3"
        " inject-listener-INSO7",
        1,
        "the injected notice",
    ),
    Reviewed("C-358", "sockact-refuse-NEWC1 sockact-refuse-NEWC9", 1, "the injected answer (O-041)"),
    Reviewed("C-512", "inject-IN1B", 1, "the injected notice ends the get: 2016 (O-091)"),
    Reviewed("C-510", "inject-IN7D", 1, "the injected notice ends the get: 2161 (O-091)"),
    Reviewed("C-513", "inject-INRC2016", 1, "a reason in place of a message ends the get with a warning (O-089)"),
    Reviewed("C-510", "jms-durable jakarta-durable", 2, "resuming a subscription that there is not yet: 2428"),
    Reviewed("C-510", "jms-nosuch", 2, "an unknown queue, as the step says"),
    Reviewed("C-510", "mqi-inq", 1, "likewise"),
    Reviewed("C-512", "jms-nosuch mqi-inq", 1, "an inhibited queue, as the step says"),
    Reviewed("C-510", "jms-sharecnv0-temp", 1, "the old mode wants SYSTEM.JMS.REPORT.QUEUE (O-018)"),
    Reviewed("C-510", "jms-spi-refused", 1, "SPI QUERY refused with 2298, as the step says"),
    Reviewed("C-510", "mqi-report", 1, "the server refuses distribution lists"),
    Reviewed("C-608", "mqi-report", 1, "the step sets all context"),
    Reviewed("C-610", "pcf", 1, "the step administers"),
    Reviewed("C-514", "jms-xa-errors", 3, "the server returns -4, as the step says"),
    Reviewed("C-521", "late-AFTER late-NOTIFAFTER", 1, "the injected delivery (O-104)"),
    Reviewed("C-522", "late-BEFORE late-unrequested", 1, "the injected message (O-105)"),
    Reviewed("C-405", "mqi-report mqi-trunc", 1, "a feedback of 5 that the test program sets"),
)

OF_PCAP = {
    "C-603": (13, "all connections are in clear"),
    "C-602": (4, "the connections whose MQCONN follows a CONAUTH_INFO"),
    "C-605": (13, "the client runs as root"),
    "C-611": (9, "nine connections are refused with 2035"),
    "C-352": (2, "two connections end with their conversations connected"),
    "C-009": (None, OF_ALL["C-009"]),
    "C-010": (13, OF_ALL["C-010"]),
}
"""The same of the real capture of 2025: rule → how often (None: not counted), and why."""


def expected_of(name: str) -> Counter[str]:
    """How often each rule finds something in a transcript; those of `OF_ALL` are left out."""
    return Counter({row.rule: row.count for row in REVIEWED if name in row.transcripts.split()})
