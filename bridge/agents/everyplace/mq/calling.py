"""How the bridge calls a queue manager elsewhere: what it offers inside TLS, which certificate it accepts, how it went.

SSLCIPH, CERTLABL and SSLPEER of a client connection object mean what they mean at a channel that calls, and the same
rules decide (tls.md T-01 to T-09).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mqbridge.bridge.agents.everyplace.mq.program import MqFailure
from mqbridge.bridge.everyplace.definitions import bridge_properties as rows
from mqbridge.bridge.everyplace.definitions.bridge_definition import BridgeDefinition
from mqbridge.bridge.everyplace.definitions.bridge_properties import BridgeKind
from mqbridge.bridge.security.records import SecurityRecord
from mqbridge.bridge.security.tls import (
    PeerNameError,
    TlsConnection,
    TlsOffer,
    calling_offer,
    parse_peer_name,
    problem_of,
    refusal,
    unsupported,
)
from mqbridge.protocol.constants import MQRC, MQRQ
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

Told = Callable[[str, TlsConnection | None], None]
"""Gets why a queue manager cannot be reached, or blank and what was agreed; None without TLS."""
_KEYWORDS: Final = {"SSLCIPH": rows.SSLCIPH, "CERTLABL": rows.CERTLABL, "SSLPEER": rows.SSLPEER}
_REASONS: Final = {int(MQRQ.SSL_PEER_NAME_ERROR): MQRC.SSL_PEER_NAME_MISMATCH}


class _Channel:
    """A client connection object as the definition of a channel."""

    __slots__ = ("_definition", "name")

    def __init__(self, definition: BridgeDefinition) -> None:
        self._definition = definition
        self.name = definition.name

    def text(self, keyword: str) -> str:
        """See `SecurityRecord`."""
        row = _KEYWORDS.get(keyword)
        return "" if row is None else str(self._definition.value(row))

    def texts(self, _keyword: str) -> tuple[str, ...]:
        """See `SecurityRecord`."""
        return ()

    def integer(self, _keyword: str) -> int:
        """See `SecurityRecord`."""
        return 0


class Calling:
    """A call. ``manager``: attributes of the queue manager of MQ in this process, whose key repository is used.

    Raises `EveryplaceError` BRIDGE_MQ_UNAVAILABLE for TLS that cannot be had here.
    """

    __slots__ = ("_agreed", "_channel", "_host", "_label", "_tell")

    def __init__(self, host: str, connection: BridgeDefinition, manager: SecurityRecord, tell: Told) -> None:
        self._channel = _Channel(connection)
        self._host = host
        self._label = manager.text("CERTLABL")
        self._tell = tell
        self._agreed: TlsConnection | None = None
        fault = unsupported(self._channel, manager)
        if fault is not None:
            raise EveryplaceError(Code.BRIDGE_MQ_UNAVAILABLE, f"{connection}: {fault.inserts[-1]}")

    def offer(self, outbound_sni: str) -> TlsOffer | None:
        """Return what is offered; None: it is plain. ``outbound_sni``: which server name is sent."""
        return calling_offer(self._channel, host=self._host, outbound_sni=outbound_sni, queue_manager_label=self._label)

    def refusal(self, agreed: TlsConnection | None) -> MqFailure | None:
        """Return why a connection may not be used; None if it may."""
        self._agreed = agreed
        fault = refusal(self._channel, agreed, calling=True)
        if fault is None:
            return None
        reason = _REASONS.get(fault.qualifier, MQRC.UNSUPPORTED_CIPHER_SUITE)
        return MqFailure(int(reason), f"{fault.amq} {', '.join(map(str, fault.inserts))}")

    def told(self, why: str) -> None:
        """The queue manager has let the program connect, or not."""
        self._tell(why, None if why else self._agreed)


def check_tls(definition: BridgeDefinition) -> None:
    """Check the TLS of a client connection object. Raises `EveryplaceError` ADMIN_INVALID_FIELD."""
    if definition.kind is not BridgeKind.CLIENT_CONNECTION:
        return
    cipher, peer = definition.value(rows.SSLCIPH), definition.value(rows.SSLPEER)
    problem = problem_of(cipher) if cipher else ""
    if problem:
        raise rows.SSLCIPH.invalid(problem)
    try:
        if peer:
            parse_peer_name(peer)
    except PeerNameError as error:
        raise rows.SSLPEER.invalid(str(error)) from None
    for row in (rows.SSLPEER, rows.CERTLABL):
        if definition.value(row) and not cipher:
            raise row.invalid(f"it needs {rows.SSLCIPH.constant} ({rows.SSLCIPH.field}); without it the line is plain")
