"""Messages recorded with IBM's JMS client, and what it read in them (tests/vectors/jms-messages)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from mqbridge.mappings.message import Message
from mqbridge.protocol.constants import ByteOrder

from .described import read_lines

FOLDER = Path(__file__).parents[2] / "vectors" / "jms-messages"


@dataclass(slots=True)
class Recorded:
    """A message, the properties of the destination that it was sent to, and what the client read; None if it failed."""

    name: str
    message: Message
    properties: str
    read: dict[str, str] | None

    def __str__(self) -> str:
        return self.name


def recorded(file: str) -> list[Recorded]:
    """The messages of ``written.jsonl`` or ``read.jsonl``."""
    found = []
    for line in (FOLDER / file).read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        message = Message(
            bytes.fromhex(entry["md"]),
            bytes.fromhex(entry["data"]),
            order=next(order for order in ByteOrder if order.encoding == entry["order"]),
            ccsid=entry["ccsid"],
        )
        failed = entry["read"][0].startswith("failed")
        read = None if failed else read_lines(entry["read"])
        found.append(Recorded(entry["name"], message, entry.get("properties", ""), read))
    return found
