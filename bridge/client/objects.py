"""What queues, topics and subscriptions of a program have in common: handles, puts, gets, attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, Protocol, TypeVar

from mqbridge.mappings.message import Message as StoredMessage
from mqbridge.mappings.properties import Property
from mqbridge.protocol.constants import MQCC, MQGMO, MQMO, MQPMO, MQRC
from mqbridge.protocol.errors import LocalProtocolError, ProtocolError
from mqbridge.protocol.mqi_client import Call, Calls, MessageTooLong, Wanted, put_descriptor
from mqbridge.protocol.mqi_client.stream import NO_ID, NO_TOKEN
from mqbridge.protocol.numbers import ByteOrder
from mqbridge.protocol.text import decode_field

from .errors import MQError, Truncated, error_for
from .link import Link
from .message import Message, Value
from .puts import on_wire, plain_put

T = TypeVar("T")

QUIESCE: Final = int(MQGMO.FAIL_IF_QUIESCING)
_ID_SIZE: Final = 24
_MESSAGE_ID: Final = slice(48, 72)
"""MsgId in a descriptor."""


def check(call: Call, detail: str = "") -> Call:
    """The call, unless it failed. Raises `MQError`."""
    if call.comp_code == MQCC.FAILED:
        raise error_for(call.reason, detail)
    return call


@lru_cache(maxsize=64)
def wanted_message(
    *,
    wait: float | None,
    options: int,
    syncpoint: bool | None,
    msg_id: bytes,
    correl_id: bytes,
    group_id: bytes,
    token: bytes,
    max_length: int | None,
    convert: int | None,
) -> Wanted:
    """What a get asks for; ``wait`` in seconds, None without end. Raises ``ValueError`` and ``TypeError`` for what no
    get can ask for."""
    bits, match = options | QUIESCE, 0
    if wait != 0:
        bits |= int(MQGMO.WAIT)
    if syncpoint is not None:
        bits |= int(MQGMO.SYNCPOINT if syncpoint else MQGMO.NO_SYNCPOINT)
    if convert is not None:
        bits |= int(MQGMO.CONVERT)
    if msg_id:
        match |= int(MQMO.MATCH_MSG_ID)
    if correl_id:
        match |= int(MQMO.MATCH_CORREL_ID)
    if group_id:
        match |= int(MQMO.MATCH_GROUP_ID)
    if token:
        match |= int(MQMO.MATCH_MSG_TOKEN)
    if wait is not None and wait < 0:
        raise ValueError(f"a wait of {wait} seconds")
    try:
        return Wanted(
            options=bits,
            wait=wait,
            max_length=-1 if max_length is None else max_length,
            match_options=match,
            msg_id=msg_id.ljust(_ID_SIZE, b"\0") if msg_id else NO_ID,
            correl_id=correl_id.ljust(_ID_SIZE, b"\0") if correl_id else NO_ID,
            group_id=group_id.ljust(_ID_SIZE, b"\0") if group_id else NO_ID,
            msg_token=token or NO_TOKEN,
            ccsid=convert or 0,
        )
    except LocalProtocolError as error:
        raise ValueError(str(error)) from error


def told(call: Call, read: Callable[[Call], T], detail: str = "") -> T:
    """What came with the reply to a call. Raises `MQError`: its own, or 2195 for a reply that cannot be read."""
    check(call, detail)
    try:
        return read(call)
    except ProtocolError as error:
        raise MQError(MQRC.UNEXPECTED_ERROR, f"{detail}: {error}") from error


def message_of(call: Call, wanted: Wanted, name: str) -> Message | None:
    """The message of a get that is done; None when there was none in time. Raises `MQError`."""
    message = call.message
    if message is not None and call.reason == MQRC.TRUNCATED_MSG_FAILED:
        detail = f"{name}: a message of {message.length} bytes, {wanted.max_length} wanted"
        raise Truncated(call.reason, detail, length=message.length)
    if call.comp_code == MQCC.FAILED:
        if call.reason == MQRC.NO_MSG_AVAILABLE:
            return None
        raise error_for(call.reason, name)
    if message is None:
        raise MQError(MQRC.UNEXPECTED_ERROR, f"{name}: a get without message")
    stored = StoredMessage(message.descriptor, message.data, order=message.order, ccsid=message.ccsid)
    return Message.of(stored, queue=decode_field(message.queue, message.ccsid), token=message.token)


class Connected(Protocol):
    """The queue manager that an object was opened at: `QueueManager`, as its objects see it.

    ``order`` and ``ccsid``: how descriptors are written for it. ``in_transaction``: a unit of work is open.
    """

    link: Link
    order: ByteOrder
    ccsid: int

    @property
    def in_transaction(self) -> bool:
        """Whether puts and gets are part of a unit of work unless they say otherwise."""


def get_message(manager: Connected, handle: int, wanted: Wanted, name: str) -> Message | None:
    """Get a message; None when there is none in time. Raises `MQError`."""
    return message_of(manager.link.do(Calls.get, handle, wanted), wanted, name)


def close_handles(manager: Connected, handles: Iterable[tuple[int, int]], detail: str) -> None:
    """Close handles, each with its MQCO bits: all of them, though one fails. Raises `MQError`, the first."""
    calls = [manager.link.do(Calls.close_object, handle, options) for handle, options in handles]
    for call in calls:
        check(call, detail)


def put_bits(syncpoint: bool, options: int) -> int:
    """MQPMO of a put."""
    return options | int(MQPMO.FAIL_IF_QUIESCING) | int(MQPMO.SYNCPOINT if syncpoint else MQPMO.NO_SYNCPOINT)


def wire_message(
    order: ByteOrder,
    ccsid: int,
    body: str | bytes | Message,
    persistent: bool | None,
    correl_id: bytes,
    properties: Mapping[str, Value | Property] | None,
    fields: dict[str, Any],
) -> tuple[bytes, bytes]:
    """Descriptor and data of what a program puts."""
    if isinstance(body, Message):
        if persistent is not None or correl_id or properties or fields:
            raise TypeError("a Message says all of itself; give its fields when it is made")
        return on_wire(body, order, ccsid)
    if not properties and not fields and len(correl_id) <= _ID_SIZE:
        return plain_put(body, order, ccsid, persistent, correl_id)
    if correl_id:
        fields = fields | {"correl_id": correl_id}
    message = Message(body, properties=properties, persistent=persistent, order=order, ccsid=ccsid, **fields)
    return message.stored.raw_md, message.stored.data


def message_id(call: Call) -> bytes:
    """Id of the message that a call has put; empty for a put without reply."""
    return put_descriptor(call)[_MESSAGE_ID] if call.body else b""


class Putting:
    """Puts to an object that is open."""

    manager: Connected
    name: str

    def _output(self) -> int:
        raise NotImplementedError

    def put(
        self,
        body: str | bytes | Message,
        *,
        persistent: bool | None = None,
        correl_id: bytes = b"",
        properties: Mapping[str, Value | Property] | None = None,
        syncpoint: bool | None = None,
        options: int = 0,
        **fields: Any,
    ) -> bytes:
        """Put a message; returns its id, 24 bytes.

        Other arguments are those of :class:`Message`. ``syncpoint``: in the unit of work or not; None: when a
        transaction is open. ``options``: further MQPMO; with ``ASYNC_RESPONSE`` nothing is waited for, the id is empty,
        and `QueueManager.put_status` tells how it went. Raises `MQError`, and what :class:`Message` raises.
        """
        manager = self.manager
        descriptor, data = wire_message(manager.order, manager.ccsid, body, persistent, correl_id, properties, fields)
        bits = put_bits(manager.in_transaction if syncpoint is None else syncpoint, options)
        handle = self._output()
        try:
            call = manager.link.do(Calls.put, handle, descriptor, data, bits)
        except MessageTooLong as error:
            raise error_for(error.reason, str(error)) from error
        return told(call, message_id, self.name)


class Getting:
    """Gets from an object that is open."""

    manager: Connected
    name: str

    def _input(self, selector: str) -> int:
        raise NotImplementedError

    def get(
        self,
        *,
        wait: float | None = 0,
        msg_id: bytes = b"",
        correl_id: bytes = b"",
        group_id: bytes = b"",
        token: bytes = b"",
        selector: str = "",
        syncpoint: bool | None = None,
        max_length: int | None = None,
        convert: int | None = None,
        options: int = 0,
    ) -> Message | None:
        """Get a message; None when there is none.

        ``wait``: seconds to wait for one, None without end. ``msg_id``, ``correl_id``, ``group_id``, ``token``: only
        one with this value. ``selector``: only one of which it is true. ``max_length``: longest data; a longer message
        stays on the queue (`Truncated`). ``convert``: CCSID to convert to, 0 for that of the queue manager.
        ``syncpoint``: as at ``put``. ``options``: further MQGMO. Raises `MQError`, ``ValueError`` for what no get can
        ask for, ``ConversionError`` for a selector that is no text.
        """
        inside = self.manager.in_transaction if syncpoint is None else syncpoint
        wanted = wanted_message(
            wait=wait,
            options=options,
            syncpoint=inside,
            msg_id=msg_id,
            correl_id=correl_id,
            group_id=group_id,
            token=token,
            max_length=max_length,
            convert=convert,
        )
        return get_message(self.manager, self._input(selector), wanted, self.name)

    def messages(self, *, wait: float | None = 0, **how: Any) -> Iterator[Message]:
        """Get messages until none comes in time; arguments as at ``get``."""
        while (message := self.get(wait=wait, **how)) is not None:
            yield message

    def __iter__(self) -> Iterator[Message]:
        """Get the messages that are there."""
        return self.messages()
