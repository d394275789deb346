"""Names of objects and generic names, channels.md 16."""

from __future__ import annotations

import re

from .errors import NameRefused

NAME_LENGTH = 48
CHANNEL_NAME_LENGTH = 20
TOPIC_STRING_LENGTH = 10240
SUBSCRIPTION_NAME_LENGTH = 10240

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Line ends and control characters, not allowed in names and values."""

_NAME = re.compile(r"[A-Za-z0-9._/%]+")
_PROFILE = re.compile(r"[A-Za-z0-9._/%*?@]+")


def is_name(text: str, length: int = NAME_LENGTH) -> bool:
    """Whether `text` can name an object: 1 to `length` of the letters, digits and ``. / _ %`` (channels.md 16)."""
    return len(text) <= length and _NAME.fullmatch(text) is not None


def is_profile(text: str, length: int = NAME_LENGTH) -> bool:
    """Whether `text` is a profile of a record: a name in which ``*``, ``?`` and ``@`` may occur."""
    return len(text) <= length and _PROFILE.fullmatch(text) is not None


def check_name(text: str, length: int = NAME_LENGTH, what: str = "name") -> str:
    """Return `text` if it can name an object. Raises `NameRefused` otherwise."""
    if not text:
        raise NameRefused(f"{what} is empty")
    if len(text) > length:
        raise NameRefused(f"{what} '{text}' is longer than {length} characters")
    if not is_name(text, length):
        raise NameRefused(f"{what} '{text}' has characters other than letters, digits and . / _ %")
    return text


def is_generic(text: str) -> bool:
    """Whether a name is generic: it ends in ``*``."""
    return text.endswith("*")


def matches(generic: str, name: str) -> bool:
    """Whether `name` matches a generic name: ``ABC*``, ``*``, or the name itself."""
    if generic.endswith("*"):
        return name.startswith(generic[:-1])
    return name == generic
