"""Queues and topics, opened when they are first used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from mqbridge.mappings.properties import Property
from mqbridge.protocol.constants import MQCO, MQGMO, MQOO, MQOT, MQRC
from mqbridge.protocol.mqi_client import Calls, MessageTooLong, ObjectName, inquired, opened
from mqbridge.protocol.text import decode_field

from .attributes import NAMES_ROOM, VALUE_ROOM, is_character, selector
from .errors import error_for
from .message import Message, Value
from .objects import (
    GetArguments,
    OpeningQueueManager,
    check,
    close_handles,
    get_message,
    message_id,
    put_bits,
    result,
    select_message,
    wanted_message,
    wire_message,
)

if TYPE_CHECKING:
    from mqbridge.protocol.constants import MQCA, MQIA


_QUIESCE: Final = int(MQOO.FAIL_IF_QUIESCING)
_OUTPUT: Final = int(MQOO.OUTPUT)
_INPUT: Final = int(MQOO.INPUT_AS_Q_DEF)
_BROWSE: Final = int(MQOO.BROWSE)
_INQUIRE: Final = int(MQOO.INQUIRE)
_SET: Final = int(MQOO.SET)
_NAMES: Final = 2020


class OpenObject:
    """An object of a queue manager, with the handles that its calls need; each is opened when first used."""

    def __init__(self, manager: OpeningQueueManager, name: ObjectName, shown: str) -> None:
        self.manager = manager
        self.name = shown
        self._object = name
        self._handles: dict[tuple[int, str], int] = {}
        self._model = name.name
        self.resolved = ""
        """Name of the object as resolved by the queue manager: for a model queue, that of the dynamic queue."""

    def handle(self, options: int, selection: str = "") -> int:
        """Return the handle for MQOO options, and for gets with a selector. Raises `MQError`."""
        handle = self._handles.get((options, selection))
        if handle is not None:
            return handle
        name = self._object
        if selection or self.resolved != self._model:
            name = ObjectName(
                type=name.type,
                name=self.resolved or name.name,
                queue_manager=name.queue_manager,
                dynamic_name=name.dynamic_name,
                string=name.string,
                selector=selection or None,
            )
        call = self.manager.link.do(Calls.open, name, options | _QUIESCE)
        resolved = result(call, opened, self.name).name
        if not self.resolved:
            self.resolved = decode_field(resolved, call.ccsid) or name.name
        self._handles[options, selection] = call.handle
        return call.handle

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

        Other arguments are those of :class:`Message`. ``syncpoint``: whether it is in the unit of work; None: if a
        transaction is open. ``options``: further MQPMO options; with ``ASYNC_RESPONSE`` the call does not wait, the id
        is empty, and `QueueManager.put_status` tells the outcome. Raises `MQError`, and what :class:`Message` raises.
        """
        manager = self.manager
        descriptor, data = wire_message(manager.order, manager.ccsid, body, persistent, correl_id, properties, fields)
        bits = put_bits(manager.in_transaction if syncpoint is None else syncpoint, options)
        handle = self.handle(_OUTPUT)
        try:
            call = manager.link.do(Calls.put, handle, descriptor, data, bits)
        except MessageTooLong as error:
            raise error_for(error.reason, str(error)) from error
        return result(call, message_id, self.name)

    def inquire(self, *attributes: str | MQIA | MQCA) -> dict[Any, Any]:
        """Return attribute values, keyed as requested: by selector, IBM's name or MQSC keyword. Raises `MQError`."""
        numbers = {attribute: selector(attribute) for attribute in attributes}
        handle = self.handle(_INQUIRE)
        found: dict[int, int | str] = {}
        integers = [number for number in numbers.values() if not is_character(number)]
        if integers:
            call = self.manager.link.do(Calls.inquire, handle, integers, 0)
            found |= dict(zip(integers, result(call, inquired, self.name)[0], strict=False))
        for number in numbers.values():
            if not is_character(number):
                continue
            room = NAMES_ROOM if number == _NAMES else VALUE_ROOM

            call = self.manager.link.do(Calls.inquire, handle, [number], room)
            found[number] = decode_field(result(call, inquired, self.name)[1].rstrip(b"\0"), call.ccsid)
        return {attribute: found.get(number) for attribute, number in numbers.items()}

    def set(self, attributes: Mapping[str | MQIA, int]) -> None:
        """Set integer attributes, such as ``{"GET": 1}`` to inhibit gets. Raises `MQError`."""
        numbers = [selector(attribute) for attribute in attributes]
        handle, values = self.handle(_SET), list(attributes.values())
        call = self.manager.link.do(Calls.set, handle, numbers, values, b"")
        check(call, self.name)

    def close(self, *, delete: bool = False) -> None:
        """Close all handles. ``delete``: delete a permanent dynamic queue with its messages. Raises `MQError`."""
        handles, self._handles = list(self._handles.values()), {}
        if self.manager.link.closed:
            return
        last = MQCO.DELETE_PURGE if delete else MQCO.NONE
        options = [MQCO.NONE] * (len(handles) - 1) + [last]
        close_handles(self.manager, zip(handles, options, strict=False), self.name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Queue(OpenObject):
    """A queue. Puts, gets, browses and inquiries open it as needed; ``close`` closes all handles.

    Iteration gets the messages that are on it. As a context manager it is closed at the end.
    """

    def __init__(
        self, manager: OpeningQueueManager, name: str, queue_manager: str = "", dynamic_name: str = "AMQ.*"
    ) -> None:
        described = ObjectName(name=name, queue_manager=queue_manager, dynamic_name=dynamic_name)
        super().__init__(manager, described, name)
        self._browsed: set[str] = set()
        """Selectors of browses that have not reached the end."""

    def get(self, **how: Unpack[GetArguments]) -> Message | None:
        """Get a message; None if none arrives in time.

        Raises `MQError`, ``ValueError`` for invalid arguments, ``ConversionError`` if the selector cannot be encoded.
        """
        return select_message(self.manager, self.name, self._input, how)

    def messages(self, **how: Unpack[GetArguments]) -> Iterator[Message]:
        """Get messages until none arrives in time."""
        while (message := self.get(**how)) is not None:
            yield message

    def __iter__(self) -> Iterator[Message]:
        """Get the messages that are on the queue."""
        return self.messages()

    def _input(self, selector: str) -> int:
        return self.handle(_INPUT, selector)

    def browse(
        self,
        *,
        wait: float | None = 0,
        msg_id: bytes = b"",
        correl_id: bytes = b"",
        selector: str = "",
        max_length: int | None = None,
        convert: int | None = None,
    ) -> Iterator[Message]:
        """Browse the messages of the queue from the first on; arguments as for ``get``."""
        if selector in self._browsed:  # another browse goes on, whose place it would lose
            with Queue(self.manager, self.resolved or self.name, self._object.queue_manager) as other:
                yield from other.browse(
                    wait=wait,
                    msg_id=msg_id,
                    correl_id=correl_id,
                    selector=selector,
                    max_length=max_length,
                    convert=convert,
                )
            return
        self._browsed.add(selector)
        try:
            handle = self.handle(_BROWSE, selector)
            step = MQGMO.BROWSE_FIRST
            while True:
                if self._handles.get((_BROWSE, selector)) != handle:
                    raise error_for(MQRC.HOBJ_ERROR, f"{self.name}: closed while it was browsed")
                wanted = wanted_message(
                    wait=wait,
                    options=int(step),
                    msg_id=msg_id,
                    correl_id=correl_id,
                    max_length=max_length,
                    convert=convert,
                )
                message = get_message(self.manager, handle, wanted, self.name)
                if message is None:
                    return
                yield message
                step = MQGMO.BROWSE_NEXT
        finally:
            self._browsed.discard(selector)

    @property
    def depth(self) -> int:
        """Number of messages on it. Raises `MQError`."""
        return int(self.inquire("CURDEPTH")["CURDEPTH"])

    @property
    def dynamic_name(self) -> str:
        """Its name; for a model queue that of the dynamic queue, which is created if needed."""
        self.handle(_INPUT)
        return self.resolved


class Topic(OpenObject):
    """A topic to publish to with ``put``."""

    def __init__(self, manager: OpeningQueueManager, string: str, name: str = "") -> None:
        super().__init__(manager, ObjectName(type=MQOT.TOPIC, name=name, string=string), string or name)
