"""What Qpid JMS has sent over AMQP (tests/vectors/qpid-jms)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from pprint import pformat
from typing import NamedTuple

from mqbridge.mappings.amqp import AmqpMessage

from .described import read_lines

FILE = Path(__file__).parents[2] / "vectors" / "qpid-jms" / "sent.jsonl"


class Vector(NamedTuple):
    """An encoded message, and what the client said of it."""

    name: str
    encoded: bytes
    sent: dict[str, str]

    def __str__(self) -> str:
        return self.name


def vectors() -> list[Vector]:
    """All of them."""
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [Vector(row["name"], bytes.fromhex(row["amqp"]), read_lines(row["sent"])) for row in rows]


def comparable(message: AmqpMessage) -> str:
    """A message as text: the order of names does not count, and NaN is equal to itself."""
    return pformat([dict(each) if isinstance(each, Mapping) else each for each in message], compact=True, width=120)


def without_moment(message: AmqpMessage) -> AmqpMessage:
    """A message without its id, times and user, which are others each time."""
    fields = message.properties._replace(message_id=None, creation_time=None, absolute_expiry_time=None, user_id=None)
    annotations = {name: each for name, each in message.message_annotations.items() if name != "x-opt-delivery-time"}
    return message._replace(properties=fields, message_annotations=annotations)
