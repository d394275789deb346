"""Properties of the bridge objects, a row for each (mqe.md 18.1, E-390 to E-394).

Field names of bridge objects are not public; these are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final

from mqbridge.protocol.everyplace.field_types import FieldType

from .properties import ASCII, INT, TEXT, Alterable, Property, by_field


@unique
class BridgeKind(Enum):
    """Kind of a bridge object; the value is its class in administration messages (E-285)."""

    BRIDGES = "bridges"
    """All bridges of a queue manager; it is always there, and nothing is stored of it."""
    BRIDGE = "bridge"
    PROXY = "mq-queue-manager"
    CLIENT_CONNECTION = "client-connection"
    LISTENER = "mq-listener"

    @property
    def depth(self) -> int:
        """Number of names on the way to an object of this kind."""
        return _ORDER.index(self)

    @property
    def child(self) -> BridgeKind | None:
        """Kind of the objects below it."""
        return None if self is BridgeKind.LISTENER else _ORDER[self.depth + 1]


_ORDER: Final = tuple(BridgeKind)
_BRIDGES, _BRIDGE, _PROXY, _CONNECTION, _LISTENER = BridgeKind
_NEVER, _READ_ONLY = Alterable.NEVER, Alterable.READ_ONLY

NAME: Final = Property("admname", "Admin_Name", (FieldType.ASCII,), "", alterable=_NEVER, attribute="name")
BRIDGE: Final = Property("b-bridge", "Bridge_OwningBridge", ASCII, "", alterable=_NEVER, attribute="bridge")
PROXY: Final = Property("b-proxy", "Bridge_OwningProxy", ASCII, "", alterable=_NEVER, attribute="proxy")
CONNECTION: Final = Property(
    "b-connection", "Bridge_OwningConnection", ASCII, "", alterable=_NEVER, attribute="connection"
)
RUN_STATE: Final = Property("b-state", "Bridge_RunState", ASCII, "stopped", alterable=_READ_ONLY, attribute="state")
CHILDREN: Final = Property(
    "b-children", "Bridge_Children", (FieldType.ASCII_ARRAY,), (), alterable=_READ_ONLY, attribute="children"
)
AFFECT_CHILDREN: Final = Property(
    "b-affect-children",
    "Bridge_AffectChildren",
    (FieldType.BOOLEAN,),
    default=False,
    alterable=_NEVER,
    attribute="affect_children",
)
"""Of a request to start or delete: it means all objects below as well (E-397, E-399)."""
WHY: Final = Property("b-why", "Bridge_Reason", TEXT, "", alterable=_READ_ONLY, attribute="why")
"""Why a listener has stopped, or what a client connection waits for."""
START_UP_RULE: Final = Property("b-start-rule", "Bridge_StartupRule", ASCII, "", attribute="start_up_rule")

TRANSFORMER: Final = Property("b-transformer", "Bridge_Transformer", ASCII, "", attribute="transformer")
HEARTBEAT: Final = Property("b-heartbeat", "Bridge_HeartbeatInterval", INT, 60, attribute="heartbeat")
"""Seconds between two checks of what is idle and what is to be purged."""

HOST: Final = Property("b-host", "Bridge_HostName", ASCII, "", attribute="host")

PORT: Final = Property("b-port", "Bridge_Port", INT, 1414, attribute="port")
CCSID: Final = Property("b-ccsid", "Bridge_CCSID", INT, 819, attribute="ccsid")
USER: Final = Property("b-user", "Bridge_UserId", TEXT, "", attribute="user")
PASSWORD: Final = Property("b-password", "Bridge_Password", TEXT, "", secret=True, attribute="password")
SSLCIPH: Final = Property("b-sslciph", "Bridge_SSLCipherSpec", ASCII, "", attribute="sslciph")
"""Ours, as SSLCIPH of a channel: CipherSpec or alias; empty: the connection is plain."""
CERTLABL: Final = Property("b-certlabl", "Bridge_CertificateLabel", TEXT, "", attribute="certlabl")
"""Ours: label of the certificate in the queue manager's key repository; empty: its default one, if there is one."""
SSLPEER: Final = Property("b-sslpeer", "Bridge_SSLPeerName", TEXT, "", attribute="sslpeer")
"""Ours: what the distinguished name of the other end's certificate must match; empty: any that is trusted."""
ADAPTER: Final = Property("b-adapter", "Bridge_Adapter", ASCII, "", attribute="adapter")
MAX_IDLE: Final = Property("b-max-idle", "Bridge_MaxConnectionIdleTime", INT, 5, attribute="max_idle")
"""Minutes without use after which a connection is closed (E-402)."""
MAX_CONNECTIONS: Final = Property("b-max-connections", "Bridge_MaxConnections", INT, 16, attribute="max_connections")
"""Ours: most connections at once."""
SYNC_QUEUE: Final = Property(
    "b-sync-queue", "Bridge_SyncQName", ASCII, "MQBRIDGE.EVERYPLACE.SYNC", attribute="sync_queue"
)
PURGER_RULE: Final = Property("b-purger-rule", "Bridge_SyncQPurgerRule", ASCII, "", attribute="purger_rule")
PURGE_AFTER: Final = Property("b-purge-after", "Bridge_SyncQPurgeAge", INT, 60, attribute="purge_after")
"""Minutes after which a record that nobody uses is shown to the purger (E-525)."""
REFUSED_RULE: Final = Property("b-refused-rule", "Bridge_RefusedMessageRule", ASCII, "", attribute="refused_rule")
"""Ours: what becomes of a message that MQ will never take; empty: it stays where it is, with an alarm."""

DEAD_LETTER_QUEUE: Final = Property("b-dead-letter", "Bridge_DeadLetterQName", ASCII, "", attribute="dead_letter_queue")
STATE_STORE: Final = Property("b-state-store", "Bridge_StateStoreAdapter", ASCII, "", attribute="state_store")
UNDELIVERED_RULE: Final = Property(
    "b-undelivered-rule", "Bridge_UndeliveredMessageRule", ASCII, "", attribute="undelivered_rule"
)
WAIT: Final = Property("b-wait", "Bridge_SecondsWaitForMsg", INT, 60, attribute="wait")
FLOWS_PER_COMMIT: Final = Property("b-flows", "Bridge_FlowsPerCommit", INT, 50, attribute="flows")

_OWN: Final = (AFFECT_CHILDREN, RUN_STATE, CHILDREN, WHY, START_UP_RULE)
PROPERTIES: Final[Mapping[BridgeKind, tuple[Property, ...]]] = {
    _BRIDGES: (NAME, AFFECT_CHILDREN, RUN_STATE, CHILDREN),
    _BRIDGE: (NAME, *_OWN, TRANSFORMER, HEARTBEAT),
    _PROXY: (NAME, BRIDGE, *_OWN, HOST),
    _CONNECTION: (
        NAME,
        BRIDGE,
        PROXY,
        *_OWN,
        PORT,
        CCSID,
        USER,
        PASSWORD,
        SSLCIPH,
        CERTLABL,
        SSLPEER,
        ADAPTER,
        MAX_IDLE,
        MAX_CONNECTIONS,
        SYNC_QUEUE,
        PURGER_RULE,
        PURGE_AFTER,
        REFUSED_RULE,
        DEAD_LETTER_QUEUE,
    ),
    _LISTENER: (
        NAME,
        BRIDGE,
        PROXY,
        CONNECTION,
        *_OWN,
        DEAD_LETTER_QUEUE,
        STATE_STORE,
        TRANSFORMER,
        UNDELIVERED_RULE,
        WAIT,
        FLOWS_PER_COMMIT,
    ),
}
"""The properties of each kind."""
OWNERS: Final = (BRIDGE, PROXY, CONNECTION)
"""Names of the objects above one, from the top."""
BY_FIELD: Final = {kind: by_field(found) for kind, found in PROPERTIES.items()}
BOUNDS: Final = {
    HEARTBEAT: (1, 86_400),
    PORT: (1, 65_535),
    CCSID: (1, 65_535),
    MAX_IDLE: (1, 43_200),
    MAX_CONNECTIONS: (1, 1_000),
    PURGE_AFTER: (1, 525_600),
    WAIT: (1, 3_600),
    FLOWS_PER_COMMIT: (1, 500),
}
"""Smallest and largest values of numbers."""
NOT_SUPPORTED: Final = {
    ADAPTER: "connections to MQ are MQ's own client channels",
    STATE_STORE: "the state is in the queue manager's own store",
}
"""Properties that take no value, and what is there instead."""
