"""All definitions as an MQSC script, in the form of dmpmqcfg."""

from __future__ import annotations

from collections.abc import Iterator

from mqbridge.bridge.queue_manager.objects import KINDS, Definition, Kind, Objects, date_and_time
from mqbridge.bridge.queue_manager.objects.attributes import Attribute
from mqbridge.bridge.queue_manager.objects.security_attributes import CHLAUTH_KEYS
from mqbridge.bridge.queue_manager.objects.values import Switch, Text, always_quoted
from mqbridge.mappings.moment import Time

PIECE = 1024
"""Longest part of a value on one line, well below the limit of script readers."""
_INDENT = "   "
_RULE = "*" * 79

_ORDER = (
    Kind.QMGR,
    Kind.QLOCAL,
    Kind.QMODEL,
    Kind.QALIAS,
    Kind.QREMOTE,
    Kind.NAMELIST,
    Kind.PROCESS,
    Kind.CHANNEL,
    Kind.AUTHINFO,
    Kind.LISTENER,
    Kind.SERVICE,
    Kind.COMMINFO,
    Kind.TOPIC,
    Kind.SUB,
    Kind.CHLAUTH,
    Kind.AUTHREC,
)


def dump(objects: Objects, now: Time) -> Iterator[str]:
    """The lines, without line ends, of a script that defines every durable object with all its attributes.

    Read-only attributes are comments, as are passwords, which are masked.
    """
    day, clock = date_and_time(now)
    yield _RULE
    yield f"* Script generated on {day} at {clock}"
    yield f"* Queue manager name: {objects.name}"
    yield _RULE
    for kind in _ORDER:
        for definition in objects.select(kind):
            if definition.durable:
                yield from dump_definition(definition)


def dump_definition(definition: Definition) -> Iterator[str]:
    """The lines of the command that makes a definition."""
    kind = definition.kind
    if kind is Kind.AUTHREC:
        yield from _authority(definition)
        return
    opening, ending = {
        Kind.QMGR: ("ALTER QMGR", "FORCE"),
        Kind.CHLAUTH: (f"SET CHLAUTH({always_quoted(definition.name)})", "ACTION(REPLACE)"),
    }.get(kind, (f"DEFINE {kind}({always_quoted(definition.name)})", "REPLACE"))
    yield f"{opening} +"
    selector = KINDS[kind].selector
    if selector:
        yield f"{_INDENT}{selector}({definition.subtype}) +"
    for keyword, attribute in definition.table.items():
        if keyword == selector or (keyword in CHLAUTH_KEYS and kind is Kind.CHLAUTH and not definition[keyword]):
            continue
        if _unset(kind, definition, keyword):
            continue
        yield from _attribute(definition, keyword, attribute)
    yield f"{_INDENT}{ending}"


def _unset(kind: Kind, definition: Definition, keyword: str) -> bool:
    """Whether an attribute is left out: it is blank and a blank is not allowed, or another attribute implies it.

    TOPICSTR of a subscription is the full topic string, so TOPICOBJ is left out; a managed queue is created anew.
    """
    if kind is Kind.SUB and keyword == "TOPICOBJ":
        return bool(definition["TOPICSTR"])
    if kind is Kind.SUB and keyword == "DEST":
        return definition["DESTCLAS"] == "MANAGED"
    return kind is Kind.CHLAUTH and keyword == "MCAUSER" and not definition[keyword]


def _attribute(definition: Definition, keyword: str, attribute: Attribute) -> Iterator[str]:
    value = definition[keyword]
    if attribute.read_only or (isinstance(attribute.type, Text) and attribute.type.secret):
        yield f"*  {keyword}({attribute.type.show(value)}) +"
    elif isinstance(attribute.type, Switch):
        yield f"{_INDENT}{attribute.type.show(value)} +"
    elif keyword == "NAMES" and not value:
        yield f"{_INDENT}NAMES() +"
    else:
        yield from _folded(f"{_INDENT}{keyword}({attribute.type.write(value)})")


def _folded(line: str) -> Iterator[str]:
    """A line and its ``+``, in pieces that end with ``-`` where it is long.

    No piece begins with a blank or an asterisk: it would be read as something else.
    """
    while len(line) > PIECE:
        end = PIECE
        while end > 1 and line[end] in " *":
            end -= 1
        if end <= 1:
            end = next((i for i in range(PIECE, len(line)) if line[i] not in " *"), len(line))
        yield line[:end] + "-"
        line = line[end:]
    yield line + " +"


def _authority(definition: Definition) -> Iterator[str]:
    authorities = ",".join(definition.texts("AUTHLIST")) or "NONE"
    yield "SET AUTHREC +"
    yield f"{_INDENT}PROFILE({always_quoted(definition.name)}) +"
    yield from _folded(f"{_INDENT}{definition['ENTTYPE']}({always_quoted(definition.text('ENTITY'))})")
    yield f"{_INDENT}OBJTYPE({definition['OBJTYPE']}) +"
    yield f"{_INDENT}AUTHADD({authorities})"
