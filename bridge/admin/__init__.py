"""The admin endpoint: the paths of IBM MQ's own REST API, and what goes beyond them, over HTTP.

`AdminFactory` is what an endpoint listens with; `AdminContext` what it works on.
"""

from __future__ import annotations

from .context import AdminContext
from .server import AdminFactory

__all__ = ["AdminContext", "AdminFactory"]
