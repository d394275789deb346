"""Settings of what moves messages beside the channels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mqbridge.bridge.config import values
from mqbridge.bridge.config.declarations import place, setting
from mqbridge.bridge.config.errors import TablePlace


@dataclass(slots=True, kw_only=True)
class RouteSettings:
    """``[[route]]``: messages of a queue, a topic or an input that are put elsewhere, transformed on the way."""

    name: str = setting(values.object_name)
    """Its name; unique."""
    source: str | None = setting(values.object_name, None, key="from")
    """Queue that it gets from."""
    topic: str | None = setting(values.text, None)
    """Topic string that it subscribes to durably, with wildcards; instead of ``from``."""
    input: dict[str, Any] | None = setting(values.keys_and_values, None)
    """An input of plug-ins (``mqbridge.inputs``), instead of ``from``: its ``kind``, and its own keys."""
    when: str | None = setting(values.text, None)
    """Selector; a message that is not selected is left to the source's next route."""
    steps: list[Any] = setting(values.array, [])
    """Transformations, in order."""
    to: str = setting(values.text)
    """Target: a destination URI, or the name of a queue."""
    error: str | None = setting(values.object_name, None)
    """Queue for messages that cannot be transformed or put; None: the dead-letter queue."""
    mcauser: str | None = setting(values.text, None)
    """User with whose authorities it gets and puts; None: the queue manager's own."""
    place: TablePlace = place()
