"""An attempt to open a channel's connection: its addresses in order, and its purpose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.security.tls import TlsOffer

PingReply = Callable[[str, str], None]
"""Called with the outcome of a ping: AMQ id and text."""


@dataclass(slots=True, eq=False)
class ConnectionAttempt:
    """An attempt to connect a channel; one cycle tries all ``addresses`` in order (channels.md 6.4).

    With ``ping_data`` the connection is for PING CHANNEL and moves no messages; ``ping_reply`` is called with the
    outcome.
    """

    definition: Definition
    addresses: list[tuple[str, int]]
    ping_data: bytes | None = None
    ping_reply: PingReply | None = None
    index: int = 0
    problems: list[str] = field(default_factory=list)
    lasting: bool = True
    """Whether each address so far has failed for a reason that does not go away by itself."""

    @property
    def address(self) -> tuple[str, int]:
        """Host and port currently tried."""
        return self.addresses[self.index]

    def next_address(self, problem: str, *, lasting: bool = False) -> bool:
        """Note why this address failed and select the next; False after the last."""
        self.problems.append(problem)
        self.lasting = self.lasting and lasting
        self.index += 1
        return self.index < len(self.addresses)


@dataclass(slots=True, eq=False)
class ConnectToPartner:
    """Open a connection, then call ``connections.connected(attempt, …)`` or ``connect_failed(attempt, …)``.

    ``local_address`` is LOCLADDR as defined, ``ip(low,high)`` or blank. ``tls``: what to offer in the handshake, which
    is part of the connecting; None for a plain connection.
    """

    attempt: ConnectionAttempt
    host: str
    port: int
    local_address: str = ""
    tls: TlsOffer | None = None


@dataclass(slots=True, eq=False)
class AbandonConnect:
    """Cancel a connection attempt."""

    attempt: ConnectionAttempt
