"""One queue manager as a process: opens everything that the configuration names, and closes it in order."""

from __future__ import annotations

from .errors import CANNOT_START, WRONG_CONFIGURATION, StartError
from .operator_log import OperatorLog
from .service import Service

__all__ = ["CANNOT_START", "WRONG_CONFIGURATION", "OperatorLog", "Service", "StartError"]
