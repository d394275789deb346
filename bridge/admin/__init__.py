"""The admin endpoint: the paths of IBM MQ's REST API, and our own, over HTTP.

`AdminFactory` is the Twisted factory to listen with; `AdminContext` is what requests work with.
"""

from __future__ import annotations

from .context import AdminContext
from .server import AdminFactory

__all__ = ["AdminContext", "AdminFactory"]
