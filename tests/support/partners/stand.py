"""A partner at a queue manager, with its connection played by hand: bytes are given, bytes are taken."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.agents.gateway.conversation_driver import CloseConnection, ConversationDriver, Resume, Send
from mqbridge.bridge.agents.gateway.effects import CallHost
from mqbridge.bridge.agents.gateway.gateway import Gateway
from mqbridge.bridge.agents.partner.partner import Partner
from mqbridge.bridge.agents.partner.settings import PartnerSettings
from mqbridge.bridge.queue_manager import PutOptions
from mqbridge.bridge.queue_manager.objects import Kind, Objects
from mqbridge.mappings.message import Message
from mqbridge.mappings.templates import Protocol, read_protocol
from support.linking.stand import Stand, StandStore
from support.queue_manager.direct import DirectQueueManager
from support.queue_manager.host import NOW

REQUESTS, INPUT, ANSWERS, DEAD = "HOST.REQUESTS", "HOST.INPUT", "ANSWERS", "DLQ"
_TEXT = (Path(__file__).parent / "host.toml").read_text(encoding="utf-8")


def host_text(*changes: tuple[str, str]) -> str:
    """The description of the made-up host's protocol, with changes."""
    text = _TEXT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


AT_LEAST_ONCE = (" identity = true,", "")
"""The change after which no packet has an id."""


def host_protocol(*changes: tuple[str, str]) -> Protocol:
    return read_protocol(host_text(*changes), "host.toml")


class PartnerStand(Stand):
    """Queue manager EARTH with one partner, and the queues of both."""

    def __init__(self, protocol: Protocol | None = None, seed: int = 1, **settings: Any) -> None:
        given: dict[str, Any] = {
            "name": "host",
            "send": REQUESTS,
            "receive": INPUT,
            "values": {"user": "EARTH", "action": "ORDER"},
        }
        self.partner_settings = PartnerSettings(**(given | settings))
        self.protocol = protocol or host_protocol()
        self.random = Random(seed)
        self.now = NOW
        self.hold = False
        self.store = StandStore()
        self.logged: list[tuple[Any, ...]] = []
        self.effects: list[Any] = []
        self.closed: list[ConversationDriver] = []
        self.driver: ConversationDriver | None = None
        self._count = 0
        objects = Objects("EARTH", NOW)
        for name in (REQUESTS, INPUT, ANSWERS, DEAD):
            objects.define(Kind.QLOCAL, name, {}, NOW)
        objects.alter(Kind.QMGR, "EARTH", {"DEADQ": DEAD}, NOW)
        self.store.commit([objects.operations()])
        self._boot(objects)

    def _boot(self, objects: Objects) -> None:
        self.driver = None
        self.manager = DirectQueueManager("EARTH", self.store, objects, self.now)
        self.gateway = Gateway(self.manager, self.store, ChannelLimits(), self.now)
        self.partner = Partner(self.partner_settings, self.protocol, self.gateway.channel_manager, self.random)
        self.gateway.carriers.add(self.partner)
        self.pump()

    def put_message(self, message: Message, queue: str) -> Message:
        """A program puts a message; as it lies on the queue."""
        if not any(message.md.msg_id):
            self._count += 1
            message.md.msg_id = b"AMQ EARTH".ljust(16) + self._count.to_bytes(8, "big")
        self.manager.put(self.manager.resolve(queue), message, PutOptions(), None, self.now, None)
        self.pump()
        return message

    def put_text(self, text: str) -> Message:
        """A program puts a request."""
        fields = {"format": "MQSTR", "coded_char_set_id": 1208, "reply_to_q": ANSWERS, "expiry": -1}
        return self.put_message(Message.build(text.encode(), persistence=1, **fields), REQUESTS)

    # The connection

    def begin(self) -> bytes:
        """The partner starts, and its connection stands; what it says first."""
        self.partner.start(self.now)
        self.pump()
        return self.joins()

    def joins(self) -> bytes:
        if self.partner_settings.role == "initiator":
            assert self.took(CallHost), "the partner does not call"
            self.driver = self.gateway.connections.called(self.partner.joined, "10.0.0.7", 7000, self.now)
        else:
            self.driver = self.gateway.connections.inbound("10.0.0.7", 7000, self.now, begin=self.partner.joined)
        self.pump()
        return self.said()

    def said(self) -> bytes:
        """What the partner has sent since the last call."""
        self.took(Send)
        return b"" if self.driver is None else b"".join(self.driver.data_to_send(1 << 30))

    def hears(self, data: bytes) -> bytes:
        """The partner gets bytes; what it sends then."""
        assert self.driver is not None
        assert not self.driver.paused, "it does not read"
        self.driver.conversation.receive_data(data, self.now)
        self.driver.turn_ends()
        self.pump()
        return self.said()

    def cut(self) -> None:
        """The connection is gone."""
        driver, self.driver = self.driver, None
        assert driver is not None
        driver.lost(self.now)
        self.pump()

    @property
    def closes(self) -> bool:
        """Whether the partner has closed the connection since the last call; it is gone then."""
        found = any(each.connection is self.driver for each in self.took(CloseConnection))
        if found:
            self.cut()
        return found

    def reads_on(self) -> bool:
        return bool(self.took(Resume))

    def calls_again(self) -> bytes:
        """The partner waits, and calls again."""
        self.wait(200, CallHost)
        return self.joins()

    def wait(self, seconds: float, until: type | None = None) -> None:
        """Time passes; what is due happens at its time. ``until``: an effect at which it ends."""
        end = self.now + seconds
        while (due := self.gateway.next_timeout()) is not None and due <= end:
            if until is not None and any(isinstance(each, until) for each in self.effects):
                return
            self.now = max(self.now, due)
            self.gateway.timeout(self.now)
            self.pump()
        if until is None:
            self.now = end

    def log(self, amq: str) -> list[tuple[Any, ...]]:
        """Inserts of the messages of an id, the partner's name left out."""
        return [each[2:] for each in self.logged if each[0] == amq]
