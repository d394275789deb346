"""Whether other machines can reach the queue manager, and what clients must therefore present."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.security import is_loopback
from mqbridge.protocol.mqi import Passwords


class ListeningAddresses:
    """The addresses listened on, for security checks. ``log`` logs operator messages."""

    def __init__(self, manager: QueueManager, log: Callable[..., None]) -> None:
        self._manager = manager
        self._log = log
        self._warned_of_passwords = False

    def listening(self, host: str) -> None:
        """Note an address that is listened on; blank: all addresses. Being reachable from other machines counts until
        the queue manager ends: clients that came by a listener since closed still need a password."""
        if not is_loopback(host):
            self._manager.security.exposed = True

    def require_users(self, host: str) -> None:
        """Raise `ControlError` if a listener on an address would admit nobody: clients on other machines need a
        password, but no user is defined."""
        security = self._manager.security
        for amq, inserts in security.refresh_users():
            self._log(amq, *inserts)
        if not is_loopback(host) and security.lacks_users():
            raise ControlError("other machines can reach it, so that clients need a password, and there is no user")

    def passwords_on(self, channel: str, *, inside_tls: bool) -> Passwords:
        """How clients of a channel may send passwords: in clear inside TLS (client-observed.md O-022), and on a plain
        connection if they may be checked. Tells the operator once that they are then not encrypted."""
        if inside_tls:
            return Passwords.INSIDE_TLS
        if not self._manager.security.may_check_passwords(channel):
            return Passwords.PROTECTED
        if not self._warned_of_passwords:
            self._warned_of_passwords = True
            self._log("AMQ5543", channel)
        return Passwords.CLEAR
