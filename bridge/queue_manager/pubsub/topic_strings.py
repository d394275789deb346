"""Topic strings: length, composition, hierarchy (mqi.md 17 rows 1 and 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.protocol.constants import MQRC
from mqbridge.protocol.constants.lengths import MQ_TOPIC_STR_LENGTH

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.objects import Objects

MAX_TOPIC_STRING: Final = MQ_TOPIC_STR_LENGTH
"""Characters of a topic string."""
SEPARATOR: Final = "/"


def combine(administrative: str, string: str) -> str:
    """The topic string of a topic object followed by the program's, with one ``/`` between them."""
    if not administrative or not string:
        return administrative or string
    if administrative.endswith(SEPARATOR) or string.startswith(SEPARATOR):
        return administrative + string
    return administrative + SEPARATOR + string


def full_topic(objects: Objects, object_name: str, object_string: str) -> str:
    """The topic string of the object name and object string of an MQOD or MQSD.

    Raises `MQError` 2441 (object string too long), 2085 (no such topic object), 2425 (both blank, or the whole too
    long).
    """
    if len(object_string) > MAX_TOPIC_STRING:
        raise MQError(MQRC.OBJECT_STRING_ERROR, f"{len(object_string)} characters")
    administrative = ""
    if object_name:
        definition = objects.find(Kind.TOPIC, object_name)
        if definition is None:
            raise MQError(MQRC.UNKNOWN_OBJECT_NAME, object_name)
        administrative = definition.text("TOPICSTR")
    topic = combine(administrative, object_string)
    if not topic:
        raise MQError(MQRC.TOPIC_STRING_ERROR, "no topic is named")
    if len(topic) > MAX_TOPIC_STRING:
        raise MQError(MQRC.TOPIC_STRING_ERROR, f"{len(topic)} characters")
    return topic


def levels_of(topic: str) -> list[str]:
    """The levels of a topic string, empty ones included."""
    return topic.split(SEPARATOR)


def is_at_or_below(topic: str, ancestor: str) -> bool:
    """Whether a topic string equals another one or lies below it.

    A string that ends with ``/`` is an ancestor of every string that begins with it, so the supplied topic object
    ``dev/`` governs ``dev/x``. No public source says whether IBM MQ does the same.
    """
    if not ancestor or topic == ancestor:
        return True
    return topic.startswith(ancestor if ancestor.endswith(SEPARATOR) else ancestor + SEPARATOR)
