"""Whether other machines can reach the queue manager, and what that asks of clients."""

from __future__ import annotations

from collections.abc import Callable

from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.security import is_loopback
from mqbridge.protocol.mqi import Passwords


class ListeningAddresses:
    """The addresses that are listened on, seen from security. ``log`` takes lines for the operator."""

    def __init__(self, manager: QueueManager, log: Callable[..., None]) -> None:
        self._manager = manager
        self._log = log
        self._warned_of_passwords = False

    def listening(self, host: str) -> None:
        """An address is listened on, blank for all of them. That other machines can reach us holds until the end:
        whoever came by a listener that is closed now still has to give a password."""
        if not is_loopback(host):
            self._manager.security.exposed = True

    def require_users(self, host: str) -> None:
        """Raises `ControlError` where a listener on an address would let nobody in: clients of other machines have to
        give a password, and there is no user."""
        security = self._manager.security
        for amq, inserts in security.refresh_users():
            self._log(amq, *inserts)
        if not is_loopback(host) and security.lacks_users():
            raise ControlError("other machines can reach it, so that clients need a password, and there is no user")

    def passwords_on(self, channel: str) -> Passwords:
        """How clients of a channel may send passwords: readable where they may be looked at. The operator is told once
        that they travel in clear then, since there is no TLS."""
        if not self._manager.security.may_check_passwords(channel):
            return Passwords.PROTECTED
        if not self._warned_of_passwords:
            self._warned_of_passwords = True
            self._log("AMQ5543", channel)
        return Passwords.CLEAR
