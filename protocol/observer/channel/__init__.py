"""The part of an observer that understands a message channel."""

from __future__ import annotations

from .part import ChannelPart

__all__ = ["ChannelPart"]
