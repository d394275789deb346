"""A queue manager in a thread of the test's process, with one link over real sockets."""

from __future__ import annotations

import time
from pathlib import Path
from random import SystemRandom
from typing import Any

from mqbridge.bridge.agents.gateway.carriers import CarrierStatus
from mqbridge.bridge.agents.linking.jms_mapping import JmsMapping
from mqbridge.bridge.agents.linking.link import Link
from mqbridge.bridge.agents.linking.settings import LinkSettings, ReceiveEnd, SendEnd
from mqbridge.bridge.links.access import Access
from mqbridge.bridge.links.places import read_place
from mqbridge.bridge.links.providers import Providers
from mqbridge.bridge.queue_manager import GetOptions
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.tls import KeyRepository
from mqbridge.mappings.jms import JmsMessage
from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import MQMODE
from support.processes.endpoint_host import EndpointHost

SOURCE, SINK, DEAD = "TO.STOCK", "FROM.STOCK", "DLQ"
STOCK_IN, STOCK_OUT = "stock.in", "stock.out"


class LinkedHost:
    """``host``: the queue manager. ``link``: from SOURCE to STOCK_IN, and from STOCK_OUT to SINK.

    ``endpoint``: of the provider. ``addresses``: other addresses there. ``keys``: folder of the key repository.
    ``access``: further fields of `Access`.
    ``settings``: of the link.
    """

    def __init__(
        self,
        endpoint: str,
        *,
        addresses: tuple[str, str] = (STOCK_IN, STOCK_OUT),
        keys: Path = Path(),
        access: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        self.host = host = EndpointHost()
        for name in (SOURCE, SINK, DEAD):
            host.local(name)
        host.call(lambda: host.manager.objects.alter(Kind.QMGR, "MARS", {"DEADQ": DEAD}, time.time()))
        limits = {"max_message": 4 << 20, "idle_timeout": 60.0}
        made = Access(read_place(endpoint), **(limits | (access or {})))
        self.settings = LinkSettings(
            name="warehouse",
            send=(SendEnd(SOURCE, addresses[0]),),
            receive=(ReceiveEnd(addresses[1], SINK),),
            **({"retry_interval": 0.05, "longest_retry": 0.2} | settings),
        )
        self.link: Link = host.call(self._make)
        self.providers = Providers(host.driver, "MARS", {"warehouse": made}, lambda: KeyRepository(keys))
        host.driver.provider_effect = self.providers.perform

    def _make(self) -> Link:
        link = Link(self.settings, self.host.gateway.channel_manager, JmsMapping("warehouse"), SystemRandom())
        self.host.gateway.carriers.add(link)
        return link

    def start(self) -> LinkedHost:
        self.host.call(lambda: self.link.start(time.time()))
        return self

    def close(self) -> None:
        try:
            self.host.call(lambda: self.link.stop(MQMODE.FORCE, time.time()))
            self.host.thread.call(self.providers.stop)
        finally:
            self.host.close()

    # What happens

    @property
    def status(self) -> CarrierStatus:
        found: CarrierStatus = self.host.thread.call(lambda: self.link.status(time.time()))
        return found

    def until_status(self, text: str) -> CarrierStatus:
        """Wait until the display of the link has this in its detail."""
        found: list[CarrierStatus] = []

        def seen() -> bool:
            found[:] = [self.link.status(time.time())]
            return text in found[0].detail

        self.host.thread.until(seen, f"{text!r} in the display")
        return found[0]

    def until_running(self) -> None:
        self.host.thread.until(lambda: self.link.status(0).state.value == "RUNNING", "the link's connection")

    def logged(self, amq: str) -> list[tuple[str, ...]]:
        """The inserts of log messages of an id."""
        return [line[1:] for line in self.host.log if line[0] == amq]

    # Messages

    def put(self, *bodies: bytes, queue: str = SOURCE) -> None:
        for each in bodies:
            self.host.put(each, queue)

    def until_got(self, number: int, queue: str = SINK) -> list[Message]:
        """Wait for messages on a queue, and get them."""
        host = self.host
        host.thread.until(lambda: host.visible(queue) >= number, f"{number} messages on {queue}")

        def get() -> list[Message]:
            found = []
            source = host.manager.local_queue(queue)
            while (got := host.manager.get(source, GetOptions(), None, time.time())) is not None:
                found.append(got.message)
            return found

        messages: list[Message] = host.call(get)
        return messages

    def until_read(self, number: int) -> list[Any]:
        """Wait for messages of the provider, and return their bodies."""
        return [JmsMessage.of(each).body for each in self.until_got(number)]

    def until_sent(self, number: int) -> None:
        """Wait until the provider has accepted messages."""
        self.host.thread.until(lambda: self.link.counts.sent >= number, f"{number} messages sent")
