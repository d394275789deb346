"""Requests: what the variable part of a packet asks, read and written (M-021 to M-029)."""

from __future__ import annotations

from enum import Enum, unique
from ipaddress import AddressValueError, IPv4Address
from typing import Final, NamedTuple, TypeAlias

from mqbridge.protocol.constants import ByteOrder

from .codes import Code, MoqError
from .grammars import BROWSE, CREATE, FRAMED_CREATE, PUT, QUEUE, REMOTE, WAIT
from .names import MAX_NAME, queue_name
from .packets import MAX_MESSAGE, Command, Packet
from .text_fields import read_number, read_text, write_number, write_text

_CREATE: Final = CREATE.codec(ByteOrder.BIG)
_REMOTE: Final = REMOTE.codec(ByteOrder.BIG)
_FRAMED_CREATE: Final = FRAMED_CREATE.codec(ByteOrder.BIG)
_QUEUE: Final = QUEUE.codec(ByteOrder.BIG)
_PUT: Final = PUT.codec(ByteOrder.BIG)
_BROWSE: Final = BROWSE.codec(ByteOrder.BIG)
_WAIT: Final = WAIT.codec(ByteOrder.BIG)


@unique
class QueueType(Enum):
    """What a queue is: its messages stay here, or wait to be sent to another manager."""

    LOCAL = "L"
    REMOTE = "R"


class Create(NamedTuple):
    """Define a queue.

    ``size``: most messages; ``length``: longest message in bytes; ``timeout``: seconds that a message may stay, 0 for
    ever. A remote queue has ``address`` and ``port`` of the other manager, and ``remote_name`` there, empty where it is
    the same.
    """

    queue: str
    size: int
    length: int
    type: QueueType
    address: str = ""
    port: int = 0
    timeout: int = 0
    remote_name: str = ""


class Put(NamedTuple):
    """Put a message."""

    queue: str
    text: bytes


class Get(NamedTuple):
    """Take the oldest message, or wait for one, ``wait`` seconds at most."""

    queue: str
    wait: int = 0


class Browse(NamedTuple):
    """Read the message at a position, from 1."""

    queue: str
    number: int = 1


class NamedRequest(NamedTuple):
    """DELETE, DISPLAY, COUNT or PURGE a queue."""

    command: Command
    queue: str


class BareRequest(NamedTuple):
    """SHUTDOWN."""

    command: Command


Request: TypeAlias = Create | Put | Get | Browse | NamedRequest | BareRequest


def read_request(packet: Packet, framed: bool) -> Request:
    """Return what a packet asks.

    Raises `MoqError`: CREATE 1001 for a name that is not allowed, 1002, 1005 and 1006 for numbers and addresses; the
    others 1003 for a name that no queue can have, 2003 for a number of letters.
    """
    command, variable = packet.command, packet.variable
    if command is Command.SHUTDOWN:
        return BareRequest(command)
    if command is Command.CREATE:
        return _read_create(variable, framed)
    try:
        queue = queue_name(read_text(_QUEUE.parse(variable).name))
    except (MoqError, ValueError):
        raise MoqError(Code.UNKNOWN_QUEUE) from None
    if command is Command.PUT:
        return Put(queue, variable[PUT.size :])
    if command is Command.GET:
        return Get(queue, _number(_WAIT.parse(variable, QUEUE.size).wait, Code.MALFORMED) if framed else 0)
    if command is Command.BROWSE:
        return Browse(queue, _number(_BROWSE.parse(variable).number, Code.MALFORMED))
    return NamedRequest(command, queue)


def write_request(request: Request, framed: bool) -> tuple[Command, bytes]:
    """Return the command and the variable part that ask ``request``.

    Raises `MoqError` 1001 for a name that is not allowed, 2001 for a text of more than `MAX_MESSAGE` bytes, and
    `ValueError` for other values that do not fit, or that plain mode has no field for.
    """
    if isinstance(request, BareRequest):
        return request.command, b""
    name = write_text(queue_name(request.queue), MAX_NAME, "the name")
    if isinstance(request, NamedRequest):
        return request.command, name
    if isinstance(request, Create):
        return Command.CREATE, name + _create_values(request, framed)
    if isinstance(request, Put):
        if len(request.text) > MAX_MESSAGE:
            raise MoqError(Code.TOO_LONG)
        return Command.PUT, name + write_number(len(request.text), 5, "the length") + request.text
    if isinstance(request, Browse):
        return Command.BROWSE, name + write_number(request.number, 5, "the position")
    if request.wait and not framed:
        raise ValueError("plain mode has no time to wait")
    return Command.GET, name + (write_number(request.wait, 5, "the time to wait") if framed else b"")


def _create_values(request: Create, framed: bool) -> bytes:
    values = [write_number(request.size, 5, "the size"), write_number(request.length, 5, "the length")]
    values.append(request.type.value.encode())
    if request.type is QueueType.REMOTE:
        values += [write_text(request.address, 15, "the address"), write_number(request.port, 5, "the port")]
    if framed:
        remote_name = queue_name(request.remote_name) if request.remote_name else ""
        values.append(write_number(request.timeout, 10, "the time-out"))
        values.append(write_text(remote_name, MAX_NAME, "the name at the other manager"))
    elif request.timeout or request.remote_name:
        raise ValueError("plain mode has neither a time-out nor a name at the other manager")
    return b"".join(values)


def _read_create(variable: bytes, framed: bool) -> Create:
    create = _CREATE.parse(variable)
    name = _name(create.name)
    size = _number(create.size, Code.SIZE_INVALID)
    length = _number(create.length, Code.LENGTH_INVALID)
    if not size:
        raise MoqError(Code.SIZE_INVALID)
    if not length:
        raise MoqError(Code.LENGTH_INVALID)
    kind = QueueType(create.type.decode())
    at = CREATE.size
    address, port = "", 0
    if kind is QueueType.REMOTE:
        remote = _REMOTE.parse(variable, at)
        address, port = _address(remote.address), _number(remote.port, Code.TYPE_INVALID)
        if not 0 < port < 1 << 16:
            raise MoqError(Code.TYPE_INVALID)
        at += REMOTE.size
    timeout, remote_name = 0, ""
    if framed:
        behind = _FRAMED_CREATE.parse(variable, at)
        timeout = _number(behind.timeout, Code.MALFORMED)
        remote_name = _name(behind.remote_name) if behind.remote_name.strip(b" \0") else ""
    return Create(name, size, length, kind, address, port, timeout, remote_name)


def _name(field: bytes) -> str:
    try:
        return queue_name(read_text(field))
    except ValueError:
        raise MoqError(Code.NAME_INVALID) from None


def _address(field: bytes) -> str:
    try:
        return str(IPv4Address(read_text(field)))
    except (AddressValueError, ValueError):
        raise MoqError(Code.TYPE_INVALID) from None


def _number(field: bytes, code: Code) -> int:
    try:
        return read_number(field)
    except ValueError:
        raise MoqError(code) from None
