"""The admin endpoint: the paths of IBM MQ's REST API, and our own, over HTTP.

`AdminFactory` is the Twisted factory to listen with; `AdminContext` is what requests work with, and `Authentication`
finds out who makes them.
"""

from __future__ import annotations

from .authentication import Authentication
from .context import AdminContext
from .server import AdminFactory

__all__ = ["AdminContext", "AdminFactory", "Authentication"]
