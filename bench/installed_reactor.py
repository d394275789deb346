"""The reactor of `mqbridge run`; imported before anything that imports Twisted's."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mqbridge.bridge.endpoints.lean_reactor import install_lean_reactor

install_lean_reactor()

reactor: Any = import_module("twisted.internet.reactor")
