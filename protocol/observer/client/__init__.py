"""The part of an observer that understands a client connection."""

from __future__ import annotations

from .part import ClientPart

__all__ = ["ClientPart"]
