"""What the ends of one link share."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.bridge.agents.linking.backoff import BackOff
from mqbridge.bridge.agents.linking.mapping import MessageMapping
from mqbridge.bridge.agents.linking.message_ids import MessageIds
from mqbridge.bridge.agents.linking.provider import ProviderConnection
from mqbridge.bridge.agents.linking.requesters import Requesters
from mqbridge.bridge.agents.linking.settings import LinkSettings
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import Application
from mqbridge.protocol.constants import MQAT


@dataclass(slots=True)
class LinkCounts:
    """Messages since the start: ``sent`` and ``received`` are committed, ``failed`` were dead-lettered or moved aside,
    ``repeated`` came again after a reconnection and were not put again, ``lost`` were not persistent and under way when
    the connection was cut."""

    sent: int = 0
    received: int = 0
    failed: int = 0
    repeated: int = 0
    lost: int = 0


class LinkContext:
    """Settings, ids, requests and connection of a link.

    ``connection``: None while there is none. ``opened``: it is open. ``touched``: requests were made of it that must be
    sent.
    """

    __slots__ = (
        "_handle",
        "anonymous_relay",
        "connection",
        "counts",
        "host",
        "ids",
        "mapping",
        "opened",
        "random",
        "requesters",
        "settings",
        "stopping",
        "touched",
    )  # fmt: skip

    def __init__(self, settings: LinkSettings, host: CarrierHost, mapping: MessageMapping, random: Random) -> None:
        self.settings = settings
        self.host = host
        self.mapping = mapping
        self.random = random
        self.ids = MessageIds(random)
        self.requesters = Requesters(settings.name, settings.reply_expiry, host.manager.store, host.now)
        self.connection: ProviderConnection | None = None
        self.opened = False
        self.anonymous_relay = False
        self.stopping = False
        self.touched = False
        self.counts = LinkCounts()
        self._handle = 0

    def provider(self) -> ProviderConnection:
        """The open connection, for a request."""
        assert self.connection is not None
        self.touched = True
        return self.connection

    def new_handle(self) -> int:
        """A handle for an end."""
        self._handle += 1
        return self._handle

    def program(self) -> ChannelProgram:
        """A session of the link, as its user."""
        application = Application(
            user=self.settings.mcauser,
            appl_type=int(MQAT.QMGR),
            appl_name=self.host.manager.name[:28],
            channel=self.settings.name[:20],
        )
        return ChannelProgram(self.host.manager, application, trusted=not self.settings.mcauser)

    def back_off(self) -> BackOff:
        """New waits between attempts."""
        return BackOff(self.settings.retry_interval, self.settings.longest_retry, self.random)

    def log(self, amq: str, *inserts: str | int) -> None:
        """Log an operator message; the link's name is its first insert."""
        self.host.log(amq, self.settings.name, *inserts)
