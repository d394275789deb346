"""Which recorded conversations of IBM's clients our own client can have as well, and both side by side."""

from __future__ import annotations

from mqbridge.captures.differential import AnswerComparison
from support.transcripts.recorded_calls import one

NAMES = [
    "auth-accepted-then-2035",
    "auth-mqcsp",
    "auth-mqcsp-fap",
    "auth-reject",
    "connect-basic",
    "connect-bigendian",
    "connect-blank-qmgr",
    "connect-ccsid-1208",
    "connect-ccsid-437",
    "connect-ccsid-500",
    "connect-fap-10",
    "connect-fap-11",
    "connect-fap-12",
    "connect-fap-13",
    "connect-fap-14",
    "connect-fap-15",
    "connect-fap-16",
    "connect-fap-9",
    "connect-limits",
    "connect-sharecnv-0",
    "connect-sharecnv-1",
    "connect-star-qmgr",
    "hb-client",
    "hb-server",
    "inject-IN7D",
    "inject-INRC2016",
    "inject-INSO3",
    "jms-temp",
    "late-BEFORE",
    "mqi-async",
    "mqi-browse",
    "mqi-convert",
    "mqi-fap12-putget",
    "mqi-fap9-putget",
    "mqi-gmover",
    "mqi-inq",
    "mqi-match",
    "mqi-props",
    "mqi-putget",
    "mqi-report",
    "mqi-sharecnv0-async",
    "mqi-sharecnv0-browse",
    "mqi-sharecnv0-match",
    "mqi-sharecnv0-putget",
    "mqi-sharecnv0-topic",
    "mqi-sharecnv0-trunc",
    "mqi-sharecnv0-uow",
    "mqi-topic",
    "mqi-trunc",
    "mqi-uow",
    "pcf",
    "reject-mqconn",
    "tls-basic",
]
OTHERWISE = {
    ("auth-mqcsp-fap", 3): "level 8: the program asks for an attribute that the client leaves out, and counts it",
    ("auth-mqcsp-fap", 4): "level 4: as level 8",
    ("connect-limits", 5): "distribution lists refused: the recorded client then sends OD version 1",
}
"""Connections that are not compared, by file and number, and why."""


def beside(pairs: list[tuple[bytes, bytes]]) -> AnswerComparison:
    """What the recorded client sent, and ours."""
    comparison = AnswerComparison(learns=False)
    for recorded, ours in pairs:
        comparison.expect(1, [one(recorded)])
        comparison.hear(1, [one(ours)])
    return comparison
