"""Our client's bytes beside those of IBM's clients: the same calls with the same values.

Compared are the types, structures and fields of all segments; what may differ stands in one table with its reason.
"""

from __future__ import annotations

from typing import Any

import pytest
from client_transcripts import transcript
from recorded_calls import Replayed, dissected

from protocol.constants import SegmentType

ALLOWED: dict[tuple[str, str, str], str] = {
    ("*", "TSH", "Encoding"): "Java computes in big-endian; we say what the byte order says, as clients in C do",
    ("*", "TSHM", "Encoding"): "as in TSH",
    ("*", "TSHC", "Encoding"): "as in TSH",
    ("INITIAL_DATA", "ID", "CapFlags3"): "MULTIPLEX_SYNCGET is not offered: queue managers refuse it, too",
    ("INITIAL_DATA", "ID", "ThreadId"): "of a Java virtual machine",
    ("INITIAL_DATA", "ID", "TraceId"): "counts the connections of a Java virtual machine",
    ("INITIAL_DATA", "ID", "PAL"): "inside TLS we offer no protection of passwords",
    ("INITIAL_DATA", "ID", "QMgrIdentifier"): "left-over bytes behind the name",
    ("MQCONN", "CONN", "ApplType"): "MQAT_JAVA is not ours to say",
    ("MQCONN", "FCNO", "ConnTag"): "left-over bytes (client-observed O-010); it counts in a reconnection alone",
    ("MQCONN", "FCNO", "RetConnTag"): "as ConnTag",
    ("MQCONN", "FCNO", "ProductId24"): "as ConnTag",
    ("MQCONN", "FCNO", "QMgrIdentifier"): "as ConnTag",
    ("MQCONN", "FCNO", "LostConnectionId"): "as ConnTag",
    ("MQOPEN", "FOPA", "DefReadAhead"): "left-over bytes in some requests, and 0 in others; it is told by the reply",
    ("MQOPEN", "FOPA", "PropertyControl"): "as DefReadAhead",
    ("MQSUB", "SD", "AlternateSecurityId"): "unused without an alternate user",
}
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


def shown(structures: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Structures and fields; filling up to four bytes is not always zeros (protocol.inferred)."""
    return [
        (each["structure"], each.get("fields", {"hex": each.get("hex")}))
        for each in structures
        if each["structure"] != "padding"
    ]


def differences(recorded: bytes, ours: bytes) -> list[str]:
    theirs, mine = shown(dissected(recorded)), shown(dissected(ours))
    kind = str(SegmentType(theirs[0][1]["SegmentType"]))
    if [name for name, _ in theirs] != [name for name, _ in mine]:
        return [f"{kind}: {[name for name, _ in theirs]} there, {[name for name, _ in mine]} here"]
    found = []
    for (name, fields), (_, own) in zip(theirs, mine, strict=True):
        for key in fields.keys() | own.keys():
            allowed = {("*", name, key), (kind, name, key)} & ALLOWED.keys()
            if fields.get(key) != own.get(key) and not allowed:
                found.append(f"{kind} {name}.{key}: {fields.get(key)!r} there, {own.get(key)!r} here")
    return found


@pytest.mark.spec("client-observed.md 1.1")
@pytest.mark.spec("client-observed.md 4")
@pytest.mark.spec("client-observed.md 5")
@pytest.mark.parametrize("name", NAMES)
def test_we_send_what_real_clients_send(name: str) -> None:
    found: list[str] = []
    for number, segments in enumerate(transcript(name).sockets(), 1):
        if (name, number) not in OTHERWISE:
            replayed = Replayed(segments).run()
            assert len(replayed.pairs) >= 2, replayed.skipped
            found += [line for recorded, ours in replayed.pairs for line in differences(recorded, ours)]
    assert not found, "\n".join(dict.fromkeys(found))


def test_all_kinds_of_calls_are_compared() -> None:
    kinds: set[str] = set()
    for name in ("auth-mqcsp", "connect-sharecnv-0", "mqi-inq", "mqi-putget", "mqi-sharecnv0-putget", "mqi-topic"):
        replayed = Replayed(next(iter(transcript(name).sockets()))).run()
        kinds |= {str(SegmentType(dissected(ours)[0]["fields"]["SegmentType"])) for _, ours in replayed.pairs}
    assert kinds >= {
        "INITIAL_DATA", "USERID_DATA", "CONAUTH_INFO", "MQCONN", "MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET",
        "REQUEST_MSGS", "MQINQ", "MQSET", "MQCMIT", "MQBACK", "MQDISC", "MQSUB", "MQSUBRQ", "SOCKET_ACTION",
        "STATUS_DATA",
    }  # fmt: skip


def test_a_difference_is_seen() -> None:
    replayed = Replayed(next(iter(transcript("connect-basic").sockets()))).run()
    recorded, ours = replayed.pairs[-1]
    assert differences(recorded, ours) == []
    assert differences(recorded, ours[:-8] + b"\7" + ours[-7:])
