"""The structures of the wire, one file each; ``protocol.grammar`` says how one is written."""

from __future__ import annotations

from .tsh import TSH, TSHC, TSHM

__all__ = ["TSH", "TSHC", "TSHM"]
