"""What administrators can ask of TLS that is not built: it keeps channels with SSLCIPH from running."""

from __future__ import annotations

from mqbridge.bridge.security.records import SecurityRecord
from mqbridge.protocol.constants import MQRQ, StatusCode

from .cipher_specs import problem_of
from .fault import TlsFault


def unsupported(channel: SecurityRecord, queue_manager: SecurityRecord) -> TlsFault | None:
    """Return why a channel cannot run with TLS here, None if it can or is plain.

    What is asked for in vain would leave less protection than the administrator believes: checks of revocation, a
    cryptographic device, certified cryptography, or new keys during the session.
    """
    cipher = channel.text("SSLCIPH")
    if not cipher:
        return None
    problem = problem_of(cipher) or _problem_of_queue_manager(queue_manager)
    if not problem:
        return None
    return TlsFault("AMQ5546", (channel.name, problem), StatusCode.CIPHER_SPEC, MQRQ.SSL_CIPHER_SPEC_ERROR)


def _problem_of_queue_manager(queue_manager: SecurityRecord) -> str:
    """Name an attribute of the queue manager that is not built; blank if none is set."""
    namelist = queue_manager.text("SSLCRLNL")
    if namelist:
        return f"SSLCRLNL({namelist}): AUTHINFO of type CRLLDAP or OCSP is not supported, revocation lists are files"
    if queue_manager.text("SSLCRYP"):  # may have a password
        return "SSLCRYP: cryptographic hardware is not supported"
    if queue_manager.text("SSLFIPS") == "YES":
        return "SSLFIPS(YES): the cryptography is not certified for FIPS"
    suite_b = [word for word in queue_manager.texts("SUITEB") if word != "NONE"]
    if suite_b:
        return f"SUITEB({','.join(suite_b)}): Suite B is not supported"
    count = queue_manager.integer("SSLRKEYC")
    if count > 0:
        return f"SSLRKEYC({count}): keys are not changed during a session"
    return ""
