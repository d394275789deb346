"""Templates: protocols over TCP described as data, and the session scripts of their ends (docs/partners.md).

`read_protocol` reads a description; a `Protocol` cuts streams, recognises, parses and builds packets.
"""

from __future__ import annotations

from .errors import BuildError, PacketError, ScriptError, StreamError, TemplateError
from .framer import Framer
from .protocol import Protocol, Recognised
from .reading import files_of, read_protocol
from .transaction import Role, Transaction
from .values import Context, Counters, Value, Values, no_values

__all__ = [
    "BuildError",
    "Context",
    "Counters",
    "Framer",
    "PacketError",
    "Protocol",
    "Recognised",
    "Role",
    "ScriptError",
    "StreamError",
    "TemplateError",
    "Transaction",
    "Value",
    "Values",
    "files_of",
    "no_values",
    "read_protocol",
]
