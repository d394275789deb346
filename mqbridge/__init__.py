"""The public names of mqbridge, each imported on first use.

The rooms (`ROOMS`) are packages inside this one; in the repository they are beside it, and links put them here.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

if os.environ.get("MQBRIDGE_PURE"):
    from .build import use_sources

    use_sources()

if TYPE_CHECKING:
    from mqbridge.bridge.client import (
        BackedOut,
        ConnectionBroken,
        Inhibited,
        Message,
        MQError,
        NotAuthorized,
        NotReachable,
        Queue,
        QueueFull,
        QueueManager,
        Quiescing,
        Subscription,
        TlsFailed,
        TooLong,
        Topic,
        Truncated,
        UnknownObject,
        UrlError,
        connect,
    )
    from mqbridge.bridge.client.jms import JmsMessage
    from mqbridge.bridge.client.trees import message_tree
    from mqbridge.bridge.config import ConfigError, Configuration
    from mqbridge.bridge.decoding import decode
    from mqbridge.bridge.plug_ins import load_formats
    from mqbridge.mappings.destinations import Destination
    from mqbridge.mappings.jms import JmsFormatError, Typed
    from mqbridge.mappings.tree import MessageTree, TreeError
    from mqbridge.protocol.errors import MQBridgeError

    __version__: str

ROOMS = ("protocol", "mappings", "bridge", "captures")
"""The packages that make up mqbridge; internal except for what this module exports."""

__all__ = [
    "BackedOut",
    "ConfigError",
    "Configuration",
    "ConnectionBroken",
    "Destination",
    "Inhibited",
    "JmsFormatError",
    "JmsMessage",
    "MQBridgeError",
    "MQError",
    "Message",
    "MessageTree",
    "NotAuthorized",
    "NotReachable",
    "Queue",
    "QueueFull",
    "QueueManager",
    "Quiescing",
    "Subscription",
    "TlsFailed",
    "TooLong",
    "Topic",
    "TreeError",
    "Truncated",
    "Typed",
    "UnknownObject",
    "UrlError",
    "__version__",
    "connect",
    "decode",
    "load_formats",
    "main",
    "message_tree",
]

_CLIENT = "mqbridge.bridge.client"
_HOMES = {
    "ConfigError": "mqbridge.bridge.config",
    "Configuration": "mqbridge.bridge.config",
    "Destination": "mqbridge.mappings.destinations",
    "JmsFormatError": "mqbridge.mappings.jms",
    "JmsMessage": "mqbridge.bridge.client.jms",
    "MQBridgeError": "mqbridge.protocol.errors",
    "MessageTree": "mqbridge.mappings.tree",
    "TreeError": "mqbridge.mappings.tree",
    "Typed": "mqbridge.mappings.jms",
    "decode": "mqbridge.bridge.decoding",
    "load_formats": "mqbridge.bridge.plug_ins",
    "message_tree": "mqbridge.bridge.client.trees",
}
"""Modules of exported names that do not belong to the client."""


if not TYPE_CHECKING:  # a type checker would take every name for one that is here

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            value: Any = version("mqbridge")
        elif name in __all__:
            value = getattr(importlib.import_module(_HOMES.get(name, _CLIENT)), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def main() -> None:
    """Run the command line; the console script ``mqbridge`` and ``python -m mqbridge`` start here."""
    _check_build()
    importlib.import_module("mqbridge.bridge.cli").main()


def run_test_helper() -> None:
    """Run the process behind the pytest fixture ``mq`` (``mqbridge.pytest_plugin``)."""
    _check_build()
    importlib.import_module("mqbridge.bridge.testing.helper").main()


def _check_build() -> None:
    """End with status 3 where a compiled build is not whole."""
    from . import build

    if not build.compiled_here():
        return
    reason = build.fault(importlib.import_module("importlib.metadata").version("mqbridge"))
    if reason is not None:
        sys.stderr.write(f"mqbridge: {reason}\n")
        sys.exit(3)
