"""Limits on the description of a protocol and on its packets (M-174)."""

from __future__ import annotations

from typing import Final

MAX_TEXT: Final = 1 << 20
"""Longest description in characters."""
MAX_TEMPLATE: Final = 1 << 20
"""Most bytes of one template, and of one file that a template names."""
MAX_TRANSACTIONS: Final = 1000
MAX_FIELDS: Final = 1000
"""Most fields of one transaction."""
MAX_ALL_FIELDS: Final = 20_000
"""Most fields of all transactions."""
MAX_CONDITIONS: Final = 16
"""Most conditions of one recogniser."""
MAX_VALUES: Final = 1000
"""Most names for the values of a field."""
MAX_STATES: Final = 100
"""Most states of one role."""
MAX_RULES: Final = 100
"""Most rules of one state."""
MAX_SENDS: Final = 16
"""Most packets that one rule sends."""
MAX_PACKET: Final = 100 << 20
"""The longest packet that a description may allow, in bytes."""
DEFAULT_PACKET: Final = 4 << 20
"""The longest packet where the description does not say."""
MAX_SECONDS: Final = 86_400.0 * 366
"""Longest time of a session script."""
