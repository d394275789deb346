"""Why TLS does not let a channel run."""

from __future__ import annotations

from dataclasses import dataclass

from mqbridge.protocol.constants import StatusCode


@dataclass(frozen=True, slots=True)
class TlsFault:
    """A refusal by TLS, at either end.

    ``amq``, ``inserts``: the operator message. ``status``: for the partner, if it can still be told. ``qualifier``: of
    the event MQRC_CHANNEL_SSL_ERROR (MQRQ, tls.md T-08), 0 for none. ``permanent``: starting again changes nothing, so
    the channel is STOPPED and not RETRYING. ``stage``, ``return_code``: SSLHandshakeStage and SSLReturnCode of that
    event after a handshake that failed; blank and 0 otherwise.
    """

    amq: str
    inserts: tuple[str | int, ...] = ()
    status: StatusCode = StatusCode.CIPHER_SPEC
    qualifier: int = 0
    permanent: bool = True
    stage: str = ""
    return_code: int = 0
