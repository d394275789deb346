"""Requests about routes and links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from .client import OCTETS, RestClient


def routes(client: RestClient) -> Any:
    """Return the routes and links: ``{"routes": [{"name": …, "kind": …, "state": …, …}]}``."""
    return client.call("GET", client.own_path("routes")).document


def act_on_route(client: RestClient, name: str, action: str) -> Any:
    """Start or stop (``action``) the routes and links of a name. Returns their rows, as `routes` does."""
    return client.call("POST", client.own_path(f"routes/{quote(name, safe='')}/{action}"), b"").document


def explain_routes(client: RestClient, message: bytes, query: Mapping[str, str]) -> Any:
    """Return what routes would do with a message: MQMD and data, or data alone.

    ``query``: ``from``, and of data alone ``format``, ``ccsid`` and ``encoding``.
    """
    headers = {"Content-Type": OCTETS}
    return client.call("POST", client.own_path("explain"), message, headers, query).document
