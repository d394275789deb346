"""What a channel requires of a connection, and what an end offers in a handshake (tls.md T-01 to T-06, T-11).

Names and protocols are handed in as `TlsConnection`; what is refused is returned as `TlsFault`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.security.addresses import is_address
from mqbridge.bridge.security.records import SecurityRecord
from mqbridge.protocol.constants import MQRQ, StatusCode

from .cipher_specs import ENABLED, allowed
from .connection import TlsConnection
from .fault import TlsFault
from .offer import TlsOffer
from .peer_names import PeerNameError, parse_peer_name
from .server_names import channel_named, server_name

CHANNEL_SNI: Final = "channel"
"""Callers send the name of the channel (tls.md T-02)."""
HOST_SNI: Final = "hostname"
"""Callers send the host's name, as it is in CONNAME."""
NO_SNI: Final = "none"
OUTBOUND_SNI: Final = (CHANNEL_SNI, HOST_SNI, NO_SNI)
"""Server names that callers can send."""


def refusal(channel: SecurityRecord, connection: TlsConnection | None, *, calling: bool = False) -> TlsFault | None:
    """Return why a channel may not run on a connection, None if it may.

    ``connection``: what was agreed, None on a plain one. ``calling``: we are the caller, so CERTLABL and SSLCAUTH say
    nothing about the partner.
    """
    name, cipher = channel.name, channel.text("SSLCIPH")
    if not cipher:
        return None if connection is None else _cipher_spec("AMQ9635", name, connection.cipher_spec)
    if connection is None:
        return _cipher_spec("AMQ9639", name, cipher)
    if connection.cipher_spec not in allowed(cipher):
        return _cipher_spec("AMQ9631", name, cipher, f"{connection.protocol} {connection.cipher_spec}")
    label = channel.text("CERTLABL")
    if label and not calling and connection.channel != name:
        sent = connection.server_name or "(none)"
        return TlsFault("AMQ9673", (name, label, sent), StatusCode.CIPHER_SPEC, MQRQ.SSL_HANDSHAKE_ERROR)
    return _certificate_refusal(channel, connection, calling)


def _certificate_refusal(channel: SecurityRecord, connection: TlsConnection, calling: bool) -> TlsFault | None:
    """Return why the partner's certificate does not do."""
    name, peer_name, certificate = channel.name, channel.text("SSLPEER"), connection.certificate
    if certificate is None:
        if peer_name or (channel.text("SSLCAUTH") == "REQUIRED" and not calling):
            why = "SSLPEER is set" if peer_name else "SSLCAUTH(REQUIRED)"
            return TlsFault("AMQ9637", (name, why), StatusCode.SSL_CLIENT_CERTIFICATE, MQRQ.SSL_CLIENT_AUTH_ERROR)
        return None
    if not peer_name:
        return None
    try:
        matches = parse_peer_name(peer_name).matches_certificate(certificate)
    except PeerNameError as error:
        return TlsFault("AMQ9640", (name, peer_name, str(error)), StatusCode.PEER_NAME, MQRQ.SSL_PEER_NAME_ERROR)
    if matches:
        return None
    inserts = (name, certificate.peer_name, peer_name)
    return TlsFault("AMQ9636", inserts, StatusCode.PEER_NAME, MQRQ.SSL_PEER_NAME_ERROR)


def _cipher_spec(amq: str, *inserts: str) -> TlsFault:
    return TlsFault(amq, inserts, StatusCode.CIPHER_SPEC, MQRQ.SSL_CIPHER_SPEC_ERROR)


def answering_offer(server_name: str, find_channel: Callable[[str], SecurityRecord | None]) -> TlsOffer:
    """Return what to offer a caller that sends a server name; blank: none.

    A name that names a channel gets what its SSLCIPH allows, and the certificate of its CERTLABL. Otherwise, and for a
    channel without SSLCIPH, all is offered, with the default certificate: `refusal` decides when the caller has named
    the channel, and can then say why.
    """
    name = channel_named(server_name)
    channel = find_channel(name) if name else None
    if channel is None:
        return TlsOffer(ENABLED, server_name=server_name)
    cipher_specs = allowed(channel.text("SSLCIPH")) or ENABLED
    return TlsOffer(cipher_specs, channel.text("CERTLABL"), channel.name, server_name)


def calling_offer(
    channel: SecurityRecord, *, host: str, outbound_sni: str = CHANNEL_SNI, queue_manager_label: str = ""
) -> TlsOffer | None:
    """Return what to offer when a channel calls; None: it is plain, its SSLCIPH is blank.

    ``host``: as in CONNAME. ``outbound_sni``: one of `OUTBOUND_SNI`. ``queue_manager_label``: CERTLABL of the queue
    manager. A value of SSLCIPH that cannot be used allows nothing, so that the offer has no CipherSpecs.
    """
    cipher = channel.text("SSLCIPH")
    if not cipher:
        return None
    label = channel.text("CERTLABL")
    sni = ""
    if outbound_sni == CHANNEL_SNI:
        sni = server_name(channel.name)
    elif outbound_sni == HOST_SNI and not is_address(host.partition("%")[0]):  # RFC 6066 3: no addresses
        sni = host
    return TlsOffer(allowed(cipher), label or queue_manager_label, channel.name, sni, own_certificate=bool(label))
