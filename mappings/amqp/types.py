"""JMSType in messages of MQ and of providers.

IBM's client takes a type that begins with ``mcd://`` for the URI of a message domain, which a text or bytes message
alone may have. A type of a provider that is no such URI gets ``AMQP:`` in front, which is taken off on the way back.
"""

from __future__ import annotations

import re
from typing import Final

from mqbridge.mappings.jms_headers import jms_type, type_elements

_URI: Final = "mcd://"
_MARK: Final = "AMQP:"
_MARKED: Final = re.compile(rf"(?:{_MARK})+{_URI}")
_KINDS: Final = ("text", "bytes")


def type_of_mq(kind: str, subject: str | None) -> str | None:
    """JMSType of a message of MQ. ``kind``: of the message."""
    if subject is None or not subject.startswith((_URI, _MARK)):
        return subject
    if subject.startswith(_URI):
        is_uri = kind in _KINDS and jms_type(dict(type_elements(subject))) == subject
        return subject if is_uri else _MARK + subject
    return _MARK + subject if _MARKED.match(subject) else subject


def subject_of_mq(jms_type: str | None) -> str | None:
    """The subject for a JMSType of a message of MQ."""
    return jms_type.removeprefix(_MARK) if jms_type is not None and _MARKED.match(jms_type) else jms_type
