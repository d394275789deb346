"""Effects of partners: connections to hosts, to be opened and given up."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from mqbridge.bridge.agents.conversation import Conversation, PartnerConnection
from mqbridge.mappings.moment import Time


class HostUser(Protocol):
    """The partner behind a connection, as the endpoint sees it."""

    @property
    def name(self) -> str:
        """Its name in the configuration, where the endpoint finds address and certificates."""
        ...

    def joined(self, connection: PartnerConnection, now: Time) -> Conversation | None:
        """A connection stands, whoever opened it. None: it is not wanted, and to be closed."""
        ...

    def failed(self, reason: str, now: Time) -> None:
        """The connection that was asked for could not be made."""
        ...


class CallHost(NamedTuple):
    """Open a connection for a partner, then call ``partner.joined`` or ``partner.failed``."""

    partner: HostUser


class AbandonCall(NamedTuple):
    """Give up the attempt to connect a partner, if one is under way. Nothing is called afterwards."""

    partner: HostUser
