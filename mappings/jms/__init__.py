"""JMS messages: what descriptor, MQRFH2 and body of a message say as JMS, and the other way (jms-mapping.md 1 to 6)."""

from __future__ import annotations

from .checks import KINDS
from .errors import JmsFormatError
from .headers import JmsHeaders
from .message import JmsMessage
from .receiving import Body
from .typed import JMS_TYPES, PROPERTY_TYPES, Typed, Value, typed

__all__ = [
    "JMS_TYPES",
    "KINDS",
    "PROPERTY_TYPES",
    "Body",
    "JmsFormatError",
    "JmsHeaders",
    "JmsMessage",
    "Typed",
    "Value",
    "typed",
]
