"""Parameters of inquiries whose MQSC form differs: connection ids and entities."""

from __future__ import annotations

from typing import Final, TypeAlias

from mqbridge.bridge.agents.command_server.received_command import ReceivedCommand, check_type
from mqbridge.protocol.constants import MQBACF, MQCACF, MQCFT, MQIACF, MQRCCF
from mqbridge.protocol.structures.pcf import Parameter

from .errors import RequestError
from .identifiers import words_of

Keyword: TypeAlias = tuple[str, list[str] | None, Parameter | int]
"""A keyword, its values, and the PCF parameter it comes from."""

CONNECTION_ID_LENGTH: Final = 24
_EXTENDED: Final = 16
"""Bytes of a connection id that MQSC calls EXTCONN; the rest is CONN."""
_ENTITY_SET: Final = 0x02
_NAME_EXPLICIT: Final = 0x10
"""Bits of AUTH_OPTIONS: include groups of a principal; only the profile with exactly this name."""


def connection_asked(left: dict[int, Parameter], *, exactly: bool) -> tuple[str | None, list[Keyword]]:
    """Parse the connection: the name for CONN, or EXTCONN. ``exactly``: one connection is required. Raises
    `RequestError`."""
    exact = left.pop(MQBACF.CONNECTION_ID, None)
    generic = None if exactly else left.pop(MQBACF.GENERIC_CONNECTION_ID, None)
    parameter = exact or generic
    if parameter is None:
        raise RequestError(MQRCCF.PARM_COUNT_TOO_SMALL, "CONNECTION_ID is missing", MQBACF.CONNECTION_ID)
    check_type(parameter)
    value: bytes = parameter.value
    if len(value) > CONNECTION_ID_LENGTH or (exact is not None and len(value) != CONNECTION_ID_LENGTH):
        raise RequestError(MQRCCF.CONNECTION_ID_ERROR, f"{len(value)} bytes", parameter.parameter)
    if exactly:
        return value[_EXTENDED:].hex().upper(), [("EXTCONN", [value[:_EXTENDED].hex().upper()], parameter)]
    if len(value) > _EXTENDED:
        name = value[_EXTENDED:].hex().upper()
        return (name if len(value) == CONNECTION_ID_LENGTH else name + "*"), []
    return None, [("EXTCONN", [value.hex().upper() + "*"], parameter)]


def entity_asked(left: dict[int, Parameter], given: ReceivedCommand) -> list[Keyword]:
    """PRINCIPAL or GROUP of an inquiry of entity authorities. Raises `RequestError`.

    All options have the same result here: the named object, and all authorities of the entity.
    """
    left.pop(MQIACF.AUTH_OPTIONS, None)
    return _entity(left, given)


def _entity(left: dict[int, Parameter], given: ReceivedCommand) -> list[Keyword]:
    entity, kind = left.pop(MQCACF.ENTITY_NAME, None), left.pop(MQIACF.ENTITY_TYPE, None)
    if entity is None:
        return []
    check_type(entity)
    word = words_of("AUTHREC", "ENTTYPE").get(kind.value if kind is not None and kind.type == MQCFT.INTEGER else 0)
    if word is None:
        raise RequestError(MQRCCF.ENTITY_TYPE_MISSING, "ENTITY_TYPE", MQIACF.ENTITY_TYPE)
    return [(word, given.texts(entity), entity)]


def authorities_asked(left: dict[int, Parameter], given: ReceivedCommand) -> list[Keyword]:
    """PRINCIPAL or GROUP, and MATCH, of an inquiry of authority records. Raises `RequestError`."""
    options = left.pop(MQIACF.AUTH_OPTIONS, None)
    left.pop(MQCACF.SERVICE_COMPONENT, None)
    found = _entity(left, given)
    somebody = bool(found)
    if options is not None:
        check_type(options)
        bits = int(options.value) if options.type == MQCFT.INTEGER else 0
        if somebody and bits & _ENTITY_SET:
            found.append(("MATCH", ["MEMBERSHIP"], options))
        elif bits & _NAME_EXPLICIT:
            found.append(("MATCH", ["EXACT"], options))
    return found
