"""Senders and receivers of ours inside TLS, with real processes: what both ends say where TLS keeps them apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqbridge.protocol.constants import MQRQ, StatusCode
from support.tls.channel_scene import ChannelRow, ChannelScene, Refused
from support.tls.refusals import table

PAGE = Path(__file__).parents[3] / "docs" / "security.md"
HANDSHAKE, CIPHER, CLIENT, PEER = (
    MQRQ.SSL_HANDSHAKE_ERROR,
    MQRQ.SSL_CIPHER_SPEC_ERROR,
    MQRQ.SSL_CLIENT_AUTH_ERROR,
    MQRQ.SSL_PEER_NAME_ERROR,
)
ANY = "SSLCIPH(ANY_TLS12_OR_HIGHER)"
OWN = f"{ANY} CERTLABL(app)"
IN_1_2 = "SSLCIPH(ANY_TLS12)"
ALERTED = Refused("STOPPED", "AMQ9665", "AMQ9633", HANDSHAKE, HANDSHAKE)
REFUSING = Refused("STOPPED", "AMQ9633", "AMQ9665", HANDSHAKE, HANDSHAKE)
ROWS = (
    ChannelRow("the receiver's authority is not trusted", OWN, f"{ANY} CERTLABL(stranger)", REFUSING),
    ChannelRow("the receiver's certificate is expired", OWN, f"{ANY} CERTLABL(expired)", REFUSING),
    ChannelRow("the receiver's certificate is revoked", OWN, f"{ANY} CERTLABL(revoked)", REFUSING),
    ChannelRow("the sender's authority is not trusted", f"{ANY} CERTLABL(stranger)", ANY, ALERTED),
    ChannelRow("the sender's certificate is expired", f"{ANY} CERTLABL(expired)", ANY, ALERTED),
    ChannelRow("the sender's certificate is revoked", f"{ANY} CERTLABL(revoked)", ANY, ALERTED),
    ChannelRow("the sender's certificate is revoked, in TLS 1.2", f"{IN_1_2} CERTLABL(revoked)", ANY, ALERTED),
    ChannelRow(
        "the sender's CERTLABL names no certificate", f"{ANY} CERTLABL(missing)", ANY, Refused("STOPPED", "AMQ9642", "")
    ),
    ChannelRow(
        "the sender has no certificate, SSLCAUTH(REQUIRED)", ANY, ANY,
        Refused("STOPPED", "AMQ9642", "AMQ9637", None, CLIENT, StatusCode.SSL_CLIENT_CERTIFICATE),
    ),
    ChannelRow(
        "the sender's certificate has another name than SSLPEER", OWN, f"{ANY} SSLPEER('CN=MARS')",
        Refused("STOPPED", "AMQ9643", "AMQ9636", None, PEER, StatusCode.PEER_NAME),
    ),
    ChannelRow(
        "the receiver's certificate has another name than SSLPEER", f"{OWN} SSLPEER('CN=MARS')", ANY,
        Refused("STOPPED", "AMQ9636", "", PEER, None),
    ),
    ChannelRow(
        "a plain sender, a TLS receiver", "", ANY,
        Refused("STOPPED", "AMQ9641", "AMQ9639", None, CIPHER, StatusCode.CIPHER_SPEC),
    ),
    ChannelRow(
        "a TLS sender, a plain receiver", OWN, "",
        Refused("STOPPED", "AMQ9641", "AMQ9635", None, CIPHER, StatusCode.CIPHER_SPEC),
    ),
    ChannelRow(
        "CipherSpecs that differ", f"{IN_1_2} CERTLABL(app)", "SSLCIPH(ANY_TLS13)",
        Refused("STOPPED", "AMQ9665", "AMQ9616", HANDSHAKE, HANDSHAKE),
    ),
    ChannelRow(
        "an SSLPEERMAP record blocks the sender's name", f"{ANY} CERTLABL(blocked)", ANY,
        Refused("STOPPED", "AMQ9546", "AMQ9777", None, MQRQ.CHANNEL_BLOCKED_NOACCESS, StatusCode.SECURITY_FAILURE),
    ),
)  # fmt: skip
HEADER = ("case", "sender", "its log", "its event", "is told", "log of the receiver", "its event")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Refused]]:
    scene = ChannelScene(tmp_path_factory.mktemp("channels"), ROWS)
    try:
        yield scene.run()
    finally:
        scene.close()


@pytest.mark.spec("tls.md T-06", "tls.md T-07", "tls.md T-08")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_both_ends_say_why(seen: dict[str, Refused], row: ChannelRow) -> None:
    assert seen[row.case] == row.seen


def page_rows() -> list[str]:
    """The table as docs/security.md has it."""

    def cells(row: ChannelRow) -> list[str]:
        seen = row.seen
        status = "" if seen.status is None else f"0x{seen.status:02X} {seen.status.name}"
        events = ["" if one is None else one.name for one in (seen.calling_event, seen.answering_event)]
        return [row.case, seen.stays, seen.calling, events[0], status, seen.answering, events[1]]

    return table(HEADER, map(cells, ROWS))


def test_the_page_says_what_is_tested() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Refusals inside TLS")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert rows[-len(ROWS) - 2 :] == page_rows()
