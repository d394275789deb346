"""Messages as lines that the Java programs send (``Dictated``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mqbridge import JmsMessage
from mqbridge.mappings.jms import Typed
from mqbridge.mappings.jms.typed import typed

from .described import bits, escaped

_ARGUMENTS = {
    "JMSType": "type",
    "JMSCorrelationID": "correlation_id",
    "JMSDeliveryMode": "delivery_mode",
    "JMSPriority": "priority",
}


@dataclass(frozen=True, slots=True)
class Dictated:
    """A message: its kind and body, header fields by their names in JMS, and how it is sent (``timeToLive``,
    ``deliveryDelay``), properties. Plain values have the types that `typed` gives them."""

    kind: str
    body: Any = None
    headers: Mapping[str, Any] = field(default_factory=dict)
    properties: Mapping[str, Any] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """The lines of the message."""
        yield line("kind", self.kind)
        if self.kind == "map":
            yield from [line(f"body[{escaped(name)}]", value) for name, value in self.body.items()]
        elif self.kind == "stream":
            yield from [line(f"body[{number}]", value) for number, value in enumerate(self.body)]
        else:
            yield line("body", self.body)
        yield from [line(name, value) for name, value in self.headers.items()]
        yield from [line("." + name, value) for name, value in self.properties.items()]

    def message(self, now: float) -> JmsMessage:
        """The message as ours. ``now``: seconds since 1970."""
        given = {_ARGUMENTS[name]: value for name, value in self.headers.items() if name in _ARGUMENTS}
        live = self.headers.get("timeToLive")
        if live is not None:
            given["expiration"] = int(now * 1000) + live.value
        return JmsMessage(self.kind, self.body, properties=self.properties, **given)


def line(name: str, given: Any) -> str:
    """A line of a message."""
    value, dt = typed(given)
    return f"{name}\t{dt}\t{_text(Typed(value, dt))}"


def _text(given: Typed) -> str:
    value, dt = given
    if dt in ("r4", "r8"):
        return f"{bits('>f', value):08x}" if dt == "r4" else f"{bits('>d', value):016x}"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, bool):
        return str(value).lower()
    return escaped(value) if isinstance(value, str) else "" if value is None else str(value)
