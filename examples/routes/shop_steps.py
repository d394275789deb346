"""The Python step of the route in `queue-manager.toml`: orders as JSON get a price."""

from __future__ import annotations

import json

from mqbridge import Message

PRICES = {"apples": 30, "pears": 45}
"""In cents."""


def price(message: Message) -> Message | None:
    """Return an order with its price, None for an order of nothing. An unknown item is an error: the order goes to
    ORDERS.ERROR."""
    order = json.loads(message.text)
    if not order["count"]:
        return None
    order["price"] = PRICES[order["item"]] * order["count"]
    return Message(json.dumps(order), persistent=message.persistent, properties=message.properties)
