"""Templates: protocols over TCP described as data, and the session scripts of their ends (docs/partners.md).

`read_protocol` reads a description; a `Protocol` cuts streams, recognises, parses and builds
packets; a `SessionMachine` is an end that follows its script.
"""

from __future__ import annotations

from .errors import BuildError, PacketError, ScriptError, StreamError, TemplateError
from .framer import Framer
from .protocol import Protocol, Recognised
from .reading import files_of, read_protocol
from .session import SessionMachine
from .session_events import Accepted, Answered, Delivered, Ended, Event, Refused, Unknown
from .transaction import Role, Transaction
from .values import Context, Counters, Value, Values, no_values

__all__ = [
    "Accepted",
    "Answered",
    "BuildError",
    "Context",
    "Counters",
    "Delivered",
    "Ended",
    "Event",
    "Framer",
    "PacketError",
    "Protocol",
    "Recognised",
    "Refused",
    "Role",
    "ScriptError",
    "SessionMachine",
    "StreamError",
    "TemplateError",
    "Transaction",
    "Unknown",
    "Value",
    "Values",
    "files_of",
    "no_values",
    "read_protocol",
]
