"""Errors of the client: one class, and subclasses for the kinds that programs distinguish."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import MQCC, MQRC
from mqbridge.protocol.errors import MQBridgeError


class MQError(MQBridgeError):
    """A call has failed. ``reason``: MQRC value; ``name``: its constant, ``"MQRC_Q_FULL"``; ``detail``: what the call
    was for."""

    def __init__(self, reason: int, detail: str = "", *, comp_code: int = MQCC.FAILED) -> None:
        super().__init__(reason, detail)
        self.reason = int(reason)
        self.comp_code = int(comp_code)
        self.detail = detail

    @property
    def name(self) -> str:
        """Name of the reason's constant."""
        return str(MQRC(self.reason))

    def __str__(self) -> str:
        text = f"{self.name} ({self.reason})"
        return f"{text}: {self.detail}" if self.detail else text


class NotReachable(MQError):
    """No connection could be made, or the channel or queue manager is not available (2538, 2059, 2537, 2539, 2540)."""


class TlsFailed(MQError):
    """A connection inside TLS could not be made: certificates, names, CipherSpecs, files, or a far end without TLS
    (2381, 2393, 2397 to 2402)."""


class ConnectionBroken(MQError):
    """The connection was lost; uncommitted work is backed out (2009)."""


class Quiescing(MQError):
    """The queue manager, or the connection, is ending (2161, 2162, 2202, 2203)."""


class NotAuthorized(MQError):
    """The user is not authorized, or the password is wrong (2035)."""


class UnknownObject(MQError):
    """There is no such queue, topic or subscription (2085, 2082, 2087, 2428)."""


class Inhibited(MQError):
    """Puts or gets are inhibited (2051, 2016)."""


class QueueFull(MQError):
    """There is no room for another message (2053, 2056, 2102)."""


class BackedOut(MQError):
    """The unit of work was backed out instead of committed (2003)."""


class Truncated(MQError):
    """A message is longer than the program accepts; it stays on its queue (2080). ``length``: its length in bytes."""

    def __init__(self, reason: int, detail: str = "", *, length: int = 0) -> None:
        super().__init__(reason, detail)
        self.length = length


class TooLong(MQError):
    """A message is longer than the queue, the queue manager or the channel allows (2030, 2031, 2010, 2218)."""


_CLASSES: Final[dict[int, type[MQError]]] = {
    **dict.fromkeys(
        (
            MQRC.HOST_NOT_AVAILABLE,
            MQRC.Q_MGR_NOT_AVAILABLE,
            MQRC.CHANNEL_NOT_AVAILABLE,
            MQRC.CHANNEL_CONFIG_ERROR,
            MQRC.UNKNOWN_CHANNEL_NAME,
            MQRC.Q_MGR_NAME_ERROR,
            MQRC.STANDBY_Q_MGR,
        ),
        NotReachable,
    ),
    **dict.fromkeys(
        (
            MQRC.KEY_REPOSITORY_ERROR,
            MQRC.SSL_INITIALIZATION_ERROR,
            MQRC.JSSE_ERROR,
            MQRC.SSL_PEER_NAME_MISMATCH,
            MQRC.SSL_PEER_NAME_ERROR,
            MQRC.UNSUPPORTED_CIPHER_SUITE,
            MQRC.SSL_CERTIFICATE_REVOKED,
            MQRC.SSL_CERT_STORE_ERROR,
        ),
        TlsFailed,
    ),
    MQRC.CONNECTION_BROKEN: ConnectionBroken,
    **dict.fromkeys(
        (MQRC.Q_MGR_QUIESCING, MQRC.Q_MGR_STOPPING, MQRC.CONNECTION_QUIESCING, MQRC.CONNECTION_STOPPING), Quiescing
    ),
    MQRC.NOT_AUTHORIZED: NotAuthorized,
    **dict.fromkeys(
        (MQRC.UNKNOWN_OBJECT_NAME, MQRC.UNKNOWN_ALIAS_BASE_Q, MQRC.UNKNOWN_REMOTE_Q_MGR, MQRC.NO_SUBSCRIPTION),
        UnknownObject,
    ),
    **dict.fromkeys((MQRC.PUT_INHIBITED, MQRC.GET_INHIBITED), Inhibited),
    **dict.fromkeys((MQRC.Q_FULL, MQRC.Q_SPACE_NOT_AVAILABLE, MQRC.RESOURCE_PROBLEM), QueueFull),
    MQRC.BACKED_OUT: BackedOut,
    MQRC.TRUNCATED_MSG_FAILED: Truncated,
    **dict.fromkeys(
        (
            MQRC.MSG_TOO_BIG_FOR_Q,
            MQRC.MSG_TOO_BIG_FOR_Q_MGR,
            MQRC.DATA_LENGTH_ERROR,
            MQRC.MSG_TOO_BIG_FOR_CHANNEL,
        ),
        TooLong,
    ),
}


def error_for(reason: int, detail: str = "") -> MQError:
    """The error for a reason code, of its subclass if there is one."""
    return _CLASSES.get(int(reason), MQError)(int(reason), detail)
