"""Errors of templates: of the file that describes a protocol, of packets, of values to send, of the stream."""

from __future__ import annotations

from mqbridge.protocol.errors import MQBridgeError


class TemplateError(MQBridgeError):
    """The description of a protocol is wrong.

    ``file``: its name. ``line``: from 1; None if the fault has no line (a file that is too long). ``key``: the key or
    table concerned, with dots. ``problem``: what is wrong, one clause. ``hint``: how to correct it, or empty.
    """

    def __init__(self, file: str, line: int | None, key: str, problem: str, hint: str = "") -> None:
        place = f"{file}, line {line}" if line is not None else file
        super().__init__(f"{place}: {problem}" + (f"; {hint}" if hint else ""))
        self.file = file
        self.line = line
        self.key = key
        self.problem = problem
        self.hint = hint


class PacketError(MQBridgeError):
    """A packet is not what its transaction says.

    ``transaction``, ``field``: their names; the field is empty where it is about the packet. ``offset``: of the fault
    in the packet. ``reason``: one clause.
    """

    def __init__(self, transaction: str, field: str, offset: int, reason: str) -> None:
        where = f"{transaction}.{field}" if field else transaction
        super().__init__(f"{where} at offset {offset}: {reason}")
        self.transaction = transaction
        self.field = field
        self.offset = offset
        self.reason = reason


class BuildError(MQBridgeError):
    """A packet cannot be made of the values: one is missing, too long, or not of the field's type (M-170).

    ``transaction``, ``field``: their names, the field empty where it is about the packet. ``reason``: one clause.
    """

    def __init__(self, transaction: str, field: str, reason: str) -> None:
        super().__init__(f"{transaction}.{field}: {reason}" if field else f"{transaction}: {reason}")
        self.transaction = transaction
        self.field = field
        self.reason = reason


class StreamError(MQBridgeError):
    """The bytes of a connection cannot be cut into packets; nothing behind them can be read.

    ``reason``: one clause. ``extract``: the first bytes from the fault on, at most 32.
    """

    def __init__(self, reason: str, extract: bytes = b"") -> None:
        super().__init__(f"{reason}: {extract.hex(' ')}" if extract else reason)
        self.reason = reason
        self.extract = extract


class ScriptError(MQBridgeError):
    """A session was asked for what its state does not allow, such as a message where none can be sent."""
