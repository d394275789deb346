"""The input ``http``: each POST to an endpoint of its own becomes a message; see `HttpInput`."""

from __future__ import annotations

from .door import Door, DoorSettings, OpenDoor
from .http_input import HttpInput

__all__ = ["Door", "DoorSettings", "HttpInput", "OpenDoor"]
