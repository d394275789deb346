"""Requests about the gateway for devices."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from .client import RestClient


def gateway(client: RestClient) -> Any:
    """Return the gateway with its listeners and devices."""
    return client.call("GET", client.own_path("everyplace")).document


def act_on_device(client: RestClient, device: str, action: str, query: dict[str, str] | None = None) -> Any:
    """Enrol, revoke or readmit (``action``) a device."""
    path = client.own_path(f"everyplace/devices/{quote(device, safe='')}/{action}")
    return client.call("POST", path, b"", {}, query or {}).document


def check_address(client: RestClient, address: str, origin: str) -> Any:
    """Return how a message of a device to an address would go: ``{"valid": …, "lines": […]}``."""
    query = {"address": address} | ({"from": origin} if origin else {})
    return client.call("GET", client.own_path("everyplace/check"), None, {}, query).document


def administer(client: RestClient, device: str, words: list[str]) -> Any:
    """Send an administration message: ``{"request": …, "connected": …}``."""
    path = client.own_path(f"everyplace/devices/{quote(device, safe='')}/admin")
    return client.call("POST", path, json.dumps(words).encode(), {"Content-Type": "application/json"}).document


def replies(client: RestClient) -> Any:
    """Return the replies that have come: ``[{"request": …, "code": …, "text": …}]``."""
    return client.call("GET", client.own_path("everyplace/replies")).document["replies"]


def forget_reply(client: RestClient, request: int) -> None:
    """Delete a reply."""
    client.call("DELETE", client.own_path(f"everyplace/replies/{request}"))
