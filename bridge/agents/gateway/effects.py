"""What agents want done by whoever drives them: connections made, written to and ended, lines for the operator.

The driver (an endpoint or a simulator) takes them in order from `Gateway.take_effects`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mqbridge.bridge.queue_manager.effects import Log
from mqbridge.bridge.security import Attempt as PasswordAttempt

if TYPE_CHECKING:
    from mqbridge.bridge.agents.gateway.connection import Connection
    from mqbridge.bridge.agents.message_channel.attempts import Attempt


@dataclass(slots=True, eq=False)
class Connect:
    """Open a connection, then call ``gateway.connected(attempt, …)`` or ``gateway.connect_failed(attempt, …)``.

    ``local_address`` is LOCLADDR as defined, ``ip(low,high)`` or blank.
    """

    attempt: Attempt
    host: str
    port: int
    local_address: str = ""


@dataclass(slots=True, eq=False)
class Send:
    """``connection.data_to_send()`` has something; write it as the transport takes it."""

    connection: Connection


@dataclass(slots=True, eq=False)
class Close:
    """End the connection after what ``data_to_send()`` still gives; at once with ``abort``."""

    connection: Connection
    abort: bool = False


@dataclass(slots=True, eq=False)
class Abandon:
    """Give up a connection attempt that is still under way."""

    attempt: Attempt


@dataclass(slots=True, eq=False)
class Resume:
    """Read again from a connection that was ``paused``."""

    connection: Connection


@dataclass(slots=True, eq=False)
class CheckPassword:
    """Call ``attempt.matches()``, which takes long and may be done in any thread, then ``then(outcome, now)``."""

    attempt: PasswordAttempt
    then: Callable[[bool, float], None]


Effect: TypeAlias = Connect | Send | Close | Resume | Abandon | CheckPassword | Log
"""Any of them."""

__all__ = ["Abandon", "CheckPassword", "Close", "Connect", "Effect", "Log", "Resume", "Send"]
