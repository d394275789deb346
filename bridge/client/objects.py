"""What queues, topics and subscriptions have in common: handles, puts, gets, attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Protocol, TypedDict, TypeVar

from mqbridge.mappings.message import Message as StoredMessage
from mqbridge.mappings.properties import Property
from mqbridge.protocol.constants import MQCC, MQGMO, MQMO, MQPMO, MQRC, ByteOrder
from mqbridge.protocol.errors import LocalProtocolError, ProtocolError
from mqbridge.protocol.mqi_client import Call, Calls, GetParameters, put_descriptor
from mqbridge.protocol.mqi_client.get_parameters import NO_ID, NO_TOKEN
from mqbridge.protocol.text import decode_field

from .errors import MQError, Truncated, error_for
from .link import ClientLink
from .message import Message, Value
from .puts import on_wire, plain_put

T = TypeVar("T")

QUIESCE: Final = int(MQGMO.FAIL_IF_QUIESCING)
_PUT_IN_UNIT: Final = int(MQPMO.FAIL_IF_QUIESCING | MQPMO.SYNCPOINT)
_PUT_AT_ONCE: Final = int(MQPMO.FAIL_IF_QUIESCING | MQPMO.NO_SYNCPOINT)
_ID_SIZE: Final = 24
_MESSAGE_ID_AT: Final = 48
"""Place of MsgId in a descriptor."""


def check(call: Call, detail: str = "") -> Call:
    """Return the call unless it has failed. Raises `MQError`."""
    if call.comp_code == MQCC.FAILED:
        raise error_for(call.reason, detail)
    return call


class GetArguments(TypedDict, total=False):
    """Arguments of a get."""

    wait: float | None
    """Seconds to wait for a message, default 0; None: without limit."""
    msg_id: bytes
    """MsgId that the message must have, up to 24 bytes."""
    correl_id: bytes
    """CorrelId that the message must have, up to 24 bytes."""
    group_id: bytes
    """GroupId that the message must have, up to 24 bytes."""
    token: bytes
    """MsgToken that the message must have, 16 bytes."""
    selector: str
    """Selection string that the message must satisfy."""
    syncpoint: bool | None
    """Whether the get is in the unit of work; None: if a transaction is open."""
    max_length: int | None
    """Longest accepted data in bytes; a longer message stays on the queue (`Truncated`)."""
    convert: int | None
    """CCSID to convert to; 0: that of the queue manager."""
    options: int
    """Further MQGMO options."""


@lru_cache(maxsize=64)
def wanted_message(
    *,
    wait: float | None = 0,
    options: int = 0,
    syncpoint: bool | None = None,
    msg_id: bytes = b"",
    correl_id: bytes = b"",
    group_id: bytes = b"",
    token: bytes = b"",
    max_length: int | None = None,
    convert: int | None = None,
) -> GetParameters:
    """The parameters of a get, from the arguments of `GetArguments`. Raises ``ValueError`` and ``TypeError`` for
    invalid values."""
    bits, match = options | QUIESCE, 0
    if wait != 0:
        bits |= MQGMO.WAIT
    if syncpoint is not None:
        bits |= MQGMO.SYNCPOINT if syncpoint else MQGMO.NO_SYNCPOINT
    if convert is not None:
        bits |= MQGMO.CONVERT
    if msg_id:
        match |= MQMO.MATCH_MSG_ID
    if correl_id:
        match |= MQMO.MATCH_CORREL_ID
    if group_id:
        match |= MQMO.MATCH_GROUP_ID
    if token:
        match |= MQMO.MATCH_MSG_TOKEN
    if wait is not None and wait < 0:
        raise ValueError(f"a wait of {wait} seconds")
    try:
        return GetParameters(
            options=int(bits),
            wait=wait,
            max_length=-1 if max_length is None else max_length,
            match_options=int(match),
            msg_id=msg_id.ljust(_ID_SIZE, b"\0") if msg_id else NO_ID,
            correl_id=correl_id.ljust(_ID_SIZE, b"\0") if correl_id else NO_ID,
            group_id=group_id.ljust(_ID_SIZE, b"\0") if group_id else NO_ID,
            msg_token=token or NO_TOKEN,
            ccsid=convert or 0,
        )
    except LocalProtocolError as error:
        raise ValueError(str(error)) from error


def result(call: Call, read: Callable[[Call], T], detail: str = "") -> T:
    """Read the result from the reply to a call. Raises `MQError`: the call's own, or 2195 if the reply cannot be
    read."""
    check(call, detail)
    try:
        return read(call)
    except ProtocolError as error:
        raise MQError(MQRC.UNEXPECTED_ERROR, f"{detail}: {error}") from error


def message_of(call: Call, wanted: GetParameters, name: str) -> Message | None:
    """The message of a completed get; None if none arrived in time. Raises `MQError`."""
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


class OpeningQueueManager(Protocol):
    """The queue manager that an object was opened at: the part of `QueueManager` that its objects use.

    ``order`` and ``ccsid``: byte order and CCSID of descriptors. ``in_transaction``: a unit of work is open.
    """

    link: ClientLink
    order: ByteOrder
    ccsid: int

    @property
    def in_transaction(self) -> bool:
        """Whether puts and gets are in a unit of work by default."""


def get_message(manager: OpeningQueueManager, handle: int, wanted: GetParameters, name: str) -> Message | None:
    """Get a message; None if none arrives in time. Raises `MQError`."""
    return message_of(manager.link.do(Calls.get, handle, wanted), wanted, name)


def close_handles(manager: OpeningQueueManager, handles: Iterable[tuple[int, int]], detail: str) -> None:
    """Close all handles, each with its MQCO options, even if one fails. Raises `MQError`, the first."""
    calls = [manager.link.do(Calls.close_object, handle, options) for handle, options in handles]
    for call in calls:
        check(call, detail)


def put_bits(syncpoint: bool, options: int) -> int:
    """MQPMO options of a put."""
    return options | (_PUT_IN_UNIT if syncpoint else _PUT_AT_ONCE)


def wire_message(
    order: ByteOrder,
    ccsid: int,
    body: str | bytes | Message,
    persistent: bool | None,
    correl_id: bytes,
    properties: Mapping[str, Value | Property] | None,
    fields: dict[str, Any],
) -> tuple[bytes, bytes]:
    """Descriptor and data of a message to put."""
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
    """Id of the message that a call has put; empty for an asynchronous put."""
    return put_descriptor(call)[_MESSAGE_ID_AT : _MESSAGE_ID_AT + _ID_SIZE] if call.body else b""


def select_message(
    manager: OpeningQueueManager, name: str, open_input: Callable[[str], int], how: GetArguments
) -> Message | None:
    """Get a message from the handle that ``open_input`` returns for a selector; None if none arrives in time.

    Raises `MQError`, ``ValueError`` for invalid arguments, ``ConversionError`` if the selector cannot be encoded.
    """
    arguments: dict[str, Any] = {**how}
    selector = arguments.pop("selector", "")
    if arguments.get("syncpoint") is None:
        arguments["syncpoint"] = manager.in_transaction
    wanted = wanted_message(**arguments)
    return get_message(manager, open_input(selector), wanted, name)
