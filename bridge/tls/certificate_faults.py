"""Why a certificate of the partner is refused: OpenSSL's verification errors in our words."""

from __future__ import annotations

from typing import Final

from OpenSSL.SSL import X509VerificationCodes as Codes

from mqbridge.bridge.security.tls import TlsFault
from mqbridge.protocol.constants import MQRC, MQRQ

from .errors import TlsError

_INVALID: Final = 8
_DATES: Final = 401
_SELF_SIGNED: Final = 417
_REVOKED: Final = 431
_UNKNOWN_AUTHORITY: Final = 435
_REVOCATION_LIST: Final = 436
"""SSLReturnCode of the event: IBM's return codes of TLS, "Certificate validation error", and so on."""

_MAX_NAME: Final = 1024
"""Characters of a name that are told, as many as SSLPEER may have."""
VERIFICATION_ERRORS: Final[dict[int, tuple[str, int]]] = {
    Codes.ERR_UNABLE_TO_GET_ISSUER_CERT: ("its issuer is not trusted", _UNKNOWN_AUTHORITY),
    Codes.ERR_UNABLE_TO_GET_CRL: ("its issuer has no revocation list", _REVOCATION_LIST),
    Codes.ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE: ("its signature cannot be read", _INVALID),
    Codes.ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE: (
        "the signature of its issuer's revocation list cannot be read",
        _REVOCATION_LIST,
    ),
    Codes.ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY: ("the key of its issuer cannot be read", _INVALID),
    Codes.ERR_CERT_SIGNATURE_FAILURE: ("its signature is wrong", _INVALID),
    Codes.ERR_CRL_SIGNATURE_FAILURE: ("the signature of its issuer's revocation list is wrong", _REVOCATION_LIST),
    Codes.ERR_CERT_NOT_YET_VALID: ("it is not valid yet", _DATES),
    Codes.ERR_CERT_HAS_EXPIRED: ("it has expired", _DATES),
    Codes.ERR_CRL_NOT_YET_VALID: ("the revocation list of its issuer is not valid yet", _REVOCATION_LIST),
    Codes.ERR_CRL_HAS_EXPIRED: ("the revocation list of its issuer has expired", _REVOCATION_LIST),
    Codes.ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD: ("its first date cannot be read", _INVALID),
    Codes.ERR_ERROR_IN_CERT_NOT_AFTER_FIELD: ("its last date cannot be read", _INVALID),
    Codes.ERR_ERROR_IN_CRL_LAST_UPDATE_FIELD: (
        "the dates of its issuer's revocation list cannot be read",
        _REVOCATION_LIST,
    ),
    Codes.ERR_ERROR_IN_CRL_NEXT_UPDATE_FIELD: (
        "the dates of its issuer's revocation list cannot be read",
        _REVOCATION_LIST,
    ),
    Codes.ERR_DEPTH_ZERO_SELF_SIGNED_CERT: ("it is self-signed and not trusted", _SELF_SIGNED),
    Codes.ERR_SELF_SIGNED_CERT_IN_CHAIN: ("its root authority is not trusted", _UNKNOWN_AUTHORITY),
    Codes.ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ("its issuer is not trusted", _UNKNOWN_AUTHORITY),
    Codes.ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: ("it came alone, and its issuer is not trusted", _UNKNOWN_AUTHORITY),
    Codes.ERR_CERT_CHAIN_TOO_LONG: ("too many certificates are above it", _INVALID),
    Codes.ERR_CERT_REVOKED: ("it was revoked", _REVOKED),
    Codes.ERR_INVALID_CA: ("it is no authority and issued another", _INVALID),
    Codes.ERR_PATH_LENGTH_EXCEEDED: ("an authority above it may not have so many below", _INVALID),
    Codes.ERR_INVALID_PURPOSE: ("its extended key usage does not allow this use of it", _INVALID),
    Codes.ERR_CERT_UNTRUSTED: ("it is not trusted for this use", _INVALID),
    Codes.ERR_CERT_REJECTED: ("it is marked as refused", _INVALID),
    Codes.ERR_KEYUSAGE_NO_CERTSIGN: ("its key usage does not allow it to issue certificates", _INVALID),
    Codes.ERR_UNABLE_TO_GET_CRL_ISSUER: ("the issuer of its revocation list is not known", _REVOCATION_LIST),
    Codes.ERR_UNHANDLED_CRITICAL_EXTENSION: ("it has a critical extension that is not known", _INVALID),
    Codes.ERR_KEYUSAGE_NO_CRL_SIGN: ("its issuer may not sign revocation lists", _REVOCATION_LIST),
    Codes.ERR_UNHANDLED_CRITICAL_CRL_EXTENSION: (
        "its revocation list has an extension that is not known",
        _REVOCATION_LIST,
    ),
    Codes.ERR_INVALID_NON_CA: ("it is an authority and must not be", _INVALID),
    Codes.ERR_KEYUSAGE_NO_DIGITAL_SIGNATURE: ("its key usage does not allow signatures", _INVALID),
    Codes.ERR_PROXY_CERTIFICATES_NOT_ALLOWED: ("it is a proxy certificate", _INVALID),
    Codes.ERR_INVALID_EXTENSION: ("an extension of it cannot be read", _INVALID),
    Codes.ERR_DIFFERENT_CRL_SCOPE: ("the revocation list of its issuer is for other certificates", _REVOCATION_LIST),
    Codes.ERR_PERMITTED_VIOLATION: ("an authority above it may not issue certificates for its name", _INVALID),
    Codes.ERR_EXCLUDED_VIOLATION: ("an authority above it may not issue certificates for its name", _INVALID),
    Codes.ERR_UNSUPPORTED_CONSTRAINT_TYPE: ("names allowed by an authority above it cannot be read", _INVALID),
    Codes.ERR_UNSUPPORTED_CONSTRAINT_SYNTAX: ("names allowed by an authority above it cannot be read", _INVALID),
    Codes.ERR_UNSUPPORTED_NAME_SYNTAX: ("a name in it cannot be read", _INVALID),
    Codes.ERR_HOSTNAME_MISMATCH: ("it is for other hosts", _INVALID),
    Codes.ERR_IP_ADDRESS_MISMATCH: ("it is for other addresses", _INVALID),
    66: ("its key is too weak", _INVALID),
    67: ("the key of an authority above it is too weak", _INVALID),
    68: ("the signature of an authority above it uses a hash that is too weak", _INVALID),
}
"""By verification error (X509_V_ERR, x509_vfy.h): what is wrong with the certificate, and the return code of TLS."""


def refused_certificate(error: int, subject: str, issuer: str = "", wanted: str = "") -> TlsError:
    """A certificate that failed the checks. ``error``: of OpenSSL; ``subject``, ``issuer``: its names; ``wanted``: the
    host that it is not for."""
    words, code = VERIFICATION_ERRORS.get(error, (f"it did not pass check {error} of OpenSSL", _INVALID))
    named = f"certificate {subject[:_MAX_NAME] or 'without a name'}"
    if issuer:
        named += f", issued by {issuer[:_MAX_NAME]}"
    text = f"{named}: {words}, not for {wanted}" if wanted else f"{named}: {words}"
    reason = MQRC.SSL_INITIALIZATION_ERROR
    if error == Codes.ERR_CERT_REVOKED:
        reason = MQRC.SSL_CERTIFICATE_REVOKED
    elif error in (Codes.ERR_HOSTNAME_MISMATCH, Codes.ERR_IP_ADDRESS_MISMATCH):
        reason = MQRC.SSL_PEER_NAME_MISMATCH
    fault = TlsFault("AMQ9633", (text,), qualifier=MQRQ.SSL_HANDSHAKE_ERROR, stage="certificate", return_code=code)
    return TlsError(text, fault, reason)
