"""Requests about the gateway for devices."""

from __future__ import annotations

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
