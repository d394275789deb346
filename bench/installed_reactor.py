"""The reactor of `mqbridge run`; imported before anything that imports Twisted's."""

from __future__ import annotations

from typing import Any

from mqbridge.bridge.endpoints.lean_reactor import install_lean_reactor

install_lean_reactor()

from twisted.internet import reactor as twisted_reactor  # noqa: E402

reactor: Any = twisted_reactor
