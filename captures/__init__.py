"""Captured traffic: reading pcap and pcapng, TCP reassembly, MQ segments; and recording.

Start with :func:`read_segments` for MQ segments or :func:`read_flows` for bytes; :class:`Recorder` writes connections
as a capture. No content of a file makes a reader raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .names import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Who analyses captures is not to wait for what records, indexes and counts them."""
        import mqbridge.captures.names as names

        return getattr(names, name)

    def __dir__() -> list[str]:
        import mqbridge.captures.names as names

        return sorted({*globals(), *names.__all__})
