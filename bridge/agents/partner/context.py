"""What the sessions of one partner share."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from mqbridge.bridge.agents.gateway.carriers import CarrierHost
from mqbridge.bridge.agents.linking.backoff import BackOff
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.agents.partner.numbers import SequenceNumbers
from mqbridge.bridge.agents.partner.settings import PartnerSettings
from mqbridge.bridge.agents.partner.units import PartnerUnits
from mqbridge.bridge.queue_manager import Application
from mqbridge.mappings.templates import Protocol
from mqbridge.protocol.constants import MQAT


@dataclass(slots=True)
class PartnerCounts:
    """Messages since the start: ``sent`` and ``received`` are committed, ``failed`` were dead-lettered or moved aside,
    ``repeated`` came again and were not put again."""

    sent: int = 0
    received: int = 0
    failed: int = 0
    repeated: int = 0


class PartnerContext:
    """Settings, protocol, session with the queue manager and numbers of a partner.

    ``program``: puts and gets as the partner's user. ``stopping``: no more messages are got.
    """

    __slots__ = ("counts", "host", "numbers", "program", "protocol", "random", "settings", "stopping", "units")

    def __init__(self, settings: PartnerSettings, protocol: Protocol, host: CarrierHost, random: Random) -> None:
        self.settings = settings
        self.protocol = protocol
        self.host = host
        self.random = random
        self.counts = PartnerCounts()
        self.stopping = False
        self.numbers = SequenceNumbers(settings.name, host.manager.store)
        application = Application(
            user=settings.mcauser,
            appl_type=int(MQAT.QMGR),
            appl_name=host.manager.name[:28],
            channel=settings.name[:20],
        )
        self.program = ChannelProgram(host.manager, application, trusted=not settings.mcauser)
        self.units = PartnerUnits(self.program)

    def back_off(self) -> BackOff:
        """New waits between attempts."""
        return BackOff(self.settings.retry_interval, self.settings.longest_retry, self.random)

    def log(self, amq: str, *inserts: str | int) -> None:
        """Log an operator message; the partner's name is its first insert."""
        self.host.log(amq, self.settings.name, *inserts)
