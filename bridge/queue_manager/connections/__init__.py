"""Connections of programs (Hconns): handles, units of work, asynchronous puts, the end (mqi.md 1, 5.5, 16, 19)."""

from .applications import application_rows
from .connection import Connection, Services
from .consumers import Consumers, ConsumerState
from .display import connection_rows
from .handles import ForeignHandle, ObjectHandle
from .lists import DistributionList
from .options import MAX_CONNECTIONS, ConnectOptions
from .registry import Connections

__all__ = [
    "MAX_CONNECTIONS",
    "ConnectOptions",
    "Connection",
    "Connections",
    "ConsumerState",
    "Consumers",
    "DistributionList",
    "ForeignHandle",
    "ObjectHandle",
    "Services",
    "application_rows",
    "connection_rows",
]
