"""A queue manager with its supplied objects and users who may put everywhere: short ways to publish and subscribe."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.queue_manager import Application, GetOptions, MQError, PutOptions
from mqbridge.bridge.queue_manager.objects import TABLE, Kind, Objects, define_supplied
from mqbridge.bridge.queue_manager.programs import ProgramId
from mqbridge.bridge.queue_manager.pubsub import SubscriptionHandle, SubscriptionRequest
from mqbridge.bridge.queue_manager.units_of_work import on_complete
from mqbridge.mappings.message import Message
from mqbridge.mappings.publications import published_topic
from mqbridge.protocol.constants import MQGMO, MQOO, MQSO, ByteOrder
from mqbridge.protocol.structures import parse_rfh2
from support.queue_manager.direct import DirectQueueManager
from support.queue_manager.host import NOW, Host

ALICE = Application(user="alice", appl_name="test")
BOB = Application(user="bob", appl_name="test")
NON_DURABLE = int(MQSO.CREATE | MQSO.MANAGED)
DURABLE = int(MQSO.CREATE | MQSO.MANAGED | MQSO.DURABLE)
JMS_DURABLE = 0x20222B
"""What JMS clients ask for (client-observed.md O-070)."""
JMS_SHARED = 0x202223
JMS_UNSUBSCRIBE = 0x22C


class PubSubHost(Host):
    """Drives a queue manager with topics. Publications are by ``owner`` ``b"publisher"`` unless told otherwise."""

    def __init__(self) -> None:
        super().__init__()
        define_supplied(self.objects, NOW)
        for user in ("alice", "bob", "carol"):
            may = {"OBJTYPE": "QUEUE", "ENTTYPE": "PRINCIPAL", "ENTITY": user, "AUTHLIST": ("PUT",)}
            self.objects.define(Kind.AUTHREC, "**", may, NOW)
        self.store.commit([self.objects.operations()])
        self.queue_manager = DirectQueueManager("EARTH", self.store, self.objects, NOW)
        self.pump()

    @property
    def objects(self) -> Objects:
        return self.queue_manager.objects

    @property
    def pubsub(self) -> Any:
        return self.queue_manager.pubsub

    def reload(self) -> None:
        """A restart that loads the definitions that are stored."""
        assert self.store.records(TABLE)
        self.restart()

    def publish(
        self,
        topic: str,
        data: Any = b"data",
        unit: Any = None,
        *,
        topic_object: str = "",
        owner: ProgramId = b"publisher",
        options: int = 0,
        level: int = 9,
        then: Any = None,
        **fields: Any,
    ) -> tuple[int, Message]:
        """Publishes; returns the warning, and the message as it was published."""
        message = Message.build(data, **fields)
        handle = self.pubsub.open_topic(topic_object, topic, options=MQOO.OUTPUT, owner=owner, now=self.now)
        try:
            put_options = PutOptions(options, application=ALICE, pub_level=level)
            return self.queue_manager.put(handle.target, message, put_options, unit, self.now, then), message
        finally:
            self.queue_manager.close(handle, 0, self.now)
            self.pump()

    def subscribe(
        self,
        topic: str = "",
        options: int = NON_DURABLE,
        *,
        owner: ProgramId = b"subscriber",
        application: Application = ALICE,
        handle: SubscriptionHandle | None = None,
        **fields: Any,
    ) -> SubscriptionHandle:
        outcomes: list[MQError | None] = []
        request = SubscriptionRequest(options, object_string=topic, application=application, **fields)
        try:
            made, pending = self.pubsub.subscribe(request, owner=owner, now=self.now, handle=handle)
            on_complete(pending, outcomes.append)
        finally:
            self.pump()
        if not self.hold:
            assert outcomes == [None]
        return made

    def close(self, handle: SubscriptionHandle, options: int = 0, *, both: bool = True) -> None:
        """Closes a subscription, with its queue as programs do, the queue first."""
        if both and handle.queue_handle is not None and not handle.queue_handle.closed:
            self.queue_manager.close(handle.queue_handle, 0, self.now)
        on_complete(self.pubsub.close(handle, options, self.now), self.outcomes.append)
        self.pump()
        assert self.outcomes.pop() is None

    @staticmethod
    def waiting(handle: SubscriptionHandle) -> int:
        """Messages on the managed queue of a subscription."""
        assert handle.queue_handle is not None
        queue = handle.queue_handle.target.queue
        assert queue is not None
        return queue.visible

    def request(self, handle: SubscriptionHandle, action: int = 1, options: int = 0) -> int:
        try:
            return int(self.pubsub.request(handle, action, options, self.now)[0] or 0)
        finally:
            self.pump()

    def messages(self, source: SubscriptionHandle | str) -> list[Message]:
        """Takes everything that a subscription's managed queue, or a queue, holds."""
        if isinstance(source, str):
            target = self.queue_manager.resolve(source)
        else:
            assert source.queue_handle is not None
            target = source.queue_handle.target
        found = []
        options = GetOptions(MQGMO.PROPERTIES_FORCE_MQRFH2)
        while (got := self.queue_manager.get(target, options, None, self.now)) is not None:
            found.append(got.message)
            self.pump()
        return found

    def bodies(self, source: SubscriptionHandle | str) -> list[bytes]:
        """The data of `messages`, without the header that holds the topic."""
        return [body_of(each) for each in self.messages(source)]


def body_of(message: Message) -> bytes:
    """The data behind the first MQRFH2."""
    if message.md.format != "MQHRF2":
        return message.data
    header: Any = parse_rfh2(message.data, 0, ByteOrder.BIG if message.md.encoding & 0xF == 1 else ByteOrder.LITTLE)
    return message.data[header.record.struc_length :]


def topic_of(message: Message) -> str | None:
    return published_topic(message)


def reason_of(call: Any, *arguments: Any, **named: Any) -> int:
    """The reason with which a call is refused; 0 if it is not."""
    try:
        call(*arguments, **named)
    except MQError as error:
        return error.reason
    return 0
