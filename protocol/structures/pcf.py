"""PCF: programmable command format, the messages of commands, replies, events and statistics, mq-wire.md 5.16.

Formats in front of it: ``MQADMIN``, ``MQPCF``, ``MQEVENT``. A header (CFH) is followed by as many parameters as it
states, a group by its own parameters. Texts are left as bytes in the CCSID stated beside them.

The grammar of each parameter type is in :mod:`protocol.structures.pcf_parameters`, the fast reader and writer of each
in :mod:`protocol.structures.pcf_values`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from construct import Struct

from mqbridge.protocol.constants import MQCC, MQCFC, MQCFT, MQCMD, ByteOrder, parameter_name, reason_name
from mqbridge.protocol.errors import LocalProtocolError, StructureError
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.pcf import Cfh, CfhBig, CfhLittle
from mqbridge.protocol.records import Buffer, short_input

from .linked import check_length
from .pcf_values import FORMS, READERS, WRITERS, ShortParameterError, read_unknown, write_unknown

MAX_GROUP_DEPTH: Final = 16
"""Deepest accepted nesting of groups."""

_GROUP: Final = int(MQCFT.GROUP)


def _cfh(n: Numbers) -> Any:
    return Struct(
        n.u32("Type", "kind of message", names=MQCFT, default=1),
        n.u32("StrucLength", "36", default=36),
        n.u32("Version", "1, or 3 with groups and filters", default=1),
        n.u32("Command", "which command or event", names=MQCMD),
        n.u32("MsgSeqNumber", "number of this message in the reply, from 1", default=1),
        n.u32("Control", "whether more messages follow", names=MQCFC, default=1),
        n.u32("CompCode", "outcome", names=MQCC),
        n.u32("Reason", "reason", names=reason_name),
        n.u32("ParameterCount", "parameters that follow, those inside groups not counted"),
    )


CFH = Structure("CFH", _cfh, CfhBig, CfhLittle, mq_name="MQCFH", spec="mq-wire.md 5.16")
"""Header of a PCF message, 36 bytes."""


@dataclass(slots=True)
class Parameter:
    """One parameter.

    ``type`` (an MQCFT number) determines ``value``: an ``int`` (3, 13, 23), ``bytes`` (4, 9, 14, 15, and all types
    that are not known), a list of ``int`` (5, 25) or ``bytes`` (6), a list of parameters (20). ``parameter`` is its
    id. ``ccsid`` belongs to texts (4, 6, 14), ``operator`` to filters (13, 14, 15), ``string_length`` to lists of
    texts (6), ``reserved`` to 64-bit integers (23). ``rest``: padding and further bytes as received.
    """

    type: int
    parameter: int
    value: Any
    rest: bytes = field(default=b"", repr=False)
    ccsid: int = 0
    operator: int = 0
    string_length: int = 0
    reserved: int = 0

    @property
    def name(self) -> str:
        """IBM's name of the id, such as ``"MQCA_Q_NAME"``, or the number."""
        return parameter_name(self.parameter)

    def walk(self) -> Iterator[Parameter]:
        """Yield this parameter and, of a group, all parameters inside it, in order."""
        yield self
        if self.type == _GROUP:
            for inner in self.value:
                yield from inner.walk()

    def build(self, order: ByteOrder) -> bytes:
        """Return the bytes, with StrucLength and counts computed. Raises ``LocalProtocolError``."""
        forms = FORMS[order]
        try:
            payload = WRITERS.get(self.type, write_unknown)(forms, self) + self.rest
            return forms.begin.pack(self.type, 12 + len(payload), self.parameter) + payload + self._inner(order)
        except (struct.error, TypeError) as fault:
            raise LocalProtocolError(f"PCF parameter {self.name}: {fault}") from None

    def _inner(self, order: ByteOrder) -> bytes:
        return b"".join(inner.build(order) for inner in self.value) if self.type == _GROUP else b""


@dataclass(slots=True)
class PCFMessage:
    """A PCF message: ``record`` is the header (CFH), ``header_rest`` its bytes beyond the first 36,
    ``rest`` the bytes behind the last parameter."""

    record: Cfh
    parameters: list[Parameter]
    header_rest: bytes = b""
    rest: bytes = b""

    def build(self) -> bytes:
        """Return the bytes; header fields are not changed. Raises ``LocalProtocolError``."""
        order = self.record.ORDER
        return b"".join(
            (
                self.record.build(),
                self.header_rest,
                *(parameter.build(order) for parameter in self.parameters),
                self.rest,
            )
        )


def parse_pcf(buffer: Buffer, offset: int, order: ByteOrder, *, most: int | None = None) -> PCFMessage:
    """Read a PCF message up to the end of the buffer.

    Raises ``StructureError`` when header or a parameter is cut short, a length is too small or passes the end, groups
    are nested deeper than ``MAX_GROUP_DEPTH``, or there are more than ``most`` parameters and values in lists.
    """
    record = CFH.codec(order).parse(buffer, offset)
    check_length(CFH, record.struc_length, CFH.size, len(buffer) - offset, offset + 4)
    start = offset + record.struc_length
    room = None if most is None else [most]
    parameters, end = parse_parameters(buffer, start, record.parameter_count, order, room=room)
    return PCFMessage(record, parameters, bytes(buffer[offset + CFH.size : start]), bytes(buffer[end:]))


def parse_parameters(
    buffer: Buffer, offset: int, count: int, order: ByteOrder, *, depth: int = 0, room: list[int] | None = None
) -> tuple[list[Parameter], int]:
    """Read ``count`` parameters at ``offset``; return them and their end. ``room``: remaining limit of parameters and
    values in lists, counted down. Raises ``StructureError``."""
    if depth > MAX_GROUP_DEPTH:
        raise StructureError("CFGR", offset, f"groups are nested deeper than {MAX_GROUP_DEPTH}")
    forms = FORMS[order]
    unpack = forms.begin.unpack_from
    total = len(buffer)
    parameters = []
    for _ in range(count):
        if offset + 12 > total:
            raise short_input("PCF", "parameter", offset, 12, max(total - offset, 0))
        kind, length, number = unpack(buffer, offset)
        end = offset + length
        if length < 12 or end > total:
            raise StructureError("PCF", offset + 4, f"StrucLength is {length}, {total - offset} bytes are there")
        if room is not None:
            room[0] -= 1 + _values_in(kind, length, buffer, offset, order)
            if room[0] < 0:
                raise StructureError("PCF", offset, "more values than are read")
        try:
            values = READERS.get(kind, read_unknown)(forms, bytes(buffer[offset + 12 : end]))
        except (struct.error, ShortParameterError):
            raise StructureError("PCF", offset, f"parameter of type {kind} does not fit into {length} bytes") from None
        parameter = Parameter(kind, number, *values)
        if kind == _GROUP:
            parameter.value, end = parse_parameters(buffer, end, parameter.value, order, depth=depth + 1, room=room)
        parameters.append(parameter)
        offset = end
    return parameters, offset


def _values_in(kind: int, length: int, buffer: Buffer, offset: int, order: ByteOrder) -> int:
    """Return the values of a list, as many as it states or as its length permits."""
    if kind == MQCFT.STRING_LIST:
        return min(int.from_bytes(buffer[offset + 16 : offset + 20], order.endian), length)
    return length // 4 if kind in (MQCFT.INTEGER_LIST, MQCFT.INTEGER64_LIST) else 0


def make_pcf(order: ByteOrder, command: int, parameters: Sequence[Parameter], **values: Any) -> PCFMessage:
    """Return a message with its parameters and ParameterCount set; other header fields by keyword."""
    record = CFH.codec(order)(command=command, parameter_count=len(parameters), **values)
    return PCFMessage(record, list(parameters))


def string_parameter(parameter: int, value: bytes, ccsid: int = 0) -> Parameter:
    """Return a parameter of text, padded to a multiple of 4 bytes."""
    return Parameter(MQCFT.STRING, parameter, value, ccsid=ccsid, rest=bytes(-len(value) % 4))


def string_list_parameter(parameter: int, values: Sequence[bytes], length: int, ccsid: int = 0) -> Parameter:
    """Return a parameter of strings of equal length, padded to a multiple of 4 bytes."""
    rest = bytes(-len(values) * length % 4)
    return Parameter(MQCFT.STRING_LIST, parameter, list(values), ccsid=ccsid, string_length=length, rest=rest)


def byte_string_parameter(parameter: int, value: bytes) -> Parameter:
    """Return a parameter of bytes, padded to a multiple of 4."""
    return Parameter(MQCFT.BYTE_STRING, parameter, value, rest=bytes(-len(value) % 4))
