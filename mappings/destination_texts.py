"""Texts in URIs of destinations: names, topic strings, properties and their limits (jms-mapping.md 7)."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote_plus, unquote, unquote_plus

from mqbridge.protocol.constants.lengths import MQ_Q_NAME_LENGTH, MQ_TOPIC_STR_LENGTH
from mqbridge.protocol.errors import MQBridgeError

MAX_TOPIC: Final = MQ_TOPIC_STR_LENGTH
"""Longest topic string in characters (MQ_TOPIC_STR_LENGTH)."""
MAX_PROPERTIES: Final = 64
"""Most properties of a destination."""
MAX_PROPERTY: Final = 8192
"""Longest property, name and value as written, in characters."""
QUEUE_DEFAULT: Final = -1
"""Persistence or priority that the queue's DEFPSIST or DEFPRTY decides."""
APPLICATION: Final = -2
"""Persistence, priority or expiry that the sending program decides."""

_NAME: Final = re.compile(r"[A-Za-z0-9._/%]+\Z")
_ESCAPED: Final = re.compile(r"(?:[^%]|%[0-9A-Fa-f]{2})*\Z", re.DOTALL)
_INT: Final = 2**31 - 1

RANGES: Final[dict[str, tuple[int, int]]] = {
    "ccsid": (0, _INT),
    "encoding": (0, _INT),
    "expiry": (APPLICATION, 10**18 - 1),
    "priority": (APPLICATION, 9),
    "persistence": (APPLICATION, 3),
    "targetclient": (0, 1),
    "messagebody": (0, 2),
    "mdmessagecontext": (0, 2),
    "readaheadallowed": (-1, 1),
    "putasyncallowed": (-1, 1),
    "readaheadclosepolicy": (1, 2),
    "failifquiesce": (0, 1),
    "receiveccsid": (0, _INT),
    "receiveconversion": (1, 2),
}
"""Lowest and highest value of properties that are numbers, by names in lower case (jms-mapping.md 7.2)."""
HOLES: Final = {("expiry", QUEUE_DEFAULT), ("persistence", 0)}
"""Numbers between these that the properties cannot have."""
FLAGS: Final = frozenset(("mdreadenabled", "mdwriteenabled"))
"""Properties that are true or false, by names in lower case."""


class DestinationError(MQBridgeError):
    """A destination that cannot be, or a property of one with a value that it cannot have."""


def conforms(name: str) -> bool:
    """Return whether MQ can have a queue or queue manager of this name."""
    return len(name) <= MQ_Q_NAME_LENGTH and _NAME.match(name) is not None


def read_properties(query: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return properties and how they are written; what has no name is left out, as IBM's client ignores it."""
    if not query:
        return (), ()
    if query.count("&") >= MAX_PROPERTIES:
        raise DestinationError(f"a destination has at most {MAX_PROPERTIES} properties")
    written = tuple(each for each in query.split("&") if each and each[0] != "=")
    check_properties(written)
    pairs = []
    for each in written:
        name, _, value = each.partition("=")
        pairs.append((name, unquote_plus(value, errors="replace") if _ESCAPED.match(value) else value))
    return tuple(pairs), written


def check_properties(written: tuple[str, ...]) -> None:
    """Raise `DestinationError` for more or longer properties than a destination can have."""
    if len(written) > MAX_PROPERTIES:
        raise DestinationError(f"a destination has at most {MAX_PROPERTIES} properties")
    for each in written:
        if len(each) > MAX_PROPERTY:
            raise DestinationError(f"a property of a destination has at most {MAX_PROPERTY} characters")


def write_property(name: str, value: str) -> str:
    """Return a property as URIs have it, its value form-encoded as Java's URLEncoder does it."""
    if not name or set(name) & set("=&?"):
        raise DestinationError(f"a destination cannot have a property {name[:60]!r}")
    try:
        return f"{name}={quote_plus(value, safe='*').replace('~', '%7E')}"
    except UnicodeEncodeError as error:
        raise DestinationError(f"property {name} of a destination cannot be written in UTF-8") from error


def topic_text(name: str) -> str:
    """Return a topic string as URIs have it: encoded only where it would else read differently."""
    if "?" in name or ("%" in name and _ESCAPED.match(name)):
        return name.replace("%", "%25").replace("?", "%3F")
    return name


def read_topic(text: str) -> str:
    """Return the topic string of a URI: decoded if all of it is valid percent-encoding."""
    return unquote(text, errors="replace") if "%" in text and _ESCAPED.match(text) else text


def check_topic(name: str) -> None:
    """Raise `DestinationError` for a text that is no topic string."""
    if not name:
        raise DestinationError("a destination without a topic string")
    if len(name) > MAX_TOPIC:
        raise DestinationError(f"the topic string {name[:60]!r}… is longer than {MAX_TOPIC}")


def check_name(what: str, name: str, longest: int, *, conforming: bool) -> None:
    """Raise `DestinationError` for a name that is blank, too long or, where it is to conform, not one of MQ's."""
    if not name:
        raise DestinationError(f"a destination without a {what}")
    if len(name) > longest:
        raise DestinationError(f"the {what} {name[:60]!r} has a name longer than {longest}")
    if conforming and not _NAME.match(name):
        raise DestinationError(f"no {what} can be called {name!r}: letters, digits, and . / _ % are allowed")
