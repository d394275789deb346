"""Message descriptors in HTTP headers: IBM's ``ibm-mq-md-*`` and ``ibm-mq-usr``, and ``mqbridge-md-<Field>``.

* ``ibm-mq-md-messageId``, ``-correlationId``: hexadecimal, behind ``ID:`` in version 3 of the API;
* ``ibm-mq-md-expiry``: ``unlimited`` or milliseconds; ``ibm-mq-md-persistence``: ``persistent``, ``nonPersistent``;
* ``ibm-mq-md-replyTo``: ``queue`` or ``queue@queue manager``; ``ibm-mq-md-priority``: 0 to 9 (version 3);
* ``ibm-mq-usr``: ``name;value;type``, several separated by commas (version 3);
* ``mqbridge-md-Report`` and so on: every other field, by IBM's name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from mqbridge.bridge.message_json import MessageView, make_property, md_fields
from mqbridge.mappings.message import Message
from mqbridge.mappings.rfh2 import FolderValue
from mqbridge.protocol.constants import MQEI, MQPER

from .errors import RestError, bad_request
from .exchange import RestExchange, read_identifier

OWN_PREFIX: Final = "mqbridge-md-"
IBM_PREFIX: Final = "ibm-mq-md-"
_PERSISTENCE: Final = {"persistent": int(MQPER.PERSISTENT), "nonpersistent": int(MQPER.NOT_PERSISTENT)}
_BETWEEN_COMMAS: Final = re.compile(r'(?:"[^"]*"|[^,"])+|"')
_MILLISECONDS: Final = 100
"""Milliseconds in a unit of Expiry, a tenth of a second."""
_TYPES: Final = {
    "string": "string", "boolean": "boolean", "bool": "boolean", "byte": "i1", "i1": "i1", "short": "i2", "i2": "i2",
    "integer": "i4", "int": "i4", "i4": "i4", "long": "i8", "i8": "i8", "float": "r4", "r4": "r4", "double": "r8",
    "r8": "r8",
}  # fmt: skip


def requested_fields(exchange: RestExchange) -> dict[str, Any]:
    """Keyword arguments of ``Message.build`` from the headers of a put. Raises `RestError`."""
    own: dict[str, str] = {}
    ibm: dict[str, str] = {}
    for name, value in exchange.all_headers():
        if name.startswith(OWN_PREFIX):
            own[name.removeprefix(OWN_PREFIX)] = value
        elif name.startswith(IBM_PREFIX):
            ibm.setdefault(name.removeprefix(IBM_PREFIX), value.strip())
    fields = md_fields(own)
    for name, read in _READERS.items():
        if name in ibm:
            fields.update(read(exchange, ibm[name]))
    return fields


def _correlation(exchange: RestExchange, value: str) -> dict[str, Any]:
    if exchange.version >= 3 and not value.startswith("ID:"):
        return {"correl_id": value.encode()[:24]}
    return {"correl_id": read_identifier(value, "header ibm-mq-md-correlationId")}


def _message(_: RestExchange, value: str) -> dict[str, Any]:
    return {"msg_id": read_identifier(value, "header ibm-mq-md-messageId")}


def _expiry(_: RestExchange, value: str) -> dict[str, Any]:
    if value.lower() == "unlimited":
        return {"expiry": MQEI.UNLIMITED}
    if not value.isdigit() or not 0 < int(value) <= 99_999_999_900:
        raise _wrong("expiry", value, "unlimited, or milliseconds from 1 to 99999999900")
    return {"expiry": max(int(value) // _MILLISECONDS, 1)}


def _persistence(_: RestExchange, value: str) -> dict[str, Any]:
    if value.lower() not in _PERSISTENCE:
        raise _wrong("persistence", value, "persistent or nonPersistent")
    return {"persistence": _PERSISTENCE[value.lower()]}


def _reply_to(_: RestExchange, value: str) -> dict[str, Any]:
    queue, _at, queue_manager = value.partition("@")
    return {"reply_to_q": queue, "reply_to_q_mgr": queue_manager}


def _priority(_: RestExchange, value: str) -> dict[str, Any]:
    if not value.isdigit() or int(value) > 9:
        raise _wrong("priority", value, "a number from 0 to 9")
    return {"priority": int(value)}


def _wrong(name: str, value: str, expected: str) -> RestError:
    return bad_request(f"header {IBM_PREFIX}{name}: {expected} is expected, not {value[:60]!r}")


_READERS: Final[dict[str, Callable[[RestExchange, str], dict[str, Any]]]] = {
    "correlationid": _correlation,
    "expiry": _expiry,
    "persistence": _persistence,
    "replyto": _reply_to,
    "priority": _priority,
    "messageid": _message,
}
"""By the header's name in lower case."""


def requested_properties(exchange: RestExchange) -> list[FolderValue]:
    """Message properties from ``ibm-mq-usr``. Raises `RestError`, `PropertyError`."""
    found = []
    for header in exchange.headers("ibm-mq-usr"):
        found += [_property(part.strip()) for part in _BETWEEN_COMMAS.findall(header) if part.strip()]
    return found


def _property(text: str) -> FolderValue:
    name, _, rest = text.partition(";")
    value, found, kind = rest.rpartition(";")
    if not found or kind.strip().lower() not in _TYPES:
        raise bad_request(f"header ibm-mq-usr: name;value;type is expected, not {text[:60]!r}")
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = value[1:-1]
    return make_property(name.strip(), _TYPES[kind.strip().lower()], value)


def ibm_headers(exchange: RestExchange, message: Message, view: MessageView) -> dict[str, str]:
    """The headers with which IBM's API describes a message."""
    md = message.md
    prefix = "ID:" if exchange.version >= 3 else ""
    headers = {
        "ibm-mq-md-messageId": prefix + md.msg_id.hex(),
        "ibm-mq-md-expiry": "unlimited" if md.expiry == MQEI.UNLIMITED else str(md.expiry * _MILLISECONDS),
        "ibm-mq-md-persistence": "persistent" if md.persistence == MQPER.PERSISTENT else "nonPersistent",
    }
    if any(md.correl_id):
        headers["ibm-mq-md-correlationId"] = prefix + md.correl_id.hex()
    if md.reply_to_q:
        at = f"@{md.reply_to_q_mgr}" if md.reply_to_q_mgr else ""
        headers["ibm-mq-md-replyTo"] = _plain(f"{md.reply_to_q}{at}")
    if exchange.version >= 3:
        headers["ibm-mq-md-priority"] = str(md.priority)
        if view.properties:
            headers["ibm-mq-usr"] = _plain(
                ", ".join(_shown(name, each["type"], each["value"]) for name, each in view.properties.items())
            )
    return headers


def own_headers(view: MessageView) -> dict[str, str]:
    """Headers for all fields of the descriptor."""
    return {OWN_PREFIX + name: _plain(str(value)) for name, value in view.descriptor.items()}


def _shown(name: str, kind: str, value: Any) -> str:
    if kind == "string":
        return f'{name};"{value}";{kind}'
    return f"{name};{str(value).lower() if isinstance(value, bool) else value};{kind}"


def _plain(text: str) -> str:
    """Text that a header can carry: control characters and those not in Latin-1 are replaced by question marks."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each.isprintable() else "?" for each in text).encode("latin-1", "replace").decode("latin-1")
