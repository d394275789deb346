"""All connections of programs to one queue manager (mqi.md 1)."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQRC

from .connection import Connection, Services
from .options import MAX_CONNECTIONS, ConnectOptions, check_connect_options

CONNECTION_PREFIX = b"AMQC"


class Connections:
    """The connections of one queue manager.

    ``stopping``: every call but MQCLOSE and MQDISC fails with 2162. ``branches``: XA branches, also those without a
    connection.
    """

    def __init__(self, services: Services, limit: int = MAX_CONNECTIONS) -> None:
        self._services = services
        self.core = services.core
        self.branches = services.branches
        self.limit = limit
        self.stopping = False
        self._connected: dict[bytes, Connection] = {}

    def __len__(self) -> int:
        return len(self._connected)

    def __iter__(self) -> Iterator[Connection]:
        return iter(list(self._connected.values()))

    def connect(self, options: ConnectOptions, now: Time) -> Connection:
        """Connect a program (MQCONN, MQCONNX). Raises `MQError` 2046, 2058, 2161, 2162, 2025."""
        check_connect_options(options.options)
        if options.inside:
            return self._new(options, now)
        name = options.q_mgr_name.strip()
        if not name.startswith("*") and name not in self.core.local_names:
            raise MQError(MQRC.Q_MGR_NAME_ERROR, name)
        if self.stopping:
            raise MQError(MQRC.Q_MGR_STOPPING)
        self.core.require_not_quiescing()
        if len(self._connected) >= self.limit:
            raise MQError(MQRC.MAX_CONNS_LIMIT_REACHED, str(self.limit))
        connection = self._new(options, now)
        self._connected[connection.id] = connection
        return connection

    def _new(self, options: ConnectOptions, now: Time) -> Connection:
        connection_id = CONNECTION_PREFIX + self.core.ids.message_id()[len(CONNECTION_PREFIX) :]
        return Connection(self._services, connection_id, options, now, self._left)

    def find(self, connection_id: bytes) -> Connection | None:
        """The connection with this id of 24 bytes."""
        return self._connected.get(connection_id)

    def _left(self, connection: Connection) -> None:
        self._connected.pop(connection.id, None)

    def stop(self) -> None:
        """Stop immediately: waits end with 2162, and every call but MQCLOSE and MQDISC fails with it."""
        self.stopping = True
        for connection in self:
            connection.stop(MQRC.Q_MGR_STOPPING)
