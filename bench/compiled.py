"""Which build of mqbridge is measured: compiled modules, or Python."""

from __future__ import annotations

from mqbridge.protocol import framing

COMPILED = framing.__file__.endswith(".so")
"""Whether the modules that matter are compiled."""
BUILD = "compiled" if COMPILED else "pure Python"
