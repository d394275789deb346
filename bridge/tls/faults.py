"""Why a session failed: alerts (RFC 8446 6.2) and errors of OpenSSL in our words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from OpenSSL import SSL

from mqbridge.bridge.security.tls import TlsFault
from mqbridge.protocol.constants import MQRC, MQRQ

from .errors import TlsError

_FORMAT: Final = 410
_PROTOCOL: Final = 415
_CLOSED: Final = 420
_NO_CIPHER: Final = 402
"""SSLReturnCode of the event: IBM's return codes of TLS."""

_SENT: Final = re.compile(r"(?:ssl|tls)\S* (?:alert )?(.+)")


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert. ``words``: what a partner means that sends it; ``permanent``: it will send it again."""

    number: int
    words: str
    permanent: bool = True


ALERTS: Final[dict[str, Alert]] = {
    "unexpected message": Alert(10, "it did not expect what we sent"),
    "bad record mac": Alert(20, "what we sent was changed on its way", permanent=False),
    "decryption failed": Alert(21, "what we sent was changed on its way", permanent=False),
    "record overflow": Alert(22, "a record of ours was too long"),
    "decompression failure": Alert(30, "it could not decompress what we sent"),
    "handshake failure": Alert(40, "no CipherSpec suits it, or it requires a certificate that we did not send"),
    "no certificate": Alert(41, "it has no certificate"),
    "bad certificate": Alert(42, "our certificate is damaged, or it does not accept its name"),
    "unsupported certificate": Alert(43, "it cannot use certificates of the kind of ours"),
    "certificate revoked": Alert(44, "our certificate was revoked"),
    "certificate expired": Alert(45, "our certificate has expired, or is not valid yet"),
    "certificate unknown": Alert(46, "it does not accept our certificate"),
    "illegal parameter": Alert(47, "a value that we sent is not allowed"),
    "unknown ca": Alert(48, "it does not trust the authority that issued our certificate"),
    "access denied": Alert(49, "it accepts our certificate, and does not let us in"),
    "decode error": Alert(50, "it could not read what we sent"),
    "decrypt error": Alert(51, "a signature or a check of the handshake was wrong"),
    "export restriction": Alert(60, "its keys may not be so long"),
    "protocol version": Alert(70, "it does not use the versions of TLS that we offer"),
    "insufficient security": Alert(71, "it requires stronger CipherSpecs than we offer"),
    "internal error": Alert(80, "it has a problem of its own", permanent=False),
    "inappropriate fallback": Alert(86, "it supports a higher version of TLS than we offered"),
    "user cancelled": Alert(90, "it gave up", permanent=False),
    "no renegotiation": Alert(100, "it does not renegotiate"),
    "missing extension": Alert(109, "our hello lacks something that it requires"),
    "unsupported extension": Alert(110, "we sent an extension that it did not ask for"),
    "certificate unobtainable": Alert(111, "it could not fetch our certificate"),
    "unrecognized name": Alert(112, "it does not know the server name that we asked for"),
    "bad certificate status response": Alert(113, "it does not accept the status of our certificate"),
    "bad certificate hash value": Alert(114, "our certificate is not the one that was announced"),
    "unknown psk identity": Alert(115, "it does not know our key"),
    "certificate required": Alert(116, "it requires a certificate and we sent none"),
    "no application protocol": Alert(120, "it does not offer the application protocol that we asked for"),
}
"""By the name that OpenSSL gives it when it is received."""

HANDSHAKE_FAILURE: Final = 40


def alert_record(number: int) -> bytes:
    """A fatal alert in clear, before there are keys (RFC 8446 6)."""
    return bytes((21, 3, 3, 0, 2, 2, number))


_OTHER_VERSION: Final = "what the partner sends is not TLS, or of another version"
_NO_COMMON: Final = {
    "no shared cipher": "the two ends have no CipherSpec in common",
    "unsupported protocol": "the partner does not use the versions of TLS that our channel allows",
    "wrong ssl version": "the partner does not use the versions of TLS that our channel allows",
    "wrong version number": _OTHER_VERSION,
    "no protocols available": "no version of TLS is left that the channel allows",
    "no ciphers available": "no CipherSpec is left that the channel allows",
    "wrong cipher returned": "the partner chose a CipherSpec that we did not offer",
    "unknown cipher returned": "the partner chose a CipherSpec that we do not know",
    "no suitable signature algorithm": "our certificate has no key with which the partner could check signatures",
    "no suitable groups": "the two ends have no key exchange in common",
    "no suitable key share": "the two ends have no key exchange in common",
    "no shared group": "the two ends have no key exchange in common",
}
"""Errors of OpenSSL that mean that both ends offer different things."""
_NO_TLS: Final = {
    "http request": "the partner speaks HTTP without TLS",
    "https proxy request": "the partner takes us for an HTTP proxy",
    "unknown protocol": "what the partner sends is no TLS",
    "bad record type": "what the partner sends is no TLS",
}
_NOT_ALLOWED: Final = {
    "too many warn alerts": "the partner sends warnings without end",
    "record too small": "the partner sends empty records without end",
    "excessive message size": "the partner's certificates, or another message of its handshake, are too long",
    "packet length too long": "a record of the partner is longer than TLS allows",
    "data length too long": "a record of the partner is longer than TLS allows",
    "encrypted length too long": "a record of the partner is longer than TLS allows",
    "no renegotiation": "the partner wants to renegotiate, which is not allowed",
    "decryption failed or bad record mac": "a record of the partner was changed on its way, bad record mac",
    "bad record mac": "a record of the partner was changed on its way, bad record mac",
    "ee key too small": "a key is too short",
    "ca key too small": "the key of an authority is too short",
}


def session_error(error: SSL.Error, *, handshake: bool) -> TlsError:
    """An error of OpenSSL in our words. ``handshake``: it was not over."""
    reasons = _reasons(error)
    for reason in reasons:
        if found := ALERTS.get(_alert_name(reason)):
            return alert_received(found, handshake=handshake)
    for reason in reasons:
        if words := _NO_COMMON.get(reason):
            return _fault("AMQ9616", words, reason, _NO_CIPHER, handshake)
        if words := _NO_TLS.get(reason) or _NOT_ALLOWED.get(reason):
            return _fault("AMQ9661", words, reason, _FORMAT, handshake)
    raw = ", ".join(reasons) or type(error).__name__
    return _fault("AMQ9661", f"the partner broke the protocol of TLS: {raw}", raw, _PROTOCOL, handshake)


def alert_received(alert: Alert, *, handshake: bool) -> TlsError:
    """The partner ended the session with an alert. ``handshake``: ours was not over; in TLS 1.3 the partner can still
    refuse our certificate then."""
    name = next(name for name, each in ALERTS.items() if each is alert)
    text = f"the partner ended TLS with alert {name} ({alert.number}): {alert.words}"
    fault = TlsFault(
        "AMQ9665",
        (text,),
        qualifier=MQRQ.SSL_HANDSHAKE_ERROR,
        permanent=alert.permanent,
        stage=f"alert {name}",
        return_code=alert.number,
    )
    early = handshake or alert.permanent
    return TlsError(text, fault, MQRC.SSL_INITIALIZATION_ERROR if early else MQRC.CONNECTION_BROKEN)


def connection_ended(*, handshake: bool) -> TlsError:
    """The connection ended without the close_notify that tells an end from a cut."""
    if handshake:
        text = "the partner ended the connection during the handshake of TLS"
        fault = TlsFault(
            "AMQ9665", (text,), qualifier=MQRQ.SSL_HANDSHAKE_ERROR, permanent=False, stage="handshake",
            return_code=_CLOSED,
        )  # fmt: skip
        return TlsError(text, fault, MQRC.JSSE_ERROR)
    text = "the connection was cut: it ended without TLS's close_notify"
    return TlsError(text, TlsFault("AMQ9209", (text,), permanent=False), MQRC.CONNECTION_BROKEN)


def session_over() -> TlsError:
    """Something is written to a session that has failed."""
    text = "the session of TLS has failed before"
    return TlsError(text, TlsFault("AMQ9665", (text,), permanent=False), MQRC.CONNECTION_BROKEN)


def unasked_answers() -> TlsError:
    """The partner makes OpenSSL answer, with new keys for instance, and sends nothing else."""
    return _fault("AMQ9661", "the partner changes keys without end", "key update", _PROTOCOL, False)


def _fault(amq: str, text: str, stage: str, code: int, handshake: bool) -> TlsError:
    if not handshake:
        return TlsError(text, TlsFault(amq, (text,), permanent=False), MQRC.CONNECTION_BROKEN)
    fault = TlsFault(
        amq, (text,), qualifier=MQRQ.SSL_HANDSHAKE_ERROR, permanent=amq == "AMQ9616", stage=stage, return_code=code
    )
    reason = MQRC.JSSE_ERROR if text in _NO_TLS.values() or text == _OTHER_VERSION else MQRC.SSL_INITIALIZATION_ERROR
    return TlsError(text, fault, reason)


def _alert_name(reason: str) -> str:
    """The name of a received alert; empty if the error is none."""
    found = _SENT.match(reason)
    return found[1] if found else ""


def _reasons(error: SSL.Error) -> list[str]:
    """OpenSSL's own words for an error, the first the oldest."""
    found = error.args[0] if error.args and isinstance(error.args[0], list) else []
    return [reason for *_, reason in found if reason]
